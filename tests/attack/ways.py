# SPDX-License-Identifier: MIT
"""Every way we know to tamper with a memory at rest, in groups, and what must be said of each.

What is said: by `cinta verify`, by `verify --all`, by .cinta/verify.sh, by tests/verify.py, and by `verify --note` with
the newest note kept elsewhere.  One word stands for all five; "OK" is: not found, or nothing is wrong with the tape."""
import json
import os
import shutil
import sqlite3
import subprocess
import zlib

from memory import leaf_of, note_of, put, redaction_of, sha

SAID = ("verify", "--all", "verify.sh", "verify.py", "--note")
WAYS = []  # (group, name, what is said, function of a copy)


def way(group, name, said):
    words = said.split()
    assert len(words) in (1, len(SAID)), name

    def add(function):
        WAYS.append((group, name, tuple(words * len(SAID) if len(words) == 1 else words), function))
        return function
    return add


def ways(group, table):
    """A way a line: its name, what is said, a function of a copy."""
    for name, said, function in table:
        way(group, name, said)(function)


def last(m):
    return m.one("SELECT max(seq) FROM tape")


def leaves(m):
    return [row[9] for row in m.rows()]


def notes(m):
    return [n for n, in sqlite3.connect(m.db).execute("SELECT note FROM tape_checkpoint ORDER BY size")]


def flip(column):
    """One bit: the lowest of a number, or of the first byte; of a place, one that no other entry has."""
    def change(m):
        seq = m.seq("pay alice ten")
        old = m.one("SELECT %s FROM tape WHERE seq = ?" % column, seq)
        new = (old ^ 1 << 20 if column in ("seq", "stream_seq") else old ^ 1 if isinstance(old, int) else
               bytes([old[0] ^ 1]) + old[1:] if isinstance(old, bytes) else chr(ord(old[0]) ^ 1) + old[1:])
        m.sql("UPDATE tape SET %s = ? WHERE seq = ?" % column, new, seq)
    return change


ways("one bit of a column of an entry", [(c, s, flip(c)) for c, s in (
    ("seq", "LINK"), ("stream", "LINK"), ("stream_seq", "LINK"), ("prev", "LINK"), ("time_us", "CONTENT"),
    ("kind", "CONTENT"), ("author", "CONTENT"), ("body_len", "CONTENT"), ("body_hash", "CONTENT"),
    ("leaf_hash", "CONTENT"), ("salt", "CONTENT"), ("body", "CONTENT"))])


# ---- values of another type or size, which a table that is not STRICT can hold --------------------------------------

def typed(column, value):
    def change(m):
        seq = m.seq("pay alice ten")
        strict = m.one("SELECT sql FROM sqlite_schema WHERE name = 'tape'")
        lax = strict.replace(") STRICT", ")")
        assert lax != strict
        with m.open() as db:
            for sql in (lax, strict):
                db.execute("PRAGMA writable_schema = ON")
                db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'tape'", (sql,))
                db.execute("PRAGMA writable_schema = RESET")
                if sql is lax:
                    db.execute("UPDATE tape SET %s = %s WHERE seq = ?" % (column, value), (seq,))
    return change


ways("a value of another type or size", [
    ("a body that is a blob", "FORMAT FORMAT OK FORMAT FORMAT", typed("body", "CAST(body AS BLOB)")),
    ("a stream that is a blob", "FORMAT FORMAT LINK FORMAT FORMAT", typed("stream", "CAST(stream AS BLOB)")),
    ("a time that is a text", "FORMAT FORMAT CONTENT FORMAT FORMAT", typed("time_us", "time_us || 'x'")),
    ("a hash of 31 bytes", "FORMAT FORMAT CONTENT FORMAT FORMAT", typed("leaf_hash", "substr(leaf_hash, 1, 31)")),
    ("a salt of 15 bytes", "FORMAT FORMAT CONTENT FORMAT FORMAT", typed("salt", "substr(salt, 1, 15)")),
    ("a negative time", "FORMAT FORMAT CONTENT FORMAT FORMAT", typed("time_us", "-time_us")),
    ("an author with a line feed", "FORMAT FORMAT CONTENT FORMAT FORMAT", typed("author", "author || char(10) || '1'"))])


# ---- packed bodies: text, and as a blob what zlib made of it --------------------------------------------------------

def biggest(m):
    return max((r for r in m.rows() if r[11] and r[5] == "document"), key=lambda r: len(r[11]))[0]


