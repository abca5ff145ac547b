#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Looks for what a mount hides (cinta.1, "ONE MOUNT PER AGENT") in all that it shows.

    bounds.py fill FULL             a memory of some thousand files, secrets in each hidden place
    bounds.py paths FULL > FILE     each path of a mount that shows all: listed, or known by name
    bounds.py leaks MOUNT FILE      tries each of them and 300 searches; prints what tells a secret
    bounds.py same FULL MOUNT       what is shown has the bytes that all mounts show

A secret is a word that begins with SECRET.  Beside each stands a word that can be found as well in
what is shown, so that searches lead to both.
"""
import json
import os
import random
import stat
import sys
import time

SECRET = 'zqsecret'
WORDS = ['lantern', 'harbour', 'violin', 'glacier', 'saffron', 'orchard', 'compass', 'meadow',
         'thimble', 'cathedral', 'walnut', 'ferry']
HIDDEN = ('notes/private:notes/open/zqsecretfile.md:sessions/zqsecret-talk:sessions/hidden:'
          'memories/decision:memories/fact/zqsecretkey.md:blocks/rules:facts/personal.md:'
          'records/secretary.jsonl:answers:components/plu:smma/current_task.md:'
          'smma/workspace/zqsecretdir:logs/zqsecret.log:algorithms/zqsecret')
rng = random.Random(7)
count = 0


def secret():
    global count
    count += 1
    return f'{SECRET}{count} {rng.choice(WORDS)} kept from others'


def plain():
    return f'{rng.choice(WORDS)} and {rng.choice(WORDS)} for all, number {rng.randrange(10**6)}'


def put(path, text, mode='w'):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode) as f:
        f.write(text)


def session(root, name, lines, say, extra=None):
    path = f'{root}/sessions/{name}'
    os.makedirs(path, exist_ok=True)
    with open(path + '/log.jsonl', 'a') as f:
        for n in range(lines):
            f.write(json.dumps({'role': ('user', 'assistant')[n % 2], 'content': say(),
                                **(extra or {})}) + '\n')
    with open(path + '/ctl', 'a') as f:
        f.write('pin 1\nprune 2\n')
    put(f'{path}/summaries/5-8.md', say() + '\n')


def fill_documents(root, say, at):
    """Of each family, in the hidden or in the shown of its places."""
    hidden = say is secret
    name = SECRET if hidden else 'open'
    for n in range(400):
        folder = f'{at}/{name}-{n % 7}' if n % 3 else at
        put(f'{root}/{folder}/{name}{n}.md', f'# {say()}\n\n{say()}\n')
    for n in range(0, 400, 9):
        folder = f'{at}/{name}-{n % 7}' if n % 3 else at
        put(f'{root}/{folder}/{name}{n}.md', f'# {say()}\n\nagain {say()}\n')
    for n in range(30):
        kind = 'decision' if hidden else 'fact'
        put(f'{root}/memories/{kind}/{name}{n}.md',
            f'---\nimportance: 0.9\n---\n{say()}\n')
        put(f'{root}/blocks/{"rules" if hidden else "persona"}/{name}{n}.md',
            f'---\nstatus: active\n---\n{say()}\n')
        put(f'{root}/components/{"plu" if hidden else "itx"}/{name}{n}.md',
            f'---\nname: {name} {n}\n---\n{say()}\n')


def fill_rest(root):
    put(f'{root}/notes/open/zqsecretfile.md', secret() + '\n')
    put(f'{root}/memories/fact/zqsecretkey.md', secret() + '\n')
    put(f'{root}/smma/current_task.md', secret() + '\n')
    put(f'{root}/smma/project_context.md', plain() + '\n')
    put(f'{root}/smma/workspace/zqsecretdir/{SECRET}.txt', secret() + '\n')
    put(f'{root}/logs/zqsecret.log', secret() + '\n')
    put(f'{root}/records/secretary.jsonl', json.dumps({'content': secret()}) + '\n', 'a')
    put(f'{root}/records/accountant.jsonl', json.dumps({'content': plain()}) + '\n', 'a')
    put(f'{root}/facts/personal.md', ''.join(f'- The {w} is {secret()}.\n' for w in WORDS))
    put(f'{root}/facts/work.md', ''.join(f'- The {w} is {plain()}.\n' for w in WORDS))
    for w in WORDS:
        put(f'{root}/answers/Where is the {w}.md', secret() + '\n')
    put(f'{root}/algorithms/{SECRET}/1.json',
        json.dumps({'name': SECRET, 'status': 'experiment', 'config': {}}) + '\n')
    # once hidden, now shown; and a name that was given up
    put(f'{root}/notes/private/zqsecretonce.md', secret() + '\n')
    put(f'{root}/notes/private/zqsecretonce.md', plain() + '\n')
    os.rename(f'{root}/notes/private/zqsecretonce.md', f'{root}/notes/open/came.md')
    # what an editor leaves beside a hidden file, and what was refused
    put(f'{root}/notes/open/zqsecretfile.md~', secret() + '\n')
    for offered in (f'{{"role":"user","{SECRET}":}}', 'no JSON of ' + secret()):
        try:
            put(f'{root}/sessions/{SECRET}-talk/log.jsonl', offered + '\n', 'a')
        except OSError:
            pass


def learned(root):
    """What is said for good in a hidden session becomes a fact, which is not for everybody either."""
    with open(f'{root}/sessions/hidden/log.jsonl', 'a') as f:
        f.write(json.dumps({'role': 'user', 'content': f'I prefer {secret()}'}) + '\n')
    for _ in range(1200):
        if SECRET in open(f'{root}/facts/preferences.md').read():
            return
        time.sleep(0.1)
    sys.exit('no fact was learned')


def fill(root):
    session(root, f'{SECRET}-talk', 60, secret, {'thread': f'{SECRET}-thread'})
    session(root, 'hidden', 60, secret)
    session(root, 'shown', 60, plain, {'thread': 'shown-thread'})
    session(root, 'other', 60, plain)
    fill_documents(root, secret, 'notes/private')
    fill_documents(root, plain, 'notes/open')
    fill_rest(root)
    learned(root)


def unlisted(path, names):
    """What has a name though no listing tells it."""
    more = []
    if path == '.':
        more = ['.cinta', 'context.md', 'dashboard.md', 'search/query', 'search/lantern.md',
                'search/lantern', 'context/lantern.md', 'memories/search/lantern.md',
                'memories/top.md', 'blocks/.active.md', 'blocks/.active/agent=x.md',
                'threads/shown-thread/context.md', 'sessions/.new', 'sessions/.new/context.md',
                '.cinta/html', '.cinta/html/index.html', '.cinta/html/search/lantern.html',
                '.cinta/metrics', '.cinta/sync', '.cinta/status.json', '.cinta/tape.jsonl',
                '.cinta/checkpoint', '.cinta/at/now']
        day = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + 3600))
        more += [f'.cinta/at/{day}', f'.cinta/at/{day}/notes/private',
                 f'.cinta/at/{day}/sessions/hidden/log.jsonl']
    elif path.count('/') == 1 and path.startswith('sessions/'):
        more = ['messages', 'refs.jsonl', 'saves.jsonl', 'ctl', 'active.jsonl', 'context.md',
                'dashboard.md', 'search/lantern.md', 'search/lantern', 'messages/000001.md']
    more = [os.path.join(path, m) for m in more]
    for n in names:
        if n.endswith(('.md', '.json')):
            more += [os.path.join(path, n + end) for end in ('@log', '@1', '@score')]
    return more


def walk(root):
    todo, known = ['.'], set()
    while todo:
        path = os.path.normpath(todo.pop())
        if path in known:
            continue
        known.add(path)
        try:
            mode = os.lstat(os.path.join(root, path)).st_mode
            names = os.listdir(os.path.join(root, path)) if stat.S_ISDIR(mode) else []
        except OSError:
            continue
        todo += [os.path.join(path, n) for n in names] + unlisted(path, names)
    return known


def paths(root):
    found = walk(root)
    hashes = []
    with open(os.path.join(root, '.cinta/tape.jsonl')) as tape:
        hashes = [json.loads(line)['hash'] for line in tape]
    found |= {f'.cinta/by-hash/{h}' for h in hashes[::7]}
    found |= {'notes/private/zqsecretonce.md@1', 'notes/private/zqsecretonce.md@log',
              'notes/open/came.md@1', 'notes/open/came.md@log', 'rejected'}
    print('\n'.join(sorted(found)))


def everything(root, path):
    """The bytes that a path shows, and the names; nothing if it is not there."""
    full = os.path.join(root, path)
    try:
        mode = os.lstat(full).st_mode
        if stat.S_ISLNK(mode):
            return os.readlink(full).encode()
        if stat.S_ISDIR(mode):
            return '\n'.join(os.listdir(full)).encode()
        with open(full, 'rb') as f:
            return f.read()
    except OSError:
        return b''


def searches():
    for i in range(300):
        word = WORDS[i % len(WORDS)]
        yield (word, f'{word} {WORDS[(i * 5 + 1) % len(WORDS)]}', f'in:notes {word}',
               f'session:shown {word}', f'session:hidden {word}', f'in:facts {word}',
               f'"kept from others"', f'limit:100 {word}', f'role:user {word}',
               f'in:memories {word}', f'type:block {word}', f'kept others {i}')[i % 12]


def leaks(root, file):
    bad = tried = shown = 0
    known = {line.rstrip('\n') for line in open(file)} | walk(root)
    for path in sorted(known):
        data = everything(root, path)
        tried += 1
        shown += bool(data)
        if SECRET.encode() in data or (SECRET in path and (data or os.path.lexists(
                os.path.join(root, path)))):
            bad += 1
            print('leak:', path, data[:80])
    for n, query in enumerate(searches()):
        for path in (f'search/{query}.md', f'search/{query}', f'sessions/shown/search/{query}.md'):
            data = everything(root, path)
            if os.path.isdir(os.path.join(root, path)):
                data += b'\n'.join(everything(root, f'{path}/{name}').join((b'', name.encode()))
                                   for name in os.listdir(os.path.join(root, path)))
            if SECRET.encode() in data:
                bad += 1
                print('leak by search:', path)
    for word in WORDS:
        for path in (f'context/{word}.md', f'context/what is the {word} kept from others.md',
                     f'memories/search/{word}.md'):
            data = everything(root, path)
            if SECRET.encode() in data:
                bad += 1
                print('leak by context:', path)
            elif path == f'context/{word}.md' and b'number' not in data:
                sys.exit(f'{path} shows nothing')
    if not os.statvfs(root).f_flag & os.ST_RDONLY:
        with open(os.path.join(root, 'search/query'), 'r+b', buffering=0) as f:
            f.write(b'limit:1000 kept others')
            f.seek(0)
            if SECRET.encode() in f.read():
                bad += 1
                print('leak by search/query')
    print(f'{tried} paths, {shown} of them shown, {n + 1} searches, {bad} leaks')
    if shown < 500:
        sys.exit('hardly anything is shown: this has tested nothing')
    sys.exit(bad > 0)


def same(full, root):
    """Logs, documents, transcripts: not what is made of several."""
    n = 0
    for path in sorted(walk(root)):
        if path.startswith(('search', 'errors.log', 'context', 'memories/top')) or \
                '/search' in path or path.endswith('context.md'):
            continue
        if not os.path.lexists(os.path.join(root, path)):
            continue
        mine, all_of = everything(root, path), everything(full, path)
        if os.path.isdir(os.path.join(root, path)) and not os.path.islink(os.path.join(root, path)):
            assert set(mine.split()) <= set(all_of.split()), path
        else:
            assert mine == all_of, path
        n += 1
    print(n, 'the same')


if __name__ == '__main__':
    {'fill': fill, 'paths': paths, 'leaks': leaks, 'same': same,
     'hidden': lambda: print(HIDDEN)}[sys.argv[1]](*sys.argv[2:])
