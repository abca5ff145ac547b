#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Readers and savers of one document: a reader has one version from open to close, whatever comes.

A version's text is its number, line after line, and its length goes up and down with the number: so
bytes of two versions, a NUL, or the size of another one are seen at once.

  editions.py storm SECONDS DIR…   each way to save and to read, in every DIR (mounts of one memory)
  editions.py kept DIR…            one reader of each way stays open over each way to save
  editions.py reopened DIR TWO     who has a document open opens it again by /proc, to write or to map it
  editions.py mapped DIR TWO       private mappings of who writes leave nothing in the pages of others
"""
import errno
import fcntl
import mmap
import os
import random
import sys
import time

DOC = "notes/version.md"


def text(n):
    return b"%08d\n" % n * (1 + n * 7919 % 1500)


def check(data, size=None):
    """The version whose bytes these are; fails for what is none's."""
    n = int(data[:8])
    whole = text(n)
    assert data == whole, "bytes of version %d, %d of %d, then %r" % (
        n, len(os.path.commonprefix([data, whole])), len(whole),
        data[len(os.path.commonprefix([data, whole])):][:40])
    assert size is None or size == len(whole), "version %d of %d bytes, told %d" % (n, len(whole), size)
    return n


# ---- saving -------------------------------------------------------------------------------------

def in_place(path, data):
    with open(path, "wb") as f:
        f.write(data)


def by_rename(path, data):
    other = "%s.%d.tmp" % (path, os.getpid())
    with open(other, "wb") as f:
        f.write(data)
    os.rename(other, path)


def cut_first(path, data):
    with open(path, "r+b") as f:
        f.write(data)
        f.truncate()


def at_once(path, data):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)


