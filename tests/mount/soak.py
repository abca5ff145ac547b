#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients of each sort, at once and for a while: the daemon holds no more at the end than it did.

  soak.py SECONDS MOUNT READONLY PID

PID is the daemon's.  Each client is a process; what it does is counted.  Of the daemon its memory,
descriptors and threads are told, in a quarter of the time as in the last one.  1: they have grown, a
client had an error, or a line that was acknowledged is not there.
"""
import errno
import json
import os
import random
import re
import subprocess
import sys
import time

GROWTH_KB = 12 << 10  # by which the last quarter may go beyond the second: caches fill slowly


def say(*words):
    """A line in one write: PYTHONUNBUFFERED has print() write each word, and others' come between."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def append(root, n):
    line = json.dumps({"role": "user", "content": "line %d of %s: the heron waits" % (n, os.getpid())})
    with open(f"{root}/sessions/soak{os.getpid() % 2}/log.jsonl", "a", encoding="utf-8") as f:
        f.write(line + "\n")


def in_place(root, n):
    with open(f"{root}/notes/place{n % 20}.md", "w", encoding="utf-8") as f:
        f.write(f"# Place {n % 20}\n\n" + "words of a version \n" * (1 + n % 90))


def by_rename(root, n):
    name = f"{root}/notes/renamed{n % 20}.md"
    with open(name + ".tmp", "w", encoding="utf-8") as f:
        f.write(f"# Renamed {n % 20}\n\nversion {n}\n")
    os.rename(name + ".tmp", name)


def scratch(root, n):
    where = f"{root}/smma/workspace/d{n % 10}"
    os.makedirs(where, exist_ok=True)
    with open(f"{where}/f{n % 50}", "w", encoding="utf-8") as f:
        f.write("scratch " * 100)
    if n % 3 == 0:
        os.unlink(f"{where}/f{n % 50}")


def facts(root, n):
    with open(f"{root}/facts/work.md", "a", encoding="utf-8") as f:
        f.write(f"- Tool {n % 200} is kept in room {n}.\n")
    time.sleep(0.2)


def pages(root, n):
    name = ["context.md", "dashboard.md", f"search/heron {n % 7}.md", "memories/top.md",
            "facts/facts.jsonl", ".cinta/status.json", "errors.log"][n % 7]
    with open(f"{root}/{name}", "rb") as f:
        f.read()
    time.sleep(0.05)


def walk(root, _):
    for at, _, names in os.walk(root):
        for name in names:
            try:
                with open(os.path.join(at, name), "rb") as f:
                    f.read()
            except FileNotFoundError:
                pass  # it was listed, and renamed since
            except OSError as error:
                # A read-only mount tells of no open: what is off the tape goes while it is read.
                if error.errno != errno.ESTALE or "/ro/smma" not in at:
                    raise OSError(error.errno, os.path.join(at, name)) from error
            time.sleep(0.001)


CLIENTS = [append, append, in_place, by_rename, scratch, facts, pages, walk]


def run(client, roots, end):
    random.seed(os.getpid())
    count = 0
    while time.monotonic() < end:
        root = roots[1] if client is walk and count % 2 else roots[0]
        if client is walk:
            root += random.choice(["/notes", "/sessions", "/blocks", "/smma"])
        client(root, count)
        count += 1
        time.sleep(random.uniform(0, 0.03))
    say(client.__name__, os.getpid() % 2, count)


def held(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        text = f.read()
    return {"kB": int(re.search(r"VmRSS:\s+(\d+)", text)[1]),
            "threads": int(re.search(r"Threads:\s+(\d+)", text)[1]),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}


def main():
    seconds, roots, pid = float(sys.argv[1]), sys.argv[2:4], sys.argv[4]
    for n in (0, 1):
        os.makedirs(f"{roots[0]}/sessions/soak{n}", exist_ok=True)
    began, children, seen = time.monotonic(), [], []
    for client in CLIENTS:
        child = os.fork()
        if child == 0:
            try:
                run(client, roots, began + seconds)
                os._exit(0)
            except Exception as error:  # noqa: BLE001: whatever it is, the test is told
                say(client.__name__, repr(error))
                os._exit(1)
        children.append(child)
    while time.monotonic() < began + seconds:
        time.sleep(max(0.2, seconds / 120))
        seen.append(held(pid))
    bad = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    quarter = len(seen) // 4
    for what in ("kB", "threads", "descriptors"):
        early = max(s[what] for s in seen[quarter:2 * quarter])
        late = max(s[what] for s in seen[-quarter:])
        more = late - early > {"kB": GROWTH_KB, "threads": 0, "descriptors": 4}[what]
        say(what, early, late, "has grown" if more else "")
        bad += more
    lines = subprocess.run(f"cat {roots[0]}/sessions/soak?/log.jsonl | wc -l", shell=True, check=True,
                           capture_output=True, text=True).stdout
    say("lines", lines.strip())
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
