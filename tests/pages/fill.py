#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills a mounted memory for tests/pages/run.

    fill.py many MOUNT       2,000 sessions, one of them of 10,000 messages
    fill.py hostile MOUNT    the vectors of tests/mount/site.py wherever a text may stand
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.join(HERE, '..', 'mount', 'site.py')


def put(path, text, mode='w'):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding='utf-8', newline='') as f:
        f.write(text)


def line(role, content, **more):
    return json.dumps({'role': role, 'content': content, **more}) + '\n'


def many(mount):
    words = 'lamp river stone paper cloud engine garden bridge winter copper harbour signal'.split()
    for i in range(1999):
        day = f'2026-{i // 170 + 1:02}-{i % 28 + 1:02}'
        a, b = words[i % 12], words[i * 7 % 11]
        put(f'{mount}/sessions/{a}-{i}/log.jsonl',
            line('user', f'where is the {a} of the {b}?', thread=f'{b}-{i % 110}', **{'from': {'at': f'{day}T09:00:00Z'}}) +
            line('assistant', f'the **{a}** is beside the {b}', thread=f'{b}-{i % 110}', **{'from': {'at': f'{day}T09:01:00Z'}}), 'a')
    log = f'{mount}/sessions/long/log.jsonl'
    for i in range(0, 10000, 500):
        put(log, ''.join(line(('user', 'assistant', 'tool')[n % 3], f'message {n} ' + 'word ' * (2500 if n % 9 == 0 else 60),
                              **({'tool': 'sh'} if n % 3 == 2 else {})) for n in range(i, i + 500)), 'a')
    for i in range(150):
        put(f'{mount}/notes/folder {i % 5}/note-{i}.md', f'# Note {i}\n\nabout {words[i % 12]}\n')
    put(f'{mount}/notes/folder 0/note-0.md', '# Note 0\n\nabout lamps, and more\n')
    put(f'{mount}/facts/work.md', '# Work\n\n' + ''.join(f'- The {words[i % 12]} number {i} is at place {i * 3}\n' for i in range(130)))


def hostile(mount):
    name = '<b>&"\' #?%41'
    os.mkdir(f'{mount}/sessions/{name}')
    for text in subprocess.run([sys.executable, SITE, 'messages'], capture_output=True, check=True).stdout.splitlines(True):
        try:  # what no log takes is refused, and stands on index.html
            with open(f'{mount}/sessions/{name}/log.jsonl', 'ab', buffering=0) as f:
                f.write(text)
        except OSError:
            pass
    for folder in ('notes/<i>', 'memories/fact'):
        os.makedirs(f'{mount}/{folder}', exist_ok=True)
    subprocess.run([sys.executable, SITE, 'save', mount], check=True)
    for command in ('summarize 2-4 <script>alert(1)</script> [x](javascript:alert(1))', 'prune 5-6'):
        put(f'{mount}/sessions/{name}/ctl', command + '\n', 'a')
    try:
        os.symlink('x', f'{mount}/<svg onload=alert(1)>')
    except OSError:
        pass


{'many': many, 'hostile': hostile}[sys.argv[1]](sys.argv[2])
