#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""line_ends.py LOG LINES: while LINES lines are appended, asks the size as often as it
can: each size told is the end of a line, and none goes back."""
import multiprocessing as mp
import os
import sys

LOG, LINES = sys.argv[1], int(sys.argv[2])


def write(over):
    fd = os.open(LOG, os.O_WRONLY | os.O_APPEND)
    for n in range(LINES):
        os.write(fd, f'{{"content":"{n}{"x" * (n % 300)}"}}\n'.encode())
    over.value = 1


over = mp.Value("i", 0, lock=False)
writer = mp.Process(target=write, args=(over,))
fd = os.open(LOG, os.O_RDONLY)
sizes = [os.fstat(fd).st_size]
writer.start()
while not over.value and writer.is_alive():
    size = os.fstat(fd).st_size
    if size != sizes[-1]:
        sizes.append(size)
writer.join()
assert writer.exitcode == 0
assert sizes == sorted(sizes), "a size went back"
ends, end = {0}, 0
with open(LOG, "rb") as log:
    for line in log:
        end += len(line)
        ends.add(end)
inside = [size for size in sizes if size not in ends]
print(len(sizes), "sizes,", len(inside), "inside a line:", inside[:5])
sys.exit(bool(inside) or len(sizes) < LINES // 20)