def moved_away(path, data):
    os.rename(path, path + "~")  # as vim and emacs do it
    with open(path, "wb") as f:
        f.write(data[:len(data) // 2])
        f.flush()
        f.write(data[len(data) // 2:])
    os.unlink(path + "~")


SAVES = [in_place, by_rename, cut_first, at_once, moved_away]


# ---- reading ------------------------------------------------------------------------------------

def bits(fd, step=700):
    data = b""
    while part := os.read(fd, step):
        data += part
        if random.random() < 0.05:
            time.sleep(0.001)
    return data


def whole(fd):
    return bits(fd, 1 << 20)


def mapped(fd):
    size = os.fstat(fd).st_size
    try:
        with mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ) as m:
            return m[:size]
    except (OSError, ValueError):  # while it is being saved it is read past the page cache
        return whole(fd)


def backwards(fd):
    size = len(whole(fd))  # what fstat tells of one read past the page cache is the newest's
    parts = [os.pread(fd, 512, at) for at in range(0, size, 512)[::-1]]
    return b"".join(parts[::-1])


READS = [bits, whole, mapped, backwards]


def read(path, how):
    end = time.monotonic() + 60
    while True:
        try:
            fd = os.open(path, os.O_RDONLY)
            break
        except FileNotFoundError:  # who moved it away has not made it yet
            assert time.monotonic() < end, "gone"
    try:
        return check(how(fd))
    finally:
        os.close(fd)


# ---- the two ways to run ------------------------------------------------------------------------

def number(board):
    board.seek(0)
    return int(board.read() or 0)


def saver(seed, end, dirs, board):
    """Numbers go up: one saver at a time, and the number is on the board when its save returned."""
    random.seed(seed)
    while time.monotonic() < end:
        fcntl.lockf(board, fcntl.LOCK_EX)
        n = number(board) + 1
        random.choice(SAVES)(os.path.join(random.choice(dirs), DOC), text(n))
        board.seek(0)
        board.write(b"%012d" % n)
        board.flush()
        fcntl.lockf(board, fcntl.LOCK_UN)
        time.sleep(random.choice([0, 0.002, 0.02, 2.2]))


def reader(seed, end, dirs, board):
    random.seed(seed)
    count = 0
    while time.monotonic() < end:
        least = number(board)
        n = read(os.path.join(random.choice(dirs), DOC), random.choice(READS))
        assert n >= least, "version %d, though %d was saved" % (n, least)
        count += 1
        time.sleep(random.choice([0, 0, 0.001, 0.01]))
    print("reads", count)


def storm(seconds, dirs):
    board = os.path.join(os.environ["T"], "board")
    in_place(os.path.join(dirs[0], DOC), text(1))
    in_place(board, b"%012d" % 1)
    end = time.monotonic() + seconds
    children = []
    for i, run in enumerate([saver] * 2 + [reader] * 5):
        pid = os.fork()
        if pid == 0:
            try:
                run(i, end, dirs, open(board, "r+b", buffering=0))
                os._exit(0)
            except Exception as error:  # noqa: BLE001: whatever it is, the test is told
                os.write(1, f"{run.__name__} {error!r}\n".encode())  # in one piece, among others
                os._exit(1)
        children.append(pid)
    return sum(os.waitpid(pid, 0)[1] != 0 for pid in children)


def by_pages(path):
    """True if who opens it is given the kernel's pages: only these can be mapped by all."""
    try:
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as m:
            return len(m) > 0
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise
        return False


def rest(dirs):
    """Until a reader is given the kernel's pages again, two seconds after the last writer."""
    until = time.monotonic() + 60
    while not all(by_pages(os.path.join(d, DOC)) for d in dirs):
        assert time.monotonic() < until, "no reader is given pages"
        time.sleep(0.1)


def kept(dirs):
    n = 1
    in_place(os.path.join(dirs[0], DOC), text(n))
    for save in SAVES:
        for where in dirs:
            rest(dirs)
            held = [(d, how, os.open(os.path.join(d, DOC), os.O_RDONLY)) for d in dirs for how in READS]
            for _, _, fd in held[::2]:
                os.pread(fd, 100, 0)
            n += 1
            save(os.path.join(where, DOC), text(n))
            for d in dirs:
                for how in READS:
                    got = read(os.path.join(d, DOC), how)
                    assert got == n, "%s in %s: %d after %d was saved" % (save.__name__, d, got, n)
            told = os.stat(os.path.join(where, DOC)).st_size
            assert told == len(text(n)), "%s: %d bytes told of %d" % (save.__name__, told, len(text(n)))
            for d, how, fd in held:
                size = os.fstat(fd).st_size
                got = check(how(fd), size)
                assert got == n - 1, "%s in %s by %s: %d, opened at %d" % (
                    save.__name__, d, how.__name__, got, n - 1)
                os.close(fd)
    print("versions", n)
    return 0


def pages(fd):
    try:
        mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ).close()
        return True
    except OSError:
        return False


def opened_by_pages(path):
    """Open for reading by the kernel's pages: after a write that saved nothing it takes a while."""
    end = time.monotonic() + 60
    while True:
        fd = os.open(path, os.O_RDONLY)
        if pages(fd):
            return fd
        os.close(fd)
        assert time.monotonic() < end, "never read by pages"
        time.sleep(0.1)


def peek(fd, size):
    with mmap.mmap(fd, size, mmap.MAP_PRIVATE, mmap.PROT_READ) as m:
        return m[:size]


def now_is(dirs, n):
    for d in dirs:
        assert read(os.path.join(d, DOC), whole) == n, d
        end = time.monotonic() + 10  # a name that another mount has is told a moment later
        while os.stat(os.path.join(d, DOC)).st_size != len(text(n)):
            assert time.monotonic() < end, "%s: size of another version than %d" % (d, n)


def reopened(dirs):
    path = os.path.join(dirs[0], DOC)
    in_place(path, text(1))
    for n, flags in enumerate([os.O_WRONLY | os.O_TRUNC, os.O_RDWR, os.O_RDONLY], 2):
        fd = opened_by_pages(path)
        again = os.open("/proc/self/fd/%d" % fd, flags)
        if flags == os.O_RDONLY:
            in_place(path, text(n))
            peek(again, 16)
        else:
            os.write(again, text(n))
            os.truncate(again, len(text(n)))
        assert check(mapped(fd)) == check(backwards(fd)) == n - 1
        os.close(again)
        now_is(dirs, n)
        assert check(bits(os.open("/proc/self/fd/%d" % fd, os.O_RDONLY))) == n
        assert check(os.pread(fd, 1 << 20, 0), os.fstat(fd).st_size) == n - 1
        os.close(fd)
        now_is(dirs, n)
    return 0


def others_maps(dirs):
    here, there = (os.path.join(d, DOC) for d in dirs)
    for n, staged in [(1, b""), (2, b"nobody saves this")]:
        in_place(here, text(n))
        os.close(opened_by_pages(here))
        fd = os.open(here, os.O_RDWR)
        os.pwrite(fd, staged, 0)
        assert peek(fd, 2048)[:len(staged)] == staged
        os.pwrite(fd, text(n)[:len(staged)], 0)
        os.close(fd)
        in_place(there, text(n).replace(b"0", b"z"))
        rest(dirs)
        with open(here, "rb") as f:
            assert f.read() == text(n).replace(b"0", b"z"), "bytes of before"
    return 0


if __name__ == "__main__":
    if sys.argv[1] in ("reopened", "mapped"):
        sys.exit({"reopened": reopened, "mapped": others_maps}[sys.argv[1]](sys.argv[2:]))
    if sys.argv[1] == "storm":
        sys.exit(storm(float(sys.argv[2]), sys.argv[3:]) != 0)
    sys.exit(kept(sys.argv[2:]))
