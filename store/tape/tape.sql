-- SPDX-License-Identifier: MIT
-- The tape (docs/format.md §3).  Everything that proves anything is in these
-- three tables; the triggers are a guard rail, the Merkle tree is the proof.
-- A body is text, or, as a blob, what zlib has packed of it.

CREATE TABLE tape (
	seq        INTEGER PRIMARY KEY,
	stream     TEXT    NOT NULL,
	stream_seq INTEGER NOT NULL,
	prev       BLOB    NOT NULL CHECK (length(prev) = 32),
	time_us    INTEGER NOT NULL CHECK (time_us >= 0),
	kind       TEXT    NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
	author     TEXT    NOT NULL CHECK (length(author) BETWEEN 1 AND 128),
	body_len   INTEGER NOT NULL CHECK (body_len >= 0),
	body_hash  BLOB    NOT NULL CHECK (length(body_hash) = 32),
	leaf_hash  BLOB    NOT NULL CHECK (length(leaf_hash) = 32),
	salt       BLOB,
	body       ANY,
	UNIQUE (stream, stream_seq),
	CHECK ((salt IS NULL) = (body IS NULL))
) STRICT;

CREATE TABLE tape_tile (
	level INTEGER NOT NULL,
	idx   INTEGER NOT NULL,
	hash  BLOB    NOT NULL CHECK (length(hash) = 32),
	PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE tape_checkpoint (
	size INTEGER PRIMARY KEY,
	note TEXT NOT NULL
) STRICT;

-- One seek to the end of the tape, one to the end of the stream.  That the place
-- is compared, and not only left to UNIQUE, is what stops INSERT OR REPLACE.
CREATE TRIGGER tape_append BEFORE INSERT ON tape
WHEN NEW.seq IS NOT coalesce((SELECT max(seq) + 1 FROM tape), 0)
  OR CASE NEW.stream_seq
     WHEN 0 THEN NEW.prev IS NOT zeroblob(32) OR EXISTS (SELECT 1 FROM tape WHERE stream = NEW.stream)
     ELSE (NEW.stream_seq - 1, NEW.prev) IS NOT
          (SELECT stream_seq, leaf_hash FROM tape WHERE stream = NEW.stream
           ORDER BY stream_seq DESC LIMIT 1)
     END
BEGIN SELECT RAISE(ABORT, 'an entry goes at the end of the tape and of its stream'); END;

CREATE TRIGGER tape_keep BEFORE DELETE ON tape
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;

CREATE TRIGGER tape_redact BEFORE UPDATE ON tape
WHEN NOT ((NEW.salt IS NULL AND NEW.body IS NULL
           OR NEW.salt IS OLD.salt AND (typeof(OLD.body), typeof(NEW.body)) IN (VALUES ('text', 'blob'), ('blob', 'text')))
      AND NEW.seq IS OLD.seq AND NEW.stream IS OLD.stream AND NEW.stream_seq IS OLD.stream_seq
      AND NEW.prev IS OLD.prev AND NEW.time_us IS OLD.time_us AND NEW.kind IS OLD.kind
      AND NEW.author IS OLD.author AND NEW.body_len IS OLD.body_len
      AND NEW.body_hash IS OLD.body_hash AND NEW.leaf_hash IS OLD.leaf_hash)
BEGIN SELECT RAISE(ABORT, 'an entry never changes'); END;

CREATE TRIGGER tape_tile_keep BEFORE DELETE ON tape_tile
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;
CREATE TRIGGER tape_tile_fixed BEFORE UPDATE ON tape_tile
BEGIN SELECT RAISE(ABORT, 'a tile never changes'); END;
CREATE TRIGGER tape_checkpoint_keep BEFORE DELETE ON tape_checkpoint
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;
CREATE TRIGGER tape_checkpoint_fixed BEFORE UPDATE ON tape_checkpoint
BEGIN SELECT RAISE(ABORT, 'a checkpoint never changes'); END;
