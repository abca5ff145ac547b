#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `make bench` stumbled over: dangling links in a young memory, and a priority that
counted in its own session only.  TAP."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, 'tests/bench'))
import bench
import readings

failed = 0


def case(number, good, name, skip=''):
    global failed
    failed |= not (good or skip)
    print(f'{"ok" if good or skip else "not ok"} {number} {name}{" # SKIP " + skip if skip else ""}')


def niceness(pid):
    """Of a process's session, as the scheduler weighs it; None without autogroups."""
    try:
        with open(f'/proc/{pid}/autogroup', encoding='ascii') as f:
            return int(f.read().split()[-1])
    except FileNotFoundError:
        return None


with tempfile.TemporaryDirectory(prefix='cinta-bench.', dir=os.environ.get('CINTA_TEST_BASE')) as root:
    os.mkdir(f'{root}/notes')
    with open(f'{root}/notes/a.md', 'w', encoding='ascii') as f:
        f.write('a')
    os.symlink('sessions/current/context.md', f'{root}/context.md')
    found = readings.files_below(root)
    case(1, found == ['notes/a.md'], 'a dangling link is no file to measure')
    readings.DOCUMENTS = 80
    readings.write_documents(f'{root}/documents')
    sizes = [os.path.getsize(f'{root}/documents/{f}') for f in readings.files_below(f'{root}/documents')]
    case(2, len(sizes) == 80 and 1000 < sum(sizes) / 80 < 4000, 'documents of about 2 KB')

other = subprocess.Popen(['sleep', '60'], start_new_session=True)
try:
    privileged = os.geteuid() == 0 and niceness('self') is not None
    if privileged:
        os.setsid() if os.getpid() != os.getsid(0) else None
        bench.raise_priority()
        bench.raise_group(other.pid)
    why = '' if privileged else 'not root, or no autogroups'
    case(3, privileged and niceness('self') == bench.PRIORITY, 'the bench has priority over other sessions', why)
    case(4, privileged and niceness(other.pid) == bench.PRIORITY, 'so has a daemon in its own session', why)
finally:
    other.kill()
    other.wait()
print('1..4')
sys.exit(failed)
