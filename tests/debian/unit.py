#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unit.py UNIT INSTANCE: runs a user unit's ExecStartPre and ExecStart as systemd would, and is
the manager it notifies: start, stop, start again, death, start again, watchdog."""
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

unit, instance = sys.argv[1:]
home = os.path.expanduser('~')
settings = [line.strip().split('=', 1) for line in open(unit, encoding='utf-8')
            if '=' in line and not line.startswith('#')]
value = dict(settings)


def words(line):
    for mark, text in (('%h', home), ('%i', instance), ('%I', instance)):
        line = line.replace(mark, text)
    return shlex.split(line.replace('$CINTA_OPTIONS', os.environ.get('CINTA_OPTIONS', '')))


class Service:
    def __init__(self, watchdog):
        self.path = tempfile.mktemp(prefix='notify')
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(60)
        environment = {'HOME': home, 'PATH': '/usr/bin:/bin', 'NOTIFY_SOCKET': self.path,
                       'WATCHDOG_USEC': str(watchdog * 1000000)}
        subprocess.run(words(value['ExecStartPre']), check=True)
        self.process = subprocess.Popen(words(value['ExecStart']), env=environment)

    def hears(self, state):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if state in self.socket.recv(8192).decode().split('\n'):
                return
        sys.exit(f'{state} was never said')

    def ends(self, how):
        self.process.send_signal(how)
        status = self.process.wait(60)
        self.socket.close()
        os.unlink(self.path)
        return status


def write(text):
    with open(f'{home}/{instance}/sessions/current/log.jsonl', 'a', encoding='utf-8') as log:
        log.write('{"role":"user","content":"%s"}\n' % text)


def lines():
    with open(f'{home}/{instance}/sessions/current/log.jsonl', encoding='utf-8') as log:
        return len(log.readlines())


assert value['Type'] == 'notify'
service = Service(60)
service.hears('READY=1')
write('one')
assert service.ends(signal.SIGTERM) == 0, 'it did not stop cleanly'
service = Service(1)
service.hears('READY=1')
assert lines() == 1
write('two')
service.hears('WATCHDOG=1')
assert service.ends(signal.SIGKILL) == -signal.SIGKILL
service = Service(60)
service.hears('READY=1')
assert lines() == 2, 'a line is lost'
assert service.ends(signal.SIGTERM) == 0
assert not os.path.ismount(f'{home}/{instance}')
print('unit: fine')
