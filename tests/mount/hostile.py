#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything a program can do wrong to a mount: hostile.py MOUNT, which has a
session `x` with a message.  Each case must answer an errno of its list, or the
success it names, within a second, and leave mount and listing as they were."""
import ctypes
import errno
import fcntl
import mmap
import os
import socket
import stat
import sys
import time

ROOT = sys.argv[1]
DIR = ROOT + "/sessions/x"
LOG = DIR + "/log.jsonl"
libc = ctypes.CDLL(None, use_errno=True)
bad = 0
AT_FDCWD = -100


def call(name, *args):
    result = getattr(libc, name)(*args)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def listing():
    found = []
    for top, dirs, files in os.walk(ROOT):
        if os.path.basename(top) == "rejected":
            continue
        for name in dirs + files:
            if name not in ("errors.log", "context.md", "dashboard.md"):  # these two tell of refusals
                path = os.path.join(top, name)
                found.append((path, os.lstat(path).st_size))
    return sorted(found)


def case(name, allowed, action):
    """allowed: names of errnos; "ok" if success is an answer too."""
    global bad
    start = time.monotonic()
    try:
        action()
        got = "ok"
    except OSError as e:
        got = errno.errorcode.get(e.errno, str(e))
    took = time.monotonic() - start
    ok = got in allowed.split() and took < 10
    now = listing()
    if now != before:
        ok = False
        print("# listing changed:", set(now) ^ set(before))
    if not open(LOG, "rb").read() == log_before:
        ok = False
        print("# the log changed")
    print(f"{'ok' if ok else 'NOT OK'} {name}: {got} in {took * 1000:.0f} ms, want {allowed}")
    bad += not ok


def write(data, flags=os.O_APPEND, path=LOG, offset=None):
    fd = os.open(path, os.O_WRONLY | flags)
    try:
        if offset is None:
            while data:
                data = data[os.write(fd, data):]
        else:
            os.pwrite(fd, data, offset)
    finally:
        os.close(fd)


def pieces(data):
    """As cat and dd do it; the kernel hands one write of more than 1 MiB over in
    pieces too, but answers with a count then, and the rest meets another errno."""
    fd = os.open(LOG, os.O_WRONLY | os.O_APPEND)
    try:
        for at in range(0, len(data), 1 << 17):
            os.write(fd, data[at:at + (1 << 17)])
    finally:
        os.close(fd)


def line(data):
    return lambda: write(data + b"\n")


NOTE = ROOT + "/notes/a b/n.md"
BLOCK = ROOT + "/blocks/rules/r1.md"
os.mkdir(ROOT + "/notes/a b")
for path in (NOTE, BLOCK):
    with open(path, "w") as f:
        f.write("uno\n")
before = listing()
log_before = open(LOG, "rb").read()
assert log_before.count(b"\n") >= 1

# ---- lines
case("truncated JSON", "EINVAL", line(b'{"content":"abc'))
case("truncated JSON, no newline", "EINVAL", lambda: write(b'{"content":"abc'))
case("5 MB line", "EFBIG EINVAL", line(b'{"content":"' + b"x" * 5_000_000 + b'"}'))
case("5 MB without newline", "EFBIG EINVAL", lambda: write(b"x" * 5_000_000))
case("1 MiB + 1", "EFBIG EINVAL", line(b'{"content":"' + b"x" * (2**20 - 13) + b'"}'))
case("5 MB line in pieces", "EFBIG", lambda: pieces(b'{"content":"' + b"x" * 5_000_000 + b'"}\n'))
case("blank", "EINVAL", line(b""))
case("two blanks", "EINVAL", line(b"\n"))
case("a message and a blank", "EINVAL", line(b'{"content":"a"}\n'))
case("a blank and a message", "EINVAL", line(b'\n{"content":"a"}'))
case("spaces", "EINVAL", line(b"  \t"))
case("CR", "EINVAL", line(b"\r"))
case("10,000 deep", "EINVAL", line(b'{"content":"a","d":' + b"[" * 10000 + b"]" * 10000 + b"}"))
case("10,000 deep objects", "EINVAL", line(b'{"a":' * 10000 + b"1" + b"}" * 10000))
case("500,000 open brackets", "EINVAL", line(b"[" * 500_000))
for raw in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"):
    case(f"invalid UTF-8 {raw.hex()}", "EINVAL", line(b'{"content":"' + raw + b'"}'))
case("NUL byte", "EINVAL", line(b'{"content":"a\0b"}'))
case("NUL bytes only", "EINVAL", line(b"\0" * 4096))
case("control character", "EINVAL", line(b'{"content":"a\x01b"}'))
case("lone surrogate", "EINVAL", line(b'{"content":"\\ud800"}'))
case("duplicate members", "EINVAL", line(b'{"content":"a","content":"b"}'))
case("duplicate, escaped", "EINVAL", line(b'{"content":"a","c\\u006fntent":"b"}'))
case("duplicate, nested", "EINVAL", line(b'{"content":"a","m":{"k":1,"k":2}}'))
case("array", "EINVAL", line(b'["content"]'))
case("two values", "EINVAL", line(b'{"content":"a"}{"content":"b"}'))
case("NaN", "EINVAL", line(b'{"content":"a","n":NaN}'))
case("unknown role", "EINVAL", line(b'{"role":"root","content":"a"}'))
case("thread with slash", "EINVAL", line(b'{"content":"a","thread":"../../x"}'))
case("thread ..", "EINVAL", line(b'{"content":"a","thread":".."}'))
case("thread with NUL", "EINVAL", line(b'{"content":"a","thread":"a\\u0000b"}'))
case("thread of 256 bytes", "EINVAL", line(b'{"content":"a","thread":"' + b"t" * 256 + b'"}'))
case("PNG", "EINVAL EFBIG", lambda: write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 64))

# ---- names
mk = os.mkdir
S = ROOT + "/sessions/"
case("name of 256 bytes", "ENAMETOOLONG", lambda: mk(S + "n" * 256))
case("name of 1024 bytes", "ENAMETOOLONG", lambda: mk(S + "n" * 1024))
case("lookup of 256 bytes", "ENAMETOOLONG", lambda: os.stat(S + "n" * 256))
case("lookup of 255 bytes", "ENOENT", lambda: os.stat(S + "n" * 255))
case("name of 256 bytes elsewhere", "ENAMETOOLONG", lambda: mk(DIR + "/" + "n" * 256))
case("..", "EEXIST", lambda: mk(S + ".."))
case("climbing out", "EPERM", lambda: mk(S + "../../" + os.path.basename(ROOT) + "/e"))
case("newline in a name", "EINVAL", lambda: mk(S + "a\nb"))
case("escape in a name", "EINVAL", lambda: mk(S + "a\x1b[2J"))
case("DEL in a name", "EINVAL", lambda: mk(S + "a\x7f"))
case("invalid UTF-8 in a name", "EINVAL", lambda: mk(S.encode() + b"\xff\xfe"))
case("lookup of invalid UTF-8", "ENOENT", lambda: os.stat(S.encode() + b"\xff\xfe"))
case("lookup of a newline", "ENOENT", lambda: os.stat(S + "a\nb"))
case("name current", "EEXIST EINVAL", lambda: mk(S + "current"))
for name in (".hidden", "#x#", "x~"):
    case("name " + name, "EINVAL", lambda: mk(S + name))
case("name that exists", "EEXIST", lambda: mk(S + "x"))
case("message 0", "ENOENT", lambda: os.stat(DIR + "/messages/000000.md"))
case("message -1", "ENOENT", lambda: os.stat(DIR + "/messages/-00001.md"))
case("message 10^18", "ENOENT", lambda: os.stat(DIR + "/messages/999999999999999999.md"))
case("message 10^40", "ENOENT", lambda: os.stat(DIR + "/messages/" + "9" * 40 + ".md"))
case("file as directory", "ENOTDIR", lambda: os.stat(LOG + "/x"))

# ---- offsets, flags, maps
one = b'{"content":"far"}\n'
case("write at 2^40", "EPERM EFBIG", lambda: write(one, 0, LOG, 2**40))
case("write at 2^62", "EPERM EFBIG EINVAL", lambda: write(one, 0, LOG, 2**62))
case("write at 1", "EPERM", lambda: write(one, 0, LOG, 1))
case("read at 2^40", "ok", lambda: os.pread(os.open(LOG, os.O_RDONLY), 10, 2**40))
case("truncate to 2^40", "EPERM EFBIG", lambda: os.truncate(LOG, 2**40))
case("ftruncate", "EPERM", lambda: os.ftruncate(os.open(LOG, os.O_RDWR), 0))


def direct():
    fd = os.open(LOG, os.O_RDONLY | os.O_DIRECT)
    page = mmap.mmap(-1, 1 << 16)
    n = os.readv(fd, [page])
    assert page[:n] == log_before, "O_DIRECT reads other bytes"
    os.close(fd)


case("O_DIRECT read", "ok EINVAL", direct)
case("O_DIRECT write at 0", "EPERM EINVAL", lambda: write(one, os.O_DIRECT, LOG, 0))


def map_read(path):
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    with mmap.mmap(fd, size, prot=mmap.PROT_READ) as m:
        assert m[:] == open(path, "rb").read(), "mmap shows other bytes"
    os.close(fd)


def map_write(flags):
    fd = os.open(LOG, os.O_RDWR)
    try:
        with mmap.mmap(fd, len(log_before), flags=flags) as m:
            m[0:4] = b"XXXX"
            m.flush()
            if flags == mmap.MAP_SHARED:
                raise OSError(errno.EIO, "mapped for writing")
    finally:
        os.close(fd)


time.sleep(2.2)  # a log appended to in the last two seconds is read directly: no shared mapping
case("mmap read", "ok", lambda: map_read(LOG))
case("mmap read of a page", "ok", lambda: map_read(ROOT + "/README.md"))
case("mmap write, shared", "ENODEV EPERM EACCES EINVAL", lambda: map_write(mmap.MAP_SHARED))
case("mmap write, private", "ok ENODEV EINVAL", lambda: map_write(mmap.MAP_PRIVATE))
case("mknod file", "EPERM", lambda: os.mknod(ROOT + "/f", stat.S_IFREG | 0o600))
case("mknod of a memory", "EPERM", lambda: os.mknod(ROOT + "/notes/f.md", stat.S_IFREG | 0o600))
case("mknod device", "EPERM", lambda: os.mknod(DIR + "/d", stat.S_IFCHR | 0o600, os.makedev(1, 3)))
case("mknod fifo", "EPERM", lambda: os.mkfifo(DIR + "/p"))
case("socket", "EPERM", lambda: socket.socket(socket.AF_UNIX).bind(ROOT + "/s"))
case("setxattr", "ENOTSUP EOPNOTSUPP EPERM", lambda: os.setxattr(LOG, "user.a", b"b"))
case("setxattr security", "EINVAL ENOTSUP EOPNOTSUPP EPERM",
     lambda: os.setxattr(LOG, "security.capability", b"b" * 20))
case("getxattr", "ENOTSUP EOPNOTSUPP ENODATA", lambda: os.getxattr(LOG, "user.a"))
case("listxattr", "ok ENOTSUP EOPNOTSUPP", lambda: os.listxattr(LOG))
case("removexattr", "ENOTSUP EOPNOTSUPP ENODATA EPERM", lambda: os.removexattr(LOG, "user.a"))
case("acl", "ENOTSUP EOPNOTSUPP", lambda: os.setxattr(LOG, "system.posix_acl_access", b"\2\0\0\0"))
case("O_TMPFILE", "EOPNOTSUPP ENOTSUP EPERM EISDIR",
     lambda: os.open(DIR, os.O_TMPFILE | os.O_RDWR, 0o600))
case("O_EXCL | O_CREAT", "EEXIST", lambda: os.open(LOG, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
case("O_CREAT of what is there", "ok", lambda: os.close(os.open(LOG, os.O_CREAT | os.O_WRONLY)))
case("O_DIRECTORY on a file", "ENOTDIR", lambda: os.open(LOG, os.O_DIRECTORY))
case("O_WRONLY on a directory", "EISDIR", lambda: os.open(DIR, os.O_WRONLY))
case("O_NOFOLLOW on a link", "ELOOP", lambda: os.open(ROOT + "/AGENTS.md", os.O_NOFOLLOW))

off = ctypes.c_long
ALLOCATE = {"plain": 0, "keep size": 1, "punch hole": 3, "collapse": 8, "zero": 16, "insert": 32}
for name, mode in ALLOCATE.items():
    case("fallocate " + name, "EOPNOTSUPP ENOTSUP EPERM",
         lambda: call("fallocate", os.open(LOG, os.O_RDWR), mode, off(0), off(4096)))
case("copy_file_range into the log", "EPERM EINVAL EXDEV EOPNOTSUPP EBADF",
     lambda: os.copy_file_range(os.open("/etc/passwd", os.O_RDONLY), os.open(LOG, os.O_RDWR), 100,
                                0, 0))
case("RENAME_EXCHANGE", "EPERM EINVAL ENOSYS",
     lambda: call("renameat2", AT_FDCWD, LOG.encode(), AT_FDCWD, (DIR + "/session.md").encode(), 2))
case("RENAME_NOREPLACE", "EPERM EINVAL",
     lambda: call("renameat2", AT_FDCWD, LOG.encode(), AT_FDCWD, (DIR + "/z").encode(), 1))
case("RENAME_WHITEOUT", "EPERM EINVAL",
     lambda: call("renameat2", AT_FDCWD, LOG.encode(), AT_FDCWD, (DIR + "/z").encode(), 4))
case("unlink of what is not there", "ENOENT", lambda: os.unlink(DIR + "/none"))
case("rmdir of a file", "ENOTDIR", lambda: os.rmdir(LOG))
case("unlink of a directory", "EISDIR EPERM", lambda: os.unlink(DIR))
case("rmdir of the root", "EBUSY EPERM", lambda: os.rmdir(ROOT))


# ---- documents
def put(path, data):
    """The error of write or of close."""
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    try:
        while data:
            data = data[os.write(fd, data):]
    except OSError:
        os.close(fd)
        raise
    os.close(fd)


def front(data):
    return lambda: put(BLOCK, b"---\n" + data + b"\n---\nx\n")


def brief(path, make=lambda path: os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))):
    """Made, and removed again: scratch."""
    make(path)
    os.unlink(path)


def rename2(a, b, flags):
    call("renameat2", AT_FDCWD, a.encode(), AT_FDCWD, b.encode(), flags)


LAUGHS = b"a: &a [x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (c, c, *[c - 1] * 8) for c in b"bcdefghij")
case("front matter: no YAML", "EINVAL", front(b"priority: ["))
case("front matter: a billion laughs", "EINVAL", front(LAUGHS))
case("front matter: an alias of itself", "EINVAL", front(b"a: &a [*a]"))
case("front matter: 100,000 deep", "EINVAL", front(b"a: " + b"[" * 100000))
case("front matter: 100,000 deep blocks", "EINVAL", front(b"a: " + b"- " * 100000))
case("front matter: duplicate keys", "EINVAL", front(b"priority: 1\npriority: 2"))
case("front matter: invalid UTF-8", "EINVAL", front(b"name: \xff\xfe"))
case("front matter: NUL", "EINVAL", front(b"name: a\0b"))
case("front matter: a tag", "EINVAL", front(b"name: !!python/object:os.system x"))
case("front matter: out of range", "EINVAL", front(b"priority: 99999999999999999999"))
case("5 MB note", "EFBIG", lambda: put(NOTE, b"x" * 5_000_000))
case("5 MB block", "EFBIG", lambda: put(BLOCK, b"x" * 5_000_000))
case("note at 2^40", "EFBIG", lambda: write(b"x", 0, NOTE, 2**40))
case("note at 2^62", "EFBIG EINVAL", lambda: write(b"x", 0, NOTE, 2**62))
case("note cut to 2^40", "EFBIG", lambda: os.truncate(NOTE, 2**40))
case("note to 1 GB by ftruncate", "EFBIG", lambda: os.ftruncate(os.open(NOTE, os.O_RDWR), 2**30))
case("note: unlink", "EPERM", lambda: os.unlink(NOTE))
case("folder: rmdir", "EPERM", lambda: os.rmdir(os.path.dirname(NOTE)))
case("folder into itself", "EINVAL",
     lambda: os.rename(os.path.dirname(NOTE), os.path.dirname(NOTE) + "/x"))
case("note: onto a log", "EPERM", lambda: os.rename(NOTE, LOG))
case("log onto a note", "EPERM", lambda: os.rename(LOG, NOTE))
case("note: into the root", "EPERM", lambda: os.rename(NOTE, ROOT + "/n.md"))
case("note: to another family", "EPERM", lambda: os.rename(NOTE, ROOT + "/memories/fact/n.md"))
case("block: exchanged", "EINVAL", lambda: rename2(BLOCK, NOTE, 2))
case("block: no replacing", "EEXIST", lambda: rename2(BLOCK, NOTE, 1))
case("note: link", "EPERM", lambda: os.link(NOTE, ROOT + "/notes/b.md"))
case("note: exclusive", "EEXIST", lambda: os.open(NOTE, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
case("note: as directory", "ENOTDIR", lambda: os.stat(NOTE + "/x"))
case("note: O_TMPFILE", "EOPNOTSUPP ENOTSUP EISDIR",
     lambda: os.open(os.path.dirname(NOTE), os.O_TMPFILE | os.O_RDWR, 0o600))
case("note@1 for writing", "EPERM", lambda: os.open(NOTE + "@1", os.O_RDWR))
for tail in ("@0", "@2", "@-1", "@x", "@", "@2026-99-99", "@" + "9" * 60, "@1@1"):
    case("note" + tail, "ENOENT", lambda: os.stat(NOTE + tail))
long = ROOT + "/notes/" + "n" * 253 + ".md"
case("note of 256 bytes", "ENAMETOOLONG", lambda: os.open(long, os.O_CREAT | os.O_WRONLY))
case("rename to 256 bytes", "ENAMETOOLONG", lambda: os.rename(NOTE, long))
case("blocks of another category", "EPERM", lambda: mk(ROOT + "/blocks/other"))
case("identity", "EPERM EACCES", lambda: os.open(ROOT + "/smma/identity.md", os.O_CREAT | os.O_WRONLY))
for name in (b"\xff\xfe.md", b"a\nb.md", b"\x1b[2J.md"):
    case(f"no name {name[:12]!r}", "EPERM", lambda: brief(ROOT.encode() + b"/notes/" + name))
for name in (b"#x#", b"n" * 251 + b".md~", b".n.md.swp"):
    case(f"scratch {name[:12]!r}", "ok", lambda: brief(ROOT.encode() + b"/notes/" + name))
case("scratch link to nowhere", "ok", lambda: brief(ROOT + "/notes/.#n", lambda p: os.symlink("x" * 4000, p)))


def bushel():
    """Many scratch files at once."""
    names = [f"{ROOT}/smma/workspace/f{i}" for i in range(300)]
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))
    assert len(os.listdir(ROOT + "/smma/workspace")) == 300
    for name in names:
        os.unlink(name)


case("300 scratch files", "ok", bushel)


# ---- directories, handles, ioctl
def seekdir():
    """Offsets no readdir ever gave: an end or a listing, and no crash."""
    data = ctypes.create_string_buffer(32768)
    for path in (ROOT, ROOT + "/sessions", DIR, DIR + "/messages", ROOT + "/rejected",
                 ROOT + "/.cinta", ROOT + "/threads"):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        for at in (1, 2, 3, 17, 63, 64, 65, 1000, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1):
            os.lseek(fd, at, os.SEEK_SET)
            if libc.syscall(217, fd, data, 32768) < 0:
                code = ctypes.get_errno()
                if code != errno.EINVAL:
                    raise OSError(code, f"{path} at {at}")
        os.close(fd)


case("seekdir anywhere", "ok", seekdir)
case("lseek to -1", "EINVAL", lambda: os.lseek(os.open(DIR, os.O_RDONLY), -1, os.SEEK_SET))


def crowd():
    """Half of them hold half a line, and take it away again."""
    paths = (LOG, ROOT + "/README.md", DIR + "/transcript.md", ROOT + "/.cinta/status.json", DIR)
    fds = [os.open(paths[i % 5], os.O_RDONLY) for i in range(600)]
    fds += [os.open(LOG, os.O_RDWR | os.O_APPEND) for i in range(400)]
    assert all(os.fstat(fd).st_size >= 0 for fd in fds)
    for fd in fds:
        os.close(fd)


case("1,000 open handles", "ok", crowd)
for request in (0, 1, 0x5401, 0x80086601, 0x40086602, 0xC0000000, 0xFFFFFFFF, 0xDEADBEEF,
                0x801C581F, 0x401C5820, 0xC0FF94FF):
    case(f"ioctl {request:#x}", "ENOTTY EINVAL ENOSYS EPERM EFAULT EIO ENOTSUP EOPNOTSUPP EBADF ok",
         lambda: fcntl.ioctl(os.open(LOG, os.O_RDONLY), request, bytearray(b"\xff" * 1024)))
case("lock and unlock", "ok", lambda: (fcntl.lockf(os.open(LOG, os.O_RDWR), fcntl.LOCK_EX)))
case("statvfs", "ok", lambda: os.statvfs(ROOT))
case("fsync of a directory", "ok", lambda: os.fsync(os.open(DIR, os.O_RDONLY)))
case("append still works", "ok", lambda: os.close(os.open(LOG, os.O_WRONLY | os.O_APPEND)))
sys.exit(bad > 0)
