# SPDX-License-Identifier: MIT
"""Appending: a line a write, a line an open, four writers, and with fsync."""
import os
import shlex
import subprocess
import time

from bench import QUICK, rounds

LINES = 2000 if QUICK else 5000
OPENED = 1000 if QUICK else 3000
SYNCED = 100 if QUICK else 300
SHELL = 200
COMMITS = 5


def git_commits(place):
    """A line in a file and a commit, COMMITS times; seconds a line."""
    repo = place.path('git')
    if not os.path.isdir(repo):
        subprocess.run(['git', 'init', '-q', repo], check=True)
    script = (f'i=0; while [ $i -lt {COMMITS} ]; do i=$((i + 1)); '
              'echo "{\\"role\\":\\"user\\",\\"content\\":\\"line $i\\"}" >> log.jsonl && '
              'git add log.jsonl && '
              'git -c user.name=b -c user.email=b@example.org commit -qm line || exit 1; done')
    start = time.perf_counter()
    subprocess.run(['sh', '-c', script], cwd=repo, check=True)
    return (time.perf_counter() - start) / COMMITS


def shell_loop(path):
    """bash's own >>, a line each; seconds a line."""
    line = shlex.quote('{"role":"user","content":"' + 'a line of a loop ' * 15 + '"}')
    script = (f'for ((i = 0; i < {SHELL}; i++)); do '
              f'echo {line} >> {shlex.quote(path)} || exit 1; done')
    start = time.perf_counter()
    subprocess.run(['bash', '-c', script], check=True)
    return (time.perf_counter() - start) / SHELL


def run(place, table):
    memory = place.mount('append.db', 'append')
    bare = place.mount_bare('bare')
    logs = []
    for i in range(6):
        os.mkdir(f'{memory}/sessions/w{i}')
        logs.append(f'{memory}/sessions/w{i}/log.jsonl')

    def writes(mode, count, *files):
        """A contender: seconds a line, of all writers together."""
        return lambda: place.seconds('writes', mode, count, *files) / (count * len(files))

    one = writes('kept', LINES, logs[0])
    m = rounds({
        'ours': one,
        'raw': lambda: place.seconds('raw', 'insert', place.path('raw.db'), LINES) / LINES,
        'git': lambda: git_commits(place),
    })
    table.ratio('append.write / raw sqlite', 1 / m['ours'], 1 / m['raw'], '>= 0.6', '/s')
    table.ratio('append.write / git commit', 1 / m['ours'], 1 / m['git'], '>= 300', '/s')

    m = rounds({
        'ours': writes('reopen', OPENED, logs[1]),
        'bare': writes('reopen', OPENED, f'{bare}/log'),
        'kept': writes('kept', OPENED, f'{bare}/log'),
        'our shell': lambda: shell_loop(logs[1]),
        'bare shell': lambda: shell_loop(f'{bare}/log'),
        'our kept': writes('kept', OPENED, logs[1]),
    })
    table.ratio('append.open-write-close / bare fuse', m['ours'], m['bare'], '<= 2.5')
    table.ratio('append.shell >> / bare fuse', m['our shell'], m['bare shell'], '')
    table.ratio('append.write / bare fuse', m['our kept'], m['kept'], '')

    m = rounds({
        'one': one,
        'four': writes('kept', LINES // 2, *logs[1:5]),
        'same': writes('kept', LINES // 2, *[logs[0]] * 4),
    })
    table.ratio('append.4 writers, 4 sessions / one', 1 / m['four'], 1 / m['one'], '>= 1.5', '/s')
    table.ratio('append.4 writers, 1 session / one', 1 / m['same'], 1 / m['one'], '', '/s')

    m = rounds({
        'ours': writes('fsync', SYNCED, logs[5]),
        'jsonl': writes('fdatasync', SYNCED, place.path('plain.jsonl')),
    })
    table.ratio('append.write+fsync / ext4 jsonl', 1 / m['ours'], 1 / m['jsonl'], '>= 0.8', '/s')
    place.umount(memory)
    place.umount(bare)
    place.settle('append.db')
