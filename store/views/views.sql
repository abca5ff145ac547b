-- SPDX-License-Identifier: MIT
-- Views: derived from the tape, disposable, made again by `cinta rebuild`.
-- Tables named v_… are ours.  Each subject brings its own (SUB/SUB.sql); the build puts them
-- behind this, in the order of the floors.

-- One row: how far the views have seen (next seq), the size of tape.jsonl up to there.
CREATE TABLE v_state (
	upto       INTEGER NOT NULL,
	tape_bytes INTEGER NOT NULL,
	version    INTEGER NOT NULL
) STRICT;
INSERT INTO v_state VALUES (0, 0, 1);

-- One row: VIEWS_VERSION, what all of this is; v_state's own version has stayed what it was.
CREATE TABLE v_made (version INTEGER NOT NULL) STRICT;
INSERT INTO v_made VALUES (28);

-- What stands in the place of a body that its owner has signed away (stand_in.h).
CREATE TABLE v_redacted (
	seq  INTEGER PRIMARY KEY,
	by   INTEGER NOT NULL,  -- the tape.redact entry: the first that proves it
	body TEXT    NOT NULL
) STRICT;

-- Where the line of entry 64·k begins in tape.jsonl.
CREATE TABLE v_mark (k INTEGER PRIMARY KEY, start INTEGER NOT NULL) STRICT;

-- Identities by number: a component, session or thread, and its SHA-256.
CREATE TABLE v_name (
	id    INTEGER PRIMARY KEY,
	hash  TEXT NOT NULL UNIQUE,
	label TEXT NOT NULL
) STRICT;

-- What each hash names, and the entry before it in its stream; NULL: it is the first.
CREATE TABLE v_hash (
	seq  INTEGER PRIMARY KEY,
	hash TEXT NOT NULL,
	prev INTEGER
) STRICT;
CREATE INDEX v_hash_hash ON v_hash (hash);
CREATE INDEX v_hash_prev ON v_hash (prev) WHERE prev IS NOT NULL;

-- What there was a day of UTC, counted from 1970 (store/days.h): messages and facts by when they were
-- said, all else by when it was written.  Days without anything have no row.
CREATE TABLE v_day (
	day       INTEGER PRIMARY KEY,
	entries   INTEGER NOT NULL,
	bytes     INTEGER NOT NULL,  -- of tape.jsonl
	messages  INTEGER NOT NULL,
	tokens    INTEGER NOT NULL,
	versions  INTEGER NOT NULL,  -- of documents
	facts     INTEGER NOT NULL,
	retracted INTEGER NOT NULL
) STRICT;
