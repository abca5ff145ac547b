#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sizes.py MOUNT: each file's st_size is the number of bytes one can read, by
large reads, by small ones and from the middle; a link's is its target's length.
Also of files that readdir does not return."""
import os
import stat
import sys

ROOT = sys.argv[1]
HIDDEN = [ROOT + "/.cinta"]
seen = 0


def looks_right(path, tries):
    """Of a page that tells of the moment a mount that only reads may give some of the next one
    to the second read (docs/guarantees.md): such a page is to be whole in one of some tries."""
    with open(path, "rb", buffering=0) as f:
        size = os.fstat(f.fileno()).st_size
        data = b"".join(iter(lambda: f.read(1 << 20), b""))
        again = os.fstat(f.fileno()).st_size
        middle = os.pread(f.fileno(), 1 << 20, size // 2)
        small = b"".join(os.pread(f.fileno(), 1000, at) for at in range(0, size, 1000))
    right = len(data) == size == again and middle == data[size // 2:] and small == data
    assert right or tries > 1, (path, size, again, data, middle, small)
    return right, size


def check(path):
    global seen
    st = os.lstat(path)
    seen += 1
    if stat.S_ISLNK(st.st_mode):
        assert st.st_size == len(os.readlink(path).encode()), path
        return
    of_the_moment = path.endswith(("/status.json", "/metrics"))
    tries = 5 if of_the_moment else 1
    right, size = looks_right(path, tries)
    while not right:
        tries -= 1
        right, size = looks_right(path, tries)
    if not of_the_moment:
        assert st.st_size == size, (path, st.st_size, size)


def walk(top):
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path):
            walk(path)
        else:
            check(path)


for name in os.listdir(ROOT + "/sessions"):
    if name != "current":
        HIDDEN += [f"{ROOT}/sessions/{name}/messages"]
        check(f"{ROOT}/sessions/{name}/refs.jsonl")
for top in [ROOT] + HIDDEN:
    walk(top)
assert seen > 20, seen
