# SPDX-License-Identifier: MIT
"""A memory to be attacked, and what who attacks it can do: the tape's hashes by the public rule (docs/format.md),
notes and redactions signed with a key that was stolen or made.  Shares no code with cinta."""
import base64
import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time

CINTA = os.environ.get("CINTA", "build/cinta")
COLUMNS = "seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash, leaf_hash, salt, body"
NAMES = COLUMNS.split(", ")


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def run(*command, timeout=300, **more):
    """The status of a command and all that it says; a status of its own if it does not end."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              stdin=subprocess.DEVNULL, **more)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return 124, "did not end"


def must(*command, **more):
    status, said = run(*command, **more)
    assert status == 0, "%s: %d: %s" % (" ".join(command), status, said)
    return said


def put(path, text, mode="w"):
    with open(path, mode) as f:
        f.write(text)


# ---- what the tape is made of ---------------------------------------------------------------------------------------

def leaf_of(origin, row):
    seq, stream, n, prev, us, kind, author, length, body_hash = row[:9]
    head = ("tape/1", origin, seq, stream, n, prev.hex(), us, kind, author, length, body_hash.hex())
    return sha(b"\0", "".join("%s\n" % x for x in head).encode())


def root_of(leaves):
    """RFC 6962."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\1", root_of(leaves[:half]), root_of(leaves[half:]))


def signature(key, text):
    with tempfile.TemporaryDirectory() as d:
        put(d + "/text", text, "wb")
        must("openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", d + "/text", "-out", d + "/sig")
        with open(d + "/sig", "rb") as f:
            return f.read()


def public(key):
    raw = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], stdout=subprocess.PIPE, check=True)
    return raw.stdout[-32:]


def note_of(origin, key, leaves, signer=None):
    """A checkpoint over the leaves; `signer`: the name that its line of signature has."""
    text = "%s\n%d\n%s\n" % (origin, len(leaves), base64.b64encode(root_of(leaves)).decode())
    name = signer or origin
    mark = sha(name.encode(), b"\n\1", public(key))[:4]
    line = base64.b64encode(mark + signature(key, text.encode())).decode()
    return "%s\n— %s %s\n" % (text, name, line)


def redaction_of(origin, key, seq, leaf, reason="away"):
    head = '{"seq":%d,"leaf":"%s","time_us":1795000100000000,"reason":"%s"' % (seq, leaf.hex(), reason)
    sig = signature(key, ("cinta redaction/1\n%s\n%s}\n" % (origin, head)).encode())
    return '%s,"sig":"%s"}' % (head, base64.b64encode(sig).decode())


# ---- a memory -------------------------------------------------------------------------------------------------------

