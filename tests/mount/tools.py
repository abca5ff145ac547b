#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saves as tools do, by the table tools.table.

    tools.py save DIR…      every row once in each directory, and what stands then
    tools.py kept DIR…      what stands still; the tools' own names, too
    tools.py later DIR…     what stands a day later: the tools' own names have gone

A directory below notes/ gets a folder for each row.  Prints what is not as the table says, and fails.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import sys
import time
from pathlib import Path

TABLE = Path(__file__).with_name("tools.table")
LIBC = ctypes.CDLL(None, use_errno=True)
NOREPLACE = 1
PATIENCE = 60  # seconds: the machine may be busy


class Row:
    def __init__(self, number, line):
        self.tool, calls, stands, goes = (part.strip() for part in line.split("|"))
        self.number = number
        self.calls = [call.strip() for call in calls.split(";")]
        self.text, version, *others = stands.split()
        self.others = [other for other in others if not other.startswith("notes:")]
        self.moved = [other[6:] for other in others if other.startswith("notes:")]
        self.versions = range(int(version.split("-")[0]), int(version.split("-")[-1]) + 1)
        self.goes = goes.split()
        self.old = f"- old text of row {number}\n".encode()
        self.new = f"- a new text of row {number}, and longer\n".encode()
        self.line = f"- a line of row {number}\n".encode()

    def texts(self):
        return {"old": self.old, "new": self.new, "more": self.old + self.line, "empty": b""}

    def place(self, top):
        """The directory it works in, the document's name there, and its name in the end."""
        if Path(top).name == "notes":
            return Path(top) / f"row{self.number}", "foo.md", (self.moved or ["foo.md"])[0]
        return Path(top), f"foo-{self.number}.md", f"foo-{self.number}.md"


def rows():
    lines = [line for line in TABLE.read_text().splitlines() if line and line[0] != "#"]
    return [Row(n, line) for n, line in enumerate(lines, 1)]


FLAGS = {"r": os.O_RDONLY, "w": os.O_WRONLY, "u": os.O_RDWR, "c": os.O_CREAT, "x": os.O_EXCL,
         "t": os.O_TRUNC, "a": os.O_APPEND}


class Tool:
    """One run of a row: its descriptors, and a function for each call."""

    def __init__(self, row, folder, name):
        self.row, self.folder, self.name, self.open_ = row, folder, name, []

    def path(self, name):
        return str(self.folder / name.replace("%", self.name))

    @property
    def fd(self):
        return self.open_[-1]

    def write(self, data):
        if os.write(self.fd, data) != len(data):
            raise OSError(errno.EIO, "a short write")

    def open(self, name, flags):
        wanted = 0
        for letter in flags:
            wanted |= FLAGS[letter]
        self.open_.append(os.open(self.path(name), wanted | os.O_CLOEXEC, 0o600))

    def close(self): os.close(self.open_.pop())
    def dupclose(self): os.close(os.dup(self.fd))
    def put(self): self.write(self.row.new)
    def half(self): self.write(self.row.new[:12])
    def rest(self): self.write(self.row.new[12:])
    def old(self): self.write(self.row.old)
    def line(self): self.write(self.row.line)
    def swap(self): self.write(b"b0VIM 9.0" + bytes(4087))
    def at(self, where): os.lseek(self.fd, 0, os.SEEK_END if where == "end" else os.SEEK_SET)
    def trunc(self, size): os.ftruncate(self.fd, int(size))
    def truncto(self): os.ftruncate(self.fd, os.lseek(self.fd, 0, os.SEEK_CUR))
    def trunclen(self): os.ftruncate(self.fd, len(self.row.new))
    def fsync(self): os.fsync(self.fd)
    def fchmod(self, mode): os.fchmod(self.fd, int(mode, 8))
    def fchown(self): os.fchown(self.fd, os.getuid(), os.getgid())
    def utimes(self): os.utime(self.fd, (1e9, 1e9))
    def fxattr(self): os.setxattr(self.fd, "user.x", b"x")
    def lock(self): fcntl.flock(self.fd, fcntl.LOCK_EX)
    def mmap(self): mmap.mmap(self.fd, len(self.row.new), mmap.MAP_SHARED)
    def chmod(self, name): os.chmod(self.path(name), 0o600)
    def chown(self, name): os.chown(self.path(name), os.getuid(), os.getgid())
    def utime(self, name): os.utime(self.path(name), (1e9, 1e9))
    def xattr(self, name): os.setxattr(self.path(name), "user.x", b"x")
    def mv(self, a, b): os.rename(self.path(a), self.path(b))
    def link(self, a, b): os.link(self.path(a), self.path(b))
    def symlink(self, text, name): os.symlink(text, self.path(name))
    def rm(self, name): os.unlink(self.path(name))
    def mkdir(self, name): os.mkdir(self.path(name))
    def rmdir(self, name): os.rmdir(self.path(name))

    def apart(self, a, b):
        end = time.monotonic() + PATIENCE
        while os.path.exists(self.path(a)) and os.path.samefile(self.path(a), self.path(b)):
            if time.monotonic() > end:
                raise OSError(errno.ETIMEDOUT, "one file")
            time.sleep(0.01)

    def mvn(self, a, b):
        if LIBC.renameat2(-100, os.fsencode(self.path(a)), -100, os.fsencode(self.path(b)), NOREPLACE):
            raise OSError(ctypes.get_errno(), "renameat2")

    def splice(self):
        source = os.memfd_create("source")
        os.write(source, self.row.new)
        if os.sendfile(self.fd, source, 0, 1 << 20) != len(self.row.new):
            raise OSError(errno.EIO, "a short sendfile")
        os.close(source)

    def dirsync(self):
        fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(fd)
        os.close(fd)

    def fallocate(self, name):
        fd = os.open(self.path(name), os.O_WRONLY)
        try:
            if LIBC.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(1 << 20)):
                raise OSError(ctypes.get_errno(), "fallocate")
        finally:
            os.close(fd)

    def vimswap(self):
        """Looks whether the swap file can be made, makes it, writes it."""
        swap, probe = ".%.swp", ".%.swx"
        self.open(swap, "ucx")
        self.open(probe, "ucx")
        self.close()
        self.rm(probe)
        self.close()
        self.rm(swap)
        self.open(swap, "ucx")
        self.swap()
        self.chmod(swap)
        self.close()

    def call(self, text):
        wanted, may, words = None, False, text.split()
        if words[0][0] in "!?":
            wanted, may, words = words[0][1:], words[0][0] == "?", words[1:]
        got = None
        try:
            getattr(self, words[0])(*words[1:])
        except OSError as error:
            got = errno.errorcode[error.errno]
        if wanted and getattr(errno, wanted) == getattr(errno, got or "", None):
            got = wanted
        if got != wanted and not (may and got is None):
            raise AssertionError(f"`{text}` gave {got or 'no error'}")

    def run(self):
        try:
            for text in self.row.calls:
                self.call(text)
        finally:
            for fd in self.open_:
                os.close(fd)


