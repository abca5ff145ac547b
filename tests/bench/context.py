# SPDX-License-Identifier: MIT
"""What context.md costs and saves, over real conversations (make bench-context LOCOMO=file).

context.py CINTA LOCOMO: replays each conversation of the file into a session, message by message,
and reads context.md after each.  Tells per conversation the most tokens, how its size
changes with the turns (a straight line), the time for a page early and late,
and the tokens of all pages against sending the whole history each time.

Then what age alone costs: one session that holds a conversation's first 580 turns and one
that holds only the last 40 of these get the same next messages in turns, and the times of their
pages are compared pair by pair: around its turn 600 the one against around turn 60 the other.

At last what these tokens are worth: each conversation is a memory of its own, a session a meeting,
each line with its speaker as owner; every STEP-th question (default 5) becomes the user's line in a
fresh session.  Told is the share of its evidence, texts of messages, that stands in that session's
context.md, and in context/QUESTION.md, and the exact tokens of both.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

OLD, YOUNG = 580, 40
EARLY, LATE = range(40, 80), range(580, 620)  # around turns 60 and 600, or the last 40


def turns_of(conversation):
    first, number = conversation["speaker_a"], 1
    while f"session_{number}" in conversation:
        for turn in conversation[f"session_{number}"]:
            yield "user" if turn["speaker"] == first else "assistant", turn["text"]
        number += 1


def append(log, **message):
    os.write(log, (json.dumps(message, ensure_ascii=False) + "\n").encode())


def slope(values):
    n = len(values)
    mid, mean = (n - 1) / 2, sum(values) / n
    return sum((x - mid) * (y - mean) for x, y in enumerate(values)) / sum((x - mid) ** 2 for x in range(n))


def cpu_of(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def replay(mount, name, conversation, pages):
    session = f"{mount}/sessions/{name}"
    os.mkdir(session)
    log = os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND)
    took = []
    for role, text in turns_of(conversation):
        append(log, role=role, content=text)
        start = time.perf_counter()
        with open(session + "/context.md", encoding="utf-8") as page:
            pages.append(page.read())
        took.append((time.perf_counter() - start) * 1e3)
    os.close(log)
    return took


def page_time(session):
    start = time.perf_counter()
    with open(session + "/context.md", encoding="utf-8") as page:
        page.read()
    return (time.perf_counter() - start) * 1e3


def aged(mount, name, conversation):
    """Median of the old session's page times over the young one's, how many pairs, and the young one's time."""
    turns = list(turns_of(conversation))
    sessions = [f"{mount}/sessions/{name}-{age}" for age in ("old", "young")]
    logs = []
    for session, first in zip(sessions, (0, OLD - YOUNG)):
        os.mkdir(session)
        logs.append(os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND))
        for role, text in turns[first:OLD]:
            append(logs[-1], role=role, content=text)
    ratios, times = [], []
    for n, (role, text) in enumerate(turns[OLD:OLD + 2 * YOUNG]):
        for log in logs:
            append(log, role=role, content=text)
        for _ in range(5):
            which = (0, 1) if n % 2 else (1, 0)
            took = {i: page_time(sessions[i]) for i in which}
            ratios.append(took[0] / took[1])
            times.append(took[1])
    for log in logs:
        os.close(log)
    return statistics.median(ratios), len(ratios), statistics.median(times)


def count(mount, texts):
    """Their exact tokens, as a memory counts messages."""
    session = f"{mount}/sessions/count"
    os.makedirs(session, exist_ok=True)
    size = os.path.getsize(session + "/log.jsonl")
    log = os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND)
    for text in texts:
        append(log, content=text)
    os.close(log)
    with open(session + "/log.jsonl", "rb") as lines:
        lines.seek(size)
        return [json.loads(line)["token_count"] for line in lines]


def plain(text):
    return " ".join(text.split())


def remember(mount, conversation, name):
    """Its meetings as sessions; the text of each message by its name."""
    texts, number = {}, 1
    while f"session_{number}" in conversation:
        session = f"{mount}/sessions/{name}-{number}"
        os.mkdir(session)
        log = os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND)
        for turn in conversation[f"session_{number}"]:
            role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
            append(log, role=role, owner=turn["speaker"], content=turn["text"])
            texts[turn["dia_id"]] = plain(turn["text"])
        os.close(log)
        number += 1
    return texts


