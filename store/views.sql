-- SPDX-License-Identifier: MIT
-- Views: derived from the tape, disposable, made again by `cinta rebuild`.
-- Tables named v_… are ours; log_messages, log_message_refs and
-- log_message_index are for people with a sqlite3 shell.

-- One row: how far the views have seen (next seq), the size of tape.jsonl up to there.
CREATE TABLE v_state (
	upto       INTEGER NOT NULL,
	tape_bytes INTEGER NOT NULL,
	version    INTEGER NOT NULL
) STRICT;
INSERT INTO v_state VALUES (0, 0, 1);

-- One row: VIEWS_VERSION, what all of this is; v_state's own version has stayed what it was.
CREATE TABLE v_made (version INTEGER NOT NULL) STRICT;
INSERT INTO v_made VALUES (9);

-- What stands in the place of a body that its owner has signed away (store/stand_in.h).
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
	time_us INTEGER NOT NULL
) STRICT;
CREATE INDEX v_message_session ON v_message (session);
CREATE INDEX v_message_thread ON v_message (thread) WHERE thread IS NOT NULL;
CREATE INDEX v_message_owner ON v_message (owner);
CREATE INDEX v_message_master ON v_message (master) WHERE master IS NOT NULL;
CREATE INDEX v_message_flag ON v_message (flag) WHERE flag IS NOT NULL;
CREATE INDEX v_message_item ON v_message (item) WHERE item IS NOT NULL;
CREATE INDEX v_message_loc ON v_message (loc) WHERE loc IS NOT NULL;
CREATE INDEX v_message_time ON v_message (time_us);

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
	UNIQUE (seq, hash)
) STRICT;
CREATE INDEX v_ref_hash ON v_ref (hash);
CREATE INDEX v_ref_thread ON v_ref (thread) WHERE thread IS NOT NULL;

-- Documents and folders (store/doc.h): as they are now, with the fields of the newest version.
CREATE TABLE v_doc (
	id       INTEGER PRIMARY KEY,
	folder   INTEGER NOT NULL,
	here     INTEGER NOT NULL,  -- 0: retired, or without a version
	heir     INTEGER NOT NULL,  -- the document that has its name since it retired
	parent   TEXT    NOT NULL,
	name     TEXT    NOT NULL,
	hash     INTEGER NOT NULL,  -- v_name of a component's path, 0: none; so the next two
	owner    INTEGER NOT NULL,  -- as the fields say, or who made it
	session  INTEGER NOT NULL,
	versions INTEGER NOT NULL,
	entries  INTEGER NOT NULL,
	size     INTEGER NOT NULL,
	made_us  INTEGER NOT NULL,
	saved_us INTEGER NOT NULL,
	newest   INTEGER NOT NULL,  -- entry of the newest version
	fields   TEXT    NOT NULL
) STRICT;
CREATE INDEX v_doc_name ON v_doc (parent, name) WHERE here = 1;
CREATE INDEX v_doc_child ON v_doc (parent, id) WHERE here = 1;
-- Of answers only (READ_DOC_ANSWERS): any other save would write one more page for it.
CREATE INDEX v_doc_saved ON v_doc (parent, saved_us) WHERE here = 1 AND parent >= 'answers' AND parent < 'answers0';

CREATE TABLE v_version (
	doc     INTEGER NOT NULL,
	n       INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	time_us INTEGER NOT NULL,
	size    INTEGER NOT NULL,
	tokens  INTEGER NOT NULL,
	added   INTEGER NOT NULL,
	removed INTEGER NOT NULL,
	sha256  TEXT    NOT NULL,
	author  TEXT    NOT NULL,  -- of the entry, as is its hash: a history reads no tape
	hash    BLOB    NOT NULL,
	PRIMARY KEY (doc, n)
) STRICT, WITHOUT ROWID;

