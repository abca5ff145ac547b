#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""acknowledged.py LOG NOTES NAME: appends lines, one a write, until that fails;
the content of each whose write returned is a line in NOTES before the next."""
import os
import sys

notes = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
n = 0
try:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    while n < 1000000:
        text = f"{sys.argv[3]}-{n}-" + "x" * (n % 50)
        os.write(log, f'{{"role":"user","content":"{text}"}}\n'.encode())
        os.write(notes, text.encode() + b"\n")
        n += 1
except OSError:
    sys.exit(0)
