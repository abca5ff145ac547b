-- SPDX-License-Identifier: MIT
-- Sessions' windows (store/context.h): how each stands now.  Rows of the next three hold from
-- entry `since` on until entry `until`: the largest number when they hold still.
CREATE TABLE v_context (
	session    INTEGER PRIMARY KEY,
	entries    INTEGER NOT NULL,  -- of its stream
	size       INTEGER NOT NULL,  -- of the window, 0: not fixed
	pruned     INTEGER NOT NULL,
	pinned     INTEGER NOT NULL,
	summaries  INTEGER NOT NULL,
	summarized INTEGER NOT NULL,
	last_seq   INTEGER NOT NULL,
	last_us    INTEGER NOT NULL
) STRICT;

-- mark 1: pruned, 2: pinned, 4: shown beside the summary that covers it, 8: pinned by a person.
CREATE TABLE v_context_mark (
	session INTEGER NOT NULL,
	message INTEGER NOT NULL,
	mark    INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	until   INTEGER NOT NULL,
	PRIMARY KEY (session, message, mark, since)
) STRICT, WITHOUT ROWID;
CREATE INDEX v_context_held ON v_context_mark (session, mark, message) WHERE until = 9223372036854775807;

CREATE TABLE v_context_summary (
	since   INTEGER PRIMARY KEY,
	session INTEGER NOT NULL,
	first   INTEGER NOT NULL,
	last    INTEGER NOT NULL,
	until   INTEGER NOT NULL,
	time_us INTEGER NOT NULL,
	author  TEXT    NOT NULL,
	text    TEXT    NOT NULL
) STRICT;
CREATE INDEX v_context_range ON v_context_summary (session, until, first);
CREATE INDEX v_context_first ON v_context_summary (session, first);

CREATE TABLE v_context_window (
	session INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	until   INTEGER NOT NULL,
	size    INTEGER NOT NULL,
	PRIMARY KEY (session, since)
) STRICT, WITHOUT ROWID;

-- What a command said of messages; the first for a range stays, whatever becomes of the window.
CREATE TABLE v_context_digest (
	session INTEGER NOT NULL,
	first   INTEGER NOT NULL,
	last    INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	time_us INTEGER NOT NULL,
	author  TEXT    NOT NULL,
	text    TEXT    NOT NULL,
	PRIMARY KEY (session, first, last)
) STRICT, WITHOUT ROWID;
