#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How programs in Python save a file: `rewrites.py WAY DOCUMENT NEW` makes the
bytes of NEW of DOCUMENT, in one of the ways below."""
import fileinput
import mmap
import os
import pathlib
import shutil
import sys
import tempfile


def open_w(doc, new):
    with open(doc, "wb") as out:
        out.write(new)


def open_w_text_by_line(doc, new):
    with open(doc, "w", encoding="utf-8", buffering=1) as out:
        for line in new.decode().splitlines(keepends=True):
            out.write(line)


def open_at_exit(doc, new):
    """Nobody closes it: the interpreter does when it ends."""
    global left_open
    left_open = open(doc, "wb")
    left_open.write(new)


def open_a(doc, new):
    with open(doc, "ab") as out:
        out.write(new[os.path.getsize(doc):])


def open_r_plus(doc, new):
    with open(doc, "r+b") as out:
        out.read()
        out.seek(0)
        out.write(new)
        out.truncate()


def pathlib_write_text(doc, new):
    pathlib.Path(doc).write_text(new.decode(), encoding="utf-8")


def os_replace(doc, new):
    with open(doc + ".tmp", "wb") as out:
        out.write(new)
        out.flush()
        os.fsync(out.fileno())
    os.replace(doc + ".tmp", doc)


def replace_while_open(doc, new):
    """The temporary file is closed only after it was renamed."""
    with open(doc + ".tmp", "wb") as out:
        out.write(new)
        out.flush()
        os.replace(doc + ".tmp", doc)


def named_temporary(doc, new):
    with tempfile.NamedTemporaryFile("wb", dir=os.path.dirname(doc), delete=False) as out:
        out.write(new)
    os.replace(out.name, doc)


def replace_and_sync_directory(doc, new):
    fd, name = tempfile.mkstemp(prefix=".", dir=os.path.dirname(doc))
    os.write(fd, new)
    os.fsync(fd)
    os.close(fd)
    shutil.copymode(doc, name)
    os.rename(name, doc)
    directory = os.open(os.path.dirname(doc), os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(directory)
    os.close(directory)


def fileinput_inplace(doc, new):
    last = new.decode().splitlines()[-1]
    with fileinput.input(doc, inplace=True, encoding="utf-8") as lines:
        for line in lines:
            print(line, end="")
            if fileinput.lineno() == new.count(b"\n") - 1:
                print(last)


def shutil_copy(doc, new):
    shutil.copy2(os.environ["NEW"], doc)


def shutil_move(doc, new):
    shutil.move(os.environ["NEW"], doc)


def memory_mapped(doc, new):
    """The length stays."""
    with open(doc, "r+b") as out, mmap.mmap(out.fileno(), len(new)) as mapped:
        mapped[:] = new
        mapped.flush()


def memory_mapped_late(doc, new):
    """The pages are written after the descriptor is closed."""
    fd = os.open(doc, os.O_RDWR)
    mapped = mmap.mmap(fd, len(new))
    os.close(fd)
    mapped[:] = new
    mapped.close()


def byte_by_byte(doc, new):
    fd = os.open(doc, os.O_WRONLY | os.O_TRUNC)
    for i in range(len(new)):
        os.write(fd, new[i:i + 1])
    os.close(fd)


def backwards(doc, new):
    fd = os.open(doc, os.O_WRONLY | os.O_TRUNC)
    for i in reversed(range(len(new))):
        os.pwrite(fd, new[i:i + 1], i)
    os.close(fd)


def two_descriptors(doc, new):
    """dup, and the child of a fork, share what one of them opened."""
    fd = os.open(doc, os.O_WRONLY | os.O_TRUNC)
    os.close(os.dup(fd))
    if os.fork() == 0:
        os.write(fd, new)
        os._exit(0)
    os.wait()
    os.close(fd)


if __name__ == "__main__":
    way, document, source = sys.argv[1:]
    with open(source, "rb") as wanted:
        content = wanted.read()
    globals()[way](document, content)