def read(path):
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return None


def own_names(row, name):
    return {other.replace("%", name) for other in row.goes}


def look(row, top):
    """What is not as the table says, or nothing."""
    folder, _, name = row.place(top)
    wanted = row.texts()[row.text]
    if read(folder / name) != wanted:
        return f"{name} holds {read(folder / name)!r}, not {wanted!r}"
    newest = next((n for n in row.versions if read(folder / f"{name}@{n + 1}") is None), None)
    if newest is None:
        return f"there is a version {row.versions[-1] + 1}"
    if read(folder / f"{name}@{newest}") != wanted:
        return f"{name}@{newest} holds {read(folder / f'{name}@{newest}')!r}"
    for other in row.others:
        if read(folder / other.replace("%", name)) != row.new:
            return f"{other} holds {read(folder / other.replace('%', name))!r}"
    return None


def listed_wrong(row, top, later):
    """The folder's names; where rows share a directory only those of this row."""
    folder, _, name = row.place(top)
    there = set(os.listdir(folder))
    kept = {name} | {other.replace("%", name) for other in row.others}
    own = own_names(row, name)
    if folder != Path(top):
        wanted = kept if later else kept | own
        return None if there == wanted else f"lists {sorted(there)}, not {sorted(wanted)}"
    gone = kept - there if later else (kept | own) - there
    if gone:
        return f"{sorted(gone)} are not there"
    return f"{sorted(own & there)} are still there" if later and own & there else None


def wait_until_right(row, top, later):
    """What an editor takes away comes back after some seconds: patience."""
    end = time.monotonic() + PATIENCE
    while True:
        wrong = look(row, top) or listed_wrong(row, top, later)
        if not wrong or time.monotonic() > end:
            return wrong
        time.sleep(0.2)


def save(row, top):
    folder, name, _ = row.place(top)
    if folder != Path(top):
        folder.mkdir()
    (folder / name).write_bytes(row.old)
    try:
        Tool(row, folder, name).run()
    except AssertionError as wrong:
        return str(wrong)
    return None


def strangers(top, later):
    """Names in a shared directory that no row means."""
    meant = set()
    for row in rows():
        folder, _, name = row.place(top)
        if folder != Path(top):
            return None
        meant |= {name} | {other.replace("%", name) for other in row.others}
        meant |= set() if later else own_names(row, name)
    extra = {name for name in os.listdir(top) if name.startswith((".", "#")) or "foo-" in name} - meant
    return f"has {sorted(extra)}" if extra else None


def main():
    mode, *tops = sys.argv[1:]
    wrong = []
    for top in tops:
        for row in rows():
            said = save(row, top) if mode == "save" else None
            if not said:
                said = wait_until_right(row, top, mode == "later")
            if said:
                wrong.append(f"{top}: {row.number} {row.tool}: {said}")
        extra = strangers(top, mode == "later")
        if extra:
            wrong.append(f"{top}: {extra}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


sys.exit(main())
