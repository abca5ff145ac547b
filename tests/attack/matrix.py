#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tampers with a memory at rest in every way of ways.py, and compares what four verifiers say with what must be said.
Prints TAP, a case a group; the last one compares the table of docs/security.md with what was found.

    tests/attack/matrix.py [--table] [WORDS]    --table: prints that table; WORDS: only ways whose name has them"""
import collections
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import memory  # noqa: E402
import verify  # noqa: E402
import ways  # noqa: E402

DOC = SOURCE + "/docs/security.md"
BEGIN, END = "<!-- tests/attack/matrix.py --table -->\n", "<!-- end of that table -->\n"
EXITS = {"OK": 0, "UNVERIFIABLE": 3}  # else 1


def verdict(status, said):
    """The word that was said, if the exit status fits it; "named": what went since the note is."""
    if status == 1 and said.startswith("cinta: "):
        return "refused"
    if status == 0 and said.startswith("OK") and "\ngone entry " in said:
        return "named"
    word = re.match(r"[A-Z-]+", said)
    word = word.group() if word else "?"
    return word if status == EXITS.get(word, 1) else "%s with status %d: %s" % (word, status, said[:200])


def judged(m):
    """What each of the five says."""
    cinta = [m.cinta("verify", *more, "--vkey", m.vkey, m.db) for more in ((), ("--all",), ("--note", m.kept))]
    script = memory.run("sh", m.script, m.db, m.pem)
    second = verify.judge(m.db, m.vkey, m.pem, [])[0]
    return tuple(verdict(*x) for x in (cinta[0], cinta[1], script)) + (second, verdict(*cinta[2]))


def attack(base, place, way):
    """What is wrong with what was said of a way, and what was said."""
    group, name, must, function = way
    place = tempfile.mkdtemp(dir=place)
    m = base.copy(place)
    try:
        function(m)
        said = judged(m)
    except Exception as e:
        return "it went wrong: %r" % e, ("?",) * len(ways.SAID)
    finally:
        shutil.rmtree(place)
    wrong = ["%s says %s, not %s" % (who, is_, want) for who, is_, want in zip(ways.SAID, said, must) if is_ != want]
    return "; ".join(wrong), said


def cell(words):
    """FORK 3, ROLLBACK 1; what was not found last."""
    counted = collections.Counter("**not found**" if w == "OK" else w for w in words)
    order = sorted(counted, key=lambda w: (w == "**not found**", -counted[w], w))
    return ", ".join(w if len(counted) == 1 else "%s %d" % (w, counted[w]) for w in order)


def table(results):
    out = ["| what is tampered with | ways | `verify` | `--all` | `verify.sh` | `verify.py` | `--note` |", "|---|---|---|---|---|---|---|"]
    for group, said in results.items():
        out.append("| %s | %d | %s |" % (group, len(said), " | ".join(cell(column) for column in zip(*said))))
    every = [said for of in results.values() for said in of]
    found = [sum(w != "OK" for w in column) for column in zip(*every)]
    out.append("| all | %d | %s |" % (len(every), " | ".join("found: %d" % n for n in found)))
    named = [(group, way[1], said) for group, of in results.items()
             for way, said in zip([w for w in ways.WAYS if w[0] == group], of)]
    for what, missed in (("Not found by `verify --all`", [x for x in named if x[2][1] == "OK"]),
                         ("Found neither so nor with a note kept elsewhere", [x for x in named if x[2][1] == x[2][4] == "OK"])):
        out += ["", "%s, %d ways:" % (what, len(missed))] + ["- %s: %s" % x[:2] for x in missed]
    return "\n".join(out) + "\n"


def documented():
    with open(DOC) as f:
        text = f.read()
    return text.split(BEGIN)[1].split(END)[0] if BEGIN in text else ""


def missing():
    """Tests that the document names, and that are not there: `FILE` "CASE" "CASE"."""
    with open(DOC) as f:
        named = re.findall(r'`(tests/[\w./-]+)`((?: "[^"\n]+")*)', f.read())
    assert len(named) > 30
    out = []
    for path, cases in named:
        text = open(SOURCE + "/" + path).read() if os.path.isfile(SOURCE + "/" + path) else None
        out += [path] if text is None else [path + ": " + c for c in re.findall('"([^"]+)"', cases) if c not in text]
    return out


def result(n, name, faults):
    print("%s %d %s" % ("not ok" if faults else "ok", n, name))
    for fault in faults:
        print("# " + fault.replace("\n", "\n# "))
    sys.stdout.flush()
    return not faults


def main(words):
    show = "--table" in words
    words = " ".join(w for w in words if w != "--table")
    chosen = [w for w in ways.WAYS if words in w[0] + ": " + w[1]]
    groups = list(dict.fromkeys(w[0] for w in chosen))
    place = tempfile.mkdtemp(prefix="attack.", dir=os.environ.get("CINTA_TEST_BASE", "/var/tmp"))
    good, results, pool = True, {}, concurrent.futures.ThreadPoolExecutor(2)
    try:
        short = memory.make(place + "/short")
        long = memory.make(place + "/long", messages=250) if any(g.startswith("tiles") for g in groups) else None
        print("1..%d" % (len(groups) + 3))
        os.mkdir(place + "/same")
        untouched = judged(short.copy(place + "/same"))
        good &= result(1, "what nobody touched is OK", [] if set(untouched) == {"OK"} else [repr(untouched)])
        for n, group in enumerate(groups):
            of = [w for w in chosen if w[0] == group]
            base = long if group.startswith("tiles") else short
            judgements = list(pool.map(lambda way: attack(base, place, way), of))
            faults = ["%s: %s" % (way[1], wrong) for way, (wrong, _) in zip(of, judgements) if wrong]
            results[group] = [said for _, said in judgements]
            good &= result(n + 2, "%s: %d ways" % (group, len(results[group])), faults)
        made = table(results)
        same = words or made == documented()
        good &= result(len(groups) + 2, "the table in docs/security.md is this one", [] if same else [made])
        good &= result(len(groups) + 3, "the tests that it names are there", missing())
        if show:
            print(made)
    finally:
        pool.shutdown()
        shutil.rmtree(place, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
