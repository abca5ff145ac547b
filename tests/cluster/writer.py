#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""writer.py LOG NOTES NAME LINES: appends lines, one a write, each until it is stored.

In NOTES a line of each write: `ok TEXT` once it has returned, `not TEXT` if nothing was stored
(EHOSTDOWN), `open TEXT` if nobody knows (EREMOTEIO).  What was not stored is written again under
another text.  A mount that has gone is waited for."""
import errno
import os
import sys
import time

log, notes, name, lines = sys.argv[1], open(sys.argv[2], 'a', buffering=1), sys.argv[3], int(sys.argv[4])
fd = -1
stored = tries = 0
while stored < lines:
    text = f'{name}-{tries}'
    tries += 1
    try:
        if fd < 0:
            fd = os.open(log, os.O_WRONLY | os.O_APPEND)
    except OSError:
        time.sleep(0.05)
        continue
    try:
        os.write(fd, f'{{"role":"user","content":"{text}"}}\n'.encode())
        notes.write(f'ok {text}\n')
        stored += 1
    except OSError as e:
        word = {errno.EHOSTDOWN: 'not', errno.EREMOTEIO: 'open'}.get(e.errno)
        if word:
            notes.write(f'{word} {text}\n')
        elif e.errno in (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO, errno.ENODEV):
            notes.write(f'open {text}\n')  # the mount was killed under the write
            try:
                os.close(fd)
            except OSError:
                pass
            fd = -1
        else:
            sys.exit(f'{text}: {e}')
