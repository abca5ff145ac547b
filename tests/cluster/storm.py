#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""storm.py SECONDS MOUNT MOUNT: writers and readers of one memory on two machines.

On each: lines, saves in place, saves by renaming, and new documents under names that the other
makes, too; readers of all that.  No reader may find a gap in a writer's lines, fewer of them than
before, a version older than one it has read, or one that is not whole.  Each prints what it did:
`lines NAME COUNT` of a writer of lines, `made NAME COUNT`.  1: one has found a fault."""
import hashlib
import json
import os
import random
import sys
import time

LOG = "sessions/uno/log.jsonl"


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def text(n):
    body = ("words of version %d\n" % n) * random.randint(1, 400)
    return f"{n} {hashlib.sha256(body.encode()).hexdigest()}\n{body}"


def version(path, may_be_empty):
    """Of what is there, 0: nothing yet.  A file that is being made is empty before its first save, for
    those who look at it where it is made: as with any directory."""
    try:
        with open(path, encoding="utf-8") as f:
            whole = f.read()
    except FileNotFoundError:
        return 0
    if not whole and may_be_empty:
        return 0
    head, _, body = whole.partition("\n")
    n, _, digest = head.partition(" ")
    assert hashlib.sha256(body.encode()).hexdigest() == digest, f"{path}: half of version {n!r}"
    return int(n)


def appends(name, root, going):
    n = 0
    with open(f"{root}/{LOG}", "ab", buffering=0) as f:
        while going():
            line = json.dumps({"role": "user", "content": f"{name} {n}"}) + "\n"
            assert f.write(line.encode()) == len(line)
            n += 1
    say("lines", name, n)


def saves_in_place(name, root, going):
    n = 0
    while going():
        n += 1
        with open(f"{root}/notes/place-{name}.md", "w", encoding="utf-8") as f:
            f.write(text(n))
        time.sleep(random.uniform(0, 0.05))
    say("saved", name, n)


def saves_by_renaming(name, root, going):
    n = 0
    path = f"{root}/notes/renamed-{name}.md"
    while going():
        n += 1
        with open(path + ".tmp", "w", encoding="utf-8") as f:
            f.write(text(n))
        os.rename(path + ".tmp", path)
        time.sleep(random.uniform(0, 0.05))
    say("renamed", name, n)


def makes(name, root, going):
    """Both are as far as the other, more or less: each waits a little, not for the other."""
    n = 0
    while going():
        with open(f"{root}/notes/same{n}.md", "w", encoding="utf-8") as f:
            f.write(f"{name}\n")
        n += 1
        time.sleep(0.1)
    say("made", name, n)


def reads_lines(name, root, going):
    before, rounds = {}, 0
    while going():
        seen = {}
        with open(f"{root}/{LOG}", encoding="utf-8") as f:
            for line in f:
                who, n = json.loads(line)["content"].split(" ")
                assert int(n) == seen.get(who, 0), f"{name} reads {who} {n} after {seen.get(who, 0)} lines"
                seen[who] = int(n) + 1
        for who, count in before.items():
            assert seen.get(who, 0) >= count, f"{name}: {seen.get(who, 0)} lines of {who} after {count}"
        before = seen
        rounds += 1
        time.sleep(random.uniform(0, 0.2))
    say("reads", name, rounds)


def reads_documents(name, root, going):
    before, rounds = {}, 0
    while going():
        for doc in ("place-a", "place-b", "renamed-a", "renamed-b"):
            made_here = doc == f"place-{name}"
            n = version(f"{root}/notes/{doc}.md", made_here and doc not in before)
            assert n >= before.get(doc, 0), f"{name}: version {n} of {doc} after {before[doc]}"
            if n:
                before[doc] = n
        rounds += 1
        time.sleep(random.uniform(0, 0.02))
    say("looks", name, rounds)


def main():
    until = time.monotonic() + float(sys.argv[1])
    children = []
    for name, root in zip("ab", sys.argv[2:4]):
        for run in (appends, saves_in_place, saves_by_renaming, makes, reads_lines, reads_documents):
            child = os.fork()
            if child == 0:
                random.seed(os.getpid())
                try:
                    run(name, root, lambda: time.monotonic() < until)
                    os._exit(0)
                except Exception as error:  # noqa: BLE001: whatever it is, the test is told
                    say("fault", run.__name__, name, repr(error))
                    os._exit(1)
            children.append(child)
    return any([os.waitpid(child, 0)[1] != 0 for child in children])


if __name__ == "__main__":
    sys.exit(main())
