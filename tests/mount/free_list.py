#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""free_list.py DB WHAT: changes the list of free pages, in the file itself."""
import struct
import sys

path, what = sys.argv[1:]
data = bytearray(open(path, "rb").read())


def number(at):
    return struct.unpack(">I", data[at:at + 4])[0]


def put(at, value):
    data[at:at + 4] = struct.pack(">I", value)


size = struct.unpack(">H", data[16:18])[0]
first = number(32)
trunk = (first - 1) * size
ways = {
    "one more": (36, number(36) + 1),
    "one twice": (trunk + 12, number(trunk + 8)),
    "a circle": (trunk, first),
    "behind the end": (trunk + 8, len(data) // size + 1),
    "the first page": (trunk + 8, 1),
    "too many": (trunk + 4, size),
    "none of them": (32, 0),
}
put(*ways[what])
open(path, "wb").write(data)
