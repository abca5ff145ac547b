# SPDX-License-Identifier: MIT
"""What somebody can do to a database who can write it and has not the key:

    tamper.py DB edit OLD NEW          puts other words into bodies, hashes untouched
    tamper.py DB rechain OLD NEW       the same, and all hashes and links made consistent again; tiles stay
    tamper.py DB append STREAM BODY    one more entry, hashed by the public rule
    tamper.py DB append-bad STREAM BODY  the same with a leaf hash of its own

The triggers are there again afterwards, so that the schema tells nothing."""
import hashlib
import json
import sqlite3
import sys

COLUMNS = "seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash, leaf_hash, salt, body"


def leaf_of(origin, row):
    seq, stream, n, prev, time, kind, author, length, body_hash = row[:9]
    head = ("tape/1", origin, seq, stream, n, prev.hex(), time, kind, author, length, body_hash.hex())
    return hashlib.sha256(b"\0" + "".join("%s\n" % x for x in head).encode()).digest()


def edit(db, old, new):
    done = db.execute("UPDATE tape SET body = replace(body, ?, ?) WHERE body LIKE '%' || ? || '%'", (old, new, old))
    assert done.rowcount > 0, "nothing to edit"


def rechain(db, old, new):
    edit(db, old, new)
    origin = json.loads(db.execute("SELECT body FROM tape WHERE seq = 0").fetchone()[0])["origin"]
    heads = {}
    for row in db.execute("SELECT %s FROM tape ORDER BY seq" % COLUMNS).fetchall():
        row = list(row)
        if row[11] is not None:
            row[7], row[8] = len(row[11].encode()), hashlib.sha256(row[10] + row[11].encode()).digest()
        row[3] = heads.get(row[1], bytes(32))
        row[9] = heads[row[1]] = leaf_of(origin, row)
        db.execute("UPDATE tape SET prev = ?, body_len = ?, body_hash = ?, leaf_hash = ? WHERE seq = ?",
                   (row[3], row[7], row[8], row[9], row[0]))


def append(db, stream, body, bad=False):
    origin = json.loads(db.execute("SELECT body FROM tape WHERE seq = 0").fetchone()[0])["origin"]
    seq, time = db.execute("SELECT max(seq) + 1, max(time_us) + 1 FROM tape").fetchone()
    last = db.execute("SELECT stream_seq, leaf_hash FROM tape WHERE stream = ? ORDER BY stream_seq DESC LIMIT 1",
                      (stream,)).fetchone() or (-1, bytes(32))
    salt = bytes(range(16))
    row = [seq, stream, last[0] + 1, last[1], time, "message", "mallory:sh", len(body.encode()),
           hashlib.sha256(salt + body.encode()).digest()]
    leaf = hashlib.sha256(b"mine").digest() if bad else leaf_of(origin, row)
    db.execute("INSERT INTO tape(%s) VALUES(%s)" % (COLUMNS, ", ".join("?" * 12)), row + [leaf, salt, body])


def main(path, what, *args):
    db = sqlite3.connect(path, isolation_level=None, timeout=20)
    db.execute("BEGIN IMMEDIATE")
    triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute('DROP TRIGGER "%s"' % name)
    {"edit": edit, "rechain": rechain, "append": append,
     "append-bad": lambda *a: append(*a, bad=True)}[what](db, *args)
    for _, sql in triggers:
        db.execute(sql)
    db.execute("COMMIT")


main(*sys.argv[1:])
