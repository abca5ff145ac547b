# SPDX-License-Identifier: MIT
"""Saving documents beside the disk below, bare FUSE and git, and what many versions cost."""
import os
import subprocess
import time

from bench import QUICK, ROUNDS, rounds, timed

SAVES = 50 if QUICK else 200
COMMITS = 5 if QUICK else 20
VERSIONS = 1000 if QUICK else 10000
BLOCKS = 1000 if QUICK else 10000
FACTS = 1000 if QUICK else 10000
SIZE = 4096

number = 0


def text():
    """4 KB that no save before had."""
    global number
    number += 1
    line = f'{number} a line of a document that a person or an agent keeps and edits\n'
    return (line * (SIZE // len(line) + 1))[:SIZE - 1].encode() + b'\n'


def save_in_place(path):
    with open(path, 'wb') as f:
        f.write(text())


def each(count, function, *args):
    """Seconds that one call takes, of `count`."""
    start = time.perf_counter()
    for _ in range(count):
        function(*args)
    return (time.perf_counter() - start) / count


def git_save(repo):
    save_in_place(os.path.join(repo, 'a.md'))
    for words in (('add', 'a.md'), ('-c', 'user.name=b', '-c', 'user.email=b@example.org',
                                    'commit', '-qm', 'save')):
        subprocess.run(['git', *words], cwd=repo, check=True, stdout=subprocess.DEVNULL)


def disk_writes(directory):
    """Writes that the disk below has been sent, by anybody; None where that is not told."""
    device = os.stat(directory).st_dev
    try:
        with open(f'/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat',
                  encoding='ascii') as f:
            return int(f.read().split()[4])
    except OSError:
        return None


def flushes(place, table, path):
    """Does the disk's own filesystem write a file out when it is replaced?"""
    for mode in ('rename', 'place'):
        os.sync()
        before = disk_writes(path)
        if before is None:
            return
        place.tool('saver', mode, SAVES, path)
        table.value(f'save.ext4 {mode}, disk writes each', (disk_writes(path) - before) / SAVES, '', '')


def save(place, table, notes, disk):
    repo, bare = place.path('git'), place.mount_bare('bare')
    subprocess.run(['git', 'init', '-q', repo], check=True)
    path = {'ours': os.path.join(notes, 'a.md'), 'floor': os.path.join(bare, 'a.md'),
            'ext4': os.path.join(disk, 'a.md')}
    for name in path.values():
        save_in_place(name)

    def saver(mode, where):
        return lambda: place.seconds('saver', mode, SAVES, path[where]) / SAVES

    contenders = {f'{where} {mode}': saver(mode, where)
                  for where in path for mode in ('rename', 'place')}
    contenders |= {'ours synced': saver('synced', 'ours'), 'ext4 synced': saver('synced', 'ext4'),
                   'git': lambda: each(COMMITS, git_save, repo)}
    m = rounds(contenders)
    for mode, name in (('rename', 'rename'), ('place', 'in place')):
        ours = m[f'ours {mode}']
        table.ratio(f'save.{name} / ext4, no fsync', ours, m[f'ext4 {mode}'], '<= 0.5')
        table.ratio(f'save.{name} / ext4 with fsync', ours, m['ext4 synced'], '')
        table.ratio(f'save.{name} / floor', ours, m[f'floor {mode}'], '')
        table.ratio(f'save.{name} / git commit', 1 / ours, 1 / m['git'], '>= 100', '/s')
    table.ratio('save.fsync, rename / ext4 the same', m['ours synced'], m['ext4 synced'], '')
    flushes(place, table, path['ext4'])
    place.umount(bare)


def read_whole(path):
    with open(path, 'rb') as f:
        return len(f.read())


def history(table, notes):
    path = os.path.join(notes, 'long.md')
    for _ in range(VERSIONS):
        save_in_place(path)
    m = rounds({
        'log': lambda: each(1, read_whole, path + '@log'),
        'first': lambda: each(20, read_whole, path + '@1'),
        'last': lambda: each(20, read_whole, f'{path}@{VERSIONS - 1}'), # the newest is in memory
    })
    table.value(f'history.@log of {VERSIONS} versions', m['log'] * 1e3, '<= 50', 'ms')
    table.ratio('history.version 1 / last but one', m['first'], m['last'], '')


def blocks(place, table, root, disk):
    ours, theirs = os.path.join(root, 'blocks/knowledge'), os.path.join(disk, 'blocks')
    os.mkdir(theirs)
    for directory in (ours, theirs):
        for n in range(BLOCKS):
            with open(f'{directory}/b{n}.md', 'w', encoding='ascii') as f:
                f.write(f'block {n}\n')
    m = rounds({'ours': lambda: timed('ls', '-lR', '.', cwd=ours),
                'ext4': lambda: timed('ls', '-lR', '.', cwd=theirs)},
               before=lambda: (timed('ls', '-lR', ours), timed('ls', '-lR', theirs)))
    table.ratio(f'blocks.ls -lR warm, {BLOCKS} / ext4', m['ours'], m['ext4'], '<= 1.0')


def facts(table, root):
    """A list of many facts: changing a line of it, and reading it after many were retracted."""
    path = os.path.join(root, 'facts/projects.md')
    lines = [f'- fact number {n} of the project\n' for n in range(FACTS)]

    def put(all_lines):
        with open(path, 'w', encoding='ascii') as f:
            f.writelines(all_lines)

    def change():
        global number
        number += 1
        lines[FACTS // 2] = f'- fact changed {number} times\n'
        return each(1, put, lines)

    def versions():
        with open(path + '@log', encoding='utf-8') as f:
            return sum(1 for _ in f)

    put(lines)
    m = rounds({'change': change, 'cat': lambda: each(3, read_whole, path)})
    assert versions() == 1 + ROUNDS
    put(lines[:FACTS // 10])
    few = rounds({'few': lambda: each(3, read_whole, path)})['few']
    table.value(f'facts.change one of {FACTS}', m['change'] * 1e3, '<= 50', 'ms')
    table.value(f'facts.cat {FACTS}', m['cat'] * 1e3, '', 'ms')
    table.value(f'facts.cat {FACTS // 10} after {FACTS - FACTS // 10} retracted', few * 1e3, '', 'ms')


def run(place, table):
    root = place.mount('save.db', 'save')
    disk = place.path('disk')
    os.mkdir(disk)
    notes = os.path.join(root, 'notes')
    save(place, table, notes, disk)
    history(table, notes)
    blocks(place, table, root, disk)
    facts(table, root)
    place.umount(root)
