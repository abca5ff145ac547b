#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""picture.py OUT.svg [CINTA]: a session with the example memory, typed for real, as a picture of a
terminal.  `make picture` makes docs/session.svg by it.  Python's standard library only; the memory
is one of its own, in a directory that goes when it is done."""
import os
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS, LINE, LEFT, TOP = 104, 19, 16, 44
# What is typed, and how many lines of what it says are shown.
STEPS = [
    ('ls memory', 6),
    ("echo '{\"role\":\"user\",\"content\":\"When do we open?\"}' >> memory/sessions/current/log.jsonl", 0),
    ('cat memory/search/"horario de la jornada.md" | grep -A1 "^[12]"', 4),
    ('head -4 memory/facts/decisions.md', 4),
    ("sed -i 's/cortas/muy cortas/' memory/smma/user_profile.md", 0),
    ('diff memory/smma/user_profile.md@1 memory/smma/user_profile.md', 4),
    ('rm memory/facts/decisions.md', 1),
    ('tail -1 memory/errors.log | cut -d" " -f2-', 2),
    ('cinta verify .memory/memory.db | head -1', 1),
]


def record(cinta):
    """The steps, with what each said: [(command, [line, ...]), ...]."""
    said = []
    with tempfile.TemporaryDirectory(prefix='cinta-picture.') as home:
        os.mkdir(f'{home}/bin')
        os.symlink(cinta, f'{home}/bin/cinta')
        env = {'HOME': home, 'PATH': f'{home}/bin:{os.environ["PATH"]}', 'LANG': 'C.UTF-8', 'CINTA': cinta,
               'XDG_RUNTIME_DIR': home, 'COLUMNS': str(COLUMNS), 'USER': 'kai'}
        subprocess.run([f'{HERE}/run.sh', f'{home}/memory', f'{home}/.memory/memory.db'], env=env, check=True,
                       stdout=subprocess.DEVNULL)
        try:
            heard(f'{home}/memory/facts/decisions.md')
            for command, lines in STEPS:
                # A terminal shows a directory in columns.
                real = command.replace('ls memory', f'ls -C -w {COLUMNS} memory')
                out = subprocess.run(['bash', '-c', real], cwd=home, env=env, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
                said.append((command, [line.expandtabs().rstrip() for line in out.splitlines() if line.strip()][:lines]))
        finally:
            subprocess.run([cinta, 'umount', f'{home}/memory'], env=env, check=True)
    return said


def heard(path):
    """Facts are heard in what was said, a moment later."""
    for _ in range(600):
        with open(path, encoding='utf-8') as facts:
            if 'cada tres meses' in facts.read():
                return
        time.sleep(0.1)


def fold(line):
    while len(line) > COLUMNS:
        yield line[:COLUMNS]
        line = line[COLUMNS:]
    yield line


def draw(said):
    rows, y, number = [], TOP, 0
    for command, lines in said:
        number += 1
        group = []
        group += [(part, 'c') for part in fold(f'$ {command}')]
        group += [(part, 'o') for line in lines for part in fold(line)]
        rows.append(f'<g class="s" style="animation-delay:{number * 0.9:.1f}s">')
        for text, kind in group:
            rows.append(f'<text x="{LEFT}" y="{y}" class="{kind}" xml:space="preserve">{escape(text)}</text>')
            y += LINE
        rows.append('</g>')
        y += 5
    width, height = LEFT * 2 + COLUMNS * 8.43, y + 4
    return f'''<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14">
<title>A session with the example memory</title>
<desc>{escape("; ".join(command for command, _ in said))}</desc>
<style>.c{{fill:#8fd3a8}}.o{{fill:#d8dee4}}.s{{animation:appear .4s both}}@keyframes appear{{from{{opacity:0}}}}@media (prefers-reduced-motion:reduce){{.s{{animation:none}}}}</style>
<rect width="100%" height="100%" rx="8" fill="#16191d"/>
<circle cx="20" cy="16" r="5" fill="#e5534b"/><circle cx="38" cy="16" r="5" fill="#d9a33c"/><circle cx="56" cy="16" r="5" fill="#57ab5a"/>
{chr(10).join(rows)}
</svg>
'''


if __name__ == '__main__':
    program = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else f'{HERE}/../../build/cinta')
    picture = draw(record(program))
    with open(sys.argv[1], 'w', encoding='utf-8') as f:
        f.write(picture)
