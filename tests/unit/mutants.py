# SPDX-License-Identifier: MIT
"""mutants.py SEED COUNT DB VKEY PUB.pem DIR: damages copies of a good tape, half of them through SQL with the
triggers dropped, half by flipping bytes of the file, and prints what tests/verify.py says of each:
PATH VERDICT SEQ.  Used by test_mutants.c, which holds the other verifier's answer against it."""
import os, random, shutil, sqlite3, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import verify

HEADER = ("stream", "stream_seq", "prev", "time_us", "kind", "author", "body_len", "body_hash", "leaf_hash", "salt", "body")


def change(rng, db, column, seq):
    """A random other value of the column's own type, or now and then of another."""
    old = db.execute("SELECT %s FROM tape WHERE seq = ?" % column, (seq,)).fetchone()[0]
    if isinstance(old, int):
        new = rng.choice([old + 1, max(old - 1, 0), old ^ 1 << rng.randrange(40), 0, -1])
    elif isinstance(old, bytes):
        at = rng.randrange(len(old))
        new = rng.choice([old[:at] + bytes([old[at] ^ 1 << rng.randrange(8)]) + old[at + 1:], rng.randbytes(len(old)), old[:-1]])
    else:
        at = rng.randrange(len(old) + 1)
        new = rng.choice([old[:at] + rng.choice("aZ é\n\0|9") + old[at:], old[:at] + old[at + 1:], old[::-1], ""])
    db.execute("UPDATE OR IGNORE tape SET %s = ? WHERE seq = ?" % column, (new, seq))


def by_sql(rng, path):
    db = sqlite3.connect(path, isolation_level=None)
    for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        db.execute('DROP TRIGGER "%s"' % name)
    db.execute("PRAGMA ignore_check_constraints = ON")
    rows = db.execute("SELECT count(*) FROM tape").fetchone()[0]
    for _ in range(rng.choice([1, 1, 1, 2])):
        seq = rng.randrange(rows)
        sizes = [s for s, in db.execute("SELECT size FROM tape_checkpoint")] or [0]
        what = rng.randrange(12)
        if not db.execute("SELECT 1 FROM tape WHERE seq = ?", (seq,)).fetchone():
            what = 8
        if what < 5:
            change(rng, db, rng.choice(HEADER), seq)
        elif what == 5:
            db.execute("DELETE FROM tape WHERE seq = ?", (seq,))
        elif what == 6:
            db.execute("DELETE FROM tape WHERE seq >= ?", (seq,))
        elif what == 7:
            db.execute("UPDATE tape SET salt = NULL, body = NULL WHERE seq = ?", (seq,))
        elif what == 8:
            db.execute("DELETE FROM tape_checkpoint WHERE size = ?", (rng.choice(sizes),))
        elif what == 9:
            size = rng.choice(sizes)
            note = db.execute("SELECT note FROM tape_checkpoint WHERE size = ?", (size,)).fetchone()
            if note:
                at = rng.randrange(len(note[0]))
                note = note[0][:at] + rng.choice("A1+\n é=") + note[0][at + rng.randrange(2):]
                db.execute("UPDATE tape_checkpoint SET note = ? WHERE size = ?", (note, size))
        elif what == 10:
            db.execute(rng.choice(["DELETE FROM tape_tile", "UPDATE tape_tile SET hash = randomblob(32)",
                                   "INSERT OR REPLACE INTO tape_tile VALUES (1, %d, zeroblob(32))" % rng.randrange(4)]))
        else:
            other = rng.randrange(rows)
            pair = dict(db.execute("SELECT seq, body FROM tape WHERE seq IN (?, ?)", (seq, other)).fetchall())
            if len(pair) == 2:
                db.execute("UPDATE tape SET body = ? WHERE seq = ?", (pair[seq], other))
                db.execute("UPDATE tape SET body = ? WHERE seq = ?", (pair[other], seq))
    db.close()


def by_flip(rng, path):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(rng.choice([1, 1, 2, 8])):
            at = rng.randrange(size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ rng.choice([0x01, 0x80, 0xFF])]))


def main(seed, count, good, vkey, pem, folder):
    rng = random.Random(int(seed))
    for i in range(int(count)):
        path = os.path.join(folder, "mutant-%03d.db" % i)
        shutil.copy(good, path)
        if rng.random() < 0.5:
            shutil.copy(good + ".checkpoint", path + ".checkpoint")
        if i > 0:  # the first stays as it is
            by_sql(rng, path) if i % 2 else by_flip(rng, path)
        verdict = verify.judge(path, vkey, pem, [])
        print(path, verdict[0], verdict[1], flush=True)


main(*sys.argv[1:])
