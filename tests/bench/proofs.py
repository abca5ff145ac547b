# SPDX-License-Identifier: MIT
"""Verifying a long tape, beside SQLite reading the same rows."""
from bench import QUICK, rounds, timed, BUILD

ROWS = 60000 if QUICK else 300000


def run(place, table):
    db = place.path('verify.db')
    place.tool('fill', db, 'v', 100, ROWS // 100, 250)
    verify = place.cinta('verify', db)
    if not verify.startswith('OK'):
        raise RuntimeError(f'the tape does not verify: {verify[:200]}')
    m = rounds({
        'ours': lambda: timed(f'{BUILD}/cinta', 'verify', db),
        'scan': lambda: place.seconds('raw', 'scan', db),
    })
    table.value('verify', ROWS / m['ours'] / 1e6, '>= 0.5', 'M rows/s')
    table.ratio('verify / raw sqlite scan', ROWS / m['ours'], ROWS / m['scan'], '', '/s')
