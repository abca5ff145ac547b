#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""meeting.py M1 M2 CASE: programs that meet on one name while it is being saved."""
import mmap
import os
import sys
import time

M, M2, CASE = sys.argv[1:4]
NOTES = M + "/notes/"


def put(name, text, how="w"):
    with open(NOTES + name, how, encoding="utf-8") as f:
        f.write(text)


def get(name, root=None):
    with open((root or NOTES) + name, encoding="utf-8") as f:
        return f.read()


def versions(name):
    return [get(f"{name}@{line.split()[0]}") for line in get(name + "@log").splitlines()]


def rejected():
    d = M + "/rejected/"
    return [open(d + n, encoding="utf-8").read() for n in os.listdir(d) if not n.endswith(".why")]


def reader_of_a_new_file():
    f = os.open(NOTES + "x.md", os.O_CREAT | os.O_WRONLY)
    os.write(f, b"hello")
    for _ in range(3):
        r = os.open(NOTES + "x.md", os.O_RDONLY)
        assert os.read(r, 9) == b"hello"
        os.close(r)
    os.write(f, b" world")
    os.close(f)
    assert get("x.md") == "hello world" and versions("x.md") == ["hello world"]
    f = os.open(NOTES + "empty.md", os.O_CREAT | os.O_WRONLY)
    r = os.open(NOTES + "empty.md", os.O_RDONLY)
    os.close(f)
    os.close(r)
    time.sleep(0.3)  # the last close of an empty file answers before it is done
    assert versions("empty.md") == [""]


def two_make_one():
    for how in ("tmp", "doc.md"):
        name = f"n-{how}.md"
        f = os.open(NOTES + name, os.O_CREAT | os.O_WRONLY)
        os.write(f, b"AAA")
        put("." + how if how == "tmp" else how, "BBB")
        os.rename(NOTES + ("." + how if how == "tmp" else how), NOTES + name)
        os.close(f)
        assert versions(name) == ["BBB", "AAA"], versions(name)


def append_through_the_maker():
    f = os.open(NOTES + "j.md", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.write(f, b"1\n")
    os.fsync(f)
    put("j.md", "other\n", "a")
    os.write(f, b"2\n")
    os.close(f)
    assert get("j.md") == "1\nother\n2\n", get("j.md")


def append_through_a_rename():
    put("p.md", "p\n")
    put("q.md", "q\n")
    f = os.open(NOTES + "p.md", os.O_WRONLY | os.O_APPEND)
    os.rename(NOTES + "p.md", NOTES + "q.md")
    put("q.md", "new\n", "a")
    os.write(f, b"late\n")
    os.close(f)
    assert get("q.md") == "p\nnew\nlate\n", get("q.md")
    os.mkdir(M + "/sessions/s")
    page = get("session.md", M + "/sessions/s/")
    a = os.open(M + "/sessions/s/session.md", os.O_WRONLY | os.O_APPEND)
    b = os.open(M + "/sessions/s/session.md", os.O_WRONLY | os.O_APPEND)
    os.write(a, b"a\n")
    os.write(b, b"b\n")
    os.close(a)
    os.close(b)
    assert get("session.md", M + "/sessions/s/") == page + "a\nb\n"


def removed_while_written():
    put("u.md", "old")
    os.stat(M2 + "/notes/u.md")
    os.rename(NOTES + "u.md", NOTES + "u.md~")
    f = os.open(NOTES + "u.md", os.O_CREAT | os.O_WRONLY)
    os.write(f, b"NEW TEXT")
    os.unlink(NOTES + "u.md")
    os.close(f)
    end = time.monotonic() + 8
    while not os.path.exists(NOTES + "u.md") and time.monotonic() < end:
        time.sleep(0.1)
    assert get("u.md") == "old"
    assert "NEW TEXT" in rejected()


def backup_is_not_the_document():
    for i in range(40):
        name = f"e{i}.md"
        put(name, "text")
        os.rename(NOTES + name, NOTES + name + "~")
        put(name + "~", "junk")
        put(name, "saved")
        assert get(name) == "saved" and "junk" not in versions(name), versions(name)
        assert get(name + "~") == "junk"


def old_times():
    w = M + "/smma/workspace/"
    os.mkdir(w + "sub")
    for path in (w + "sub/f", w + "f", NOTES + ".h"):
        with open(path, "w", encoding="ascii") as f:
            f.write("x")
        os.utime(path, (1e9, 1e9))
    time.sleep(1.5)
    for path in (w + "sub/f", w + "f", NOTES + ".h"):
        assert os.path.exists(path), path


def seen_in_the_other_mount():
    w = "/smma/workspace/"
    for i in range(5):
        before = set(os.listdir(M2 + w))
        with open(f"{M}{w}new{i}", "w", encoding="ascii") as f:
            f.write("q")
        assert set(os.listdir(M2 + w)) - before == {f"new{i}"}


def child_closes_what_it_inherited():
    f = open(NOTES + "c.md", "w", encoding="ascii", buffering=1)
    f.write("half\n")
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    assert not os.path.exists(NOTES + "c.md@log")
    f.write("whole\n")
    f.close()
    assert versions("c.md") == ["half\nwhole\n"], versions("c.md")


def exec_closes_what_it_inherited():
    """Who is in an exec waits for the close, and whoever looks at it in /proc may wait for the exec."""
    put("e.md", "old\n")
    f = open(NOTES + "e.md", "w", encoding="ascii", buffering=1)
    f.write("half\n")
    os.system("true")
    assert get("e.md") == "old\n", get("e.md")
    f.write("whole\n")
    f.close()
    assert get("e.md") == "half\nwhole\n", get("e.md")
    if os.fork() == 0:
        f = open(NOTES + "e.md", "w", encoding="ascii", buffering=1)
        f.write("last\n")
        os.execvp("true", ["true"])
    os.wait()
    assert get("e.md") == "last\n", get("e.md")


def two_newborns():
    for mount, second in enumerate((NOTES, M2 + "/notes/")):
        for order in (0, 1):
            name = f"p{order}{mount}.md"
            f = os.open(NOTES + name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.write(f, b"AAAAAAAAAA")
            g = os.open(second + name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            if order:
                os.write(g, b"bbb")
            os.close(f)
            assert get(name) in ("AAAAAAAAAA", "bbb")
            if not order:
                os.write(g, b"bbb")
            os.close(g)
            assert versions(name) == ["AAAAAAAAAA", "bbb"], versions(name)


def cut_through_an_old_look():
    f = os.open(NOTES + "x.md", os.O_CREAT | os.O_WRONLY)
    os.write(f, b"a long first text")
    o = os.open(NOTES + "x.md", os.O_PATH)
    os.close(f)
    g = os.open(f"/proc/self/fd/{o}", os.O_WRONLY | os.O_TRUNC)
    os.write(g, b"short\n")
    os.close(g)
    assert get("x.md") == "short\n", get("x.md")


def private_mapping():
    old, new = "v1" * 200000, "v2" * 200000
    put("m.md", old)
    a = open(NOTES + "m.md", "rb")
    ma = mmap.mmap(a.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    put("m.md", new)
    b = open(NOTES + "m.md", "rb")
    mb = mmap.mmap(b.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    ma[:10], ma[300000:300010]
    assert mb[:].decode() == new == b.read().decode()


globals()[CASE]()
