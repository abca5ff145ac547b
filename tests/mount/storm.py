#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""storm.py WRITE READ LINES: LINES appends through WRITE by three processes, and
beside them re-readers of the log in both mounts, then a tenth of that beside
re-readers of the transcript, at which each look costs the writers more: no NUL
byte, no half line, no read that ends before the size just told, no size that
shrinks, and each line acknowledged before a round began is seen in it.  What the
kernel may do to a reader through the page cache, in READ, is told apart by
grown.py: seldom, and the next read is right."""
import json
import multiprocessing as mp
import os
import re
import sys
import time

sys.dont_write_bytecode = True
import grown  # noqa: E402

A, B, LINES = sys.argv[1], sys.argv[2], int(sys.argv[3])
WRITERS = 3
SAID = re.compile("^([0-9]+) ([0-9]+) é*$", re.M)


def write(session, lines, number, acked, over):
    fd = os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND)
    for n in range(lines // WRITERS):
        text = f"{number} {n} " + "é" * (n * 7 % 120)
        os.write(fd, f'{{"content":"{text}"}}\n'.encode())
        acked[number] = n + 1  # the lines of this one that every reader must see from now on
    with over.get_lock():
        over.value += 1


def bytes_from(path, at):
    """What a program sees that opens, asks the size and reads from `at` on."""
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    parts = []
    while at < size:
        part = os.pread(fd, min(1 << 20, size - at), at)
        assert part, (path, "short read", at, size)
        parts.append(part)
        at += len(part)
    os.close(fd)
    return size, b"".join(parts)


forgiven = 0  # reads of this process


def lines_from(path, at):
    global forgiven
    size, data = bytes_from(path, at)
    if b"\0" in data and path.startswith(B + "/") and grown.forgiven(data, at):
        forgiven += 1
        assert forgiven <= grown.MOST, (path, "NUL", forgiven, "times")
        print(path, "NUL bytes of a page that had just grown", flush=True)
        size, data = bytes_from(path, at)
    assert b"\0" not in data, (path, "NUL", at + data.index(b"\0"))
    return size, data


def said(path, data, at):
    """The writers and numbers of the messages in it, which must be whole ones."""
    text = data.decode(errors="replace")  # half a character is half a line, too
    if path.endswith(".jsonl"):
        assert not text or text.endswith("\n"), (path, "half a line", at)
        return [tuple(map(int, json.loads(line)["content"].split()[:2]))
                for line in text.split("\n")[:-1]]
    whole = not text or text.startswith("## ") and text.endswith("\n\n")
    found = SAID.findall(text)
    assert whole and len(found) == text.count("## "), (path, "half a message", at)
    return [(int(w), int(n)) for w, n in found]


def reread(path, total, acked, over, rounds):
    at, seen = 0, [0] * WRITERS
    while True:
        ended = over.value == WRITERS
        promised = list(acked)
        size, data = lines_from(path, at)
        assert size >= at, (path, "shrank", size, at)
        for w, n in said(path, data, at):
            assert n == seen[w], (path, "order", w, n, seen[w])
            seen[w] += 1
        at = size
        for w in range(WRITERS):
            assert seen[w] >= promised[w], (path, "old", w, seen[w], promised[w])
        rounds.value += 1
        if ended:
            break
        time.sleep(0.0005)  # so that the writers get a turn on two cores
    assert sum(seen) == total, (path, seen)


def whole(path, total, acked, over, rounds):
    """Reads all of it again and again: the page cache must not hold stale pages."""
    last, mark = 0, b'"prev_hash":' if path.endswith(".jsonl") else b"## "
    while True:
        ended = over.value == WRITERS
        promised = sum(acked)
        size, data = lines_from(path, 0)
        assert size >= last, (path, "shrank", size, last)
        assert data.endswith(b"\n") or not data, (path, "half a line")
        lines = data.count(b"\n") // (1 if path.endswith(".jsonl") else 4)
        assert data.count(mark) == lines >= promised, (path, "old", lines, promised)
        last = size
        rounds.value += 1
        if ended:
            break
        time.sleep(0.05)
    assert lines == total, (path, lines)


def storm(name, file, lines):
    session, lines = "/sessions/" + name, lines // WRITERS * WRITERS
    os.mkdir(A + session)
    acked = mp.Array("i", WRITERS, lock=False)
    over = mp.Value("i", 0)
    readers = [(kind, root + session + file) for kind in (reread, whole) for root in (A, B)]
    rounds = [mp.Value("i", 0) for _ in readers]
    jobs = [mp.Process(target=write, args=(A + session, lines, w, acked, over))
            for w in range(WRITERS)]
    jobs += [mp.Process(target=kind, args=(path, lines, acked, over, count))
             for (kind, path), count in zip(readers, rounds)]
    for j in jobs:
        j.start()
    for j in jobs:
        j.join()
    print(name, "rounds", [r.value for r in rounds])
    return not any(j.exitcode for j in jobs) and all(r.value >= 3 for r in rounds)


sys.exit(not (storm("storm", "/log.jsonl", LINES) and
              storm("text", "/transcript.md", max(LINES // 10, 3000))))