class Memory:
    """A database at rest with its keys, in a directory of its own; copy() makes one to be tampered with."""

    def __init__(self, place):
        self.place, self.db = place, place + "/memory.db"
        self.config = place + "/config"
        self.env = dict(os.environ, HOME=place, XDG_CONFIG_HOME=self.config, XDG_RUNTIME_DIR=place + "/run",
                        XDG_DATA_HOME=place + "/data")
        os.makedirs(place + "/run", mode=0o700, exist_ok=True)

    def cinta(self, *words, **more):
        return run(CINTA, *words, env=self.env, **more)

    @contextlib.contextmanager
    def mounted(self):
        mount = self.place + "/memory"
        os.makedirs(mount, exist_ok=True)
        must(CINTA, "mount", self.db, mount, env=self.env)
        try:
            yield mount
        finally:
            self.unmount(mount)

    def unmount(self, mount):
        status, said = self.cinta("umount", mount)
        end = time.monotonic() + 120
        while status and "still busy" in said and time.monotonic() < end:
            time.sleep(0.1)
            status = run("flock", "-n", self.db + ".lock", "true")[0]
        assert status == 0, said

    def learn(self):
        """What all copies have in common: origin, keys, the script an auditor gets."""
        self.vkey = must(CINTA, "pubkey", self.db, env=self.env).strip()
        self.origin = self.vkey.split("+")[0]
        self.pem = self.place + "/public.pem"
        put(self.pem, must(CINTA, "pubkey", "--pem", self.db, env=self.env))
        keys = self.config + "/cinta/keys"
        self.key = [keys + "/" + f for f in os.listdir(keys) if f.endswith(".pem")][0]

    def copy(self, place):
        """To be changed: the files beside it come along, the keys and kept notes do not."""
        new = Memory(place)
        for ending in ("", ".checkpoint", ".side", ".search"):
            if os.path.exists(self.db + ending):
                shutil.copy(self.db + ending, new.db + ending)
        for name in ("vkey", "origin", "pem", "key", "script", "kept", "old", "secret", "config", "env"):
            setattr(new, name, getattr(self, name))
        return new

    # what one does to a copy

    @contextlib.contextmanager
    def open(self):
        """A connection that may do anything; the triggers are there again afterwards, so the schema tells nothing."""
        db = sqlite3.connect(self.db, isolation_level=None)
        db.execute("PRAGMA ignore_check_constraints = 1")
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute('DROP TRIGGER "%s"' % name)
        yield db
        for _, sql in triggers:
            db.execute(sql)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()

    def sql(self, text, *values):
        with self.open() as db:
            done = db.execute(text, values)
            assert done.rowcount != 0, "nothing was changed: " + text
            done.fetchall()

    def one(self, text, *values):
        db = sqlite3.connect(self.db)
        row = db.execute(text, values).fetchone()
        db.close()
        assert row, "nothing is there: " + text
        return row[0] if len(row) == 1 else row

    def rows(self):
        db = sqlite3.connect(self.db)
        rows = [list(r) for r in db.execute("SELECT %s FROM tape ORDER BY seq" % COLUMNS)]
        db.close()
        return rows

    def write(self, rows, chained=True):
        """Puts these rows in the tape's place; `chained`: every place, link and hash is made to fit."""
        heads = {}
        for seq, row in enumerate(rows if chained else []):
            n, prev = heads.get(row[1], (0, bytes(32)))
            row[0], row[2], row[3] = seq, n, prev
            if row[11] is not None:
                row[7], row[8] = len(row[11].encode()), sha(row[10], row[11].encode())
            row[9] = leaf_of(self.origin, row)
            heads[row[1]] = (n + 1, row[9])
        with self.open() as db:
            db.execute("DELETE FROM tape")
            db.executemany("INSERT INTO tape(%s) VALUES(%s)" % (COLUMNS, ",".join("?" * 12)), rows)
        return [r[9] for r in rows]

    def entry(self, rows, stream, body, kind="message", author="mallory:sh"):
        """One more row, hashed by the rule, at the end of these."""
        last = [r for r in rows if r[1] == stream]
        n, prev = (last[-1][2] + 1, last[-1][9]) if last else (0, bytes(32))
        salt = os.urandom(16)
        row = [len(rows), stream, n, prev, rows[-1][4] + 1, kind, author, len(body.encode()), sha(salt, body.encode())]
        return row + [leaf_of(self.origin, row), salt, body]

    def append(self, stream, body, **more):
        rows = self.rows()
        rows.append(self.entry(rows, stream, body, **more))
        self.write(rows, chained=False)
        return rows[-1]

    def sign(self, leaves, key=None, beside=True):
        """The notes of who has the key: over these leaves alone."""
        note = note_of(self.origin, key or self.key, leaves)
        self.sql("DELETE FROM tape_checkpoint")
        self.sql("INSERT INTO tape_checkpoint VALUES(?, ?)", len(leaves), note)
        if beside:
            put(self.db + ".checkpoint", note)

    def seq(self, words):
        """The entry whose body has these words, or that has this kind."""
        return self.one("SELECT min(seq) FROM tape WHERE body LIKE ? OR kind = ?", "%" + words + "%", words)

    def byte(self, ending, at, bit=1):
        with open(self.db + ending, "r+b") as f:
            f.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
            old = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([old[0] ^ bit]))


def say(mount, session, *contents):
    if not os.path.isdir("%s/sessions/%s" % (mount, session)):
        os.mkdir("%s/sessions/%s" % (mount, session))
    lines = "".join(json.dumps({"role": "user", "content": c}) + "\n" for c in contents)
    put("%s/sessions/%s/log.jsonl" % (mount, session), lines, "a")


def make(place, messages=0):
    """Every kind of entry that a tape has, one of them redacted, three notes; `messages` more."""
    os.makedirs(place)
    m = Memory(place)
    with m.mounted() as d:
        say(d, "x", "hello there", "pay alice ten", "and goodbye")
        for n in range(0, messages, 50):
            say(d, "x", *["filler %d" % i for i in range(n, n + 50)])
        put(d + "/notes/plan.md", "meet alice at noon\n")
        put(d + "/notes/plan.md", "meet alice at one\n")
        put(d + "/facts/work.md", "# Work\n\n- alice pays on fridays\n")
    m.learn()
    with m.mounted() as d:
        put(d + "/sessions/x/summaries/1-2.md", "greetings and money")
        put(d + "/answers/who pays.md", "alice does, as she ever did\n" * 40)
        say(d, "y", "of another session")
        with open(d + "/.cinta/verify.sh") as f:
            m.script = place + "/verify.sh"
            put(m.script, f.read())
    with m.mounted() as d:
        say(d, "y", "the secret word")
        m.secret = m.one("SELECT salt, body, seq FROM tape ORDER BY seq DESC LIMIT 1")
        must(CINTA, "redact", "--yes", "--reason", "a leak", "--match", "the secret word", m.db, env=m.env)
    m.old = place + "/old"  # a backup of all files, from before the last entry
    os.mkdir(m.old)
    for ending in (".checkpoint", "", ".side"):
        shutil.copy(m.db + ending, m.old + "/memory.db" + ending)
    with m.mounted() as d:
        say(d, "x", "the last one")
        with open(d + "/search/alice.md") as f:  # the index goes as far as the tape
            assert "alice" in f.read()
    m.kept = place + "/kept"
    shutil.copy(m.db + ".checkpoint", m.kept)
    return m
