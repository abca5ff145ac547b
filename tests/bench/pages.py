# SPDX-License-Identifier: MIT
"""What the pages an agent reads in each turn cost in CPU, in a memory that has grown.

100,000 messages, 2,000 facts, 5,000 memories.  The daemon's CPU time of all its threads is
counted, not the clock: from one page to the next the append, the catching up and the page.
"""
import random
import statistics
import time

from bench import QUICK

SESSIONS, EACH = (20, 500) if QUICK else (100, 1000)
FACTS = 400 if QUICK else 2000
MEMORIES = 500 if QUICK else 5000
TURNS = 30
REST, LONGEST = 1, 300  # a second in which the daemon does nothing, waited for at most so many
LISTS = ('work', 'preferences', 'decisions', 'personal', 'projects')
SHAPES = ('decided to buy the {} from vendor {}', 'uses {} for the {}', 'prefers {} over {} at work',
          'the {} stands beside the {} in the shed', 'works on the {} with the {} team')
SYLLABLES = 'ba ke li mo ru tan ver sil pro den gar nis cho fel zu min'.split()
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES][:3000]
WEIGHTS = [1 / (i + 3) for i in range(len(WORDS))]  # few words are frequent (Zipf)


def draw(source, count):
    return source.choices(WORDS, WEIGHTS, k=count)


def facts(source):
    """The same in each run; words meet again and again, as they do."""
    seen = {name: [] for name in LISTS}
    for i in range(FACTS):
        name = LISTS[i % len(LISTS)]
        first, second, whose = draw(source, 3)
        shape = SHAPES[i // len(LISTS) % len(SHAPES)]
        seen[name].append('- ' + shape.format(f'{first} {second} {i}', whose))
    return {name: '\n'.join(lines) + '\n' for name, lines in seen.items()}


def write(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def fill(root):
    source = random.Random(5)
    for name, text in facts(source).items():
        write(f'{root}/facts/{name}.md', text)
    for i in range(MEMORIES):
        text = ' '.join(draw(source, 25))
        write(f'{root}/memories/fact/key-{i:05d}.md',
              f'---\nimportance: {source.random():.2f}\n---\n{text}\n')


def cpu(pid):
    """Seconds of CPU time of all threads of a process (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def rest(pid):
    """Until what was written has been read by all that reads it in the background."""
    for _ in range(LONGEST // REST):
        start = cpu(pid)
        time.sleep(REST)
        if cpu(pid) - start < 0.01:
            return
    raise RuntimeError('the daemon does not come to rest')


def turns(pid, root, page, before):
    """Milliseconds of CPU a turn: something happens, then the page is read.  The median."""
    taken = []
    for n in range(TURNS):
        start = cpu(pid)
        before(n)
        with open(f'{root}/{page}', encoding='utf-8') as f:
            f.read()
        taken.append((cpu(pid) - start) * 1e3)
    return statistics.median(taken)


def run(place, table):
    place.tool('fill', place.path('pages.db'), 's', SESSIONS, EACH, 250, 60000)
    root = place.mount('pages.db', 'pages')
    pid = place.daemon('pages.db')
    fill(root)
    log = f'{root}/sessions/s000001/log.jsonl'
    source = random.Random(6)

    def say(n):
        asked = ' '.join(draw(source, 3))
        with open(log, 'a', encoding='utf-8') as f:
            f.write(f'{{"role":"user","content":"{n}: where does the {asked} stand?"}}\n')

    def learn(n):
        with open(f'{root}/facts/work.md', 'a', encoding='utf-8') as f:
            f.write(f'- the {draw(source, 1)[0]} is the one of shelf {n}\n')

    learn(0)
    say(0)
    for page in ('context.md', 'dashboard.md'):
        with open(f'{root}/{page}', encoding='utf-8') as f:
            f.read()
    rest(pid)
    table.value('page.context.md after an append', turns(pid, root, 'context.md', say), '<= 15', 'ms')
    table.value('page.dashboard.md after an append', turns(pid, root, 'dashboard.md', say), '', 'ms')
    table.value('page.dashboard.md after a fact', turns(pid, root, 'dashboard.md', learn), '', 'ms')

    def again(_):
        with open(f'{root}/context.md', encoding='utf-8') as f:
            f.read()

    def said(n):
        say(n)
        again(n)
    both = turns(pid, root, 'dashboard.md', said) - turns(pid, root, 'context.md', said)
    table.value('page.dashboard.md beside context.md', max(both, 0), '<= 5', 'ms')
    place.umount(root)
    place.settle('pages.db')
