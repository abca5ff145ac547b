#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many of 64 questions in Spanish a search of the example memory answers among its first ten hits.

tests/bench/questions.py MEMORY [ALL SPANISH]   MEMORY: where docs/example/run.sh mounted it

Prints R@10 of all, and of those whose answer stands in Spanish, and the questions that are missed, with where
their answer comes, if it is found at all; ends with 1 below these shares.
"""
import os
import re
import sys

HIT = re.compile(r'^\d+\. `([^`]+)`')
HERE = os.path.dirname(os.path.abspath(__file__))


def name_of(hit):
    """SESSION/LINE of a message; a document's path as it is."""
    message = re.fullmatch(r'sessions/(.+)/messages/0*(\d+)\.md', hit)
    return f'{message[1]}/{message[2]}' if message else hit


def rank(memory, question, answers):
    """The place of the first hit that answers; None if none of fifty does."""
    with open(f'{memory}/search/{question} limit:50.md', encoding='utf-8') as page:
        hits = [name_of(m[1]) for m in map(HIT.match, page) if m]
    return next((i for i, hit in enumerate(hits, 1) if hit in answers), None)


def tell(what, ranks):
    """Prints how many of these are answered among so many hits; the share of the first ten."""
    share = {k: sum(1 for place in ranks if place and place <= k) / len(ranks) for k in (1, 5, 10)}
    print(f'{len(ranks)} questions{what}: ' + ', '.join(f'R@{k} {found:.3f}' for k, found in share.items()))
    return share[10]


def main():
    with open(f'{HERE}/questions.tsv', encoding='utf-8') as lines:
        asked = [(line.rstrip('\n') + '\t').split('\t')[:3] for line in lines if not line.startswith('#')]
    ranks = [(rank(sys.argv[1], q, answers.split('|')), q, other) for q, answers, other in asked]
    for place, question, _ in ranks:
        if not place or place > 10:
            print(f'{place or "-":>4}  {question}')
    all_of_them = tell('', [place for place, _, _ in ranks])
    spanish = tell(' whose answer stands in Spanish', [place for place, _, other in ranks if not other])
    least = [float(share) for share in sys.argv[2:]] + [0, 0]
    return all_of_them < least[0] or spanish < least[1]


sys.exit(main())
