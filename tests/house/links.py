#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The walls between the sub-rooms of each room, read off the built objects.

    links.py [SOURCE [BUILD]]

docs/design.md, "The house", holds the order of each room's sub-rooms in a table, lowest first, in
one row or more; the files that stand directly in a room are its top.  Prints TAP: one case a rule,
the offenders below.
"""
import collections
import os
import re
import subprocess
import sys

SOURCE = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = (sys.argv[2] if len(sys.argv) > 2 else
         os.path.dirname(os.environ.get('CINTA', os.path.join(SOURCE, 'build/cinta'))))
TOP = 'top'
MOST_LINES, MOST_OBJECTS = 3500, 16


def house():
    """The orders {room: [sub-room, …]}, pairs of files that may call each other, further doors,
    and which tables {(table, sub-room)} others may name."""
    orders, pairs, doors = collections.defaultdict(list), set(), set()
    named, inside = set(), False
    with open(os.path.join(SOURCE, 'docs/design.md'), encoding='utf-8') as f:
        for line in f:
            if line.startswith('## '):
                inside = line.strip() == '## The house'
            cells = [c.strip() for c in line.strip().strip('|').split('|')]
            if not inside or not line.startswith('|') or len(cells) < 2:
                continue
            if re.fullmatch(r'`[a-z]+/`', cells[0]):
                orders[cells[0][1:-2]] += re.findall(r'[a-z_]+', cells[1])
            elif re.fullmatch(r'`[a-z_/]+\.c` and `[a-z_/]+\.c`', cells[0]):
                pairs.add(frozenset(re.findall(r'`([a-z_/]+)\.c`', cells[0])))
            elif re.fullmatch(r'`[a-z_/]+\.h`', cells[0]):
                doors.add(cells[0][1:-1])
            elif re.fullmatch(r'`(?:v|log|cto)_[a-z_]+` in `[a-z_/]+`', cells[0]):
                named.add(tuple(re.findall(r'`([a-z_/]+)`', cells[0])))
    return {room: subs + [TOP] for room, subs in orders.items()}, pairs, doors, named


def objects(room):
    """The room's object files, as paths without their ending below the build directory."""
    found = []
    for at, _, names in os.walk(os.path.join(BUILD, room)):
        for name in names:
            path = os.path.relpath(os.path.join(at, name[:-2]), BUILD)
            if name.endswith('.o') and any(os.path.exists(os.path.join(SOURCE, path + e))
                                           for e in ('.c', '.S')):
                found.append(path)
    return sorted(found)


def subroom(path):
    parts = path.split('/')
    return parts[1] if len(parts) > 2 else TOP


