-- SPDX-License-Identifier: MIT
-- Uses of memories, copied from DB.side by access_copy.c: of all views the one the tape does not make.
CREATE TABLE v_access (
	doc     INTEGER PRIMARY KEY,
	uses    INTEGER NOT NULL,
	last_us INTEGER NOT NULL
) STRICT;

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
       (SELECT coalesce((SELECT p.id FROM v_doc p WHERE p.here = 1
               AND p.parent = CASE WHEN instr(k.value, '/') THEN 'memories/' || rtrim(rtrim(k.value, replace(k.value, '/', '')), '/') ELSE d.parent END
               AND p.name = substr(k.value, length(rtrim(k.value, replace(k.value, '/', ''))) + 1) || '.md'), k.value) FROM json_each(d.fields, '$.superseded_by') k) AS superseded_by,
       (SELECT json_group_array(coalesce((SELECT p.id FROM v_doc p WHERE p.here = 1
               AND p.parent = CASE WHEN instr(k.value, '/') THEN 'memories/' || rtrim(rtrim(k.value, replace(k.value, '/', '')), '/') ELSE d.parent END
               AND p.name = substr(k.value, length(rtrim(k.value, replace(k.value, '/', ''))) + 1) || '.md'), k.value)) FROM json_each(d.fields, '$.related_to') k) AS related_to,
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
