#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Databases that somebody made to hurt who opens them: foreign schemas, entries whose bodies are nonsense though their
hashes are right, damaged pages, odd files beside.  Each verb must end, by itself and without a crash; what it says of
the tape and of the views is compared with what must be said.  Prints TAP, a case a group.

    tests/attack/hostile.py [WORDS]    only databases whose name has them"""
import concurrent.futures
import os
import shutil
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import memory  # noqa: E402
from matrix import result, verdict  # noqa: E402
from ways import ENDLESS, page_of, schema  # noqa: E402

# Of `verify`, of `verify --all`, and of `verify --all` after `rebuild`; "refused": it changed nothing.
SAID = ("verify", "--all", "after rebuild")
MENDED = "OK DERIVED OK"
REFUSED = "OK DERIVED refused"
DATABASES = []  # (group, name, what is said, function of a copy)


def databases(group, table):
    for name, said, function in table:
        words = said.split()
        DATABASES.append((group, name, tuple(words * 3 if len(words) == 1 else words), function))


def reworded(old, new, table="tape"):
    """The schema's own text, changed behind SQLite's back."""
    def change(m):
        with m.open() as db:
            db.execute("PRAGMA writable_schema = ON")
            done = db.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ? AND instr(sql, ?)",
                              (old, new, table, old))
            assert done.rowcount == 1, "no such text"
            db.execute("PRAGMA writable_schema = RESET")
    return change


def rooted(table, page):
    def change(m):
        number = m.one(page) if isinstance(page, str) else page
        with m.open() as db:
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", (number, table))
            db.execute("PRAGMA writable_schema = RESET")
    return change


databases("a foreign schema", [
    ("a trigger that never ends", MENDED, schema("CREATE TRIGGER evil AFTER INSERT ON tape BEGIN %s; END" % ENDLESS)),
    ("a trigger on a view's table", MENDED, schema("CREATE TRIGGER evil AFTER INSERT ON v_doc BEGIN SELECT 1; END")),
    ("a trigger that deletes", MENDED, schema("CREATE TRIGGER evil AFTER INSERT ON tape BEGIN DELETE FROM tape_checkpoint; END")),
    ("an endless view for v_state", MENDED, schema("DROP TABLE v_state; CREATE VIEW v_state AS %s" % ENDLESS)),
    ("an endless view for v_made", MENDED, schema("DROP TABLE v_made; CREATE VIEW v_made(version) AS %s" % ENDLESS)),
    ("an endless view for v_content", MENDED, schema("DROP VIEW v_content; CREATE VIEW v_content AS %s" % ENDLESS)),
    ("a view for the notes", "FORMAT", schema(
        "ALTER TABLE tape_checkpoint RENAME TO kept; CREATE VIEW tape_checkpoint AS SELECT 1 AS size, 'x' AS note")),
    ("a generated column in the tape", "FORMAT", reworded("body       ANY,", "body TEXT GENERATED ALWAYS AS (salt) VIRTUAL,")),
    ("a CHECK that takes for ever", REFUSED, reworded(
        "CHECK (time_us >= 0)", "CHECK (time_us >= 0 AND instr(hex(zeroblob(400000000)), x'01') = 0)")),
    ("an index on an expression", MENDED, schema("CREATE INDEX evil ON tape (length(body))")),
    ("a virtual table", MENDED, schema("CREATE VIRTUAL TABLE v_x USING fts5(a)")),
    ("another's table", MENDED, schema("CREATE TABLE sqlitex(a)")),
    ("no table of notes", "FORMAT", schema("DROP TRIGGER tape_checkpoint_keep; DROP TABLE tape_checkpoint")),
    ("no views at all", MENDED, lambda m: dropped_views(m))])


def dropped_views(m):
    db = sqlite3.connect(m.db, isolation_level=None)
    for kind, name in db.execute("SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table')"
                                 " AND name NOT LIKE 'tape%' AND name NOT LIKE 'sqlite%' ORDER BY type DESC").fetchall():
        db.execute('DROP %s "%s"' % (kind, name))
    db.close()


# ---- entries whose hashes are right, and whose bodies are nonsense ---------------------------------------------------

def entries(*rows, stream="s1", kind="message"):
    def change(m):
        all_ = m.rows()
        for row in rows:
            s, k, body = row if isinstance(row, tuple) else (stream, kind, row)
            all_.append(m.entry(all_, s, body, kind=k))
        m.write(all_, chained=False)
    return change


databases("messages and sessions of nonsense", [(name, "OK", f) for name, f in (
    ("no JSON", entries("not JSON")), ("nothing", entries("")), ("a number", entries("7")), ("a list", entries("[1]")),
    ("no content", entries('{"role":"user"}')), ("content of another type", entries('{"content":{"a":[1,null]}}')),
    ("a member twice", entries('{"content":"a","content":"b","role":1,"role":[]}')),
    ("a lone surrogate", entries('{"content":"\\ud800"}')), ("a NUL in JSON", entries('{"content":"a\\u0000b"}')),
    ("a number beyond all bounds", entries('{"content":"x","token_count":1e999,"ambient":{"n":-1e-999}}')),
    ("200,000 levels deep", entries("[" * 200000)), ("200,000 levels of objects", entries('{"a":' * 200000)),
    ("four megabytes", entries('{"content":"%s"}' % ("x" * 4000000))),
    ("a megabyte of threads", entries('{"content":"x","thread":"%s"}' % ("t" * 1000000))),
    ("a thread called ../..", entries('{"content":"x","thread":"../../etc"}')),
    ("100,000 hashtags", entries('{"content":"x","hashtags":[%s]}' % ",".join('"h%d"' % i for i in range(100000)))),
    ("a session that does not exist", entries('{"content":"x"}', stream="s99")),
    ("session 0, and one of twenty digits", entries(("s0", "message", '{"content":"x"}'), ("s99999999999999999999", "message", '{"content":"x"}'))),
    ("a session called ../x", entries('{"name":"../x"}', stream="sessions", kind="session")),
    ("a session without a name", entries('{"name":""}', '{"name":7}', "{}", stream="sessions", kind="session")),
    ("a session with the name of another", entries('{"name":"x"}', '{"name":"x"}', stream="sessions", kind="session")),
    ("an unknown kind in an unknown stream", entries(("evil", "evil", "evil"), ("s1", "evil", "{}"), ("d1", "message", "{}"))))])


def folder(parent, name):
    return '{"parent":"%s","name":"%s","path":"%s/%s","folder":true}' % (parent, name, parent, name)


databases("documents of nonsense", [(name, "OK", f) for name, f in (
    ("a folder in itself", entries(folder("d3", "d3"), folder("d4", "d3"), stream="documents", kind="document.make")),
    ("a circle of folders", entries(("documents", "document.make", folder("d4", "a")), ("documents", "document.make", folder("d3", "b")),
                                    ("d3", "rename", '{"parent":"d4","name":"a","path":"b/a"}'))),
    ("300 folders in each other", entries(*[folder("notes" if i == 3 else "d%d" % (i - 1), "f") for i in range(3, 303)],
                                          stream="documents", kind="document.make")),
    ("a path that leads out", entries('{"parent":"notes","name":"../../x","path":"../../x","folder":false}',
                                      stream="documents", kind="document.make")),
    ("a name of slashes and controls", entries('{"parent":"notes","name":"/","path":"/","folder":false}',
                                               '{"parent":"notes","name":"\\n\\u001b","path":"x","folder":true}',
                                               stream="documents", kind="document.make")),
    ("fields that are none", entries('{"fields":7,"size":-1,"tokens":1e30,"sha256":7,"lines":"x","text":null}', stream="d1", kind="document")),
    ("a size that is not its text's", entries('{"fields":{},"size":9223372036854775807,"tokens":-5,"sha256":"x","lines":[-1,9e18],"text":"x"}',
                                              stream="d1", kind="document")),
    ("a version of what does not exist", entries('{"fields":{},"size":1,"tokens":1,"sha256":"","lines":[1,0],"text":"x"}',
                                                 stream="d99", kind="document")),
    ("retired into itself, and into nothing", entries('{"into":1}', '{"into":99}', '{"into":-1}', stream="d1", kind="retire")),
    ("renamed onto itself", entries('{"parent":"notes","name":"plan.md","path":"notes/plan.md"}', '{"parent":"d1","name":"x","path":"x"}',
                                    stream="d1", kind="rename")))])

databases("facts, windows and redactions of nonsense", [(name, "OK", f) for name, f in (
    ("a fact without a text", entries("{}", '{"save":-1,"text":7,"confidence":"x","source":[]}', stream="f1", kind="fact.add")),
    ("a fact that stands for itself", entries('{"save":9,"text":"x","confidence":"high","source":"explicit","supersedes":2}',
                                              stream="f1", kind="fact.add")),
    ("a list that does not exist", entries('{"save":1,"text":"x"}', stream="f9", kind="fact.add")),
    ("what is not there taken back", entries('{"fact":99}', '{"fact":-1}', '{"fact":"x"}', stream="f1", kind="fact.retract")),
    ("weighed, confirmed, told anew", entries(("f1", "fact.weigh", '{"fact":1,"confidence":9}'), ("f1", "fact.confirm", "[]"),
                                              ("f1", "fact.text", '{"text":null}'))),
    ("a summary from 9 to 1", entries('{"op":"summarize","from":9,"to":1,"text":"x"}', stream="c1", kind="context")),
    ("a summary of all there could be", entries('{"op":"summarize","from":1,"to":9223372036854775807,"text":"x"}', stream="c1", kind="context")),
    ("ids without end", entries('{"op":"prune","ids":[[1,9223372036854775807]]}', '{"op":"pin","ids":[[0,0],[-5,-1],[3]]}',
                                '{"op":"restore","ids":7}', stream="c1", kind="context")),
    ("an operation nobody knows", entries('{"op":"evil"}', '{"op":7}', "[]", '{"op":"window","n":1e99}', stream="c1", kind="context")),
    ("the window of no session", entries('{"op":"reset"}', stream="c99", kind="context")),
    ("redactions of what has its body", entries('{"seq":2,"reason":"x"}', '{"seq":99999,"reason":"x"}', "{", stream="tape", kind="tape.redact"))
)])


# ---- values and pages ------------------------------------------------------------------------------------------------

def value(column, sql):
    def change(m):
        seq = m.one("SELECT max(seq) FROM tape")
        m.sql("UPDATE tape SET %s = %s WHERE seq = ?" % (column, sql), seq)
    return change


databases("values at their ends", [
    ("seq 2^63 - 1", "LINK", value("seq", "9223372036854775807")),
    ("seq -1", "FORMAT", value("seq", "-1")),
    ("stream_seq 2^63 - 1", "LINK", value("stream_seq", "9223372036854775807")),
    ("time 2^63 - 1", "CONTENT", value("time_us", "9223372036854775807")),
    ("body_len 2^63 - 1", "CONTENT", value("body_len", "9223372036854775807")),
    ("a body that is no UTF-8", "CONTENT", value("body", "CAST(x'7bff80fe7d' AS TEXT)")),
    ("a body with a NUL", "CONTENT", value("body", "'{' || char(0) || '}'")),
    ("a stream of a megabyte", "FORMAT", value("stream", "printf('%.*c', 1000000, 's')")),
    ("an author of nothing", "FORMAT", value("author", "''")),
    ("a note of a megabyte", "FORK", lambda m: m.sql("UPDATE tape_checkpoint SET note = printf('%.*c', 1000000, 'x')"))])


def garbage(table):
    def change(m):
        at, size = page_of(m, table), m.one("PRAGMA page_size")
        with open(m.db, "r+b") as f:
            f.seek(at)
            f.write(bytes(range(1, 256)) * (size // 255) + b"\xee" * (size % 255))
    return change


databases("damaged pages", [
    ("garbage for the documents", MENDED, garbage("v_doc")),
    ("garbage for the state of the views", MENDED, garbage("v_state")),
    ("garbage for the tape", "FORMAT FORMAT OK", garbage("tape")),
    ("garbage for the notes", "FORMAT", garbage("tape_checkpoint")),
    ("two tables in one page", MENDED, rooted("v_doc", "SELECT rootpage FROM sqlite_schema WHERE name = 'v_fact'")),
    ("a view in the tape's page", MENDED, rooted("v_doc", "SELECT rootpage FROM sqlite_schema WHERE name = 'tape'")),
    ("a row of an index left out", MENDED, lambda m: unindexed(m))])


def unindexed(m):
    """The index is gone while a row is changed, and there again with what it was."""
    sql = m.one("SELECT sql FROM sqlite_schema WHERE name = 'v_doc_name'")
    db = sqlite3.connect(m.db, isolation_level=None)
    db.execute("PRAGMA writable_schema = ON")
    root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'v_doc_name'").fetchone()[0]
    db.execute("DELETE FROM sqlite_schema WHERE name = 'v_doc_name'")
    db.execute("PRAGMA writable_schema = RESET")
    db.execute("UPDATE v_doc SET name = 'plot.md' WHERE name = 'plan.md'")
    db.execute("PRAGMA writable_schema = ON")
    db.execute("INSERT INTO sqlite_schema VALUES('index', 'v_doc_name', 'v_doc', ?, ?)", (root, sql))
    db.execute("PRAGMA writable_schema = RESET")
    db.close()


def beside(ending, make):
    def change(m):
        path = m.db + ending
        if os.path.lexists(path):
            os.remove(path)
        make(path)
    return change


databases("odd files beside it", [
    ("a FIFO for the sidecar", "UNVERIFIABLE", beside(".checkpoint", os.mkfifo)),
    ("a directory for the sidecar", "UNVERIFIABLE", beside(".checkpoint", os.mkdir)),
    ("a megabyte for the sidecar", "FORK", beside(".checkpoint", lambda p: memory.put(p, "x" * 1000000))),
    ("garbage for the search index", "OK", beside(".search", lambda p: memory.put(p, "garbage" * 1000))),
    ("a FIFO for the search index", "OK OK refused", beside(".search", os.mkfifo)),
    ("garbage for DB.side", "OK", beside(".side", lambda p: memory.put(p, "garbage" * 1000)))])


def judged(m):
    said = [verdict(*m.cinta("verify", *more, "--vkey", m.vkey, m.db)) for more in ((), ("--all",))]
    for verb in (("status", m.db), ("search", m.db, "alice"), ("doctor", m.db)):
        status, text = m.cinta(*verb)
        assert status < 4, "%s: status %d: %s" % (verb[0], status, text[-300:])
    status, text = m.cinta("rebuild", m.db)
    assert status < 4 and "not an error" not in text, "rebuild: status %d: %s" % (status, text[-300:])
    again = verdict(*m.cinta("verify", "--all", "--vkey", m.vkey, m.db))
    assert status or again in ("OK", "UNVERIFIABLE", "FORK"), "rebuild says that all is well, and left it " + again
    return said + ["refused" if status and again == said[1] and again in ("OK", "DERIVED") else again]


def fault(base, place, database):
    _, name, must, function = database
    place = tempfile.mkdtemp(dir=place)
    m = base.copy(place)
    try:
        function(m)
        said = judged(m)
    except Exception as e:
        return "%s: it went wrong: %s" % (name, e)
    finally:
        shutil.rmtree(place)
    wrong = ["%s says %s, not %s" % x for x in zip(SAID, said, must) if x[1] != x[2]]
    return name + ": " + "; ".join(wrong) if wrong else None


def main(words):
    chosen = [d for d in DATABASES if " ".join(words) in d[0] + ": " + d[1]]
    groups = list(dict.fromkeys(d[0] for d in chosen))
    place = tempfile.mkdtemp(prefix="attack.", dir=os.environ.get("CINTA_TEST_BASE", "/var/tmp"))
    good, pool = True, concurrent.futures.ThreadPoolExecutor(2)
    try:
        base = memory.make(place + "/base")
        print("1..%d" % len(groups))
        for n, group in enumerate(groups):
            of = [d for d in chosen if d[0] == group]
            faults = [f for f in pool.map(lambda d: fault(base, place, d), of) if f]
            good &= result(n + 1, "%s: %d databases" % (group, len(of)), faults)
    finally:
        pool.shutdown()
        shutil.rmtree(place, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
