# SPDX-License-Identifier: MIT
"""Taking a file of messages in, beside `cat >>` of the same lines into a mount."""
import glob
import json
import os
import random
import re
import statistics
import subprocess
import time

from bench import BUILD, QUICK, QUIET, ROUNDS, SOURCE, rounds

LINES = 5000 if QUICK else 20000
SIZE = 1000


def make_lines(path):
    """LINES messages of 500 to 1,500 bytes in words of the manuals, the same each time."""
    words, dice = [], random.Random(7)
    for name in sorted(glob.glob(os.path.join(SOURCE, 'docs/*.md'))):
        with open(name, encoding='utf-8') as f:
            words += re.findall(r"[A-Za-z']+", f.read())
    with open(path, 'w', encoding='utf-8') as f:
        for i in range(LINES):
            text, room = [], dice.randint(SIZE // 2, SIZE * 3 // 2)
            at = dice.randrange(len(words) - SIZE)
            while room > 0:
                at = dice.randrange(len(words) - SIZE) if dice.random() < 0.05 else at + 1
                text.append(words[at] if dice.random() < 0.98 else words[at] + '\n')
                room -= len(text[-1]) + 1
            f.write(json.dumps({'role': ('user', 'assistant')[i % 2], 'content': ' '.join(text)}) + '\n')


class Importing:
    """Each time into a memory of its own; what the process took of CPU and memory is kept."""

    def __init__(self, place, lines):
        self.place, self.lines, self.count = place, lines, 0
        self.cpu, self.memory = [], []

    def __call__(self):
        self.count += 1
        db = self.place.path(f'import{self.count}.db')
        self.place.cinta('init', db)
        start = time.perf_counter()
        process = subprocess.Popen([os.path.join(BUILD, 'cinta'), 'import', self.lines, '-d', db], **QUIET)
        _, status, used = os.wait4(process.pid, 0)
        spent = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f'cinta import: exit status {process.returncode}')
        self.cpu.append(used.ru_utime + used.ru_stime)
        self.memory.append(used.ru_maxrss / 1024)
        for name in glob.glob(db + '*'):
            os.unlink(name)
        return spent


def appending(place, lines):
    """A session of its own each time."""
    memory = place.mount('cat.db', 'cat')
    count = 0

    def once():
        nonlocal count
        count += 1
        os.mkdir(f'{memory}/sessions/c{count}')
        start = time.perf_counter()
        with open(f'{memory}/sessions/c{count}/log.jsonl', 'ab') as log:
            subprocess.run(['cat', lines], stdout=log, check=True)
        return time.perf_counter() - start
    return once


def run(place, table):
    lines = place.path('lines.jsonl')
    make_lines(lines)
    ours = Importing(place, lines)
    m = rounds({'ours': ours, 'cat': appending(place, lines)}, ROUNDS)
    table.ratio('import / cat >> of the same', LINES / m['ours'], LINES / m['cat'], '', '/s')
    table.value('import.messages', LINES / m['ours'], '>= 20000', '/s')
    table.value('import.a second of CPU', LINES / statistics.median(ours.cpu), '', '/s')
    table.value('import.memory', max(ours.memory), '<= 64', 'MiB')
