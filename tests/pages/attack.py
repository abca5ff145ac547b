#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The vectors of vectors.txt wherever a text may stand, for tests/pages/run.

    attack.py fill MOUNT DIR     puts them into a mounted memory.  DIR gets vectors.json, each vector with
                                 what stands before its hole; pages.json, for each kind of page the
                                 addresses that show them; and copies of pages that show the newest alone,
                                 as they were after each ten sessions
    attack.py holes DIR MOUNT    writes pages into DIR/holes/ in which one vector of each kind is not
                                 escaped, as an element that we never write and as one that we do
"""
import html
import json
import os
import re
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
NAME_BYTES = 190            # of a name that holds several vectors: a block's has 200 characters
PACKED = 10                 # sessions between two copies
MEMORIES = 10               # vectors between two copies of memories.html, which has the best twenty
COPIED = ('index', 'blocks', 'search', 'proof')


def vectors():
    """Texts; the call in the vector of line N is hole(N)."""
    out = []
    with open(os.path.join(HERE, 'vectors.txt'), encoding='utf-8') as f:
        for n, line in enumerate(f, 1):
            if line.startswith('#'):
                continue
            text = re.sub(r'\\(x[0-9a-f]{2}|u[0-9a-f]{4}|n|t|\\)', lambda m: json.loads('"%s"' % (
                m[0] if m[1][0] != 'x' else '\\u00' + m[1][1:])), line[2:].rstrip('\n').replace('@', f'hole({n})').replace(r'\x40', '@'))
            out.append((n, text))
    return out


def before(n, text):
    """The visible letters in one piece that stand before each of its holes."""
    return [re.search(r'[\x20-\x7e]*$', text[:at.start()])[0] for at in re.finditer(rf'hole\({n}\)', text)]


def as_name(text):
    return re.sub(r'[\x00-\x1f\x7f-\x9f]', ' ', text.replace('/', '⁄'))


def groups(all_vectors):
    """Vectors that fit into a name together, each with that name."""
    out, names, size = [], [], 0
    for n, text in all_vectors:
        name = as_name(text).strip()
        length = len(name.encode()) + 1
        if not out or size + length > NAME_BYTES:
            out.append([])
            names.append([])
            size = 0
        out[-1].append((n, text))
        names[-1].append(name)
        size += length
    return [('v ' + ' '.join(name) + ' v', vs) for name, vs in zip(names, out)]


class Fill:
    def __init__(self, mount, where):
        self.mount, self.where, self.refused = mount, where, []
        self.site = os.path.join(mount, '.cinta/html')
        self.pages = {}

    def put(self, path, text, mode='wb'):
        path = os.path.join(self.mount, path)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, mode, buffering=0) as f:
                f.write(text.encode())
        except OSError as e:  # stands on index.html
            self.refused.append((path, e.strerror))

    def say(self, session, role, content, **more):
        line = {'role': role, 'content': content, **more}
        self.put(f'sessions/{session}/log.jsonl', json.dumps(line) + '\n', 'ab')

    def shows(self, kind, path):
        self.pages.setdefault(kind, []).append(path)

    def session(self, i, name, vs):
        for n, text in vs:
            author = re.sub(r'[^\x20-\x7e]', '', text)
            self.say(name, 'user', text, thread=name, **{'from': {'author': author}})
            self.say(name, 'tool', text, tool=author, thread=name)
            self.say(name, 'assistant', text, thread=name)
        self.put(f'sessions/{name}/ctl', f'summarize 1-2 {as_name(vs[0][1])}\n', 'ab')
        self.put(f'sessions/{name}/ctl', 'prune 3-3\n', 'ab')
        texts = [text for _, text in vs]
        both = '\n\n'.join(texts) + '\n', '\n\n'.join(text.replace('hole', 'the hole') for text in texts) + '\n'
        for path in f'notes/{name}.md', f'notes/{name}.txt', f'blocks/rules/b{i}.md':
            self.put(path, both[1])
            self.put(path, ('---\nname: ' + json.dumps(name) + '\n---\n' if path[0] == 'b' else '') + both[0])
        for n, text in vs:
            self.put(f'memories/fact/{as_name(text)}.md', f'---\nsummary: {json.dumps(text)}\nimportance: 1\n---\n{text}\n')
            if n % MEMORIES == 0:
                self.copy(n, 'memories')
                self.copy(n, 'algorithms')
        try:
            os.symlink('x', os.path.join(self.mount, f'{name}'))
        except OSError:
            pass
        self.shows('sessions/NAME.html', f'sessions/{name}.html')
        self.shows('threads/NAME.html', f'threads/{name}.html')
        for ending in '.md', '.txt':
            self.shows('doc/PATH.html', f'doc/notes/{name}{ending}.html')
            self.shows('doc/PATH@N.html', f'doc/notes/{name}{ending}@1.html')
        self.shows('search/QUERY.html', f'search/{name}.html')

    def copy(self, i, path):
        with open(os.path.join(self.site, path + '.html'), 'rb') as f:
            text = f.read()
        to = os.path.join(self.where, f'copies/{i}/{path}.html')
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, 'wb') as f:
            f.write(text)
        kind = 'day/DATE.html' if path.startswith('day/') else path + '.html'
        self.shows(kind, 'copies:' + f'{i}/{path}.html')

    def facts(self, vs):
        lines = [re.sub(r'[\x00-\x1f]', ' ', text) for _, text in vs]
        self.put('facts/work.md', '# Work\n\n' + ''.join(f'- {line} is so\n' for line in lines))
        self.put('facts/work.md', '# Work\n\n' + ''.join(f'- {line} is not so\n' for line in lines))

    def algorithms(self):
        for version, status, recency in ('1.0', 'active', 0.5), ('2.0', 'experiment', 0.6):
            self.put(f'algorithms/memory/{version}.json', json.dumps({'status': status, 'config': {'scoring': {'weights': {
                'recency': recency, 'importance': 0.8 - recency, 'relevance': 0.1, 'frequency': 0.1}}}}))

    def lists(self):
        """Pages of lists, and each fact, by their links."""
        facts = {}
        for top in 'sessions', 'threads', 'facts', 'documents':
            for page in range(1, 100):
                path = top + (f'-{page}' if page > 1 else '') + '.html'
                try:
                    with open(os.path.join(self.site, path), encoding='utf-8') as f:
                        text = f.read()
                except FileNotFoundError:
                    break
                self.shows(top + '.html', path)
                for fact, n in re.findall(r'"(fact/\d+\.html)"[^\n]*?hole\((\d+)\)', text) if top == 'facts' else ():
                    if facts.setdefault(n, fact) == fact:
                        self.shows('fact/N.html', fact)
        days = set(re.findall(r'"(day/[0-9-]+)\.html', open(os.path.join(self.site, 'index.html'), encoding='utf-8').read()))
        for day in days:
            self.copy('last', day)


def fill(mount, where):
    os.makedirs(where, exist_ok=True)
    every = vectors()
    to = Fill(mount, where)
    to.facts(every)
    to.algorithms()
    all_groups = groups(every)
    for i, (name, vs) in enumerate(all_groups):
        to.session(i, name, vs)
        if i % 3 == 0:
            to.copy(i, 'context')
        if i % PACKED == PACKED - 1 or i == len(all_groups) - 1:
            for page in COPIED:
                to.copy(i, page)
    to.lists()
    with open(os.path.join(where, 'vectors.json'), 'w', encoding='utf-8') as f:
        json.dump({n: {'before': before(n, text), 'text': text} for n, text in every}, f)
    with open(os.path.join(where, 'pages.json'), 'w', encoding='utf-8') as f:
        json.dump(to.pages, f)
    for path, why in to.refused:
        print('refused:', why, path[-60:])
    print(len(every), 'vectors in', len(all_groups), 'sessions')


def where_is(page, mount, where):
    return os.path.join(where, 'copies', page[7:]) if page.startswith('copies:') else os.path.join(mount, '.cinta/html', page)


def planted(text, vector):
    """The page with the last place of a vector as it would stand there if nobody escaped it; None: it is nowhere."""
    as_text = html.escape(vector).replace('&#x27;', '&#39;')
    at = text.rfind(as_text)
    return None if at < 0 else text[:at] + vector + text[at + len(as_text):]


def holes(where, mount):
    with open(os.path.join(where, 'pages.json'), encoding='utf-8') as f:
        pages = json.load(f)
    every = [(n, t) for n, t in vectors() if t.isascii() and t.isprintable()]
    ours = [t for _, t in every if re.match(r'<(p class|span class|li id|em>|strong>|ins>|del>|article)', t)]
    others = [t for _, t in every if re.match(r'<(svg|img|script|iframe|b) ?', t)]
    made = {}
    for kind, paths in pages.items():
        for sort, from_ in ('ours', ours), ('others', others):
            for path in paths:
                with open(where_is(path, mount, where), encoding='utf-8', newline='') as f:
                    text = f.read()
                found = next(filter(None, (planted(text, as_name(v) if n else v) for v in from_ for n in (0, 1))), None)
                if found:
                    name = f'{len(made)}.html'
                    os.makedirs(os.path.join(where, 'holes'), exist_ok=True)
                    with open(os.path.join(where, 'holes', name), 'w', encoding='utf-8', newline='') as f:
                        f.write(found)
                    made[name] = f'{kind}, {sort}'
                    break
    with open(os.path.join(where, 'holes.json'), 'w', encoding='utf-8') as f:
        json.dump(made, f)
    print(len(made), 'holes planted')


if __name__ == '__main__':
    {'fill': fill, 'holes': holes}[sys.argv[1]](*sys.argv[2:])
