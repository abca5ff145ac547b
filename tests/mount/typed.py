#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""typed.py PAGE: types each command of the page's console blocks into one shell, and compares what
it prints.  `…` stands for any text within a line; alone on a line, for any lines."""
import re
import subprocess
import sys

text = open(sys.argv[1], encoding='utf-8').read()
steps = []
for block in re.findall(r'^```console\n(.*?)^```', text, re.S | re.M):
    for line in block.splitlines():
        if line.startswith('$ '):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
assert steps, 'no console block'
shell = subprocess.Popen(['bash'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, bufsize=1)
for command, wanted in steps:
    shell.stdin.write(command + "\nprintf '\\n---end %s---\\n' $?\n")
    shell.stdin.flush()
    said = ''
    while not (end := re.search(r'\n---end \d+---\n$', said)):
        line = shell.stdout.readline()
        assert line, f'the shell ended at: {command}'
        said += line
    said = said[:end.start()].rstrip('\n')
    said = re.sub(r'[ \t]+$', '', said, flags=re.M)
    pattern = ''.join('(?:.*\n)*?' if line == '…' else re.escape(line.rstrip()).replace('…', '.*') + '\n'
                      for line in wanted)
    if not re.fullmatch(pattern, said + '\n' if said else ''):
        print(f'$ {command}\nwanted:\n' + '\n'.join(wanted) + f'\nsaid:\n{said}')
        sys.exit(1)
shell.stdin.close()
shell.wait()