-- Where a document stood from an entry on; gone: it retired with that entry.
CREATE TABLE v_place (
	doc     INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	time_us INTEGER NOT NULL,
	parent  TEXT    NOT NULL,
	name    TEXT    NOT NULL,
	gone    INTEGER NOT NULL,
	PRIMARY KEY (doc, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX v_place_name ON v_place (parent, name, seq);
CREATE INDEX v_place_child ON v_place (parent, doc);

-- When the names in a directory changed last.
CREATE TABLE v_dir (parent TEXT PRIMARY KEY, changed_us INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Facts (store/fact.h).  `domain` is the list's number; `id` and all `…seq` are of tape entries.
CREATE TABLE v_fact (
	id            INTEGER PRIMARY KEY,
	domain        INTEGER NOT NULL,
	place         INTEGER NOT NULL,  -- in its list: that of the fact it stands for, or its id
	text          TEXT    NOT NULL,
	confidence    INTEGER NOT NULL,  -- 0 low, 1 medium, 2 high: now, and as it was added
	confidence_then INTEGER NOT NULL,
	explicit      INTEGER NOT NULL,
	entry         INTEGER NOT NULL,  -- 0: none, as the next two
	supersedes    INTEGER NOT NULL,
	superseded_by INTEGER NOT NULL,
	added_us      INTEGER NOT NULL,
	confirmed_us  INTEGER NOT NULL,
	confirmations INTEGER NOT NULL,
	retracted_seq INTEGER NOT NULL,  -- 0: live
	retracted_us  INTEGER NOT NULL,
	author        TEXT    NOT NULL
) STRICT;
CREATE INDEX v_fact_live ON v_fact (domain, place, id) WHERE retracted_seq = 0;
CREATE INDEX v_fact_domain ON v_fact (domain, id);

-- What became of a fact: confirmed (confidence -1), or weighed.
CREATE TABLE v_fact_event (
	fact       INTEGER NOT NULL,
	seq        INTEGER NOT NULL,
	time_us    INTEGER NOT NULL,
	confidence INTEGER NOT NULL,
	entry      INTEGER NOT NULL,
	PRIMARY KEY (fact, seq)
) STRICT, WITHOUT ROWID;

-- Saves of a list, and how many entries and saves it has.
CREATE TABLE v_fact_save (
	domain    INTEGER NOT NULL,
	n         INTEGER NOT NULL,
	seq       INTEGER NOT NULL,  -- its last entry, as is the hash
	time_us   INTEGER NOT NULL,
	added     INTEGER NOT NULL,
	retracted INTEGER NOT NULL,
	confirmed INTEGER NOT NULL,
	weighed   INTEGER NOT NULL,
	texts     INTEGER NOT NULL,
	author    TEXT    NOT NULL,
	hash      BLOB    NOT NULL,
	PRIMARY KEY (domain, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE v_fact_list (
	domain  INTEGER PRIMARY KEY,
	entries INTEGER NOT NULL,
	saves   INTEGER NOT NULL
) STRICT;

-- A list's free text from an entry on.
CREATE TABLE v_fact_text (
	domain INTEGER NOT NULL,
	seq    INTEGER NOT NULL,
	text   TEXT    NOT NULL,
	PRIMARY KEY (domain, seq)
) STRICT, WITHOUT ROWID;

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

-- mark 1: pruned, 2: pinned, 4: shown beside the summary that covers it.
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

-- Microseconds to RFC 3339, as everywhere in the mount.
CREATE VIEW log_messages AS
SELECT m.seq AS id,
       lower(hex(t.leaf_hash)) AS hash,
       s.hash AS session_hash,
       th.hash AS thread_hash,
       o.hash AS owner_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 1 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS players_id,
       p.hash AS master_player,
       json_extract(t.body, '$.role') AS role,
       json_extract(t.body, '$.content') AS content,
       coalesce(json_extract(t.body, '$.attachments'), '{}') AS attachments,
       CASE t.stream_seq WHEN 0 THEN NULL ELSE lower(hex(t.prev)) END AS prev_hash,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 2 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS hashtags,
       f.hash AS flag_id,
       i.hash AS master_item_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 3 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS item_id,
       l.hash AS loc_id,
       json_extract(t.body, '$.ambient') AS ambient,
       strftime('%Y-%m-%dT%H:%M:%S', m.time_us / 1000000, 'unixepoch') || printf('.%06dZ', m.time_us % 1000000) AS created_at
  FROM v_message m
  JOIN tape t ON t.seq = m.seq
  JOIN v_name s ON s.id = m.session
  LEFT JOIN v_name th ON th.id = m.thread
  JOIN v_name o ON o.id = m.owner
  LEFT JOIN v_name p ON p.id = m.master
  LEFT JOIN v_name f ON f.id = m.flag
  LEFT JOIN v_name i ON i.id = m.item
  LEFT JOIN v_name l ON l.id = m.loc;

CREATE VIEW log_message_refs AS
SELECT r.id, lower(hex(t.leaf_hash)) AS message_hash, r.hash AS ref_hash, r.type AS ref_type,
       r.position, th.hash AS thread_hash, r.seq AS message_id
  FROM v_ref r JOIN tape t ON t.seq = r.seq LEFT JOIN v_name th ON th.id = r.thread;

-- Which messages hold a player, hashtag or item: the inverted form of the array columns.
CREATE VIEW log_message_index AS
SELECT CASE g.field WHEN 1 THEN 'players_id' WHEN 2 THEN 'hashtags' ELSE 'item_id' END AS field,
       n.hash AS ref_hash, n.label, g.seq AS message_id
  FROM v_tag g JOIN v_name n ON n.id = g.name;

-- Text of the newest version of each document without its front matter; NULL if it is not UTF-8.
CREATE VIEW v_content AS
SELECT id, CASE WHEN cut > 0 THEN ltrim(substr(text, cut), char(13, 10)) ELSE text END AS content
  FROM (SELECT id, text,
               -- "---" and the end of its line begin it; the first such line after ends it.
               CASE WHEN substr(text, 1, 4) <> '---' || char(10) AND substr(text, 1, 5) <> '---' || char(13, 10) THEN 0
                    WHEN lf > 0 AND (crlf = 0 OR lf < crlf) THEN lf + 8
                    WHEN crlf > 0 THEN crlf + 9 ELSE 0 END AS cut
          FROM (SELECT id, text,
                       instr(substr(text, 4) || char(10), char(10) || '---' || char(10)) AS lf,
                       instr(substr(text, 4) || char(10), char(10) || '---' || char(13, 10)) AS crlf
                  FROM (SELECT id, CASE WHEN unicode(raw) = 65279 THEN substr(raw, 2) ELSE raw END AS text
                          FROM (SELECT d.id, CASE WHEN json_valid(t.body) THEN json_extract(t.body, '$.text') END AS raw
                                  FROM v_doc d JOIN tape t ON t.seq = d.newest WHERE d.here = 1 AND d.folder = 0))));

-- Uses of memories, copied from DB.side by access_copy.c: of all views the one the tape does not make.
CREATE TABLE v_access (
	doc     INTEGER PRIMARY KEY,
	uses    INTEGER NOT NULL,
	last_us INTEGER NOT NULL
) STRICT;

-- The deployed cto.* tables' columns; `hash` is of the file's bytes, embeddings are elsewhere.
CREATE VIEW cto_blocks AS
SELECT d.id,
       v.sha256 AS hash,
       substr(d.name, 1, length(d.name) - 3) AS code,
       coalesce(json_extract(d.fields, '$.name'), substr(d.name, 1, length(d.name) - 3)) AS name,
       coalesce(json_extract(d.fields, '$.session_hash'), s.hash) AS session_hash,
       o.hash AS owner_id,
       json_extract(d.fields, '$.block_type') AS block_type,
       substr(d.parent, 8) AS category,
       c.content,
       NULL AS embedding,
       coalesce(json_extract(d.fields, '$.priority'), 50) AS priority,
       coalesce(json_extract(d.fields, '$.scope'), 'global') AS scope,
       json_extract(d.fields, '$.server_code') AS server_code,
       json_extract(d.fields, '$.agent_code') AS agent_code,
       v.tokens AS token_count,
       coalesce(json_extract(d.fields, '$.status'), 'active') AS status,
       strftime('%Y-%m-%dT%H:%M:%S', d.made_us / 1000000, 'unixepoch') || printf('.%06dZ', d.made_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', d.saved_us / 1000000, 'unixepoch') || printf('.%06dZ', d.saved_us % 1000000) AS updated_at
  FROM v_doc d
  JOIN v_version v ON v.doc = d.id AND v.n = d.versions
  JOIN v_content c ON c.id = d.id
  LEFT JOIN v_name o ON o.id = d.owner
  LEFT JOIN v_name s ON s.id = d.session
 WHERE d.here = 1 AND d.parent >= 'blocks/' AND d.parent < 'blocks0' AND d.name LIKE '%.md';

CREATE VIEW cto_memory AS
SELECT d.id,
       v.sha256 AS hash,
       coalesce(json_extract(d.fields, '$.session_hash'), s.hash) AS session_hash,
       json_extract(d.fields, '$.block_hash') AS block_hash,
       o.hash AS owner_id,
       substr(d.parent, 10) AS type,
       c.content,
       json_extract(d.fields, '$.summary') AS summary,
       json_extract(d.fields, '$.importance') AS importance,
       json_extract(d.fields, '$.confidence') AS confidence,
       NULL AS embedding,
       json_extract(d.fields, '$.embedding_model') AS embedding_model,
       coalesce(a.uses, 0) AS access_count_v2,
       CASE WHEN a.last_us > 0 THEN strftime('%Y-%m-%dT%H:%M:%S', a.last_us / 1000000, 'unixepoch') || printf('.%06dZ', a.last_us % 1000000) END AS last_access,
       json_extract(d.fields, '$.source_hash') AS source_hash,
       json_extract(d.fields, '$.expires_at') AS expires_at,
       coalesce(json_extract(d.fields, '$.status'), 'active') AS status,
       -- A number is the document's; a key is of the same type, or TYPE/KEY.
       coalesce((SELECT p.id FROM v_doc p WHERE p.here = 1 AND p.name = json_extract(d.fields, '$.superseded_by') || '.md' AND p.parent = d.parent),
                (SELECT p.id FROM v_doc p WHERE p.here = 1 AND p.parent >= 'memories/' AND p.parent < 'memories0'
                    AND p.parent || '/' || p.name = 'memories/' || json_extract(d.fields, '$.superseded_by') || '.md'),
                json_extract(d.fields, '$.superseded_by')) AS superseded_by,
       coalesce(json_extract(d.fields, '$.related_to'), '[]') AS related_to,
       coalesce(json_extract(d.fields, '$.metadata'), '{}') AS metadata,
       json_extract(d.fields, '$.owner_type') AS owner_type,
       strftime('%Y-%m-%dT%H:%M:%S', d.made_us / 1000000, 'unixepoch') || printf('.%06dZ', d.made_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', d.saved_us / 1000000, 'unixepoch') || printf('.%06dZ', d.saved_us % 1000000) AS updated_at
  FROM v_doc d
  JOIN v_version v ON v.doc = d.id AND v.n = d.versions
  JOIN v_content c ON c.id = d.id
  LEFT JOIN v_name o ON o.id = d.owner
  LEFT JOIN v_name s ON s.id = d.session
  LEFT JOIN v_access a ON a.doc = d.id
 WHERE d.here = 1 AND d.parent >= 'memories/' AND d.parent < 'memories0' AND d.name LIKE '%.md';

-- algorithms/CODE/VERSION.json: CODE is a folder.
CREATE VIEW cto_algorithms AS
SELECT d.id,
       f.name AS code,
       coalesce(json_extract(d.fields, '$.name'), f.name) AS name,
       substr(d.name, 1, length(d.name) - 5) AS version,
       json_extract(d.fields, '$.config') AS config,
       coalesce(json_extract(d.fields, '$.enabled'), coalesce(json_extract(d.fields, '$.status'), 'draft') IN ('active', 'experiment')) AS enabled,
       coalesce(json_extract(d.fields, '$.status'), 'draft') AS status,
       (SELECT p.id FROM v_doc p WHERE p.parent = d.parent AND p.here = 1
           AND p.name = json_extract(d.fields, '$.parent_version') || '.json') AS parent_id,
       coalesce(json_extract(d.fields, '$.metrics'), '{}') AS metrics,
       json_extract(d.fields, '$.activated_at') AS activated_at,
       json_extract(d.fields, '$.deprecated_at') AS deprecated_at,
       strftime('%Y-%m-%dT%H:%M:%S', d.made_us / 1000000, 'unixepoch') || printf('.%06dZ', d.made_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', d.saved_us / 1000000, 'unixepoch') || printf('.%06dZ', d.saved_us % 1000000) AS updated_at
  FROM v_doc f
  JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0
 WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms' AND d.name LIKE '%.json';

-- What messages refer to; `id` is the SHA-256 of its path, as in log_messages.
CREATE VIEW components AS
SELECT substr(d.parent, 12) AS table_name,
       n.hash AS id,
       substr(d.name, 1, length(d.name) - 3) AS code,
       coalesce(json_extract(d.fields, '$.name'), substr(d.name, 1, length(d.name) - 3)) AS name,
       json_extract(d.fields, '$.description') AS description,
       coalesce(json_extract(d.fields, '$.status'), 'active') AS status,
       c.content,
       d.fields,
       strftime('%Y-%m-%dT%H:%M:%S', d.made_us / 1000000, 'unixepoch') || printf('.%06dZ', d.made_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', d.saved_us / 1000000, 'unixepoch') || printf('.%06dZ', d.saved_us % 1000000) AS updated_at
  FROM v_doc d
  JOIN v_name n ON n.id = d.hash
  JOIN v_content c ON c.id = d.id
 WHERE d.here = 1 AND d.parent >= 'components/' AND d.parent < 'components0' AND d.name LIKE '%.md';

-- Every fact that ever was; the live ones have no retracted_at.
CREATE VIEW facts AS
SELECT id,
       CASE domain WHEN 1 THEN 'work' WHEN 2 THEN 'preferences' WHEN 3 THEN 'decisions' WHEN 4 THEN 'personal' ELSE 'projects' END AS domain,
       text AS fact,
       CASE confidence WHEN 0 THEN 'low' WHEN 1 THEN 'medium' ELSE 'high' END AS confidence,
       CASE explicit WHEN 1 THEN 'explicit' ELSE 'inferred' END AS source,
       nullif(entry, 0) AS source_entry,
       strftime('%Y-%m-%dT%H:%M:%S', added_us / 1000000, 'unixepoch') || printf('.%06dZ', added_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', confirmed_us / 1000000, 'unixepoch') || printf('.%06dZ', confirmed_us % 1000000) AS last_confirmed_at,
       CASE WHEN retracted_seq > 0 THEN strftime('%Y-%m-%dT%H:%M:%S', retracted_us / 1000000, 'unixepoch') || printf('.%06dZ', retracted_us % 1000000) END AS retracted_at,
       nullif(supersedes, 0) AS supersedes,
       nullif(superseded_by, 0) AS superseded_by,
       author
  FROM v_fact;