def together(body, dictionary=None):
    c = zlib.compressobj(zdict=dictionary or body)
    return c.compress(body) + c.flush()


def packed(change):
    def pack(m):
        seq = biggest(m)
        body = m.one("SELECT body FROM tape WHERE seq = ?", seq).encode()
        blob = change(body)
        assert len(blob) < len(body)
        m.sql("UPDATE tape SET body = ? WHERE seq = ?", blob, seq)
    return pack


def plan(m):
    """The two versions of a document: their entries, and the first one's body."""
    first, second = m.seq("meet alice at noon"), m.seq("meet alice at one")
    return first, second, m.one("SELECT body FROM tape WHERE seq = ?", first).encode()


def packed_with(m, seq, name, dictionary):
    """Entry `seq` packed with that body, under the name of an entry."""
    body = m.one("SELECT body FROM tape WHERE seq = ?", seq).encode()
    blob = name.to_bytes(8, "big") + together(body, dictionary)
    assert len(blob) < len(body)
    m.sql("UPDATE tape SET body = ? WHERE seq = ?", blob, seq)


def flipped(blob):
    return blob[:-9] + bytes([blob[-9] ^ 1]) + blob[-8:]


ways("a packed body", [
    ("of another text", "CONTENT", packed(lambda b: zlib.compress(b.replace(b"e", b"a")))),
    ("of a longer text", "FORMAT FORMAT CONTENT CONTENT FORMAT", packed(lambda b: zlib.compress(b + b" "))),
    ("with bytes behind it", "FORMAT", packed(lambda b: zlib.compress(b) + b"\x00\x11\x22")),
    ("with one bit changed", "FORMAT", packed(lambda b: flipped(zlib.compress(b)))),
    ("cut off", "FORMAT", packed(lambda b: zlib.compress(b)[:-6])),
    ("beside a body that is none", "FORMAT", packed(lambda b: bytes(7) + b"\x7f" + together(b))),
    ("beside itself", "FORMAT", lambda m: packed(lambda b: biggest(m).to_bytes(8, "big") + together(b))(m)),
    ("beside another document's", "FORMAT", lambda m: packed_with(m, biggest(m), plan(m)[0], plan(m)[2])),
    ("beside the right one, under another name", "FORMAT", lambda m: packed_with(m, plan(m)[1], plan(m)[0] | 1 << 63, plan(m)[2])),
    ("beside the right one: nothing is wrong", "OK", lambda m: packed_with(m, plan(m)[1], plan(m)[0], plan(m)[2])),
    ("by another program", "FORMAT", packed(lambda b: b[:len(b) // 2]))])


# ---- other words, and more and more of the hashes made to fit -------------------------------------------------------

def reworded(rows):
    row = [r for r in rows if r[11] and "pay alice ten" in r[11]][0]
    row[11] = row[11].replace("alice", "mallo")
    return row


@way("other words in a body", "the body alone", "CONTENT")
def _(m):
    m.sql("UPDATE tape SET body = replace(body, 'alice ten', 'mallo ten') WHERE body LIKE '%pay alice%'")


@way("other words in a body", "a longer body", "CONTENT")
def _(m):
    m.sql("UPDATE tape SET body = body || ' ' WHERE body LIKE '%pay alice%'")


@way("other words in a body", "and the hash of the body", "CONTENT")
def _(m):
    rows = m.rows()
    row = reworded(rows)
    row[8] = sha(row[10], row[11].encode())
    m.write(rows, chained=False)


@way("other words in a body", "and the hash of the header", "LINK")
def _(m):
    rows = m.rows()
    row = reworded(rows)
    row[8] = sha(row[10], row[11].encode())
    row[9] = leaf_of(m.origin, row)
    m.write(rows, chained=False)


@way("other words in a body", "and all hashes after it", "FORK")
def _(m):
    rows = m.rows()
    reworded(rows)
    m.write(rows)


@way("other words in a body", "of the last entry, with its hashes", "FORK")
def _(m):
    rows = m.rows()
    rows[-1][11] = rows[-1][11].replace("last", "next")
    m.write(rows[:-1] + [rows[-1]], chained=False)
    rows = m.rows()
    row = rows[-1]
    row[7], row[8] = len(row[11].encode()), sha(row[10], row[11].encode())
    row[9] = leaf_of(m.origin, row)
    m.write(rows, chained=False)


@way("other words in a body", "of another session, with all hashes", "FORK FORK ROLLBACK FORK FORK")
def _(m):
    rows = m.rows()
    row = [r for r in rows if r[11] and "another session" in r[11]][0]
    gone = [r for r in rows if r[11] is None][0]
    row[11] = row[11].replace("another", "a foreign")
    rows.remove(gone)  # with it goes what its signature was for
    m.write([r for r in rows if r[5] != "tape.redact"])


@way("other words in a body", "two bodies changed places, with salts", "CONTENT")
def _(m):
    rows = m.rows()
    a, b = m.seq("hello there"), m.seq("and goodbye")
    rows[a][10:], rows[b][10:] = rows[b][10:], rows[a][10:]
    m.write(rows, chained=False)


# ---- entries that go, come, or change places ------------------------------------------------------------------------

def without(choose, chained=False):
    def change(m):
        m.write([r for r in m.rows() if not choose(m, r)], chained)
    return change


ways("entries taken out", [
    ("one in the middle", "LINK", without(lambda m, r: r[0] == m.seq("pay alice ten"))),
    ("the genesis", "LINK LINK FORMAT LINK LINK", without(lambda m, r: r[0] == 0)),
    ("a whole session", "LINK", without(lambda m, r: r[1] == "s1")),
    ("one, and all after it moved up", "LINK", lambda m: (
        m.sql("DELETE FROM tape WHERE body LIKE '%pay alice%'"),
        [m.sql("UPDATE tape SET seq = seq - 1 WHERE seq = ?", s) for s in range(4, last(m) + 1)])),
    ("one, and all hashes made anew", "MISSING", without(lambda m, r: r[0] == m.seq("and goodbye"), True)),
    ("all but the genesis", "ROLLBACK", without(lambda m, r: r[0] > 0)),
    ("all of them", "ROLLBACK ROLLBACK FORMAT ROLLBACK ROLLBACK", without(lambda m, r: True))])


def inserted(m):
    rows = m.rows()
    rows.insert(4, m.entry(rows[:4], "s1", '{"role":"user","content":"forged"}'))
    for seq, row in enumerate(rows):
        row[0] = seq
        row[2] += seq > 4 and row[1] == "s1"
    return rows


@way("entries put in", "one in the middle", "LINK")
def _(m):
    m.write(inserted(m), chained=False)


@way("entries put in", "one in the middle, all hashes made anew", "MISSING")
def _(m):
    m.write(inserted(m))


@way("entries put in", "one twice", "LINK")
def _(m):
    rows = m.rows()
    twice = list(rows[-1])
    twice[0] += 1
    twice[2] += 1
    m.write(rows + [twice], chained=False)


@way("entries put in", "one of another memory", "LINK")
def _(m):
    rows = m.rows()
    row = m.entry(rows, "s2", '{"role":"user","content":"of another"}')
    row[3] = sha(b"other")
    row[9] = leaf_of("cinta/0000000000000000", row)
    m.write(rows + [row], chained=False)


@way("entries put in", "at the end, with a wrong hash", "CONTENT")
def _(m):
    rows = m.rows()
    row = m.entry(rows, "s1", '{"role":"user","content":"mine"}')
    row[9] = sha(b"mine")
    m.write(rows + [row], chained=False)


@way("entries put in", "at the end, with a wrong link", "LINK")
def _(m):
    rows = m.rows()
    row = m.entry(rows, "s1", '{"role":"user","content":"mine"}')
    row[3] = sha(b"mine")
    row[9] = leaf_of(m.origin, row)
    m.write(rows + [row], chained=False)


@way("entries put in", "at the end, as any program may: beyond signed_upto", "OK")
def _(m):
    m.append("s1", '{"role":"user","content":"I am the owner"}')


def exchanged(a, b, chained=False):
    def change(m):
        rows = m.rows()
        x, y = m.seq(a), m.seq(b)
        rows[x], rows[y] = rows[y], rows[x]
        for seq, row in enumerate(rows):
            row[0] = seq
        m.write(rows, chained)
    return change


ways("entries in another order", [
    ("two of one session", "LINK", exchanged("hello there", "pay alice ten")),
    ("two of two streams", "CONTENT", exchanged("alice pays", "greetings and money")),
    ("two of one session, all hashes made anew", "FORK", exchanged("hello there", "and goodbye", True)),
    ("two of two streams, all hashes made anew", "FORK", exchanged("alice pays", "greetings and money", True)),
    ("two places of a stream", "LINK", lambda m: (
        m.sql("UPDATE tape SET stream_seq = 99 WHERE body LIKE '%hello there%'"),
        m.sql("UPDATE tape SET stream_seq = 0 WHERE body LIKE '%pay alice%'"),
        m.sql("UPDATE tape SET stream_seq = 1 WHERE body LIKE '%hello there%'")))])


# ---- the end cut off ------------------------------------------------------------------------------------------------

def cut(m, beside=False, inside=True):
    """All from the last entry on, and the notes over it, here and in the sidecar."""
    end = last(m)
    m.sql("DELETE FROM tape WHERE seq = ?", end)
    if inside:
        m.sql("DELETE FROM tape_checkpoint WHERE size > ?", end)
    if beside:
        put(m.db + ".checkpoint", notes(m)[-1])


ways("the end cut off", [
    ("the last entry", "ROLLBACK", lambda m: cut(m, inside=False)),
    ("and the notes over it", "ROLLBACK ROLLBACK OK ROLLBACK ROLLBACK", cut),
    ("and the sidecar put back", "OK DERIVED OK OK ROLLBACK", lambda m: cut(m, beside=True)),
    ("and the sidecar removed", "OK DERIVED OK OK ROLLBACK", lambda m: (cut(m), os.remove(m.db + ".checkpoint"))),
    ("all entries and notes, no sidecar", "UNVERIFIABLE UNVERIFIABLE FORMAT UNVERIFIABLE ROLLBACK", lambda m: (
        m.write([]), m.sql("DELETE FROM tape_checkpoint"), os.remove(m.db + ".checkpoint")))])


# ---- bodies that go -------------------------------------------------------------------------------------------------

def gone(m, words="pay alice ten"):
    seq = m.seq(words)
    leaf = m.one("SELECT leaf_hash FROM tape WHERE seq = ?", seq)
    m.sql("UPDATE tape SET salt = NULL, body = NULL WHERE seq = ?", seq)
    return seq, leaf


def claim(m, body, stream="tape", kind="tape.redact"):
    m.append(stream, body, kind=kind, author="cinta")


def own_key(m):
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", m.place + "/own.pem"], check=True)
    return m.place + "/own.pem"


ways("a body taken out", [
    ("and nothing says so", "MISSING", gone),
    ("the salt alone", "FORMAT FORMAT CONTENT FORMAT FORMAT", lambda m: m.sql("UPDATE tape SET salt = NULL WHERE body LIKE '%pay alice%'")),
    ("the body alone", "FORMAT FORMAT MISSING FORMAT FORMAT", lambda m: m.sql("UPDATE tape SET body = NULL WHERE body LIKE '%pay alice%'")),
    ("an empty one in its place", "CONTENT", lambda m: m.sql("UPDATE tape SET body = '' WHERE body LIKE '%pay alice%'")),
    ("of a redaction", "MISSING", lambda m: gone(m, "tape.redact"))])

ways("a forged redaction", [
    ("no signature", "REDACTED-UNPROVED", lambda m: claim(m, '{"seq":%d,"reason":"x"}' % gone(m)[0])),
    ("a signature of zeros", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, '{"seq":%d,"leaf":"%s","time_us":1,"reason":"x","sig":"%s=="}' % (seq, leaf.hex(), "A" * 86)))(*gone(m))),
    ("signed by another key", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, redaction_of(m.origin, own_key(m), seq, leaf)))(*gone(m))),
    ("signed for another tape", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, redaction_of("cinta/0000000000000000", m.key, seq, leaf)))(*gone(m))),
    ("the owner's, for another entry", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, redaction_of(m.origin, m.key, seq, sha(leaf))))(*gone(m))),
    ("the owner's, with another reason", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, redaction_of(m.origin, m.key, seq, leaf).replace('"away"', '"good"')))(*gone(m))),
    ("the owner's, in another stream", "REDACTED-UNPROVED", lambda m: (lambda seq, leaf: claim(
        m, redaction_of(m.origin, m.key, seq, leaf), stream="s1"))(*gone(m))),
    ("the owner's, of another kind", "MISSING", lambda m: (lambda seq, leaf: claim(
        m, redaction_of(m.origin, m.key, seq, leaf), kind="message"))(*gone(m))),
    ("the entry that says so, made empty", "MISSING", lambda m: (
        m.sql("UPDATE tape SET salt = NULL, body = NULL WHERE kind = 'tape.redact'")))])