def symbols(paths):
    """{symbol: path that defines it}, {path: symbols it uses}"""
    defined, used = {}, collections.defaultdict(set)
    if not paths:
        return defined, used
    out = subprocess.run(['nm', '-A'] + [p + '.o' for p in paths], cwd=BUILD, check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, rest = line.split('.o:', 1)
        kind, name = rest.split()[-2:]
        if kind == 'U':
            used[path].add(name)
        elif kind in 'TDRBVWC':
            defined[name] = path
    return defined, used


def circles(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph[v]):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = []
            while not part or part[-1] != v:
                part.append(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return found


def check_links(room, order, pairs):
    """Calls upwards; circles inside a sub-room that are no declared pair."""
    paths = objects(room)
    defined, used = symbols(paths)
    rank = {s: i for i, s in enumerate(order)}
    up, graph = [], {p: set() for p in paths}
    for path in paths:
        for name in sorted(used[path]):
            to = defined.get(name)
            if not to or to == path or subroom(path) not in rank or subroom(to) not in rank:
                continue
            if rank[subroom(to)] > rank[subroom(path)]:
                up.append(f'{path}.c calls {name} of {to}.c')
            elif subroom(to) == subroom(path):
                graph[path].add(to)
    round_ = [' '.join(p + '.c' for p in c) for c in circles(graph) if frozenset(c) not in pairs]
    return up, round_


def sources(room):
    for at, _, names in sorted(os.walk(os.path.join(SOURCE, room))):
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                yield os.path.relpath(os.path.join(at, name), SOURCE)


def check_doors(room, doors):
    """Includes of another sub-room's inner header: SUB/SUB.h, or what the table names."""
    bad = []
    for path in sources(room):
        with open(os.path.join(SOURCE, path), encoding='utf-8') as f:
            for number, line in enumerate(f, 1):
                m = re.match(rf'#\s*include\s+"{room}/([a-z_]+)/([a-z_0-9]+)\.h"', line)
                if m and m[1] != subroom(path) and m[1] != m[2] \
                        and f'{room}/{m[1]}/{m[2]}.h' not in doors:
                    bad.append(f'{path}:{number}: {line.strip()}')
    return bad


def tables(room):
    """{name: sub-room} of all tables, views and indexes that a sub-room's .sql makes."""
    made = {}
    for at, _, names in os.walk(os.path.join(SOURCE, room)):
        for name in names:
            if name.endswith('.sql'):
                path = os.path.relpath(os.path.join(at, name), SOURCE)
                with open(os.path.join(SOURCE, path), encoding='utf-8') as f:
                    for table in re.findall(r'(?m)^CREATE (?:UNIQUE )?(?:TABLE|VIEW|INDEX) (\w+)',
                                            f.read()):
                        made[table] = subroom(path)
    return {t: s for t, s in made.items() if t.startswith(('v_', 'cto_', 'log_'))}


def sql_of(path):
    """The lines of a file that may be SQL: strings of C, all but comments of .sql."""
    with open(os.path.join(SOURCE, path), encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            if path.endswith('.sql'):
                yield number, line.split('--')[0]
            else:
                yield number, ' '.join(re.findall(r'"(?:[^"\\]|\\.)*"', line))


def check_tables(room, named):
    """Names of tables outside of the sub-room whose .sql makes them; the top only wires."""
    made, bad = tables(room), []
    paths = [p for p in sources(room)] + [f'{room}/{s}/{s}.sql' for s in set(made.values())]
    for path in paths:
        for number, text in sql_of(path):
            for table in re.findall(r'\b(?:v|cto|log)_[a-z_]+\b', text):
                owner = made.get(table)
                if owner and owner != subroom(path) and subroom(path) != TOP and \
                        (table, f'{room}/{subroom(path)}') not in named:
                    bad.append(f'{path}:{number}: {table} is of {room}/{owner}')
    return bad


def check_sizes(room):
    lines, files, names, bad = collections.Counter(), collections.Counter(), {}, []
    for path in sources(room):
        with open(os.path.join(SOURCE, path), encoding='utf-8') as f:
            lines[subroom(path)] += sum(1 for _ in f)
        files[subroom(path)] += path.endswith('.c')
        name = os.path.basename(path)
        if path.endswith('.c') and name in names:
            bad.append(f'{path} and {names[name]}: one name in one archive')
        names[name] = path
    for sub in lines:
        if lines[sub] > MOST_LINES or files[sub] > MOST_OBJECTS:
            bad.append(f'{room}/{sub}: {lines[sub]} lines, {files[sub]} objects')
    return bad


def main():
    orders, pairs, doors, named = house()
    failed = number = 0

    def rule(name, bad):
        nonlocal failed, number
        number += 1
        failed += bool(bad)
        print(f'{"not ok" if bad else "ok"} {number} {name}')
        for line in bad:
            print(f'# {line}')
    rule('the table of the house is there', [] if orders else ['docs/design.md'])
    for room, order in sorted(orders.items()):
        folders = {subroom(path) for path in sources(room)} - {TOP}
        rule(f'{room}: the table names its sub-rooms', sorted(folders ^ (set(order) - {TOP})))
        rule(f'{room}: its objects are built', [] if objects(room) else [BUILD])
        up, round_ = check_links(room, order, pairs)
        rule(f'{room}: no call upwards', up)
        rule(f'{room}: no circle inside a sub-room but declared pairs', round_)
        rule(f'{room}: other sub-rooms see the door alone', check_doors(room, doors))
        if tables(room):
            rule(f'{room}: a table is named in its sub-room alone', check_tables(room, named))
        rule(f'{room}: no sub-room over {MOST_LINES} lines or {MOST_OBJECTS} objects',
             check_sizes(room))
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
