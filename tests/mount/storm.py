#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""storm.py WRITE READ LINES: LINES appends through WRITE by three processes, and
beside them re-readers of both mounts: no NUL byte, no short line, no size that
is older than the last acknowledged line.  (In the read-only mount a read may end
at an earlier line while appends are under way: it is counted, and read again.)"""
import json
import multiprocessing as mp
import os
import sys
import time

A, B, LINES = sys.argv[1], sys.argv[2], int(sys.argv[3])
LOG = "/sessions/storm/log.jsonl"
WRITERS = 3


def write(number, acked, over):
    fd = os.open(A + LOG, os.O_WRONLY | os.O_APPEND)
    for n in range(LINES // WRITERS):
        text = f"{number} {n} " + "é" * (n * 7 % 120)
        os.write(fd, f'{{"content":"{text}"}}\n'.encode())
        acked[number] = n + 1  # the lines of this one that every reader must see from now on
    with over.get_lock():
        over.value += 1


def lines_from(path, at):
    """What a program sees that opens, asks the size and reads from `at` on."""
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    parts = []
    while at < size:
        part = os.pread(fd, min(1 << 20, size - at), at)
        if not part and path.startswith(B):
            # Profile R, appends under way: the kernel may drop a size it has just told (the
            # exception in docs/guarantees.md).  What was read must still be whole lines.
            short.value += 1
            size = at
            break
        assert part, (path, "short read", at, size)
        parts.append(part)
        at += len(part)
    os.close(fd)
    return size, b"".join(parts)


def reread(path, acked, over, rounds):
    at, seen = 0, [0] * WRITERS
    while True:
        ended = over.value == WRITERS
        promised = list(acked)
        size, data = lines_from(path, at)
        assert size >= at, (path, "shrank", size, at)
        assert b"\0" not in data, (path, "NUL", at, data.index(b"\0"))
        assert not data or data.endswith(b"\n"), (path, "half a line", at)
        for line in data.split(b"\n")[:-1]:
            m = json.loads(line)
            w, n = map(int, m["content"].split()[:2])
            assert n == seen[w], (path, "order", w, n, seen[w])
            seen[w] += 1
        at = size
        if path.startswith(A):
            for w in range(WRITERS):
                assert seen[w] >= promised[w], (path, "old", w, seen[w], promised[w])
        rounds.value += 1
        if ended and (path.startswith(A) or sum(seen) == LINES):
            break
        time.sleep(0.0005)  # so that the writers get a turn on two cores
    assert sum(seen) == LINES, (path, seen)


def whole(path, over, rounds):
    """Reads all of it again and again: the page cache must not hold stale pages."""
    last = 0
    while True:
        ended = over.value == WRITERS
        size, data = lines_from(path, 0)
        assert (size >= last or path.startswith(B)) and b"\0" not in data and (not data or data.endswith(b"\n")), path
        assert data.count(b'"prev_hash":') == data.count(b"\n"), path
        last = size
        rounds.value += 1
        if ended:
            break
        time.sleep(0.05)
    assert data.count(b"\n") == LINES, (path, data.count(b"\n"))


os.mkdir(A + "/sessions/storm")
acked = mp.Array("i", WRITERS, lock=False)
over = mp.Value("i", 0)
short = mp.Value("i", 0)
rounds = [mp.Value("i", 0) for _ in range(4)]
jobs = [mp.Process(target=write, args=(w, acked, over)) for w in range(WRITERS)]
jobs += [mp.Process(target=reread, args=(A + LOG, acked, over, rounds[0])),
         mp.Process(target=reread, args=(B + LOG, acked, over, rounds[1])),
         mp.Process(target=whole, args=(A + LOG, over, rounds[2])),
         mp.Process(target=whole, args=(B + LOG, over, rounds[3]))]
for j in jobs:
    j.start()
for j in jobs:
    j.join()
print("rounds", [r.value for r in rounds], "short reads in R", short.value)
sys.exit(any(j.exitcode for j in jobs) or any(r.value < 5 for r in rounds))
