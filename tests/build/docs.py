#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a cold reader must be able to find: each question has a page and the words by which the page
answers it; every link leads to a file, and to a heading if it names one; every command in a page
is a verb, an option or a target that exists.  TAP."""
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CINTA = os.environ.get('CINTA', f'{SOURCE}/build/cinta')
os.chdir(SOURCE)

QUESTIONS = [
    # What is asked, where the answer stands, what it says
    ('How do I try it?', 'README.md', r'^make run'),
    ('What does it put on my machine?', 'README.md', r'94 packages, 80 MB'),
    ('How do I begin a memory of my own?', 'README.md', r'^\$ build/cinta mount ~/memory'),
    ('How does an agent learn to use it?', 'README.md', r'tell it to read `README\.md`'),
    ('Where is my data, and where my key?', 'README.md', r'^  database .*\n  signing key '),
    ('What is where in the directory?', 'README.md', r'^sessions/NAME/ '),
    ('How do I take something back?', 'README.md', r'`cinta redact`'),
    ('What do I lose when power goes?', 'docs/guarantees.md', r'power cut the last ten seconds'),
    ('May two machines use one file?', 'docs/guarantees.md', r'no two machines'),
    ('What finds a change, and what does not?', 'docs/guarantees.md', r'a signed note that you keep elsewhere'),
    ('How do I back it up?', 'docs/backup.md', r'cinta backup copy\.db first\.db'),
    ('How do I put a copy back?', 'docs/backup.md', r'^## Restore'),
    ('What if the key is lost?', 'docs/backup.md', r'keys are lost, all can still be read'),
    ('How is it mounted at each login?', 'docs/systemd.md', r'systemctl --user enable --now cinta@memory'),
    ('How does a line of fstab look?', 'docs/fstab.md', r'cinta  user,noauto'),
    ('What does a container need?', 'docs/containers.md', r'--device /dev/fuse'),
    ('How do I get a newer version?', 'docs/upgrade.md', r'cinta umount ~/memory'),
    ('What does uninstalling take away?', 'docs/upgrade.md', r'touches no memory and no key'),
    ('What is an entry, a stream, a view?', 'docs/design.md', r'^\| entry \|.*\n(.*\n)*\| view \|'),
    ('Which part calls which?', 'docs/design.md', r'^## The house'),
    ('What happens on `>>`?', 'docs/requests.md', r'^## An append'),
    ('How do I check an entry by hand?', 'docs/format.md', r'sha256'),
    ('Where does a new file of the tree go?', 'docs/contributing.md', r'^## A new file in the tree'),
    ('What has changed?', 'docs/changelog.md', r'^## '),
]
PAGES = ['README.md'] + sorted(f'docs/{f}' for f in os.listdir('docs') if f.endswith('.md'))
TEXT = {page: open(page, encoding='utf-8').read() for page in PAGES}
count = failed = 0


def case(name, faults):
    global count, failed
    count += 1
    faults = list(faults)
    print(f'{"not ok" if faults else "ok"} {count} {name}')
    for fault in faults:
        print(f'# {fault}')
        failed = 1


def anchor(heading):
    return re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')


def broken_links():
    for page, text in TEXT.items():
        for target in re.findall(r'\]\(([^)\s]+)\)', text):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, heading = target.partition('#')
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(path):
                yield f'{page}: {target} leads nowhere'
            elif heading and anchor(heading) not in map(anchor, re.findall(r'^#+ (.*)', TEXT[path], re.M)):
                yield f'{page}: {target} has no such heading'


def unknown_commands():
    usage = subprocess.run([CINTA, '--help'], capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r'^  cinta ([a-z-]+) ', usage, re.M))
    targets = set(re.findall(r'^([a-z-]+):', open('Makefile', encoding='utf-8').read(), re.M))
    for page, text in TEXT.items():
        code = re.findall(r'`([^`\n]+)`', text) + re.findall(r'^(?: {4}|\$ )(.*)', text, re.M)
        for line in code:
            for verb in re.findall(r'^(?:build/)?cinta ([a-z-]+)', line):
                if verb not in verbs:
                    yield f'{page}: no verb `cinta {verb}`'
            for target in re.findall(r'^make ([a-z-]+)', line):
                if target not in targets:
                    yield f'{page}: no `make {target}`'


case('every question has its answer', (
    f'{page}: {question}' for question, page, answer in QUESTIONS
    if not re.search(answer, TEXT.get(page, ''), re.M)))
case('every link leads somewhere', broken_links())
case('every command is one', unknown_commands())
case('README leads to every page', (page for page in PAGES[1:] if f'({page})' not in TEXT['README.md']
                                    and page not in ('docs/bench.md',)))
print(f'1..{count}')
sys.exit(failed)
