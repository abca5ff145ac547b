# SPDX-License-Identifier: MIT
"""Settings as people and programs write them: `cinta agent-setup --write` adds our entries and
nothing else, `--remove` leaves the bytes that were there.

    agent_setup.py CINTA DB ROUNDS
"""
import json
import os
import random
import subprocess
import sys

CINTA, DB, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
MARK = ' # cinta agent-setup'
AGENTS = {
    'claude': ('.claude/settings.json', ['SessionStart', 'Stop', 'PreCompact', 'SessionEnd']),
    'codex': ('.codex/hooks.json', ['SessionStart', 'Stop', 'PreCompact']),
    'gemini': ('.gemini/settings.json', ['SessionStart', 'AfterAgent', 'PreCompress', 'SessionEnd']),
}
rnd = random.Random(20261124)


def value(depth=0):
    kind = rnd.randrange(8 if depth < 3 else 5)
    if kind < 2:
        return rnd.choice(['', 'a "b" \\ c', '{[,]}', 'ünï — ☃', '"hooks": [', 'x\ny', '\\'])
    if kind < 5:
        return rnd.choice([0, -1.5e3, True, None, 12])
    if kind == 5:
        return [value(depth + 1) for _ in range(rnd.randrange(3))]
    return {rnd.choice(['a', 'hooks', 'Stop', 'x y', 'é', '{']): value(depth + 1)
            for _ in range(rnd.randrange(3))}


def theirs():
    return {'matcher': rnd.choice(['*', 'startup']), 'hooks': [{'type': 'command', 'command': value()}]}


def document(events):
    whole = {}
    for key in rnd.sample(['model', 'env', 'permissions', 'zz', 'a"b'], rnd.randrange(4)):
        whole[key] = value()
    if rnd.random() < 0.7:
        hooks = whole['hooks'] = {}
        for event in rnd.sample(events + ['PostToolUse'], rnd.randrange(4)):
            hooks[event] = [theirs() for _ in range(rnd.randrange(3))]
    if rnd.random() < 0.3:
        whole['last'] = value()
    return whole


def written(whole):
    """A layout somebody could have: compact, indented, with tabs, with blanks around all."""
    how = rnd.randrange(5)
    if how == 0:
        text = json.dumps(whole, separators=(',', ':'))
    elif how == 1:
        text = json.dumps(whole)
    elif how == 2:
        text = json.dumps(whole, indent=2, ensure_ascii=False)
    elif how == 3:
        text = json.dumps(whole, indent='\t').replace('\n', '\r\n')
    else:
        text = json.dumps(whole, indent=1, separators=(' , ', ' :  ')).replace('[]', '[ ]').replace('{}', '{\n }')
        if json.loads(text) != whole:  # it was in a string
            text = json.dumps(whole, indent=4)
    return rnd.choice(['', ' ', '\n']) + text + rnd.choice(['', '\n', '\n\n', ' '])


def run(*words):
    return subprocess.run([CINTA, 'agent-setup', '-d', DB, *words], capture_output=True, text=True)


def must(truth, *what):
    if not truth:
        print(*what, sep='\n')
        sys.exit(1)


def ours(group):
    return group['hooks'][0]['command'].endswith(MARK) if isinstance(group['hooks'][0]['command'], str) else False


for n in range(ROUNDS):
    agent = rnd.choice(list(AGENTS))
    name, events = AGENTS[agent]
    path = os.path.join(os.environ['HOME'], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    whole = document(events)
    before = written(whole).encode()
    with open(path, 'wb') as f:
        f.write(before)
    os.chmod(path, 0o640)
    r = run('--write', agent)
    must(r.returncode == 0, n, before, r)
    with open(path, 'rb') as f:
        after = f.read()
    now = json.loads(after)
    must(os.stat(path).st_mode & 0o777 == 0o640, n, oct(os.stat(path).st_mode))
    for event in events:
        groups = now['hooks'][event]
        must(ours(groups[-1]) and groups[:-1] == whole.get('hooks', {}).get(event, []), n, after)
        must(f'hook -d {DB}{MARK}' in groups[-1]['hooks'][0]['command'], n, after)
        del now['hooks'][event][-1]
        if not groups and event not in whole.get('hooks', {}):
            del now['hooks'][event]
    if not now['hooks'] and 'hooks' not in whole:
        del now['hooks']
    must(now == whole, n, before, after)
    must(list(now) == list(whole), n, 'order', before, after)
    again = run('--write', agent)
    with open(path, 'rb') as f:
        must(again.returncode == 0 and 'there already' in again.stdout and f.read() == after, n, again)
    r = run('--remove', agent)
    with open(path, 'rb') as f:
        left = f.read()
    must(r.returncode == 0 and left == before, n, agent, before, after, left)
print(ROUNDS)
