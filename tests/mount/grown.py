#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""grown.py FILE LOG: FILE is what a reader through the page cache has got of LOG, which grew
meanwhile.  They are equal, but for what the kernel does to one read in some 500,000
(docs/guarantees.md): it copies NUL bytes from behind the old end, up to that page's or the
read's.  Also imported by storm.py."""
import re
import sys

PAGE, MOST = 4096, 2  # runs of NUL bytes that are forgiven in one storm
NULS = re.compile(b"\0+")


def is_grown(data, at, start, end):
    """True if the NUL bytes data[start:end], of a file's bytes from `at` on, stand between an old
    end of the file, which is behind a whole line, and the end of that page or of the data."""
    whole = start == 0 or data[start - 1:start] == b"\n"
    page = (at + start) // PAGE == (at + end - 1) // PAGE
    return whole and page and (end == len(data) or (at + end) % PAGE == 0)


def runs(data):
    return [m.span() for m in NULS.finditer(data)]


def forgiven(data, at):
    """True if there is one run of NUL bytes in what one read has given, and it is such a one."""
    found = runs(data)
    return len(found) == 1 and is_grown(data, at, *found[0])


def check():
    line = b"x" * 9 + b"\n"
    assert forgiven(line + b"\0" * 5, 0) and forgiven(b"\0", 70)
    assert forgiven(line + b"\0" * 86 + line, 4000)
    assert not forgiven(line, 0) and not forgiven(b"xx\0\0", 0)  # within a line
    assert not forgiven(line + b"\0" * 5 + line, 0)              # something behind it
    assert not forgiven(line + b"\0" * 90, 4000)                 # over a page's end
    assert not forgiven(b"\0" * 96 + line + b"\0", 4000)         # two


def compare(got, log):
    assert len(got) == len(log), ("length", len(got), len(log))
    found = runs(got)
    assert len(found) <= MOST, ("NUL", found)
    for start, end in found:
        # The reader went on where one of its reads had ended: there the line's bytes are again.
        assert start == 0 or got[start - 1:start] == b"\n", ("NUL", start, end)
        assert start // PAGE == (end - 1) // PAGE, ("NUL", start, end)
        got = got[:start] + log[start:end] + got[end:]
    assert got == log, ("differs at", next(i for i, (a, b) in enumerate(zip(got, log)) if a != b))
    if found:
        print("NUL bytes of a page that had just grown, in", found)


check()
if __name__ == "__main__":
    compare(open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read())
