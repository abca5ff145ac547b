# SPDX-License-Identifier: MIT
"""A million messages in a thousand sessions, beside a thousand in one: what may not grow."""
import random
import time

from bench import ROUNDS, rounds, timed

EACH = 1000
BIG = 1000
APPENDS = 2000
LOOKS = 100
REST = 1


def ready(place, db):
    """Seconds of `cinta mount`, which returns when the mount answers."""
    start = time.perf_counter()
    point = place.mount(db, 'ready')
    spent = time.perf_counter() - start
    place.umount(point)
    place.settle(db)
    return spent


def memory_of(pid):
    """Resident KiB."""
    with open(f'/proc/{pid}/status', encoding='ascii') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmRSS'))


def run(place, table):
    sessions = {'small.db': 1, 'big.db': BIG}
    for db, count in sessions.items():
        place.tool('fill', place.path(db), 's', count, EACH, 250)
    m = rounds({db: lambda db=db: ready(place, db) for db in sessions})
    table.ratio('scale.mount / a thousand', m['big.db'], m['small.db'], '')
    table.value('scale.mount ready', m['big.db'] * 1000, '<= 100', 'ms')

    roots = {db: place.mount(db, db + '.mnt') for db in sessions}

    unread = {db: random.sample(range(1, EACH + 1), EACH) for db in sessions}

    def session(db):
        return f'sessions/s{random.randint(1, sessions[db]):06d}'

    def appends(db):
        log = f'{roots[db]}/{session(db)}/log.jsonl'
        return place.seconds('writes', 'kept', APPENDS, log) / APPENDS

    def ends(db):
        paths = f'{session(db)}/log.jsonl\n' * LOOKS
        return place.seconds('reads', 'end', cwd=roots[db], stdin=paths) / LOOKS

    def messages(db):
        """Of one session, each number once: the kernel has none of them."""
        pages = f'{session(db)}/messages'
        numbers, unread[db] = unread[db][:LOOKS], unread[db][LOOKS:]
        paths = ''.join(f'{pages}/{n:06d}.md\n' for n in numbers)
        return place.seconds('reads', 'whole', cwd=roots[db], stdin=paths) / LOOKS

    for name, what in (('append', appends), ('last 4 KiB', ends), ('messages/N.md', messages)):
        time.sleep(REST)  # the views catch up when writers rest
        m = rounds({db: lambda db=db, what=what: what(db) for db in sessions}, max(ROUNDS, 5))
        table.ratio(f'scale.{name} / a thousand', m['big.db'], m['small.db'], '<= 1.2')
    spent = timed('grep', '-r', 'xyzzyword', '.', cwd=roots['big.db'], ok=(1,))
    table.value('scale.grep -r', spent, '', 's')
    table.value('scale.RSS after grep -r', memory_of(place.daemon('big.db')) / 1024, '<= 64', 'MiB')
    for db, point in roots.items():
        place.umount(point)
        place.settle(db)
