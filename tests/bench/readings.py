# SPDX-License-Identifier: MIT
"""Reading a memory of many small files, and one large log, beside a copy on the disk."""
import os
import random

from bench import QUICK, ROUNDS, drop_caches, rounds, timed

SESSIONS = 2000 if QUICK else 6700
LARGE = 20000 if QUICK else 100000  # messages of the large log; its lines are about 1 KB
DOCUMENTS = 500 if QUICK else 3000
OPENS = 1500
FLOOR = 200  # files that bare FUSE keeps
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
    """The files of a copy; links lead elsewhere, and in a young memory some dangle."""
    return [os.path.join(at, name)[len(root) + 1:] for at, _, names in os.walk(root)
            for name in names if not os.path.islink(os.path.join(at, name))]


def compare(table, name, m, e, r):
    """The two profiles beside ext4; `e` and `r` are their targets."""
    table.ratio(f'E.{name}', m['E'], m['ext4'], e)
    table.ratio(f'R.{name}', m['R'], m['ext4'], r)


def over(roots, function):
    """One contender a root."""
    return {name: (lambda root=root: function(root)) for name, root in roots.items()}


def write_documents(root):
    """Notes as people and agents keep them: about 2 KB of prose, in folders."""
    words = 'the heron is grey and stands in the shallow water until it sees a fish'.split()
    rest = random.Random(14)
    for i in range(DOCUMENTS):
        folder = os.path.join(root, f'area-{i % 40:02d}')
        os.makedirs(folder, exist_ok=True)
        text = ' '.join(rest.choice(words) for _ in range(rest.randint(100, 700)))
        with open(os.path.join(folder, f'note-{i:05d}.md'), 'w', encoding='ascii') as f:
            f.write(f'# Note {i}\n\n{text}\n')


def make_documents(place):
    """The same for documents: written through the mount, then copied from it."""
    source = place.path('documents')
    write_documents(source)
    mounts = {'E': place.mount('documents.db', 'de'),
              'R': place.mount('documents.db', 'dr', '-o', 'ro')}
    timed('cp', '-r', source, os.path.join(mounts['E'], 'notes', 'all'))
    roots = {profile: os.path.join(m, 'notes') for profile, m in mounts.items()}
    roots['ext4'] = place.path('documents-copy')
    timed('cp', '-r', roots['E'], roots['ext4'])
    return mounts, roots


def documents(place, table):
    mounts, roots = make_documents(place)
    small_files(place, table, roots, 'documents: ')
    floor(place, table, roots)
    for point in mounts.values():
        place.umount(point)
    place.settle('documents.db')


def floor(place, table, roots):
    """What a request for each open costs by itself: the same files on a filesystem that does no more."""
    bare = place.mount_bare('floor')
    some = random.sample(files_below(roots['ext4']), FLOOR)
    for f in some:
        timed('cp', os.path.join(roots['ext4'], f), os.path.join(bare, os.path.basename(f)))
    names = {'E': some, 'bare': [os.path.basename(f) for f in some]}

    def opens(who, root):
        listed = '\n'.join(names[who] * (OPENS // FLOOR)) + '\n'
        return place.seconds('reads', 'whole', cwd=root, stdin=listed) / listed.count('\n')

    contenders = {'E': lambda: opens('E', roots['E']), 'bare': lambda: opens('bare', bare)}
    for warm in contenders.values():
        warm()
    m = rounds(contenders)
    table.ratio('E.documents: open-read-close / bare fuse', m['E'], m['bare'], '<= 1.5')
    place.umount(bare)


def sessions(place, table):
    roots = make(place)
    small_files(place, table, roots, '')
    place.umount(roots['R'])
    place.umount(roots['E'])
    place.settle('read.db')


def small_files(place, table, roots, kind):
    """`kind` goes in front of the figures' names."""
    files = files_below(roots['ext4'])
    large = sum(os.path.getsize(os.path.join(roots['ext4'], f)) for f in files)
    print(f'  ({kind}{len(files)} files, {large // len(files)} bytes on average)')
    some = '\n'.join(random.sample(files, min(OPENS, len(files)))) + '\n'
    opened = some.count('\n')

    def grep(root):
        return timed('grep', '-r', WORD, '.', cwd=root, ok=(1,))

    def opens(root):
        return place.seconds('reads', 'whole', cwd=root, stdin=some) / opened

    def listing(root):
        return timed('ls', '-lR', '.', cwd=root)

    def find(root):
        return timed('find', '.', cwd=root)

    for root in roots.values():
        for warm in (listing, grep, grep, opens):
            warm(root)
    compare(table, kind + 'grep -r warm', rounds(over(roots, grep)), '<= 4.5', '<= 1.4')
    compare(table, kind + 'open-read-close warm', rounds(over(roots, opens)), '<= 6.5', '<= 1.6')
    compare(table, kind + 'ls -lR warm', rounds(over(roots, listing)), '<= 1.0', '<= 1.0')
    compare(table, kind + 'find warm', rounds(over(roots, find)), '<= 1.0', '<= 1.0')
    cold = rounds(over(roots, grep), min(ROUNDS, 5), before=drop_caches)
    compare(table, kind + 'grep -r cold', cold, '<= 1.0', '<= 0.8')


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
    sessions(place, table)
    documents(place, table)
    large_log(place, table)
