#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crowd_writer.py LOG COUNT: appends COUNT lines as a program with a buffered
file does it, a flush each; every hundredth in two writes."""
import sys

with open(sys.argv[1], "a", encoding="utf-8") as log:
    for n in range(int(sys.argv[2])):
        line = f'{{"role":"user","content":"python {n} {"é" * (n % 89)}"}}\n'
        if n % 100 == 99:
            log.write(line[:20])
            log.flush()
            line = line[20:]
        log.write(line)
        log.flush()
