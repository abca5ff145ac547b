#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each rule of links.py finds the fault that is planted for it, and nothing in a sound house;
silent.py each statement of a test that fails unheard, and no other."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINKS, SILENT = os.path.join(HERE, 'links.py'), os.path.join(HERE, 'silent.py')
DESIGN = '''# Design

## The house

| room | sub-rooms, lowest first |
|---|---|
| `store/` | low high |
'''
SOUND = {
    'store/low/low.h': 'int low(void);\n',
    'store/low/inner.h': 'int inner(void);\n',
    'store/low/low.c': '#include "store/low/low.h"\nint low(void) { return 1; }\n',
    'store/high/high.h': 'int high(void);\n',
    'store/high/high.c': '#include "store/low/low.h"\nint high(void) { return low(); }\n',
    'store/store.c': '#include "store/high/high.h"\nint store(void) { return high(); }\n',
}
PLANTED = {
    'a call upwards': ({'store/low/low.c': 'int high(void);\nint low(void) { return high(); }\n'},
                       'no call upwards'),
    'a call of the top': ({'store/low/low.c': 'int store(void);\nint low(void) { return store(); }\n'},
                          'no call upwards'),
    'a circle inside': ({'store/low/a.c': 'int b(void);\nint a(void) { return b(); }\n',
                         'store/low/b.c': 'int a(void);\nint b(void) { return a(); }\n'},
                        'no circle inside'),
    'an inner include': ({'store/high/high.c': '#include "store/low/inner.h"\nint high(void) { return 0; }\n'},
                         'the door alone'),
    'a folder that no table names': ({'store/new/new.c': 'int fresh(void) { return 0; }\n'},
                                     'names its sub-rooms'),
    'one name twice': ({'store/high/low.c': 'int again(void) { return 0; }\n'}, 'no sub-room over'),
    'a sub-room too large': ({'store/low/long.c': '\n' * 3501}, 'no sub-room over'),
}
# A test of many statements; those that fail unheard say UNHEARD.
TEST = r'''
helper() { true && false; }
both() {
	[ a ] && [ UNHEARD ]
	[ a ] &&
		[ b ]
}
@test "one" { # [ a ] && [ b ]
	[ a ] && [ UNHEARD ] # and a remark
	! grep -q UNHEARD file
	! grep -q x file || false
	[[ a && b ]]
	[ a ] && return
	[ a ] && [ b ] || false
	if [ a ] && [ b ]; then ! echo UNHEARD; fi
	for x in 1; do [ "$x" ] && [ UNHEARD ]; done
	until [ a ] && [ b ]; do :; done
	case $x in
	a) mkdir UNHEARD && cd b ;;
	esac
	(cd a && make)
	{ cat a && cat b; } > c
	run sh -c 'mkdir a && cd b
		! true'
	x=$([ a ] && echo b)
	y="$(cd "$x" && pwd) && pwd"
	sleep 1 && kill 1 &
	[ "${x#a}" = '&&' ]
	cat <<- 'END' > file
	[ a ] && [ b ]
	END
	mkdir a &&
		mkdir UNHEARD &> /dev/null
	true && not false
}
'''


def unheard(text):
    """The lines that silent.py names of a file that holds text."""
    with tempfile.NamedTemporaryFile('w', suffix='.bats') as f:
        f.write(text)
        f.flush()
        out = subprocess.run([SILENT, f.name], capture_output=True, text=True, check=False).stdout
    return [line for line in out.splitlines() if line.startswith('#')]


def broken_rules(files):
    """The names of the rules that links.py finds broken in a tree of these files."""
    with tempfile.TemporaryDirectory() as top:
        for path, text in dict(files, **{'docs/design.md': DESIGN}).items():
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), 'w', encoding='utf-8') as f:
                f.write(text)
            if path.endswith('.c'):
                obj = os.path.join(top, 'build', path[:-2] + '.o')
                os.makedirs(os.path.dirname(obj), exist_ok=True)
                subprocess.run([os.environ.get('CC', 'cc'), '-I', top, '-c', '-o', obj,
                                os.path.join(top, path)], check=True)
        out = subprocess.run([LINKS, top, os.path.join(top, 'build')], capture_output=True,
                             text=True, check=False).stdout
    return [line for line in out.splitlines() if line.startswith('not ok')]


def main():
    bad = broken_rules(SOUND)
    results = [('a sound house breaks no rule', not bad, bad)]
    for name, (files, rule) in PLANTED.items():
        bad = broken_rules(dict(SOUND, **files))
        results.append((f'{name} is found', len(bad) == 1 and rule in bad[0], bad))
    found, planted = unheard(TEST), TEST.count('UNHEARD')
    fine = len(found) == planted and all('UNHEARD' in line for line in found)
    results.append((f'{planted} statements of a test that fail unheard are found', fine, found))
    print(f'1..{len(results)}')
    for number, (name, fine, bad) in enumerate(results, 1):
        print(f'{"ok" if fine else "not ok"} {number} {name}')
        if not fine:
            print('\n'.join(f'# {line}' for line in bad or ['nothing was found']))
    return 0 if all(fine for _, fine, _ in results) else 1


if __name__ == '__main__':
    sys.exit(main())
