#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crowd_check.py FILE NAME=COUNT…: every line is whole JSON, each writer's
contents are there once and in order, ids and hashes run through."""
import json
import sys

want = {k: int(v) for k, v in (a.split("=") for a in sys.argv[2:])}
seen = dict.fromkeys(want, 0)
prev = None
data = open(sys.argv[1], "rb").read()
assert data.endswith(b"\n") and b"\0" not in data
for number, line in enumerate(data.split(b"\n")[:-1], 1):
    m = json.loads(line)
    assert m["id"] == number and m["prev_hash"] == prev, (number, line[:200])
    prev = m["hash"]
    name, n = m["content"].split()[:2]
    assert int(n) == seen[name], (name, n, seen[name])
    seen[name] += 1
assert seen == want, (seen, want)
