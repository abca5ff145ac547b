#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""proxy.py PORT TARGET CONTROL: passes on bytes of connections to 127.0.0.1:TARGET, and says "ready".

The file CONTROL says how: `pass`; `swallow`: answers vanish; `mute`: what is sent vanishes; `cut`: all
connections are ended and new ones, too; `pull`: nothing passes, and what was sent meanwhile comes when it is pass again;
`delay MS`: all comes so many milliseconds later, on either way; `slow BYTES`: so many of all that is sent pass in a second."""
import collections
import os
import selectors
import socket
import sys
import time

port, target, control = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
door = socket.create_server(('127.0.0.1', port))
sel = selectors.DefaultSelector()
sel.register(door, selectors.EVENT_READ, None)
pairs = {}
late = collections.deque()
mode = 'pass'
print('ready', flush=True)


def close(one):
    for s in (one, pairs.pop(one, None)):
        if s:
            pairs.pop(s, None)
            try:
                sel.unregister(s)
            except (KeyError, ValueError):
                pass
            s.close()


while True:
    events = sel.select(min(0.05, max(0, late[0][0] - time.monotonic())) if late else 0.05)
    while late and late[0][0] <= time.monotonic():
        _, to, data = late.popleft()
        try:
            if to in pairs:
                to.sendall(data)
        except OSError:
            close(to)
    pulled = mode == 'pull'
    with open(control, encoding='ascii') as f:
        mode = f.read().strip()
    if mode == 'cut':
        for one in list(pairs):
            close(one)
    if mode == 'pull' or pulled:
        time.sleep(0.01)
        continue
    for key, _ in events:
        one = key.fileobj
        if one is door:
            client, _ = door.accept()
            if mode == 'cut':
                client.close()
                continue
            try:
                server = socket.create_connection(('127.0.0.1', target))
            except OSError:
                client.close()
                continue
            pairs[client], pairs[server] = server, client
            for s in client, server:
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sel.register(client, selectors.EVENT_READ, 'mute')
            sel.register(server, selectors.EVENT_READ, 'swallow')
            continue
        if one not in pairs:
            continue
        try:
            data = one.recv(1 << 16)
            if not data:
                close(one)
            elif mode.startswith('delay '):
                late.append((time.monotonic() + float(mode[6:]) / 1e3, pairs[one], data))
            elif mode != key.data:
                pairs[one].sendall(data)
                if mode.startswith('slow ') and key.data == 'mute':
                    time.sleep(len(data) / float(mode[5:]))
        except OSError:
            close(one)
