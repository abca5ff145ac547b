#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""seen_at_once.py WRITE READ ROUNDS: one process appends through the mount WRITE
and then looks, at once, through both: size, tail, whole file, transcript,
messages/N.md, sessions/current, threads, errors.log, tape.jsonl."""
import json
import os
import sys

A, B, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = ["x", "y"]
known = {}
for s in names:
    os.mkdir(f"{A}/sessions/{s}")
    for root in (A, B):
        assert s in os.listdir(root + "/sessions"), (root, s)
logs = {s: os.open(f"{A}/sessions/{s}/log.jsonl", os.O_WRONLY | os.O_APPEND) for s in names}
count = dict.fromkeys(names, 0)
held = {(r, s): os.open(f"{r}/sessions/{s}/log.jsonl", os.O_RDONLY) for r in (A, B) for s in names}
threads = set()
refusals = 0


def slurp(path):
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        data = f.read()
    assert len(data) == size, (path, len(data), size)
    return data


def look(root, s, n, thread, text):
    path = f"{root}/sessions/{s}"
    mark = text.encode()
    size = os.stat(path + "/log.jsonl").st_size
    old = known.get((root, s), 0)
    assert size > old, (path, "old size", size, old)
    known[root, s] = size
    fd = held[root, s]
    tail = os.pread(fd, 1 << 20, old)
    assert tail.count(b"\n") == 1 and tail.endswith(b"\n"), (path, n, tail[:100])
    assert json.loads(tail)["content"] == text, (path, n, tail[:100])
    assert b"\0" not in tail
    kind = n % 8
    if kind == 0:
        assert slurp(path + "/log.jsonl").count(b"\n") == n
    elif kind == 1:
        assert mark in slurp(path + "/transcript.md"), (path, n, "transcript")
    elif kind == 2:
        assert mark in slurp(f"{path}/messages/{n:06}.md")
        # Listed, not asked for: a name that is not there for half a second has its line in errors.log.
        assert f"{n + 1:06}.md" not in os.listdir(f"{path}/messages")
    elif kind == 3:
        assert os.readlink(root + "/sessions/current") == s, (root, n, "current")
        assert mark in slurp(root + "/smma/session_log.jsonl")
    elif kind == 4:
        assert sorted(os.listdir(root + "/threads")) == sorted(threads), (root, n, "threads")
        assert mark in slurp(f"{root}/threads/{thread}/log.jsonl"), (root, n, "thread")
    elif kind == 5:
        assert mark in slurp(f"{root}/threads/{thread}/transcript.md")
    elif kind == 6:
        assert slurp(root + "/errors.log").count(b"\n") == refusals, (root, n, "errors.log")
        assert len(os.listdir(root + "/rejected")) == 0
    else:
        assert mark in slurp(root + "/.cinta/tape.jsonl")[-2000:]
        assert len(os.listdir(path + "/messages")) == n


for i in range(ROUNDS):
    s = names[i // 7 % 2]
    count[s] += 1
    n = count[s]
    thread = f"t{min(i // 50, 40) if i % 3 else 0}"
    threads.add(thread)
    text = f"line {i} of {s} " + "ñ" * (i * 37 % 300)
    os.write(logs[s], (f'{{"content":"{text}","thread":"{thread}"}}\n').encode())
    for root in (B, A) if i % 2 else (A, B):
        look(root, s, n, thread, text)
    if i % 40 == 0:
        try:
            os.unlink(f"{A}/sessions/{s}/log.jsonl")
            raise AssertionError("unlinked")
        except PermissionError:
            refusals += 1
        for root in (A, B):
            assert slurp(root + "/errors.log").count(b"\n") == refusals, (root, i, "errors.log")
