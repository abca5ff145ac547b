#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power cuts: what a disk may hold when the power goes at any moment, from a journal of what the
daemon did to its files (record.c).

	cuts.py work MOUNT JOURNAL NOTES COUNT   four writers append and save COUNT times each; NOTES gets
	                                       what an fsync answered for, and how long the journal
	                                       was then
	cuts.py cut BEFORE JOURNAL NOTES OUT COUNT SEED
	                                       COUNT cuts; OUT/memory.db* is what each leaves, and each
	                                       is verified: $CINTA, its key below $HOME

BEFORE holds the files as they were when the journal began.  What was synced is there.  Of what was
not, one of four things happens to each file: all of it is lost, the first part of it is there, any
part of it is there, or any part and one write is torn at a sector.  Names (made, renamed, removed)
become durable in their order, or when their file or their directory is synced.
"""
import json
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import threading

SECTOR = 512
WRITERS = 4


# ---- the work

def line(writer, n):
    return json.dumps({"role": "user", "content": f"{writer}-{n} " + "x" * (n * 7919 % 300)}) + "\n"


def text(writer, n):
    return f"v {writer} {n}\n" + f"line {n} of {writer}\n" * (n * 31 % 200)


def work(mount, journal, notes, count):
    out = open(notes, "w", encoding="ascii")
    lock = threading.Lock()
    failed = []

    def note(what, writer, n):
        with lock:
            out.write(f"{os.path.getsize(journal)} {what} {writer} {n}\n")

    def writer(w):
        try:
            log = os.open(f"{mount}/sessions/s{w}/log.jsonl", os.O_WRONLY | os.O_APPEND)
            for n in range(count):
                os.write(log, line(w, n).encode())
                if n % 5 == w:
                    os.fsync(log)
                    note("line", w, n)
                if n % 10 == w:
                    doc = os.open(f"{mount}/notes/n{w}.md", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                    os.write(doc, text(w, n).encode())
                    if n % 20 == w:
                        os.fsync(doc)
                        note("text", w, n)
                    os.close(doc)
        except OSError as error:
            failed.append(error)

    for w in range(WRITERS):
        os.mkdir(f"{mount}/sessions/s{w}")
    threads = [threading.Thread(target=writer, args=(w,)) for w in range(WRITERS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    sys.exit(f"a writer failed: {failed[0]}" if failed else 0)


# ---- the disk

class File:
    """Bytes on the disk, and what waits to go there: ("w", at, bytes) or ("t", size)."""

    def __init__(self, data=b""):
        self.data = bytearray(data)
        self.waits = []

    @staticmethod
    def apply(data, op):
        if op[0] == "t":
            del data[op[1]:]
            data.extend(bytes(op[1] - len(data)))
        else:
            _, at, new = op
            data.extend(bytes(max(0, at - len(data))))
            data[at:at + len(new)] = new

    def sync(self):
        for op in self.waits:
            self.apply(self.data, op)
        self.waits = []

    def cut(self, rng):
        data, waits = bytearray(self.data), self.waits
        how = rng.choice(("lost", "first", "any", "torn"))
        if how == "lost":
            waits = []
        elif how == "first":
            waits = waits[:rng.randint(0, len(waits))]
        else:
            waits = [op for op in waits if rng.random() < 0.5]
        tear = rng.randrange(len(waits)) if how == "torn" and waits else None
        for i, op in enumerate(waits):
            if i == tear and op[0] == "w" and len(op[2]) > SECTOR:
                keep = SECTOR * rng.randint(1, (len(op[2]) - 1) // SECTOR)
                op = ("w", op[1], op[2][:keep]) if rng.random() < 0.5 else \
                     ("w", op[1] + keep, op[2][keep:])
            self.apply(data, op)
        return data


class Disk:
    """`now`: names as the daemon sees them; `kept`: as the disk has them; `names`: what waits."""

    def __init__(self, before):
        self.now = {}
        for name in os.listdir(before):
            with open(f"{before}/{name}", "rb") as f:
                self.now[name] = File(f.read())
        self.kept = dict(self.now)
        self.names = []

    @staticmethod
    def rename(names, op):
        kind, name, to, file = op
        if kind in "cl":
            names[to or name] = file
        elif kind == "u":
            names.pop(name, None)
        else:
            names.pop(name, None)
            names[to] = file

    def do(self, kind, name, at, data):
        if kind in "curl":
            to = data.decode() if data else ""
            op = (kind, name, to, File() if kind == "c" else self.now.get(name) or File())
            self.rename(self.now, op)
            self.names.append(op)
        elif kind == "s" and name == "":
            self.settle(len(self.names))
        else:
            file = self.now.get(name)
            if not file: # made in a way that is not in the journal: it was there
                file = self.now[name] = self.kept[name] = File()
            if kind == "s":
                file.sync()
                self.settle(max((i + 1 for i, op in enumerate(self.names) if op[3] is file), default=0))
            else:
                file.waits.append((kind, at, data) if kind == "w" else (kind, at))

    def settle(self, count):
        for op in self.names[:count]:
            self.rename(self.kept, op)
        del self.names[:count]

    def cut(self, out, rng):
        names = dict(self.kept)
        for op in self.names[:rng.randint(0, len(self.names))]:
            self.rename(names, op)
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out, 0o700)
        for name, file in names.items():
            if name.endswith("-shm") or name.endswith(".lock"):
                continue # memory of the machine that went
            with open(f"{out}/{name}", "wb", opener=lambda p, f: os.open(p, f, 0o600)) as f:
                f.write(file.cut(rng))


def records(journal):
    """(where it ends, kind, name, offset, bytes) of each."""
    with open(journal, "rb") as f:
        while head := f.read(18):
            kind, name_len, at, size = struct.unpack("<cBQQ", head)
            name = f.read(name_len).decode()
            kind = kind.decode()
            data = f.read(size) if kind in "wrl" else b""
            yield f.tell(), kind, name, at, data


# ---- what must be there

def contents(db):
    """Numbers of the lines and texts on the tape, by writer, in its order."""
    c = sqlite3.connect(db)
    lines, texts = {w: [] for w in range(WRITERS)}, {w: [] for w in range(WRITERS)}
    for kind, body in c.execute("SELECT kind, body FROM tape ORDER BY seq"):
        o = json.loads(body) if body and body[0] == "{" else {}
        if kind == "message":
            w, n = o["content"].split()[0].split("-")
            assert json.loads(line(int(w), int(n)))["content"] == o["content"], o
            lines[int(w)].append(int(n))
        elif kind == "document" and o.get("text", "").startswith("v "):
            _, w, n = o["text"].split("\n")[0].split()
            assert o["text"] == text(int(w), int(n)), o
            texts[int(w)].append(int(n))
    c.close()
    return lines, texts


def check(out, said):
    db = f"{out}/memory.db"
    done = subprocess.run([os.environ["CINTA"], "verify", "--all", db], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines, texts = contents(db)
    for w in range(WRITERS):
        assert lines[w] == list(range(len(lines[w]))), f"lines of {w}: {lines[w]}"
        assert len(lines[w]) > said.get(("line", w), -1), f"{w}: {said} but {len(lines[w])}"
        assert max(texts[w], default=-1) >= said.get(("text", w), -1), f"{w}: {said} {texts[w]}"
    return sum(map(len, lines.values()))


def cut(before, journal, notes, out, count, seed):
    rng = random.Random(seed)
    ends = [(end, kind) for end, kind, *_ in records(journal)]
    syncs = [i for i, (_, kind) in enumerate(ends) if kind == "s"]
    # half of them beside a sync: before it, or just after it
    moments = sorted(rng.choice(syncs) + rng.choice((-1, 0)) if n % 2 else rng.randrange(len(ends))
                     for n in range(count))
    said_at = [(int(at), what, int(w), int(n))
               for at, what, w, n in map(str.split, open(notes, encoding="ascii"))]
    said_at.sort()
    disk, said, told, at_moment, fewest, most = Disk(before), {}, 0, 0, None, 0
    for i, (end, kind, name, at, data) in enumerate(records(journal)):
        disk.do(kind, name, at, data)
        while told < len(said_at) and said_at[told][0] <= end:
            _, what, w, n = said_at[told]
            said[what, w] = max(n, said.get((what, w), -1))
            told += 1
        while at_moment < count and moments[at_moment] <= i:
            disk.cut(out, rng)
            try:
                found = check(out, said)
            except AssertionError as error:
                sys.exit(f"cut {at_moment} after record {i} of {len(ends)}, seed {seed}: {error}")
            fewest = found if fewest is None else min(fewest, found)
            most = max(most, found)
            at_moment += 1
    # of what all cuts found: the work was really cut
    assert fewest < most, (fewest, most)
    print(f"{count} cuts of {len(ends)} writes and {len(syncs)} syncs: {fewest} to {most} lines, "
          f"{len(said_at)} syncs of writers held")


if __name__ == "__main__":
    if sys.argv[1] == "work":
        work(*sys.argv[2:5], int(sys.argv[5]))
    else:
        cut(*sys.argv[2:6], int(sys.argv[6]), int(sys.argv[7]))
