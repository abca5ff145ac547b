#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""opens.py A B N NAME: N times, what a write through mount A has stored when it returns is looked for at once through
mount B: a line of a log, a document that was open there before, a name that was not there, a session, and a name that
has moved.  Names end in NAME.  Prints how often each was not there."""
import os
import sys

a, b, rounds, end = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
stale = dict.fromkeys(['line', 'size', 'document', 'name', 'listing', 'here', 'moved'], 0)


def text(path):
    try:
        with open(path, encoding='utf8') as f:
            return f.read()
    except FileNotFoundError:
        return ''


def size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def is_there(path):
    return size(path) is not None


def look(what, there):
    stale[what] += not there


log_a, log_b = (f'{m}/sessions/uno/log.jsonl' for m in (a, b))
out = os.open(log_a, os.O_WRONLY | os.O_APPEND)
text(log_b)
os.chdir(f'{b}/notes')
for i in range(rounds):
    os.write(out, f'{{"role":"user","content":"line {i}{end}"}}\n'.encode())
    look('line', f'"line {i}{end}"' in text(log_b)[-200:])
    with open(f'{a}/notes/same{end}.md', 'w', encoding='utf8') as f:
        f.write(f'# Version {i}\n')
    look('document', text(f'{b}/notes/same{end}.md') == f'# Version {i}\n')
    with open(f'{a}/notes/same{end}.md', 'w', encoding='utf8') as f:
        f.write('# Version of a size ' + 'x' * i)
    look('size', size(f'{b}/notes/same{end}.md') == 20 + i)
    is_there(f'{b}/notes/n{i}{end}.md')  # its kernel might remember that it is not
    with open(f'{a}/notes/n{i}{end}.md', 'w', encoding='utf8') as f:
        f.write(f'new {i}')
    look('name', is_there(f'{b}/notes/n{i}{end}.md'))
    look('here', f'n{i}{end}.md' in os.listdir('.'))
    os.listdir(f'{b}/sessions')
    os.mkdir(f'{a}/sessions/s{i}{end}')
    look('listing', f's{i}{end}' in os.listdir(f'{b}/sessions'))
    text(f'{b}/notes/n{i}{end}.md')
    os.rename(f'{a}/notes/n{i}{end}.md', f'{a}/notes/m{i}{end}.md')
    look('moved', is_there(f'{b}/notes/m{i}{end}.md') and not is_there(f'{b}/notes/n{i}{end}.md'))
print(' '.join(f'{k}={v}' for k, v in stale.items()))
