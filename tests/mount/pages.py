#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages pages of a database as a bad disk would.

    pages.py DB NAME TYPE WHICH    TYPE leaf, internal or overflow, of table or index NAME;
                                   WHICH: a number from 0, negative: from the end, `all`, `half`,
                                   `root`
    pages.py DB freelist           the first page of the list of free ones

Prints how many were overwritten, and fails if none was."""
import os
import random
import sqlite3
import sys


def pages_of(path, name, kind):
    # Without schema checks: what is looked for may stand in a file that is damaged elsewhere.
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = [n for n, in db.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path", (name, kind))]
    # the first of internal ones is the root, for its path is "/"
    size, = db.execute("PRAGMA page_size").fetchone()
    db.close()
    return found, size


def main():
    path, what = sys.argv[1:3]
    seed = random.Random(7)
    if what == "freelist":
        with open(path, "rb") as f:
            head = f.read(100)
        size = int.from_bytes(head[16:18], "big")
        first = int.from_bytes(head[32:36], "big")
        pages = [first] if first else []
    else:
        kind, which = sys.argv[3:5]
        pages, size = pages_of(path, what, kind)
        if which == "half":
            pages = pages[::2]
        elif which == "root":
            pages = pages[:1]
        elif which != "all":
            pages = [pages[int(which)]]
    with open(path, "r+b") as f:
        for n in pages:
            f.seek((n - 1) * size)
            f.write(seed.randbytes(size))
        os.fsync(f.fileno())
    print(len(pages))
    return 0 if pages else 1


if __name__ == "__main__":
    sys.exit(main())
