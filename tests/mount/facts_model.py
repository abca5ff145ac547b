#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""facts_model.py MOUNT ROUNDS: random edits of random lists, beside a model of what must be live."""
import json
import os
import random
import re
import sys

M, ROUNDS = sys.argv[1], int(sys.argv[2])
SEED = int(os.environ.get("CINTA_SEED", random.randrange(1 << 30)))
rng = random.Random(SEED)
print("CINTA_SEED", SEED)
DOMAINS = ["work", "preferences", "decisions", "personal", "projects"]
WORDS = ("mate café deploy viernes Debian SQLite equipo *énfasis* `code` [x] a_b 12 3.5 no never "
         "https://example.org/?q=1 <b> & \\ # + - 1. > | ~~s~~ ñandú 漢字").split(" ")
model = {d: [] for d in DOMAINS}  # (text, confidence)


def path(domain):
    return f"{M}/facts/{domain}.md"


def fact():
    text = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 7)))
    while not re.match(r"[^\W\d]", text):  # what begins like other markdown is for the unit tests
        text = "x " + text
    if rng.random() < 0.15:
        text += "\n\n  second paragraph " + rng.choice(WORDS) + "."
    return text.rstrip("\\ ")


def line(f):
    text, confidence = f
    first, nl, rest = text.partition("\n")
    mark = "" if confidence == "high" else f" *({confidence})*"
    return f"- {first}{mark}{nl}{rest}\n" + ("\n" if nl else "")


def live(domain):
    with open(f"{M}/facts/facts.jsonl", encoding="utf-8") as f:
        all_ = [json.loads(l) for l in f]
    return sorted((f["fact"], f["confidence"]) for f in all_
                  if f["domain"] == domain and f["known_until"] is None)


def normal(facts):
    return sorted((re.sub(r"\n  ", "\n", t), c) for t, c in facts)


def edit(facts):
    facts = list(facts)
    for _ in range(rng.randrange(1, 4)):
        verb = rng.randrange(5)
        if verb == 0 or not facts:
            facts.insert(rng.randrange(len(facts) + 1), (fact(), rng.choice(["low", "medium", "high", "high"])))
        elif verb == 1:
            facts.pop(rng.randrange(len(facts)))
        elif verb == 2:
            i = rng.randrange(len(facts))
            facts[i] = (facts[i][0], rng.choice(["low", "medium", "high"]))
        elif verb == 3:
            i = rng.randrange(len(facts))
            facts[i] = (fact(), facts[i][1])
        else:
            rng.shuffle(facts)
    seen, unique = set(), []
    for t, c in facts:  # twice the same is a confirmation, not a second fact
        if t not in seen:
            seen.add(t)
            unique.append((t, c))
    return unique


def beside(domain, n):
    """What somebody else appends between the reading and the save of an editor."""
    if rng.random() < 0.7:
        return []
    if os.system(f"echo '- theirs {n}' >> {path(domain)}"):
        sys.exit("cannot append")
    return [(f"theirs {n}", "high")]


def save(domain, facts):
    text = f"# {domain.capitalize()}\n\n" + "".join(line(f) for f in facts)
    how = rng.randrange(3)
    if how == 0:
        with open(path(domain), "w", encoding="utf-8") as f:
            f.write(text)
    elif how == 1:
        with open(path(domain) + ".tmp", "w", encoding="utf-8") as f:
            f.write(text)
        os.rename(path(domain) + ".tmp", path(domain))
    else:
        with open(path(domain), "r+", encoding="utf-8") as f:
            f.write(text)
            f.truncate()


for n in range(ROUNDS):
    domain = rng.choice(DOMAINS)
    theirs = beside(domain, n) if model[domain] else []  # of a list that it has read
    model[domain] = edit(model[domain])
    save(domain, model[domain])
    if theirs and rng.random() < 0.5:  # again, from what it had
        model[domain] = edit(model[domain])
        save(domain, model[domain])
    model[domain] += theirs
    got, want = live(domain), normal(model[domain])
    assert got == want, (n, domain, [x for x in got if x not in want], [x for x in want if x not in got])
    with open(path(domain), encoding="utf-8") as f:
        page = f.read()
    before = sum(1 for _ in open(path(domain) + "@log", encoding="utf-8"))
    with open(path(domain), "w", encoding="utf-8") as f:
        f.write(page)
    with open(path(domain), encoding="utf-8") as f:
        assert f.read() == page
    assert sum(1 for _ in open(path(domain) + "@log", encoding="utf-8")) == before, (n, "a canonical save made entries")
