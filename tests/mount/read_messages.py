#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# read_messages.py MESSAGES SEED ROUNDS: reads all files of MESSAGES/ in an order of its own, each
# time from the daemon: what the kernel has kept is dropped first.
import os, random, sys

root, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
order = random.Random(seed)
names = sorted(os.listdir(root))
assert len(names) == 400, len(names)
for _ in range(rounds):
    order.shuffle(names)
    for name in names:
        fd = os.open(os.path.join(root, name), os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        text = os.read(fd, 1 << 16)
        os.close(fd)
        assert b"number %d " % (int(name[:-3]) - 1) in text, name
