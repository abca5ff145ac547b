-- SPDX-License-Identifier: MIT
-- Views of sessions, threads, records and their messages; log_messages, log_message_refs and
-- log_message_index are for people with a sqlite3 shell.

-- Sessions (kind 1) and threads (kind 2), numbered in order of appearance;
-- records (kind 3): 1 accountant, 2 secretary.
CREATE TABLE v_group (
	kind       INTEGER NOT NULL,
	id         INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	hash       INTEGER NOT NULL,  -- v_name
	made_us    INTEGER NOT NULL,
	author     TEXT    NOT NULL,
	messages   INTEGER NOT NULL,
	tokens     INTEGER NOT NULL,
	bytes      INTEGER NOT NULL,
	text_bytes INTEGER NOT NULL,
	first_us   INTEGER NOT NULL,
	last_us    INTEGER NOT NULL,
	last_seq   INTEGER NOT NULL,
	PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX v_group_name ON v_group (kind, name);
CREATE INDEX v_group_hash ON v_group (hash);
CREATE INDEX v_group_last ON v_group (kind, last_seq);

-- Line n (from 0) of a group's log: its entry, and where it ends in log.jsonl and transcript.md.
CREATE TABLE v_line (
	kind     INTEGER NOT NULL,
	id       INTEGER NOT NULL,
	n        INTEGER NOT NULL,
	seq      INTEGER NOT NULL,
	end      INTEGER NOT NULL,
	text_end INTEGER NOT NULL,
	PRIMARY KEY (kind, id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE v_message (
	seq     INTEGER PRIMARY KEY,
	session INTEGER NOT NULL,  -- v_name, as all below
	thread  INTEGER,
	owner   INTEGER NOT NULL,
	master  INTEGER,
	flag    INTEGER,
	item    INTEGER,
	loc     INTEGER,
	time_us INTEGER NOT NULL,
	said_us INTEGER,           -- when and by whom its line says it was said; NULL: it does not
	said_by TEXT,
	talk    INTEGER            -- v_talk: the agent's conversation it was taken from
) STRICT;
CREATE INDEX v_message_session ON v_message (session);
CREATE INDEX v_message_thread ON v_message (thread) WHERE thread IS NOT NULL;
CREATE INDEX v_message_owner ON v_message (owner);
CREATE INDEX v_message_master ON v_message (master) WHERE master IS NOT NULL;
CREATE INDEX v_message_flag ON v_message (flag) WHERE flag IS NOT NULL;
CREATE INDEX v_message_item ON v_message (item) WHERE item IS NOT NULL;
CREATE INDEX v_message_loc ON v_message (loc) WHERE loc IS NOT NULL;
-- By created_at, as log_messages has it.
CREATE INDEX v_message_created ON v_message (strftime('%Y-%m-%dT%H:%M:%S', time_us / 1000000, 'unixepoch') || printf('.%06dZ', time_us % 1000000));

-- Conversations that agents keep themselves, and the session that holds them here.
CREATE TABLE v_talk (
	id      INTEGER PRIMARY KEY,
	agent   TEXT NOT NULL,
	name    TEXT NOT NULL,     -- the agent's own
	session INTEGER NOT NULL,
	UNIQUE (name, agent)
) STRICT;
CREATE INDEX v_talk_session ON v_talk (session);

-- Which of an agent's messages are here: the part of the message with that id of its own.
CREATE TABLE v_taken (
	talk INTEGER NOT NULL,
	id   TEXT    NOT NULL,
	part INTEGER NOT NULL,
	seq  INTEGER NOT NULL,
	PRIMARY KEY (talk, id, part)
) STRICT, WITHOUT ROWID;

-- The array columns: field 1 players_id, 2 hashtags, 3 item_id.
CREATE TABLE v_tag (
	seq      INTEGER NOT NULL,
	field    INTEGER NOT NULL,
	position INTEGER NOT NULL,
	name     INTEGER NOT NULL,
	PRIMARY KEY (seq, field, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX v_tag_name ON v_tag (name, field, seq);

CREATE TABLE v_ref (
	id       INTEGER PRIMARY KEY,
	seq      INTEGER NOT NULL,
	type     TEXT    NOT NULL,
	hash     TEXT    NOT NULL,
	position INTEGER NOT NULL,
	thread   INTEGER,
	session  INTEGER NOT NULL, -- its number, as v_line has it
	by       INTEGER,          -- the entry that added it; NULL: it came with the message
	end      INTEGER NOT NULL, -- where its line ends in the session's refs.jsonl, which is by seq and position
	UNIQUE (seq, hash)
) STRICT;
CREATE INDEX v_ref_hash ON v_ref (hash);
CREATE INDEX v_ref_session ON v_ref (session, end);
CREATE INDEX v_ref_thread ON v_ref (thread) WHERE thread IS NOT NULL;

-- Microseconds to RFC 3339, as everywhere in the mount.
CREATE VIEW log_messages AS
SELECT m.seq AS id,
       h.hash,
       s.hash AS session_hash,
       th.hash AS thread_hash,
       o.hash AS owner_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 1 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS players_id,
       p.hash AS master_player,
       json_extract(t.body, '$.role') AS role,
       json_extract(t.body, '$.content') AS content,
       coalesce(json_extract(t.body, '$.attachments'), '{}') AS attachments,
       hp.hash AS prev_hash,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 2 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS hashtags,
       f.hash AS flag_id,
       i.hash AS master_item_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 3 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS item_id,
       l.hash AS loc_id,
       json_extract(t.body, '$.ambient') AS ambient,
       strftime('%Y-%m-%dT%H:%M:%S', m.time_us / 1000000, 'unixepoch') || printf('.%06dZ', m.time_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', coalesce(m.said_us, m.time_us) / 1000000, 'unixepoch') || printf('.%06dZ', coalesce(m.said_us, m.time_us) % 1000000) AS said_at,
       m.said_by
  FROM v_message m
  JOIN tape t ON t.seq = m.seq
  JOIN v_hash h ON h.seq = m.seq
  LEFT JOIN v_hash hp ON hp.seq = h.prev
  JOIN v_name s ON s.id = m.session
  LEFT JOIN v_name th ON th.id = m.thread
  JOIN v_name o ON o.id = m.owner
  LEFT JOIN v_name p ON p.id = m.master
  LEFT JOIN v_name f ON f.id = m.flag
  LEFT JOIN v_name i ON i.id = m.item
  LEFT JOIN v_name l ON l.id = m.loc;

CREATE VIEW log_message_refs AS
SELECT r.id, h.hash AS message_hash, r.hash AS ref_hash, r.type AS ref_type,
       r.position, th.hash AS thread_hash, r.seq AS message_id
  FROM v_ref r JOIN v_hash h ON h.seq = r.seq LEFT JOIN v_name th ON th.id = r.thread;

-- Which messages hold a player, hashtag or item: the inverted form of the array columns.
CREATE VIEW log_message_index AS
SELECT CASE g.field WHEN 1 THEN 'players_id' WHEN 2 THEN 'hashtags' ELSE 'item_id' END AS field,
       n.hash AS ref_hash, n.label, g.seq AS message_id
  FROM v_tag g JOIN v_name n ON n.id = g.name;