def ask(mount, texts, questions, name):
    """Of each question: (share of evidence, page) of context.md and of context/QUESTION.md."""
    for i, q in enumerate(questions):
        evidence = [texts[e] for e in q["evidence"]]
        session = f"{mount}/sessions/{name}-asked-{i}"
        os.mkdir(session)
        with open(f"{mount}/context/{q['question'].replace('/', ' ')}.md", encoding="utf-8") as page:
            asked = page.read()
        log = os.open(session + "/log.jsonl", os.O_WRONLY | os.O_APPEND)
        append(log, role="user", content=q["question"])
        os.close(log)
        with open(session + "/context.md", encoding="utf-8") as page:
            both = page.read(), asked
        yield [(sum(e in plain(page) for e in evidence) / len(evidence), page) for page in both]


def kept(cinta, conversations, base, counts):
    """Evidence kept and exact tokens, over the questions of all conversations."""
    step, all_of = int(os.environ.get("STEP", 5)), ([], [])
    for i, c in enumerate(conversations):
        mount = f"{base}/kept{i}"
        subprocess.run([cinta, "mount", f"{mount}.db", mount], check=True, stdout=subprocess.DEVNULL)
        try:
            texts = remember(mount, c["conversation"], f"k{i}")
            questions = [q for q in c["qa"] if q["category"] != 5 and q["evidence"] and
                         all(e in texts for e in q["evidence"])]
            for answers in ask(mount, texts, questions[::step], f"k{i}"):
                for to, answer in zip(all_of, answers):
                    to.append(answer)
        finally:
            subprocess.run([cinta, "umount", mount], check=False)
    for name, answers in zip(("context.md", "context/QUESTION.md"), all_of):
        tokens = count(counts, [page for _, page in answers])
        print(f"evidence kept in {name}: {statistics.mean(share for share, _ in answers):.3f} of {len(answers)} questions, "
              f"in {statistics.mean(tokens):,.0f} tokens (most {max(tokens):,})", flush=True)


def main():
    cinta, locomo = sys.argv[1:]
    conversations = json.load(open(locomo, encoding="utf-8"))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as base:
        os.environ["HOME"] = base
        db, other, mount, counts = (f"{base}/{n}" for n in ("a.db", "b.db", "a", "b"))
        os.mkdir(mount)
        os.mkdir(counts)
        subprocess.run([cinta, "mount", db, mount], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([cinta, "mount", other, counts], check=True, stdout=subprocess.DEVNULL)
        pid = int(open(db + ".lock").read().split()[0])
        try:
            all_pages = all_history = 0
            print("turns  tokens: most median  slope/turn | ms at 60, 600: median ratio  CPU ms | saved")
            for i, c in enumerate(conversations):
                pages, before = [], cpu_of(pid)
                took = replay(mount, f"c{i}", c["conversation"], pages)
                cpu = (cpu_of(pid) - before) / len(took) * 1e3
                tokens = count(counts, pages)
                with open(f"{mount}/sessions/c{i}/log.jsonl", "rb") as lines:
                    each = [json.loads(line)["token_count"] for line in lines]
                history, sent = 0, 0
                for n in each:
                    history += n
                    sent += history
                early = statistics.median(took[t] for t in EARLY)
                late = statistics.median([took[t] for t in LATE if t < len(took)] or took[-40:])
                print(f"{len(took):5d}  {max(tokens):12d} {statistics.median(tokens):6.0f}  "
                      f"{slope(tokens[20:]):+10.3f} | {early:8.2f} {late:6.2f} {late / early:12.2f} {cpu:7.2f} | "
                      f"{100 * (1 - sum(tokens) / sent):.1f} %", flush=True)
                all_pages += sum(tokens)
                all_history += sent
            for i, c in enumerate(conversations):
                if sum(1 for _ in turns_of(c["conversation"])) > OLD + 2 * YOUNG // 2:
                    ratio, pairs, ms = aged(mount, f"a{i}", c["conversation"])
                    print(f"turn 600 against 60, the same messages: {ratio:.3f} (median of {pairs} pairs of {ms:.2f} ms)")
            print(f"all: {all_pages:,} tokens sent instead of {all_history:,}: {100 * (1 - all_pages / all_history):.1f} % saved")
            kept(cinta, conversations, base, counts)
        finally:
            for m in (mount, counts):
                subprocess.run([cinta, "umount", m], check=False)


main()
