/* SPDX-License-Identifier: MIT */
/* What documents ask of a reading connection. */
#include "store/documents/doc_read.h"

static const char *const texts[] = {
#define DOC_COLUMNS                                                                                \
	"id, folder, iif(here = 0 AND heir = 0, id, heir), parent, name, versions, entries, size," \
	" made_us, saved_us FROM v_doc"
	[SQL_N(READ_DOC_COUNT)] = "SELECT max(stream_seq) + 1 FROM tape WHERE stream = 'documents'",
	[SQL_N(READ_DOC_NAME)] = "SELECT " DOC_COLUMNS " WHERE parent = ?1 AND name = ?2 AND here = 1",
	[SQL_N(READ_DOC_LAST)] =
		"SELECT " DOC_COLUMNS " WHERE id = (SELECT p.doc FROM v_place p"
		" WHERE p.parent = ?1 AND p.name = ?2"
		" ORDER BY p.seq DESC LIMIT 1)",
	[SQL_N(READ_DOC_ID)] = "SELECT " DOC_COLUMNS " WHERE id = ?1 AND (folder = 1 OR versions > 0)",
	[SQL_N(READ_DOC_NEXT)] =
		"SELECT " DOC_COLUMNS " WHERE parent = ?1 AND id > ?2 AND here = 1"
		" ORDER BY id LIMIT 1",
	[SQL_N(READ_DOC_WITHIN)] =
		"SELECT count(*) FROM (SELECT 1 FROM v_doc INDEXED BY v_doc_name"
		" WHERE here = 1 AND parent >= ?1 AND parent < ?2 LIMIT ?3)",
	[SQL_N(READ_DOC_DIR)] = "SELECT max(changed_us) FROM v_dir WHERE parent = ?1",
#define VERSION_OF                                                                                 \
	"v.n, v.seq, v.time_us, v.size, v.tokens, v.added, v.removed, v.author, v.sha256, v.hash,"     \
	" v.agent, v.talk, v.doc FROM v_version v"
#define VERSION_COLUMNS VERSION_OF " WHERE v.doc = ?1"
#define VERSION_N                                                                                  \
	" AND v.n = CASE ?2 WHEN 0 THEN (SELECT versions FROM v_doc WHERE id = ?1) ELSE ?2 END"
	[SQL_N(READ_DOC_VERSION)] = "SELECT " VERSION_COLUMNS VERSION_N,
	[SQL_N(READ_DOC_VERSION_AT)] =
		"SELECT " VERSION_COLUMNS " AND v.time_us <= ?2 ORDER BY v.n DESC LIMIT 1",
	[SQL_N(READ_DOC_HISTORY)] = "SELECT " VERSION_COLUMNS " ORDER BY v.n",
	[SQL_N(READ_DOC_SAVES)] = "SELECT " VERSION_OF " WHERE v.talk = ?1 ORDER BY v.seq",
	[SQL_N(READ_DOC_BODY)] =
		"SELECT " ENTRY_COLUMNS ", v.size FROM v_version v JOIN tape t ON t.seq = v.seq"
		" WHERE v.doc = ?1" VERSION_N,
/* A place counts until the document's next place not later than the time. */
#define PLACE_THEN                                                                                 \
	" AND p.time_us <= ?2 AND p.gone = 0 AND NOT EXISTS (SELECT 1 FROM v_place q"                  \
	" WHERE q.doc = p.doc AND q.seq > p.seq AND q.time_us <= ?2)"
	[SQL_N(READ_DOC_PLACE)] =
		"SELECT p.doc, p.name FROM v_place p WHERE p.parent = ?1 AND p.name = ?3"
		PLACE_THEN " ORDER BY p.seq DESC LIMIT 1",
	[SQL_N(READ_DOC_PLACE_NEXT)] =
		"SELECT p.doc, p.name FROM v_place p WHERE p.parent = ?1 AND p.doc > ?3"
		PLACE_THEN " ORDER BY p.doc LIMIT 1",
/* cto_blocks without the view: JSON within views is not for connections like ours. */
#define BLOCKS                                                                                     \
	"SELECT " ENTRY_COLUMNS ", d.id, substr(d.name, 1, length(d.name) - 3) AS code,"               \
	" json_extract(d.fields, '$.name'), substr(d.parent, 8),"                                      \
	" coalesce(json_extract(d.fields, '$.scope'), 'global') AS scope,"                             \
	" coalesce(json_extract(d.fields, '$.priority'), 50) AS priority, v.tokens,"                   \
	" json_extract(d.fields, '$.for_tool'), json_extract(d.fields, '$.for_format'),"               \
	" coalesce(json_extract(d.fields, '$.examples'), 0), json_extract(d.fields, '$.status')"       \
	" FROM v_doc d JOIN v_version v ON v.doc = d.id AND v.n = d.versions"                          \
	" JOIN tape t ON t.seq = d.newest WHERE d.name LIKE '%.md'"
#define AMONG_BLOCKS "here = 1 AND parent >= 'blocks/' AND parent < 'blocks0'"
	[SQL_N(READ_DOC_BLOCKS)] =
		BLOCKS " AND d.here = 1 AND d.parent >= 'blocks/' AND d.parent < 'blocks0'"
		" AND (?1 IS NULL OR scope = ?1) AND (scope = 'global'"
		" OR (scope = 'server' AND json_extract(d.fields, '$.server_code') = ?2)"
		" OR (scope = 'agent' AND json_extract(d.fields, '$.agent_code') = ?3)"
		" OR (scope = 'session' AND json_extract(d.fields, '$.session') = ?4))"
		" ORDER BY priority DESC, code, d.id",
	[SQL_N(READ_DOC_BLOCKS_LIKE)] =
		BLOCKS " AND d.id IN (SELECT id FROM v_doc INDEXED BY v_doc_block"
		" WHERE name = ?1 AND " AMONG_BLOCKS
		" UNION SELECT id FROM v_doc INDEXED BY v_doc_block_text WHERE text = ?2 AND ?2 <> 0"
		" AND " AMONG_BLOCKS ")"
		" ORDER BY priority DESC, code, d.id",
	[SQL_N(READ_DOC_ANSWERS)] =
		"SELECT id, coalesce(json_extract(fields, '$.asked'),"
		" substr(name, 1, length(name) - 3)), versions, saved_us"
		" FROM v_doc INDEXED BY v_doc_saved"
		" WHERE parent = ?1 AND saved_us > ?2 AND here = 1 AND folder = 0"
		" AND parent >= 'answers' AND parent < 'answers0'" /* the index's own */
		" ORDER BY saved_us DESC LIMIT ?3",
	[SQL_N(READ_DOC_NEXT_SINCE)] =
		"SELECT " DOC_COLUMNS " WHERE parent = ?1 AND id > ?2 AND here = 1"
		" AND saved_us >= ?3 ORDER BY id LIMIT 1",
	[SQL_N(READ_DOC_QUESTION)] = "SELECT json_extract(fields, '$.asked') FROM v_doc WHERE id = ?1",
	[SQL_N(READ_DOC_POLICY)] =
		"SELECT json_extract(d.fields, '$.config') FROM v_doc f"
		" JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0"
		" WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms' AND f.name = 'context'"
		" AND json_extract(d.fields, '$.status') = 'active' ORDER BY d.saved_us DESC LIMIT 1",
	[SQL_N(READ_DOC_SCORING)] =
		"SELECT json_extract(d.fields, '$.config') FROM v_doc f"
		" JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0"
		" WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms'"
		" AND json_extract(d.fields, '$.status') = 'active'"
		" AND 'object' IN (json_type(d.fields, '$.config.scoring'),"
		" json_type(d.fields, '$.config.weights'), json_type(d.fields, '$.config.decay_rates'))"
		" ORDER BY f.name = 'memory' DESC, d.saved_us DESC LIMIT 1",
	[SQL_N(READ_DOC_ALGORITHMS)] =
		"SELECT d.id, f.name, d.name, coalesce(json_extract(d.fields, '$.status'), 'draft'),"
		" coalesce(json_extract(d.fields, '$.config'), ''),"
		" 'object' IN (json_type(d.fields, '$.config.scoring'),"
		" json_type(d.fields, '$.config.weights'), json_type(d.fields, '$.config.decay_rates')),"
		" d.saved_us FROM v_doc f"
		" JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0"
		" WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms'"
		" AND d.name LIKE '%.json' AND (?1 IS NULL OR f.name = ?1) ORDER BY f.name, d.id",
#define LINK "json_extract(d.fields, '$.superseded_by')"
#define EXPIRES "json_extract(d.fields, '$.expires_at')"
#define MEMORY_SQL /* who supersedes it: as in cto_memory */ \
	"SELECT d.id, substr(d.parent, 10), d.name," \
	" coalesce(json_extract(d.fields, '$.summary'), '')," \
	" coalesce(json_extract(d.fields, '$.importance'), 0.5)," \
	" coalesce(json_extract(d.fields, '$.status'), 'active')," \
	" coalesce(strftime('%s', substr(" EXPIRES ", 1, 19)) * 1000000" \
	" + substr(" EXPIRES ", 21, 6), 0)," \
	" CASE WHEN " LINK " IS NULL THEN 0 ELSE coalesce(" \
	"(SELECT p.id FROM v_doc p WHERE p.here = 1 AND p.parent = d.parent" \
	" AND p.name = " LINK " || '.md')," \
	"(SELECT p.id FROM v_doc p WHERE p.here = 1" \
	" AND p.parent = 'memories/' || substr(" LINK ", 1, instr(" LINK ", '/') - 1)" \
	" AND p.name = substr(" LINK ", instr(" LINK ", '/') + 1) || '.md')," \
	" iif(typeof(" LINK ") = 'integer', " LINK ", 0)) END," \
	" d.made_us, d.saved_us, v.tokens, coalesce(o.hash, ''), coalesce(o.label, ''), d.newest," \
	" " LINK " IS NOT NULL" \
	" FROM v_doc d JOIN v_version v ON v.doc = d.id AND v.n = d.versions" \
	" LEFT JOIN v_name o ON o.id = d.owner" \
	" WHERE d.here = 1 AND d.folder = 0 AND d.parent >= 'memories/' AND d.parent < 'memories0'" \
	" AND d.name LIKE '%.md'"
	[SQL_N(READ_DOC_MEMORIES)] = MEMORY_SQL " AND d.id >= ?1 ORDER BY d.id",
	/* Of the index alone. */
	[SQL_N(READ_DOC_MEMORY_BACK)] =
		"SELECT id FROM v_doc INDEXED BY v_doc_child WHERE here = 1"
		" AND parent >= 'memories/' AND parent < 'memories0' ORDER BY id DESC LIMIT 1 OFFSET ?1",
	[SQL_N(READ_DOC_MEMORY)] = MEMORY_SQL " AND d.id = ?1",
	[SQL_N(READ_DOC_HELD)] = FOLDER_HELD_SQL,
	[SQL_N(READ_DOC_LIFE)] =
		"SELECT json_extract(d.fields, '$.status'),"
		" coalesce(strftime('%s', substr(" EXPIRES ", 1, 19)) * 1000000"
		" + substr(" EXPIRES ", 21, 6), 0), " LINK " IS NOT NULL"
		" FROM v_doc d WHERE d.id = ?1 AND d.here = 1",
	[SQL_N(READ_DOC_PLACE_OF)] =
		"SELECT parent, name, gone FROM v_place WHERE doc = ?1"
		" AND time_us <= ?2 ORDER BY seq DESC LIMIT 1",
	[SQL_N(READ_DOC_TOUCHED)] =
		"SELECT p.parent, p.name FROM v_place p WHERE p.doc = ?1 AND p.seq >="
		" coalesce((SELECT max(q.seq) FROM v_place q WHERE q.doc = ?1 AND q.seq < ?2), 0)"
		" AND EXISTS (SELECT 1 FROM v_place q WHERE q.doc = ?1 AND q.seq >= ?2)",
	[SQL_N(READ_DOC_SINCE)] =
		"SELECT DISTINCT CAST(substr(stream, 2) AS INTEGER), kind = '" REDACTION_KIND "' FROM tape"
		" WHERE seq >= ?1 AND seq < ?2 AND (stream GLOB 'd[1-9]*' OR kind = '" REDACTION_KIND "')",
	[SQL_N(READ_DOC_LEAF)] = "SELECT leaf_hash FROM tape WHERE seq = ?1",
	/* Of the documents among entries ?1 to ?2 - 1 the version before, if it is worth packing. */
	[SQL_N(READ_DOC_PACKABLE)] =
		"SELECT p.seq, t.seq + 1, p.body, p.salt, p.body_hash, k.seq, "
		PLAIN("k.body", "k.body_len") ", k.salt, k.body_hash"
		" FROM tape t JOIN tape p ON p.seq ="
		" (SELECT o.seq FROM tape o WHERE o.stream = t.stream AND o.stream_seq < t.stream_seq"
		" AND o.kind = 'document' ORDER BY o.stream_seq DESC LIMIT 1)"
		/* Of sixteen places in the stream the first version helps to pack the others. */
		" JOIN tape k ON k.seq = (SELECT o.seq FROM tape o WHERE o.stream = p.stream"
		" AND o.stream_seq >= p.stream_seq - p.stream_seq % 16 AND o.kind = 'document'"
		" ORDER BY o.stream_seq LIMIT 1)"
		" WHERE t.seq >= ?1 AND t.seq < ?2 AND t.kind = 'document' AND p.body_len >= 512"
		" AND typeof(p.body) = 'text' ORDER BY t.seq LIMIT ?3",
	[SQL_N(READ_DOC_DIR_AT)] =
		"SELECT max(changed_us) FROM v_dir WHERE parent = ?1 AND changed_us <= ?2",
};
const struct sql doc_queries = SQL_OF(texts);
