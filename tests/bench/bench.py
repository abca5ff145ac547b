# SPDX-License-Identifier: MIT
"""What the benches share: a place on the disk, mounts in it, rounds, and the table.

A contender is a function that does its work once and returns seconds.  rounds()
runs all contenders of a bench once a round, in random order, so that a change of
the machine's mood meets all of them; what counts is the median.
"""
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

QUICK = os.environ.get('BENCH_QUICK', '') not in ('', '0')
SCALE = os.environ.get('BENCH_SCALE', '') not in ('', '0')
ROUNDS = 3 if QUICK else 7
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(SOURCE, os.environ.get('B') or 'build')
PRIORITY = -19
QUIET = {'stdout': subprocess.DEVNULL, 'stdin': subprocess.DEVNULL}


def call(*args, cwd=None, stdin=None, ok=(0,)):
    """Runs a command to its end; what it printed.  A status not in `ok` is an error."""
    done = subprocess.run(args, cwd=cwd, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode not in ok:
        raise RuntimeError(f'{" ".join(args[:5])}: exit status {done.returncode}: '
                           f'{(done.stderr.strip() or done.stdout.strip())[-300:]}')
    return done.stdout


def timed(*args, cwd=None, ok=(0,)):
    """Seconds that a command takes, its output thrown away."""
    start = time.perf_counter()
    status = subprocess.run(args, cwd=cwd, **QUIET).returncode
    spent = time.perf_counter() - start
    if status not in ok:
        raise RuntimeError(f'{" ".join(args[:5])}: exit status {status}')
    return spent


def rounds(contenders, count=ROUNDS, before=None):
    """Medians {name: seconds}; `before` runs ahead of each measurement."""
    taken = {name: [] for name in contenders}
    for _ in range(count):
        order = list(contenders)
        random.shuffle(order)
        for name in order:
            if before:
                before()
            taken[name].append(contenders[name]())
    return {name: statistics.median(all_) for name, all_ in taken.items()}


def drop_caches():
    """What the kernel holds of the disk and of the mounts is forgotten."""
    os.sync()
    with open('/proc/sys/vm/drop_caches', 'w', encoding='ascii') as f:
        f.write('3\n')


class Place:
    """A directory on the disk, with a home of its own; leave() ends all that began in it."""

    def __init__(self):
        base = os.environ.get('CINTA_TEST_BASE', '/var/tmp')
        self.dir = tempfile.mkdtemp(prefix='cinta-bench.', dir=base)
        self.mounts = []
        self.memory = []
        os.environ.update(HOME=self.path('home'), XDG_CONFIG_HOME=self.path('home/.config'),
                          XDG_DATA_HOME=self.path('home/.local'), XDG_RUNTIME_DIR=self.path('run'),
                          LC_ALL='C')
        for name in ('home', 'run'):
            os.mkdir(self.path(name), 0o700)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def tool(self, name, *args, **how):
        return call(os.path.join(BUILD, 'tests/bench', name), *map(str, args), **how)

    def seconds(self, name, *args, **how):
        return float(self.tool(name, *args, **how).split()[0])

    def cinta(self, *args):
        return call(os.path.join(BUILD, 'cinta'), *args)

    def mount(self, db, name, *options):
        """Mounts database `db` at `name`; the mount point."""
        point = self.path(name)
        os.makedirs(point, exist_ok=True)
        self.cinta('mount', *options, self.path(db), point)
        self.mounts.append(point)
        if os.getpriority(os.PRIO_PROCESS, 0) == PRIORITY:
            raise_group(self.daemon(db))
        return point

    def mount_bare(self, name):
        point = self.path(name)
        os.makedirs(point, exist_ok=True)
        server = subprocess.Popen([os.path.join(BUILD, 'tests/bench/barefs'), point])
        self.mounts.append(point)
        for _ in range(500):
            if os.path.ismount(point):
                return point
            if server.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError('barefs does not mount')

    def in_memory(self, name):
        """A copy of file `name` on tmpfs; its path."""
        copy = tempfile.mkstemp(prefix='cinta-bench.', dir='/dev/shm')[1]
        self.memory.append(copy)
        shutil.copyfile(self.path(name), copy)
        return copy

    def umount(self, point):
        if os.path.ismount(point):
            call('fusermount3', '-u', '-z', point)
        self.mounts.remove(point)

    def settle(self, db):
        """Waits until the daemon of `db` has gone."""
        lock = self.path(db) + '.lock'
        for _ in range(3000):
            if subprocess.run(['flock', '-n', lock, 'true'], check=False).returncode == 0:
                return
            time.sleep(0.01)
        raise RuntimeError(f'the daemon of {db} does not end')

    def daemon(self, db):
        with open(self.path(db) + '.lock', encoding='ascii') as f:
            return int(f.readline())

    def leave(self):
        for point in reversed(self.mounts):
            subprocess.run(['fusermount3', '-u', '-z', point], check=False)
        for copy in self.memory:
            os.unlink(copy)
        time.sleep(0.3)
        shutil.rmtree(self.dir, ignore_errors=True)


class Table:
    """The figures.  `better` is 'more' (of a rate) or 'less' (of a time)."""

    def __init__(self):
        self.missed = []
        self.count = 0
        print(f'{"figure":<36} {"ours":>12} {"limit":>12} {"ratio":>8} {"target":>10}  verdict')

    @staticmethod
    def text(value, unit):
        if unit == 's':
            return (f'{value:.2f} s' if value >= 1 else f'{value * 1e3:.1f} ms' if value >= 1e-3
                    else f'{value * 1e6:.1f} us')
        if unit.endswith('/s') and value >= 1000:
            return f'{value / 1e3:.1f} k{unit}' if value < 1e6 else f'{value / 1e6:.2f} M{unit}'
        return f'{value:.1f} {unit}'

    def line(self, name, ours, limit, ratio, target, good):
        self.count += 1
        verdict = 'info' if good is None else 'ok' if good else 'MISS'
        if good is False:
            self.missed.append(f'{name}: {ratio or ours}, target {target}')
        print(f'{name:<36} {ours:>12} {limit:>12} {ratio:>8} {target:>10}  {verdict}', flush=True)

    def ratio(self, name, ours, limit, target, unit='s'):
        """`target` like '<= 4.5' or '>= 0.6', or '' for information."""
        ratio = ours / limit
        self.line(name, self.text(ours, unit), self.text(limit, unit), f'{ratio:.2f}x', target,
                  within(ratio, target))

    def value(self, name, ours, target, unit):
        self.line(name, self.text(ours, unit), '', '', target, within(ours, target))

    def summary(self):
        print(f'\n{self.count} figures, {len(self.missed)} missed')
        for text in self.missed:
            print(f'  {text}')


def within(value, target):
    if not target:
        return None
    match = re.fullmatch(r'(<=|>=) ([0-9.]+)', target)
    return value <= float(match[2]) if match[1] == '<=' else value >= float(match[2])


def raise_group(pid='self'):
    """Raises the session of a process: with autogroups, nice counts only within a session."""
    try:
        with open(f'/proc/{pid}/autogroup', 'w', encoding='ascii') as f:
            f.write(str(PRIORITY))
    except FileNotFoundError:
        pass  # a kernel without autogroups: nice is enough
    except OSError as error:
        print(f'bench: process {pid} stays as it is: {error}', file=sys.stderr)


def raise_priority():
    """Ahead of what else runs here, where that is allowed.  Daemons inherit the niceness, but
    have sessions of their own: Place.mount() raises those."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    except OSError:
        print('bench: not root, so no priority over other work', file=sys.stderr)
        return
    raise_group()
