#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""deaf.py DIR: a mount of type fuse.cinta whose daemon reads each request and answers none.

Who asks it waits in the kernel, and not even SIGKILL ends that.  As root; until it is ended.
"""
import ctypes
import os
import struct
import sys

INIT = 26

fd = os.open('/dev/fuse', os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f'fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other'
if libc.mount(b'deaf.db', sys.argv[1].encode(), b'fuse.cinta', 0, options.encode()):
    sys.exit(f'mount: {os.strerror(ctypes.get_errno())}')
while True:
    request = os.read(fd, 1 << 18)
    opcode, unique = struct.unpack_from('=4xIQ', request)
    if opcode == INIT:
        answer = struct.pack('=IIIIHHIIHH32x', 7, 31, 0, 0, 8, 6, 1 << 17, 1, 0, 0)
        os.write(fd, struct.pack('=IiQ', 16 + len(answer), 0, unique) + answer)
        print('mounted', flush=True)