ways("a true redaction", [
    ("its body put back", "FORMAT", lambda m: m.sql("UPDATE tape SET salt = ?, body = ? WHERE seq = ?", *m.secret)),
    ("another body put back", "CONTENT", lambda m: m.sql(
        "UPDATE tape SET salt = zeroblob(16), body = '{\"role\":\"user\",\"content\":\"x\"}' WHERE body IS NULL")),
    ("its reason changed", "REDACTED-UNPROVED", lambda m: m.sql(
        "UPDATE tape SET body = replace(body, 'a leak', 'a joke') WHERE kind = 'tape.redact'")),
    ("its entry taken out", "MISSING", lambda m: m.sql("DELETE FROM tape WHERE kind = 'tape.redact'"))])


# ---- the first entry ------------------------------------------------------------------------------------------------

def genesis(**members):
    def change(m):
        rows = m.rows()
        body = json.loads(rows[0][11])
        body.update(members)
        rows[0][11] = json.dumps(body, separators=(",", ":"))
        m.origin = body["origin"]
        m.write(rows)
    return change


ways("the first entry, all hashes made anew", [
    ("another origin", "FORK FORK REDACTED-UNPROVED FORK FORK", genesis(origin="cinta/0000000000000000")),
    ("another format", "FORMAT FORMAT FORK FORMAT FORMAT", genesis(format="tape/2")),
    ("another key", "FORK", genesis(vkey="cinta/0000000000000000+00000000+AA==")),
    ("another kind", "FORMAT", lambda m: (lambda rows: (rows[0].__setitem__(5, "message"), m.write(rows)))(m.rows())),
    ("its body gone, with the owner's word", "REDACTED-UNPROVED REDACTED-UNPROVED FORMAT REDACTED-UNPROVED REDACTED-UNPROVED", lambda m: (lambda leaf: (
        m.sql("UPDATE tape SET salt = NULL, body = NULL WHERE seq = 0"),
        claim(m, redaction_of(m.origin, m.key, 0, leaf))))(m.one("SELECT leaf_hash FROM tape WHERE seq = 0")))])


