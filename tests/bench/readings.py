# SPDX-License-Identifier: MIT
"""Reading a memory of many small files, and one large log, beside a copy on the disk."""
import os
import random

from bench import QUICK, ROUNDS, drop_caches, rounds, timed

SESSIONS = 2000 if QUICK else 6700
LARGE = 20000 if QUICK else 100000  # messages of the large log; its lines are about 1 KB
OPENS = 1500
PREADS = 2000
WORD = 'xyzzyword'  # occurs nowhere


def make(place):
    """The memory, both its mounts, and the copy: {profile: root}."""
    place.tool('fill', place.path('read.db'), 's', SESSIONS, 6, 250)
    place.tool('fill', place.path('large.db'), 'large', 1, LARGE, 800)
    roots = {'E': place.mount('read.db', 'e'), 'R': place.mount('read.db', 'r', '-o', 'ro')}
    roots['ext4'] = place.path('copy')
    timed('cp', '-a', roots['E'], roots['ext4'])
    return roots


def files_below(root):
    return [os.path.join(at, name)[len(root) + 1:] for at, _, names in os.walk(root)
            for name in names]


def compare(table, name, m, e, r):
    """The two profiles beside ext4; `e` and `r` are their targets."""
    table.ratio(f'E.{name}', m['E'], m['ext4'], e)
    table.ratio(f'R.{name}', m['R'], m['ext4'], r)


def over(roots, function):
    """One contender a root."""
    return {name: (lambda root=root: function(root)) for name, root in roots.items()}


def small_files(place, table):
    roots = make(place)
    files = files_below(roots['ext4'])
    large = sum(os.path.getsize(os.path.join(roots['ext4'], f)) for f in files)
    print(f'  ({len(files)} files, {large // len(files)} bytes on average)')
    some = '\n'.join(random.sample(files, OPENS)) + '\n'

    def grep(root):
        return timed('grep', '-r', WORD, '.', cwd=root, ok=(1,))

    def opens(root):
        return place.seconds('reads', 'whole', cwd=root, stdin=some) / OPENS

    def listing(root):
        return timed('ls', '-lR', '.', cwd=root)

    def find(root):
        return timed('find', '.', cwd=root)

    for root in roots.values():
        for warm in (listing, grep, grep, opens):
            warm(root)
    compare(table, 'grep -r warm', rounds(over(roots, grep)), '<= 4.5', '<= 1.4')
    compare(table, 'open-read-close warm', rounds(over(roots, opens)), '<= 6.5', '<= 1.6')
    compare(table, 'ls -lR warm', rounds(over(roots, listing)), '<= 1.0', '<= 1.0')
    compare(table, 'find warm', rounds(over(roots, find)), '<= 1.0', '<= 1.0')
    cold = rounds(over(roots, grep), min(ROUNDS, 5), before=drop_caches)
    compare(table, 'grep -r cold', cold, '<= 1.0', '<= 0.8')
    place.umount(roots['R'])
    place.umount(roots['E'])
    place.settle('read.db')


def large_log(place, table):
    mounts = {'E': place.mount('large.db', 'le'), 'R': place.mount('large.db', 'lr', '-o', 'ro')}
    logs = {p: f'{m}/sessions/large000001/log.jsonl' for p, m in mounts.items()}
    logs['ext4'] = place.path('large.jsonl')
    timed('cp', logs['E'], logs['ext4'])
    print(f'  (a log of {os.path.getsize(logs["ext4"]) / 1e6:.0f} MB)')

    def cat(log):
        return timed('cat', log)

    pages = place.in_memory('large.jsonl')  # cached in pages of 4 KiB, as FUSE does
    for log in (*logs.values(), pages):
        timed('cat', log)
    m = rounds(over({**logs, 'tmpfs': pages}, cat))
    compare(table, 'cat large warm', m, '<= 1.1', '<= 1.1')
    table.ratio('E.cat large warm / tmpfs', m['E'], m['tmpfs'], '')
    cold = min(ROUNDS, 3)
    compare(table, 'cat large cold', rounds(over(logs, cat), cold, before=drop_caches), '', '')
    m = rounds(over(logs, lambda log: timed('tail', '-n', '1', log)), before=drop_caches)
    compare(table, 'tail -n 1 cold', m, '', '')
    m = rounds(over(logs, lambda log: timed('tail', '-n', '1', log)))
    compare(table, 'tail -n 1 warm', m, '', '')
    m = rounds(over(logs, lambda log: place.seconds('reads', 'at', log, PREADS) / PREADS), cold,
               before=drop_caches)
    compare(table, 'random pread cold', m, '', '')
    for point in mounts.values():
        place.umount(point)
    place.settle('large.db')


def run(place, table):
    small_files(place, table)
    large_log(place, table)
