#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the pages of .cinta/html/ as a browser would, and says what is not as it was meant.

    site.py crawl DIR [FILE]     every page that index.html leads to: elements, attributes, addresses,
                                 ids, the policy and what it allows; prints how many pages and links,
                                 and writes which pages these are
    site.py look DIR PAGE        one page alone, without where it leads to
    site.py meant                the elements that we write, with their attributes, as JSON
    site.py vectors              hostile texts, a JSON string a line
    site.py messages             the same as lines for a log, in content, tool and author
    site.py save MOUNT           … and in documents and facts
    site.py shown DIR PAGE       which of them do not stand on the page as text
    site.py plain FILE           a page without what is the same in all, for a golden file
    site.py fill MOUNT FROM TO   sessions with 50 messages each, and a fact of every tenth
    site.py cost PID FILE        bytes of a page, and microseconds of the daemon's CPU to make it: the
                                 least of twenty times
"""
import base64
import collections
import glob
import hashlib
import html.parser
import json
import os
import re
import sys
import time
import urllib.parse

VOID = {'meta', 'link', 'br', 'hr', 'img', 'input', 'embed', 'source', 'base', 'area', 'col'}
# All elements that we write, each with the attributes that it may have.
MEANT = {
    'html': {'lang'}, 'head': set(), 'meta': {'charset', 'http-equiv', 'content', 'name'}, 'title': {'id'},
    'style': set(), 'body': set(), 'header': set(), 'main': {'id', 'tabindex'}, 'script': set(),
    'nav': {'aria-label'}, 'form': {'id', 'role', 'data-to', 'data-end'}, 'button': set(),
    'input': {'name', 'type', 'maxlength', 'aria-label'}, 'h1': set(), 'h2': {'id'}, 'h3': set(),
    'p': {'class', 'dir'}, 'a': {'href', 'class', 'aria-current', 'rel'}, 'ul': {'class'}, 'ol': set(), 'li': {'id'},
    'bdi': set(), 'small': set(), 'dl': set(), 'dt': set(), 'dd': set(), 'time': {'datetime'},
    'table': {'class'}, 'caption': set(), 'thead': set(), 'tbody': set(), 'tr': {'id'},
    'th': {'scope', 'class'}, 'td': {'class', 'dir'}, 'pre': {'dir'}, 'code': set(), 'em': set(), 'strong': set(),
    'blockquote': set(), 'br': set(), 'hr': set(), 'span': {'class', 'dir'}, 'ins': set(), 'del': set(),
    'article': {'id', 'class'}, 'details': set(), 'summary': set(), 'figure': set(), 'figcaption': set(),
    'meter': {'min', 'max', 'value', 'high', 'aria-label'},
    'svg': {'class', 'xmlns', 'role', 'aria-labelledby', 'viewbox', 'width', 'height'}, 'desc': {'id'},
    'text': {'x', 'y', 'text-anchor'}, 'line': {'class', 'x1', 'y1', 'x2', 'y2'},
    'rect': {'class', 'x', 'y', 'width', 'height'}, 'polyline': {'class', 'points'}, 'path': {'class', 'd'},
}
CLASSES = re.compile(r'(skip|mark|head|soft|plot|grid|diff|words|[nwads]|[cld]\d|(user|assistant|system|tool|other)( out)?)?')


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.links, self.bad, self.elements = [], [], [], [], collections.Counter()
        self.raw, self.shown, self.policy = collections.defaultdict(list), [], None
        self.feed(text)
        self.close()
        if self.stack:
            self.bad.append(f'left open: {self.stack}')

    def look_at(self, tag, attributes):
        self.elements[tag] += 1
        if tag not in MEANT:
            self.bad.append(f'an element we never write: {tag} {attributes}')
            return
        for name, value in attributes:
            if name not in MEANT[tag]:
                self.bad.append(f'an attribute we never write: {tag} {name}={value}')
        values = dict(attributes)
        if len(values) != len(attributes):
            self.bad.append(f'an attribute twice: {tag} {attributes}')
        if 'id' in values:
            self.ids.append(values['id'])
        if not CLASSES.fullmatch(values.get('class', '')):
            self.bad.append(f'class {values["class"]}')
        if tag == 'a':
            self.links.append(values.get('href'))
        if values.get('http-equiv'):
            self.policy = values['content']

    def handle_starttag(self, tag, attributes):
        self.look_at(tag, attributes)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, attributes)

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1] != tag:
            self.bad.append(f'</{tag}> closes {self.stack[-3:]}')
        else:
            self.stack.pop()

    def handle_data(self, data):
        if self.stack and self.stack[-1] in ('style', 'script'):
            self.raw[self.stack[-1]].append(data)
        else:
            self.shown.append(data)

    def handle_comment(self, data):
        self.bad.append(f'a comment: {data[:60]}')

    def handle_pi(self, data):
        self.bad.append(f'an instruction: {data[:60]}')

    def check(self):
        """What any page has, and has not."""
        for tag, allowed in (('style', 2), ('script', 1), ('main', 1), ('h1', 1), ('form', 1), ('title', None)):
            if allowed and self.elements[tag] != allowed:
                self.bad.append(f'{self.elements[tag]} elements {tag}')
        for tag, texts in self.raw.items():
            for text in texts:
                digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                if f"'sha256-{digest}'" not in (self.policy or ''):
                    self.bad.append(f'{tag} is not one that the policy names')
        for want in ("default-src 'none'", "form-action 'none'", "base-uri 'none'"):
            if want not in (self.policy or ''):
                self.bad.append(f'the policy lacks {want}')
        for text in self.shown:
            for c in text:
                if (ord(c) < 32 and c not in '\t\n\r') or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e \
                        or 0x2066 <= ord(c) <= 0x2069 or c in '\u200b\u2028\ufeff':
                    self.bad.append(f'U+{ord(c):04X} as it is')
        for name, times in collections.Counter(self.ids).items():
            if times > 1:
                self.bad.append(f'id {name} {times} times')
        return self.bad


def read(base, path):
    with open(os.path.join(base, path), encoding='utf-8', newline='') as f:
        return f.read()


def crawl(base, listed=None):
    todo, ids, spots, failed, links = ['index.html'], {}, [], 0, 0

    def tell(*what):
        nonlocal failed
        failed += 1
        print(*what)
    while todo:
        path = todo.pop()
        if path in ids:
            continue
        try:
            text = read(base, path)
        except (OSError, UnicodeDecodeError) as e:
            ids[path] = set()
            tell(path, e)
            continue
        page = Page(text)
        ids[path] = set(page.ids)
        for what in page.check():
            tell(path, what)
        for link in page.links:
            links += 1
            to = urllib.parse.urlsplit(link or '')
            if to.scheme in ('http', 'https', 'mailto'):
                continue
            if not link or to.scheme or to.netloc or to.query or to.path.startswith('/'):
                tell(path, 'leads to', repr(link))
                continue
            at = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(to.path))) if to.path else path
            if at.startswith('..'):
                tell(path, 'leads out to', link)
                continue
            todo.append(at)
            if to.fragment:
                spots.append((path, at, to.fragment))
    for path, at, spot in spots:
        if spot not in ids.get(at, ()):
            tell(path, 'leads to no such place:', at, spot)
    if listed:
        with open(listed, 'w', encoding='utf-8') as f:
            f.writelines(f'{path}\n' for path in ids)
    print(len(ids), 'pages', links, 'links')
    return failed


def vectors():
    handlers = ('onerror', 'onload', 'onclick', 'onfocus', 'onmouseover', 'ontoggle', 'onanimationstart', 'onbegin')
    schemes = ('javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', 'vbscript:msgbox(1)',
               'data:text/html,<script>alert(1)</script>', 'file:///etc/passwd', '//evil.example/x', '\x01javascript:alert(1)',
               'javascript&colon;alert(1)', '&#106;avascript:alert(1)', 'feed:javascript:alert(1)', 'blob:null/x')
    tags = ('img src=x', 'svg', 'body', 'iframe src=x', 'video src=x', 'details open', 'input autofocus', 'a href=x', 'math',
            'object data=x', 'embed src=x', 'marquee', 'style', 'isindex', 'button', 'svg/')
    out = [f'<{t} {h}=alert(1)>' for t in tags for h in handlers]
    out += [form.format(s) for s in schemes for form in
            ('[click]({})', '<a href="{}">x</a>', '![p]({})', '<{}>', '[r]: {}\n\n[r]', '<iframe src="{}"></iframe>',
             '<form action="{}"><button>', '<meta http-equiv=refresh content="0;url={}">', '<base href="{}">',
             '<link rel=stylesheet href="{}">', '<svg><a xlink:href="{}"><text>x</text></a></svg>')]
    out += ['<script>alert(1)</script>', '</script><script>alert(1)</script>', '</style><script>alert(1)</script>',
            '</title><script>alert(1)</script>', '"><script>alert(1)</script>', "'><img src=x onerror=alert(1)>",
            '</pre><script>alert(1)</script>', '</bdi></td></tr></table><script>alert(1)</script>', '--><script>alert(1)</script>',
            '<!--', '<![CDATA[<script>alert(1)</script>]]>', '<?php echo 1 ?>', '<!DOCTYPE html>', '<scr<script>ipt>alert(1)</scr</script>ipt>',
            '<svg><script>alert&#40;1&#41;</script></svg>', '<svg><style><img src=x onerror=alert(1)></style></svg>',
            '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
            '<template><script>alert(1)</script></template>', '<style>*{display:none}</style>', '<plaintext>', '<xmp><script>alert(1)</script>',
            '&lt;script&gt;alert(1)&lt;/script&gt;', '&#60;script&#62;', '\x00<script>alert(1)</script>', '<scr\x00ipt>alert(1)</script>',
            '<\x0cscript>alert(1)</script>', '\ufeff<script>', '＜script＞alert(1)＜/script＞', '\u202e<img src=x>\u202c', '\u2066\u2067evil',
            '\u200b\u200d\u2060zero', '\x1b[31mred\x1b[0m', '\x1b]0;title\x07', '\x9b31m', '\u2028line', 'שלום <b>עולם</b>', 'مرحبا',
            '# A heading of the page\n\nMessages\n===\n\n<h1>Memory</h1>', '```\nleft open', '~~~html\n<img src=x onerror=alert(1)>',
            '> > > > ' * 40 + 'deep', '* ' * 60 + 'deep', '[' * 500, '`' * 301, '*' * 999 + 'x', '\\' * 50 + '<b>',
            '![a](http://evil.example/track.png)', '<http://evil.example/"onmouseover="alert(1)>', '[x](http://a"onclick="alert(1))',
            '[x](http://a\'onclick=\'alert(1))', '[x](https://evil.example "t" onclick=alert(1))', '<mailto:a@b.c?subject="><script>>',
            'w' * 1000000, '<' * 3000, '&' * 3000, 'é' * 5000 + '<']
    return out


def can_be_said(text):
    return not any(0xd800 <= ord(c) <= 0xdfff for c in text) and '\0' not in text


def flat(text):
    """What is seen of a text, however it is laid out: its letters and digits alone."""
    return ''.join(c for c in text if c.isalnum())


def shown(base, path):
    seen = flat(''.join(Page(read(base, path)).shown))
    missing = [v for v in vectors() if can_be_said(v) and len(v) < 400 and v.isprintable() and v.isascii()
               and not re.search(r'[\[\]`*&]|^<(http|mailto|javascript|vbscript|data|file|feed|blob|JaVa)', v) and flat(v) not in seen]
    for v in missing:
        print(repr(v))
    return len(missing)


def messages():
    for i, v in enumerate(v for v in vectors() if can_be_said(v)):
        print(json.dumps({'role': ('user', 'assistant', 'tool', 'system')[i % 4], 'content': v,
                          'tool': v[:60] if i % 4 == 2 else 'sh', 'thread': 'all', 'pinned': i % 50 == 0,
                          'from': {'author': re.sub(r'[^\x20-\x7e]', '', v)[:60] or 'x'}}, ensure_ascii=True))


def save(mount):
    """The same in documents, each saved twice, and in facts that then change."""
    texts = [v for v in vectors() if can_be_said(v) and len(v) < 20000]
    # what is nested a hundred deep is no list of facts
    facts = [v for v in texts if '\n' not in v and len(v) < 500 and len(v) - len(v.lstrip('> \t-+*')) < 100]

    def put(path, text):
        with open(os.path.join(mount, path), 'w', encoding='utf-8', newline='') as f:
            f.write(text)
    for path in ('notes/<i>/a "b" & \'c\'.md', 'notes/all.txt', 'memories/fact/all.md', 'blocks/rules/all.md',
                 'smma/agent_notes.md'):
        kept = texts if path.startswith('notes') else [v for v in texts if len(v) < 60][::7]
        put(path, '\n\n'.join(kept) + '\n')
        put(path, '\n\n'.join(reversed(kept)) + '\n')
    put('facts/work.md', '# Work\n\n' + ''.join(f'- {v}\n' for v in facts))
    put('facts/work.md', '# Work\n\n' + ''.join(f'- {v} still\n' for v in facts))


def fill(mount, first, last):
    for i in range(first, last):
        name = f'{mount}/sessions/session-{i:05}'
        os.mkdir(name)
        lines = ''.join(json.dumps({'role': ('user', 'assistant')[n % 2], 'content': f'lamp {n} of the garden {i}'}) + '\n'
                        for n in range(50))
        with open(f'{name}/log.jsonl', 'ab', buffering=0) as f:
            f.write(lines.encode())
        if i % 10 == 0:
            with open(f'{mount}/facts/work.md', 'ab', buffering=0) as f:
                f.write(f'- The lamp of session {i} is blue\n'.encode())


def worked(pid):
    """Nanoseconds of all threads of a process."""
    spent = 0
    for task in glob.glob(f'/proc/{pid}/task/*/schedstat'):
        try:
            with open(task, encoding='ascii') as f:
                spent += int(f.read().split()[0])
        except OSError:
            pass  # it has ended
    return spent


def cost(pid, path):
    for _ in range(600):  # until it rests
        before = worked(pid)
        time.sleep(0.2)
        if worked(pid) - before < 2e6:
            break
    best = None
    for _ in range(20):
        before = worked(pid)
        with open(path, 'rb') as f:
            size = len(f.read())
        spent = worked(pid) - before
        best = spent if best is None or spent < best else best
    print(size, best // 1000)


def plain(path):
    with open(path, encoding='utf-8', newline='') as f:
        text = f.read()
    text = re.sub(r'<(style|script)>.*?</\1>', r'<\1/>', text, flags=re.S)
    text = re.sub(r"'sha256-[^']*'", "'sha256-'", text)
    print(text, end='')


def main():
    verb, rest = sys.argv[1], sys.argv[2:]
    if verb == 'crawl':
        return crawl(*rest) != 0
    if verb == 'look':
        bad = Page(read(*rest)).check()
        print('\n'.join(bad))
        return bool(bad)
    if verb == 'meant':
        print(json.dumps({tag: sorted(names) for tag, names in MEANT.items()}))
    if verb == 'vectors':
        for v in vectors():
            print(json.dumps(v))
    if verb == 'save':
        save(rest[0])
    if verb == 'messages':
        messages()
    if verb == 'fill':
        fill(rest[0], int(rest[1]), int(rest[2]))
    if verb == 'cost':
        cost(*rest)
    if verb == 'shown':
        return shown(*rest) != 0
    if verb == 'plain':
        plain(rest[0])
    return 0


if __name__ == '__main__':
    sys.exit(main())
