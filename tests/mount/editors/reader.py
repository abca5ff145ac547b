#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a document over and over until a file is there, then says on stdout how
many times; anything but one of the texts given (or no document) is told and is
exit status 1: `reader.py DOCUMENT UNTIL TEXT…`."""
import os
import sys

document, until, *texts = sys.argv[1:]
whole = {text.encode() for text in texts}
seen, rounds = set(), 0
while not os.path.exists(until):
    try:
        with open(document, "rb") as doc:
            seen.add(doc.read())
    except FileNotFoundError:
        pass
    rounds += 1
for text in seen - whole:
    print("torn:", text)
print(rounds, "rounds")
sys.exit(bool(seen - whole))
