# SPDX-License-Identifier: MIT
"""verify.py DB ORIGIN_OR_VKEY PUB.pem [NOTE...]: a second opinion on a tape/1 database, sharing no code with cinta.
Prints the verdict, the first bad entry (-1: none) and why.  Exit status: 0 OK, 1 any other verdict, 2 cannot run."""
import base64, functools, hashlib, json, os, re, shlex, sqlite3, subprocess, sys, tempfile, zlib
Fault = type("Fault", (Exception,), {})
sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
def need(ok, *fault):
    if not ok:
        raise Fault(*fault)
b64 = lambda s: raw if base64.b64encode(raw := base64.b64decode(s, validate=True)).decode() == s else b""
def ed25519(pem, text, sig):
    with tempfile.NamedTemporaryFile() as m, tempfile.NamedTemporaryFile() as s:
        m.write(text), m.flush(), s.write(sig), s.flush()
        command = "openssl pkeyutl -verify -pubin -inkey %s -rawin -in %s -sigfile %s" % (shlex.quote(pem), m.name, s.name)
        return subprocess.run(command, shell=True, capture_output=True).returncode == 0
def checkpoint(note, origin, pem, pub):  # (size, root) of a note signed by the key, else None
    try:
        m = re.fullmatch(r"((.+)\n(0|[1-9]\d{0,18})\n(\S+)\n)\n((?:— [^ +\n]+ \S+\n){1,16})", note, re.A)
        sigs = [(line.split(" ")[1], b64(line.split(" ")[2])) for line in m[5].split("\n")[:-1]]
        ours = [raw[4:] for name, raw in sigs if name == origin and raw[:4] == sha(origin.encode(), b"\n\1", pub)[:4]]
        good = m[2] == origin and int(m[3]) < 2**63 and len(b64(m[4])) == 32 and all(len(raw) > 4 for _, raw in sigs)
        return (int(m[3]), b64(m[4])) if good and ours and all(ed25519(pem, m[1].encode(), s) for s in ours) else None
    except (ValueError, TypeError):
        return None
def signed_away(body, origin, pem, seq, leaf):  # does this tape.redact body carry the owner's signature over that entry?
    raw, head = (body or "").encode("utf-8", "surrogateescape"), b'{"seq":%d,"leaf":"%s",' % (seq, leaf.hex().encode())
    m = re.fullmatch(rb'(.*),"sig":"([A-Za-z0-9+/]{86}==)"}', raw, re.S)
    sig = b64(m[2].decode()) if m and m[1].startswith(head) and len(raw) <= 65536 else b""
    return len(sig) == 64 and ed25519(pem, b"cinta redaction/1\n%s\n%s}\n" % (origin.encode(), m[1]), sig)
