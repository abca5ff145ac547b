# SPDX-License-Identifier: MIT
"""Saving documents beside a plain directory of the disk and git, and what many versions cost."""
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


def save_by_rename(path):
    with open(path + '.tmp', 'wb') as f:
        f.write(text())
    os.rename(path + '.tmp', path)


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


def save(place, table, notes, disk):
    repo = place.path('git')
    subprocess.run(['git', 'init', '-q', repo], check=True)
    ours, theirs = os.path.join(notes, 'a.md'), os.path.join(disk, 'a.md')
    for path in (ours, theirs):
        save_in_place(path)
    m = rounds({
        'rename': lambda: each(SAVES, save_by_rename, ours),
        'place': lambda: each(SAVES, save_in_place, ours),
        'ext4 rename': lambda: each(SAVES, save_by_rename, theirs),
        'ext4 place': lambda: each(SAVES, save_in_place, theirs),
        'git': lambda: each(COMMITS, git_save, repo),
    })
    table.ratio('save.rename / ext4', m['rename'], m['ext4 rename'], '<= 0.5')
    table.ratio('save.in place / ext4', m['place'], m['ext4 place'], '<= 0.5')
    table.ratio('save.rename / git commit', 1 / m['rename'], 1 / m['git'], '>= 100', '/s')
    table.ratio('save.in place / git commit', 1 / m['place'], 1 / m['git'], '>= 100', '/s')


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
        'last': lambda: each(20, read_whole, f'{path}@{VERSIONS}'),
    })
    table.value(f'history.@log of {VERSIONS} versions', m['log'] * 1e3, '<= 50', 'ms')
    table.ratio('history.version 1 / newest', m['first'], m['last'], '')


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
