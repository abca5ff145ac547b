#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py LOG NOTES…: what NOTES call stored is in LOG once, what they call not stored is not, what
they leave open is there once or not; LOG is a chain without a gap.  Prints how many of each."""
import json
import sys

seen, before, n = {}, None, 0
for line in open(sys.argv[1], 'rb'):
    m = json.loads(line)
    n += 1
    assert m['id'] == n and m['prev_hash'] == before, (n, m)
    before = m['hash']
    seen[m['content']] = seen.get(m['content'], 0) + 1
told = {'ok': set(), 'not': set(), 'open': set()}
for name in sys.argv[2:]:
    for line in open(name):
        word, text = line.split()[:2]
        told[word].add(text)
lost = [t for t in told['ok'] if seen.get(t) != 1]
ghosts = [t for t in told['not'] if t in seen]
twice = [t for t, k in seen.items() if k > 1]
known = told['ok'] | told['open']
strange = [t for t in seen if t not in known]
assert not lost and not ghosts and not twice and not strange, (lost, ghosts, twice, strange)
print(f"{n} lines: {len(told['ok'])} acknowledged, {len(told['not'])} refused, {len(told['open'])} open")