# ---- notes ----------------------------------------------------------------------------------------------------------

def note(change, newest=True):
    """In the newest note of the database, or the oldest."""
    def do(m):
        size, old = m.one("SELECT size, note FROM tape_checkpoint ORDER BY size %s" % ("DESC" if newest else "ASC"))
        m.sql("UPDATE tape_checkpoint SET note = ? WHERE size = ?", change(m, old), size)
    return do


def lines(text, n, line):
    parts = text.split("\n")
    parts[n] = line(parts[n])
    return "\n".join(parts)


def other_signature(m, text):
    return note_of(m.origin, own_key(m), leaves(m))


def added_line(m, text):
    return text + note_of(m.origin, own_key(m), leaves(m), signer="witness.example").split("\n\n")[1]


def middle(text):
    return text[:30] + ("A" if text[30] != "A" else "B") + text[31:]


ways("a note in the database", [
    ("the oldest with another size", "FORK FORK OK FORK FORK", note(lambda m, t: lines(t, 1, lambda n: str(int(n) + 1)), newest=False)),
    ("the newest with another size", "FORK", note(lambda m, t: lines(t, 1, lambda n: str(int(n) - 1)))),
    ("another root", "FORK", note(lambda m, t: lines(t, 2, middle))),
    ("one character of the signature", "FORK", note(lambda m, t: lines(t, 4, lambda l: l[:-12] + middle("x" * 30 + l[-12:])[30:]))),
    ("the oldest with another root", "FORK FORK OK FORK FORK", note(lambda m, t: lines(t, 2, middle), newest=False)),
    ("signed by another key", "FORK", note(other_signature)),
    ("of another memory", "FORK", note(lambda m, t: note_of("cinta/0000000000000000", own_key(m), leaves(m)))),
    ("cut in the middle", "FORK", note(lambda m, t: t[:len(t) // 2])),
    ("the oldest in a later one's place", "FORK", lambda m: m.sql("INSERT INTO tape_checkpoint VALUES(1000000, ?)", notes(m)[0])),
    ("empty", "FORK FORK UNVERIFIABLE FORK FORK", note(lambda m, t: "")),
    ("another's line of signature added: nothing is wrong", "OK", note(added_line)),
    ("the newest removed: what is older still holds", "OK", lambda m: m.sql("DELETE FROM tape_checkpoint WHERE size = (SELECT max(size) FROM tape_checkpoint)")),
    ("all removed: the sidecar still holds", "OK OK UNVERIFIABLE OK OK", lambda m: m.sql("DELETE FROM tape_checkpoint")),
    ("all removed, the sidecar too", "UNVERIFIABLE UNVERIFIABLE UNVERIFIABLE UNVERIFIABLE OK", lambda m: (
        m.sql("DELETE FROM tape_checkpoint"), os.remove(m.db + ".checkpoint")))])


def beside(change):
    def do(m):
        with open(m.db + ".checkpoint") as f:
            text = f.read()
        put(m.db + ".checkpoint", change(m, text))
    return do


ONLY_BESIDE = "FORK FORK OK FORK FORK"  # verify.sh is given the database alone
ways("the sidecar", [
    ("one byte of it", ONLY_BESIDE, beside(lambda m, t: lines(t, 2, middle))),
    ("empty", ONLY_BESIDE, beside(lambda m, t: "")),
    ("cut in the middle", ONLY_BESIDE, beside(lambda m, t: t[:len(t) // 2])),
    ("signed by another key", ONLY_BESIDE, beside(other_signature)),
    ("of a longer tape", "ROLLBACK ROLLBACK OK ROLLBACK ROLLBACK", beside(lambda m, t: note_of(m.origin, m.key, leaves(m) + [sha(b"1")]))),
    ("an older one", "OK", beside(lambda m, t: notes(m)[0])),
    ("removed", "OK", lambda m: os.remove(m.db + ".checkpoint"))])


# ---- what is derived ------------------------------------------------------------------------------------------------

TILES = "DERIVED DERIVED OK DERIVED DERIVED"
ways("tiles of a longer tape", [
    ("another hash", TILES, lambda m: m.sql("UPDATE tape_tile SET hash = zeroblob(32)")),
    ("one removed", TILES, lambda m: m.sql("DELETE FROM tape_tile")),
    ("one of no subtree", TILES, lambda m: m.sql("INSERT INTO tape_tile VALUES(2, 0, zeroblob(32))"))])

VIEWS = "OK DERIVED OK OK OK"
ways("views", [(name, VIEWS, lambda m, sql=sql: m.sql(sql)) for name, sql in (
    ("the path of a document", "UPDATE v_doc SET name = 'plot.md' WHERE name = 'plan.md'"),
    ("the text of a fact", "UPDATE v_fact SET text = replace(text, 'alice', 'mallo')"),
    ("a summary", "UPDATE v_context_summary SET text = 'nothing was said'"),
    ("a version left out", "DELETE FROM v_version WHERE n = 2"),
    ("a message left out", "DELETE FROM v_message WHERE seq = (SELECT max(seq) FROM v_message)"),
    ("a redaction forgotten", "DELETE FROM v_redacted"),
    ("more than there is", "UPDATE v_state SET upto = 100000"),
    ("less than there is", "UPDATE v_state SET upto = 1"))])

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def schema(text, ending=""):
    """What the tape's triggers have nothing against."""
    def change(m):
        db = sqlite3.connect(m.db + ending, isolation_level=None)
        db.executescript(text)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
    return change


def index(text):
    return schema(text, ".search")


ways("the search index", [
    ("a text left out", VIEWS, index("DELETE FROM text WHERE seq = (SELECT max(seq) FROM text)")),
    ("another number of words", VIEWS, index("UPDATE text SET words = words + 7")),
    ("the words, emptied", VIEWS, index("UPDATE word_data SET block = zeroblob(length(block)) WHERE id > 10")),
    ("an endless view in a table's place: it is made again", "OK", index("DROP TABLE state; CREATE VIEW state(upto, version, clean, leaf) AS %s" % ENDLESS)),
    ("removed: it is made again", "OK", lambda m: os.remove(m.db + ".search"))])


ways("the schema", [(name, VIEWS, schema(sql)) for name, sql in (
    ("a trigger removed", "DROP TRIGGER tape_keep"),
    ("a trigger that does nothing in its place", "DROP TRIGGER tape_keep; CREATE TRIGGER tape_keep BEFORE DELETE ON tape BEGIN SELECT 1; END"),
    ("a trigger of another's", "CREATE TRIGGER evil AFTER INSERT ON tape BEGIN %s; END" % ENDLESS),
    ("an index of another's", "CREATE INDEX evil ON tape (length(body))"),
    ("a table of another's", "CREATE TABLE evil(a)"),
    ("an endless view in a table's place", "DROP TABLE v_state; CREATE VIEW v_state AS %s" % ENDLESS),
    ("a trigger with a name that is SQLite's own", """PRAGMA writable_schema = ON; INSERT INTO sqlite_schema
        VALUES('trigger', 'sqlite_evil', 'tape', 0, 'CREATE TRIGGER sqlite_evil BEFORE UPDATE ON tape BEGIN SELECT RAISE(IGNORE); END')"""),
    ("user_version", "PRAGMA user_version = 3"))])
way("the schema", "application_id", "refused refused OK OK refused")(schema("PRAGMA application_id = 7"))


# ---- the file -------------------------------------------------------------------------------------------------------

def page_of(m, name):
    """Where the first page of a table begins in the file."""
    size = m.one("PRAGMA page_size")
    return (m.one("SELECT rootpage FROM sqlite_schema WHERE name = ?", name) - 1) * size


ways("bytes of the file", [
    ("the magic of its header", "refused refused FORMAT FORMAT refused", lambda m: m.byte("", 3)),
    ("the page of the schema", "FORMAT", lambda m: m.byte("", 100, 0xff)),
    ("the head of the tape's first page", "FORMAT", lambda m: m.byte("", page_of(m, "tape"), 0xff)),
    ("cut to its first half", "FORMAT", lambda m: os.truncate(m.db, os.path.getsize(m.db) // 8192 * 4096)),
    ("empty", "refused refused FORMAT FORMAT refused", lambda m: os.truncate(m.db, 0))])


# ---- who has the key, or another ------------------------------------------------------------------------------------

@way("a key", "the owner's, stolen: a body redacted, all signed anew", "OK DERIVED OK OK named")
def _(m):
    seq, leaf = gone(m)
    claim(m, redaction_of(m.origin, m.key, seq, leaf))
    m.sign(leaves(m))


def rewritten(m):
    """Other words, all hashes anew, and the body that had gone before is not spoken of."""
    rows = [r for r in m.rows() if r[11] is not None and r[5] != "tape.redact"]
    reworded(rows)
    m.write(rows)
    for n in range(3):
        m.append("s1", '{"role":"user","content":"never said"}')
    return leaves(m)


@way("a key", "the owner's, stolen: all written anew and signed", "OK DERIVED OK OK FORK")
def _(m):
    m.sign(rewritten(m))


@way("a key", "the owner's, stolen: all written anew, signed, the views made anew", "OK OK OK OK FORK")
def _(m):
    m.sign(rewritten(m))
    status, said = m.cinta("rebuild", m.db)
    assert status == 0, said


@way("a key", "another: all written anew and signed", "FORK")
def _(m):
    m.sign(rewritten(m), own_key(m))


@way("a key", "another memory in its place", "FORK")
def _(m):
    rows = m.rows()[:1]
    key = own_key(m)
    body = json.loads(rows[0][11])
    body["origin"] = "cinta/0000000000000000"
    rows[0][11] = json.dumps(body, separators=(",", ":"))
    origin, m.origin = m.origin, body["origin"]
    m.write(rows)
    m.sign(leaves(m), key)
    m.origin = origin


@way("an older copy", "of all files", "OK OK OK OK ROLLBACK")
def _(m):
    for name in os.listdir(m.old):
        shutil.copy(m.old + "/" + name, os.path.dirname(m.db))
    os.remove(m.db + ".search")


@way("an older copy", "of the entries, notes and sidecar", "OK DERIVED OK OK ROLLBACK")
def _(m):
    old = [n for n in notes(m) if int(n.split("\n")[1]) <= m.seq("tape.redact")][0]
    size = int(old.split("\n")[1])
    m.sql("DELETE FROM tape WHERE seq >= ?", size)
    m.sql("DELETE FROM tape_checkpoint WHERE size > ?", size)
    put(m.db + ".checkpoint", old)


@way("an older copy", "of the entries and notes", "ROLLBACK ROLLBACK OK ROLLBACK ROLLBACK")
def _(m):
    end = last(m)
    m.sql("DELETE FROM tape WHERE seq = ?", end)
    m.sql("DELETE FROM tape_checkpoint WHERE size > ?", end)
