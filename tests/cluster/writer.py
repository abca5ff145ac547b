#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""writer.py LOG NOTES NAME LINES [STOP]: appends lines, one a write, each until it is stored.  With STOP
until that file is there or the mount is read-only, and LINES is 0.

In NOTES a line of each write, and when that was, in ms: `ok TEXT` once it has returned, `not TEXT` if nothing was stored
(EHOSTDOWN), `open TEXT` if nobody knows (EREMOTEIO).  What was not stored is written again under
another text.  A mount that has gone is waited for.  At the end the file ended.NAME is made beside NOTES."""
import errno
import os
import sys
import time

log, notes, name, lines = sys.argv[1], open(sys.argv[2], 'a', buffering=1), sys.argv[3], int(sys.argv[4])
stop = sys.argv[5] if len(sys.argv) > 5 else ''
fd = -1
stored = tries = 0


def note(word):
    notes.write(f'{word} {text} {time.monotonic_ns() // 1000000}\n')


while stored < lines or (stop and not os.path.exists(stop)):
    text = f'{name}-{tries}'
    tries += 1
    try:
        if fd < 0:
            fd = os.open(log, os.O_WRONLY | os.O_APPEND)
    except OSError as e:
        if e.errno == errno.EROFS and stop:
            break
        time.sleep(0.05)
        continue
    try:
        os.write(fd, f'{{"role":"user","content":"{text}"}}\n'.encode())
        note('ok')
        stored += 1
    except OSError as e:
        word = {errno.EHOSTDOWN: 'not', errno.EREMOTEIO: 'open'}.get(e.errno)
        if e.errno == errno.EROFS and stop:
            note('not')
            break
        if word:
            note(word)
        elif e.errno in (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO, errno.ENODEV):
            note('open')  # the mount was killed under the write
            try:
                os.close(fd)
            except OSError:
                pass
            fd = -1
        else:
            sys.exit(f'{text}: {e}')
open(os.path.join(os.path.dirname(sys.argv[2]), f'ended.{name}'), 'w').close()
