-- SPDX-License-Identifier: MIT
-- Views of documents; those without v_ are for people with a sqlite3 shell.

-- Documents and folders (store/documents.h): as they are now, with the fields of the newest version.
CREATE TABLE v_doc (
	id       INTEGER PRIMARY KEY,
	folder   INTEGER NOT NULL,
	here     INTEGER NOT NULL,  -- 0: retired, or without a version
	heir     INTEGER NOT NULL,  -- the document that has its name since it retired; 0: nobody
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
	text     INTEGER NOT NULL,  -- doc_body_text() of it
	fields   TEXT    NOT NULL
) STRICT;
CREATE INDEX v_doc_name ON v_doc (parent, name) WHERE here = 1;
CREATE INDEX v_doc_child ON v_doc (parent, id) WHERE here = 1;
-- Of answers only (READ_DOC_ANSWERS): any other save would write one more page for it.
CREATE INDEX v_doc_saved ON v_doc (parent, saved_us) WHERE here = 1 AND parent >= 'answers' AND parent < 'answers0';

-- Of blocks only: a code and a text stand among them once (fs/save/block.c).
CREATE INDEX v_doc_block ON v_doc (name) WHERE here = 1 AND parent >= 'blocks/' AND parent < 'blocks0';
CREATE INDEX v_doc_block_text ON v_doc (text) WHERE here = 1 AND parent >= 'blocks/' AND parent < 'blocks0';

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
	agent   TEXT,              -- whose conversation it was saved in, and which; NULL: not known
	talk    TEXT,
	status  TEXT,              -- of its fields; NULL: none
	PRIMARY KEY (doc, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX v_version_talk ON v_version (talk, seq) WHERE talk IS NOT NULL;

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

-- When the names in a directory changed, each time: its last is for now, another for the past.
CREATE TABLE v_dir (
	parent     TEXT    NOT NULL,
	changed_us INTEGER NOT NULL,
	PRIMARY KEY (parent, changed_us)
) STRICT, WITHOUT ROWID;

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

-- algorithms/CODE/VERSION.json: CODE is a folder.  activated_at and deprecated_at: what its fields say, else when its
-- status last became that.
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
       coalesce(json_extract(d.fields, '$.activated_at'), (
           SELECT strftime('%Y-%m-%dT%H:%M:%S', max(u.time_us) / 1000000, 'unixepoch') || printf('.%06dZ', max(u.time_us) % 1000000)
             FROM (SELECT w.time_us, w.status, lag(w.status) OVER (ORDER BY w.n) AS before
                     FROM v_version w WHERE w.doc = d.id) u
            WHERE u.status = 'active' AND u.before IS NOT 'active' HAVING count(*) > 0)) AS activated_at,
       coalesce(json_extract(d.fields, '$.deprecated_at'), (
           SELECT strftime('%Y-%m-%dT%H:%M:%S', max(u.time_us) / 1000000, 'unixepoch') || printf('.%06dZ', max(u.time_us) % 1000000)
             FROM (SELECT w.time_us, w.status, lag(w.status) OVER (ORDER BY w.n) AS before
                     FROM v_version w WHERE w.doc = d.id) u
            WHERE u.status = 'deprecated' AND u.before IS NOT 'deprecated' HAVING count(*) > 0)) AS deprecated_at,
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
