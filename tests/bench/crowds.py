# SPDX-License-Identifier: MIT
"""More and more writers and readers at once, and many files off the tape."""
import os
import subprocess

from bench import BUILD, QUICK, rounds
from readings import files_below, write_documents

CROWDS = (1, 2, 4, 8)
LINES = 800 if QUICK else 4000       # of all writers together
LOOKS = 4000 if QUICK else 16000     # of all readers together
FILES = 5000 if QUICK else 50000
MAKINGS = 1 if QUICK else 3


def growing(table, name, seconds, target):
    """What twice as many do, beside what the half of them did."""
    for few, many in zip(CROWDS, CROWDS[1:]):
        table.ratio(f'{name}, {many} / {few}', 1 / seconds[many], 1 / seconds[few], target, '/s')


def writing(place, table, root, name, log, target):
    """`log` names a file, of the n-th writer; seconds a line, of all together."""
    m = rounds({n: lambda n=n: place.seconds('writes', 'kept', LINES // n, *[log(root, i) for i in range(n)]) / LINES
                for n in CROWDS})
    growing(table, name, m, target)


def reading(place, table, root, paths, target):
    """Each reader opens, reads and closes all documents, again and again."""
    def read(n):
        again = LOOKS // n // len(paths)
        with open(place.path('paths'), 'w', encoding='ascii') as f:
            f.write('\n'.join(paths * again) + '\n')
        readers = []
        for _ in range(n):
            with open(place.path('paths'), encoding='ascii') as f:
                readers.append(subprocess.Popen([f'{BUILD}/tests/bench/reads', 'whole'], cwd=root, stdin=f,
                                                stdout=subprocess.PIPE, text=True))
        said = [reader.communicate()[0] for reader in readers]
        if any(reader.returncode for reader in readers):
            raise RuntimeError('a reader failed')
        return max(float(one.split()[0]) for one in said) / (again * len(paths) * n)
    growing(table, 'crowd.readers', rounds({n: lambda n=n: read(n) for n in CROWDS}), target)


def making(place, table, memory):
    """Each time in a new directory and a new bare FUSE, which keeps all it was given."""
    taken = iter(range(1000))

    def ours():
        made = f'{memory}/smma/workspace/{next(taken)}'
        os.makedirs(made)
        return place.seconds('writes', 'files', FILES, made)

    def bare():
        point = place.mount_bare(f'bare{next(taken)}')
        spent = place.seconds('writes', 'files', FILES, point)
        place.umount(point)
        return spent
    m = rounds({'ours': ours, 'bare': bare}, MAKINGS)
    table.ratio(f'crowd.{FILES} new files / bare fuse', m['ours'], m['bare'], '<= 2.0')


def run(place, table):
    memory = place.mount('crowd.db', 'memory')
    bare = place.mount_bare('bare')
    for i in range(max(CROWDS)):
        os.mkdir(f'{memory}/sessions/w{i}')
    writing(place, table, memory, 'crowd.writers', lambda root, i: f'{root}/sessions/w{i}/log.jsonl', '>= 1.0')
    writing(place, table, memory, 'crowd.writers, one log', lambda root, i: f'{root}/sessions/w0/log.jsonl', '>= 1.0')
    writing(place, table, bare, 'crowd.writers, bare fuse', lambda root, i: f'{root}/log', '')
    write_documents(f'{memory}/notes/crowd')
    paths = [f'notes/crowd/{name}' for name in files_below(f'{memory}/notes/crowd')[:1000]]
    reading(place, table, memory, paths, '>= 1.0')
    making(place, table, memory)