def members(body):
    try:
        return dict(json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return {}
def unpack(body, length, **dictionary):  # a zlib stream, whole and no more, of that many bytes at most; else None
    d = zlib.decompressobj(**dictionary)
    raw = d.decompress(body, length + 1)
    return raw if d.eof and not d.unused_data else None
def alone(body, length):
    return unpack(body, length) if len(body) < length <= 64 * len(body) and body[:1] == b"x" else None
def plain(body, length, other):  # a blob is packed, alone or with the body of other(seq) for a dictionary, and shorter
    try:
        raw = alone(body, length)
        if 8 < len(body) < length <= 65536 and body[:1] != b"x":
            raw = unpack(body[8:], length, zdict=other(int.from_bytes(body[:8], "big")))
    except (zlib.error, TypeError, OverflowError):
        raw = None
    return body if raw is None else raw.decode("utf-8", "surrogateescape")
def dictionary(db):  # for plain()
    def other(seq):
        body, length = db.execute("SELECT body, body_len FROM tape WHERE seq = ?", (seq,)).fetchone()
        raw = body.encode("utf-8", "surrogateescape") if type(body) is str else alone(body, length)
        return raw if raw is not None and max(length, len(raw)) <= 65536 else None
    return other
def check(row, want, origin, heads, redacted, other):  # redacted(seq): who says that its body went
    seq, stream, n, prev, time, kind, author, length, body_hash, leaf_hash, salt, body = row
    body = plain(body, length, other) if type(body) is bytes and type(length) is int else body
    need(all(type(x) is int and x >= 0 for x in (seq, n, time, length)) and all(type(x) is bytes and len(x) == 32 for x in row[3:10:5] + row[9:10]) and
         all(type(x) is str and re.fullmatch("[!-~]{1,%d}" % m, x) for x, m in ((stream, 128), (kind, 64), (author, 128))) and
         (salt is body is None or type(salt) is bytes and len(salt) == 16 and type(body) is str), "FORMAT", want, "a field")
    need(seq == want and (n, prev) == heads.get(stream, (0, bytes(32))), "LINK", want, "the entry does not follow")
    raw = (body or "").encode("utf-8", "surrogateescape")
    need(body is None or len(raw) == length and sha(salt, raw) == body_hash, "CONTENT", seq, "not the body that was hashed")
    need(seq or body is None or members(body).get("format") == "tape/1", "FORMAT", 0, "not a genesis")
    need(seq or body is None or members(body).get("origin") == origin, "FORK", 0, "the tape of another origin")
    head = ("tape/1", origin, seq, stream, n, prev.hex(), time, kind, author, length, body_hash.hex())
    leaf = sha(b"\0", "".join("%s\n" % x for x in head).encode())
    need(leaf == leaf_hash, "CONTENT", seq, "not the header that was hashed")
    said = [] if body is not None else redacted(seq)
    need(body is not None or said, "MISSING", seq, "the body is gone and no redaction says so")
    need(body is not None or stream != "tape" and any(s == "tape" and signed(seq, leaf, b) for s, b, signed in said),
         "REDACTED-UNPROVED", seq, "the body is gone and the owner did not sign it away")
    beside = int.from_bytes(row[11][:8], "big") if type(row[11]) is bytes and row[11][:1] != b"x" else None
    need(beside in (None, heads.get((stream, n // 16))), "FORMAT", seq, "packed with another than the first version near it")
    kind == "document" and heads.setdefault((stream, n // 16), seq)
    need(seq > 0 or (kind, stream) == ("tape.genesis", "tape"), "FORMAT", 0, "not a genesis")
    return heads.update({stream: (n + 1, leaf)}) or leaf
def verify(path, origin, pem, anchors):
    key = (origin, pem, b64("".join(line for line in open(pem).read().split("\n") if line[:1] != "-"))[-32:])
    files = [path + ".checkpoint"] * os.path.exists(path + ".checkpoint") + anchors  # read before the database is
    outside = [checkpoint(open(f, "rb").read().decode("utf-8", "replace"), *key) for f in files]
    db = sqlite3.connect("file:%s?mode=ro" % path.replace("%", "%25").replace("?", "%3f"), uri=True, isolation_level=None)
    db.execute("PRAGMA cell_size_check = ON")  # as cinta has it: what is damaged is not read
    db.text_factory, heads, leaves = (lambda raw: raw.decode("utf-8", "surrogateescape")), {}, []
    db.execute("BEGIN"), db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    inside = [(s, checkpoint(note, *key)) for s, note in db.execute("SELECT size, note FROM tape_checkpoint ORDER BY size")]
    tiles = {(level, i): h for level, i, h in db.execute("SELECT level, idx, hash FROM tape_tile")}
    @functools.cache
    def claims():  # once a body is gone: (seq, stream, body, the entry it names)
        rows = db.execute("SELECT seq, stream, body FROM tape WHERE kind='tape.redact' AND typeof(body) = 'text'").fetchall()
        names = lambda b: re.match(r'{"seq":(0|[1-9][0-9]{0,17})[,}]', b, re.A)
        return [(s, t, b, int(names(b)[1])) for s, t, b in rows if names(b)]
    proves = lambda seq, leaf, b: signed_away(b, origin, pem, seq, leaf)
    redacted = lambda seq: [(t, b, proves) for s, t, b, n in claims() if n == seq < s]
    other = dictionary(db)
    @functools.cache
    def mth(lo, hi):  # RFC 6962 over leaves[lo:hi]
        mid = lo + (1 << max(hi - lo - 1, 1).bit_length() - 1)
        return sha(b"\1", mth(lo, mid), mth(mid, hi)) if hi - lo > 1 else leaves[lo] if hi > lo else sha()
    for row in db.execute("SELECT seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash, leaf_hash, salt, body FROM tape ORDER BY seq"):
        leaves.append(check(row, len(leaves), origin, heads, redacted, other))
    there = lambda n: db.execute("SELECT 1 FROM tape WHERE seq = ? AND body IS NOT NULL AND stream <> 'tape'", (n,)).fetchone()
    for n, s, t, b in sorted((n, s, t, b) for s, t, b, n in claims() if n < s and t == "tape" and there(n)):
        need(not proves(n, leaves[n], b), "FORMAT", n, "its owner signed the body away, and it is there")
    for note in [c if c and c[0] == s else None for s, c in inside] + outside:
        need(note, "FORK", -1, "a checkpoint that is not signed by the key")
        need(note[0] <= len(leaves), "ROLLBACK", -1, "%d entries were signed, %d are there" % (note[0], len(leaves)))
        need(mth(0, note[0]) == note[1], "FORK", -1, "other entries were signed, up to %d" % note[0])
    stored = {(k, i) for k in range(1, 8) for i in range(max([s for s, _ in inside] or [0]) >> 8 * k)}
    need(not leaves or stored <= set(tiles) and all(0 < k < 8 and 0 <= i < len(leaves) >> 8 * k and
         h == mth(i << 8 * k, i + 1 << 8 * k) for (k, i), h in tiles.items()), "DERIVED", -1, "the tiles are not the tree's")
    return "OK" if leaves and inside + outside else "UNVERIFIABLE", -1, "%d entries" % len(leaves)
def judge(path, vkey, pem, anchors):
    try:
        return verify(path, vkey.split("+")[0], pem, anchors)
    except (sqlite3.DatabaseError, UnicodeDecodeError, Fault) as e:
        return e.args if type(e) is Fault else ("FORMAT", -1, e)
if __name__ == "__main__":
    if len(sys.argv) < 4 or not all(map(os.path.isfile, sys.argv[1:2] + sys.argv[3:])):
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    sys.exit(print(*(said := judge(*sys.argv[1:4], sys.argv[4:]))) or int(said[0] != "OK"))
