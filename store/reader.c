/* SPDX-License-Identifier: MIT */
/* A few connections for reading, each with its statements, lent to one thread at a time. */
#include "store/internal.h"

/* The texts of enum reader_stmt. */
static const char *const reader_sql[READER_STMTS] = {
#define GROUP_COLUMNS                                                                              \
	"id, name, made_us, author, messages, tokens, bytes, text_bytes, first_us, last_us"
	[READ_GROUP_NAME] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND name = ?2",
	[READ_GROUP_ID] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND id = ?2",
	[READ_GROUP_NEXT] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND id > ?2"
						" ORDER BY id LIMIT 1",
	[READ_GROUP_LAST] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1"
						" ORDER BY last_seq DESC LIMIT 1",
	[READ_GROUP_NEWEST] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1"
						  " ORDER BY id DESC LIMIT 1",
	[READ_LINE] = "SELECT end, text_end FROM v_line WHERE kind = ?1 AND id = ?2 AND n = ?3",
	[READ_STREAM] = "SELECT " ENTRY_COLUMNS " FROM tape t"
					" WHERE t.stream = ?1 AND t.stream_seq >= ?2 ORDER BY t.stream_seq",
	[READ_THREAD] = "SELECT " ENTRY_COLUMNS " FROM v_line l JOIN tape t ON t.seq = l.seq"
					" WHERE l.kind = 2 AND l.id = ?1 AND l.n >= ?2 ORDER BY l.n",
	[READ_TAPE] = "SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq >= ?1 ORDER BY t.seq",
	[READ_MARK] = "SELECT start FROM v_mark WHERE k = ?1",
	[READ_STATE] = "SELECT upto, tape_bytes FROM v_state",
	[READ_MESSAGE] =
		"SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.stream = ?1 AND t.stream_seq = ?2",
	[READ_REFS] =
		"SELECT r.id, t.stream_seq + 1, lower(hex(t.leaf_hash)), r.hash, r.type, r.position,"
		" n.hash FROM v_line l JOIN v_ref r ON r.seq = l.seq JOIN tape t ON t.seq = r.seq"
		" LEFT JOIN v_name n ON n.id = r.thread WHERE l.kind = 1 AND l.id = ?1"
		" ORDER BY l.n, r.position",
	[READ_STORED] = /* retry.c */
		"SELECT 1 FROM tape WHERE seq >= ?2 AND (author = ?1"
		" OR (instr(?1, ':') = 0 AND substr(author, 1, length(?1) + 1) = ?1 || ':')) LIMIT 1",

#define DOC_COLUMNS                                                                                \
	"id, folder, heir, parent, name, versions, entries, size, made_us, saved_us FROM v_doc"
	[READ_DOC_COUNT] = "SELECT max(stream_seq) + 1 FROM tape WHERE stream = 'documents'",
	[READ_DOC_NAME] = "SELECT " DOC_COLUMNS " WHERE parent = ?1 AND name = ?2 AND here = 1",
	[READ_DOC_LAST] = "SELECT " DOC_COLUMNS " WHERE id = (SELECT p.doc FROM v_place p"
					  " WHERE p.parent = ?1 AND p.name = ?2 AND p.gone = 0"
					  " ORDER BY p.seq DESC LIMIT 1)",
	[READ_DOC_ID] = "SELECT " DOC_COLUMNS " WHERE id = ?1 AND (folder = 1 OR versions > 0)",
	[READ_DOC_NEXT] = "SELECT " DOC_COLUMNS " WHERE parent = ?1 AND id > ?2 AND here = 1"
					  " ORDER BY id LIMIT 1",
	[READ_DOC_DIR] = "SELECT changed_us FROM v_dir WHERE parent = ?1",
#define VERSION_COLUMNS                                                                            \
	"v.n, v.seq, v.time_us, v.size, v.tokens, v.added, v.removed, v.author, v.sha256, v.hash"      \
	" FROM v_version v WHERE v.doc = ?1"
#define VERSION_N                                                                                  \
	" AND v.n = CASE ?2 WHEN 0 THEN (SELECT versions FROM v_doc WHERE id = ?1) ELSE ?2 END"
	[READ_DOC_VERSION] = "SELECT " VERSION_COLUMNS VERSION_N,
	[READ_DOC_VERSION_AT] =
		"SELECT " VERSION_COLUMNS " AND v.time_us <= ?2 ORDER BY v.n DESC LIMIT 1",
	[READ_DOC_HISTORY] = "SELECT " VERSION_COLUMNS " ORDER BY v.n",
	[READ_DOC_BODY] =
		"SELECT " SHOWN_BODY ", v.size FROM v_version v JOIN tape t ON t.seq = v.seq"
		" WHERE v.doc = ?1" VERSION_N,
/* A place counts until the document's next place not later than the time. */
#define PLACE_THEN                                                                                 \
	" AND p.time_us <= ?2 AND p.gone = 0 AND NOT EXISTS (SELECT 1 FROM v_place q"                  \
	" WHERE q.doc = p.doc AND q.seq > p.seq AND q.time_us <= ?2)"
	[READ_DOC_PLACE] = "SELECT p.doc, p.name FROM v_place p WHERE p.parent = ?1 AND p.name = ?3"
		PLACE_THEN " ORDER BY p.seq DESC LIMIT 1",
	[READ_DOC_PLACE_NEXT] = "SELECT p.doc, p.name FROM v_place p WHERE p.parent = ?1 AND p.doc > ?3"
		PLACE_THEN " ORDER BY p.doc LIMIT 1",
	[READ_DOC_BLOCKS] =
		/* cto_blocks without the view: JSON within views is not for connections like ours. */
		"SELECT d.id, substr(d.name, 1, length(d.name) - 3) AS code,"
		" json_extract(d.fields, '$.name'), substr(d.parent, 8),"
		" coalesce(json_extract(d.fields, '$.scope'), 'global') AS scope,"
		" coalesce(json_extract(d.fields, '$.priority'), 50) AS priority, v.tokens, " SHOWN_BODY ","
		" json_extract(d.fields, '$.for_tool'), json_extract(d.fields, '$.for_format'),"
		" coalesce(json_extract(d.fields, '$.examples'), 0)"
		" FROM v_doc d JOIN v_version v ON v.doc = d.id AND v.n = d.versions"
		" JOIN tape t ON t.seq = d.newest"
		" WHERE d.here = 1 AND d.parent >= 'blocks/' AND d.parent < 'blocks0'"
		" AND d.name LIKE '%.md'"
		" AND coalesce(json_extract(d.fields, '$.status'), 'active') = 'active'"
		" AND (?1 IS NULL OR scope = ?1) AND (scope = 'global'"
		" OR (scope = 'server' AND json_extract(d.fields, '$.server_code') = ?2)"
		" OR (scope = 'agent' AND json_extract(d.fields, '$.agent_code') = ?3)"
		" OR (scope = 'session' AND json_extract(d.fields, '$.session') = ?4))"
		" ORDER BY priority DESC, code, d.id",
	[READ_DOC_ANSWERS] = "SELECT id, coalesce(json_extract(fields, '$.asked'),"
						 " substr(name, 1, length(name) - 3)), versions, saved_us"
						 " FROM v_doc INDEXED BY v_doc_saved"
						 " WHERE parent = ?1 AND saved_us > ?2 AND here = 1 AND folder = 0"
						 " AND parent >= 'answers' AND parent < 'answers0'" /* the index's own */
						 " ORDER BY saved_us DESC LIMIT ?3",
	[READ_DOC_NEXT_SINCE] = "SELECT " DOC_COLUMNS " WHERE parent = ?1 AND id > ?2 AND here = 1"
							" AND saved_us >= ?3 ORDER BY id LIMIT 1",
	[READ_DOC_QUESTION] = "SELECT json_extract(fields, '$.asked') FROM v_doc WHERE id = ?1",
	[READ_DOC_POLICY] =
		"SELECT json_extract(d.fields, '$.config') FROM v_doc f"
		" JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0"
		" WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms' AND f.name = 'context'"
		" AND json_extract(d.fields, '$.status') = 'active' ORDER BY d.saved_us DESC LIMIT 1",
	[READ_DOC_SCORING] =
		"SELECT json_extract(d.fields, '$.config') FROM v_doc f"
		" JOIN v_doc d ON d.parent = '#' || f.id AND d.here = 1 AND d.folder = 0"
		" WHERE f.here = 1 AND f.folder = 1 AND f.parent = 'algorithms'"
		" AND json_extract(d.fields, '$.status') = 'active'"
		" AND 'object' IN (json_type(d.fields, '$.config.scoring'),"
		" json_type(d.fields, '$.config.weights'), json_type(d.fields, '$.config.decay_rates'))"
		" ORDER BY f.name = 'memory' DESC, d.saved_us DESC LIMIT 1",
	[READ_DOC_ALGORITHMS] =
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
	[READ_DOC_MEMORIES] = /* who supersedes it: as in cto_memory */
		"SELECT d.id, substr(d.parent, 10), d.name,"
		" coalesce(json_extract(d.fields, '$.summary'), ''),"
		" coalesce(json_extract(d.fields, '$.importance'), 0.5),"
		" coalesce(json_extract(d.fields, '$.status'), 'active'),"
		" coalesce(strftime('%s', substr(" EXPIRES ", 1, 19)) * 1000000"
		" + substr(" EXPIRES ", 21, 6), 0),"
		" CASE WHEN " LINK " IS NULL THEN 0 ELSE coalesce("
		"(SELECT p.id FROM v_doc p WHERE p.here = 1 AND p.parent = d.parent"
		" AND p.name = " LINK " || '.md'),"
		"(SELECT p.id FROM v_doc p WHERE p.here = 1"
		" AND p.parent = 'memories/' || substr(" LINK ", 1, instr(" LINK ", '/') - 1)"
		" AND p.name = substr(" LINK ", instr(" LINK ", '/') + 1) || '.md'),"
		" iif(typeof(" LINK ") = 'integer', " LINK ", 0)) END,"
		" d.made_us, d.saved_us, v.tokens, coalesce(o.hash, ''), coalesce(o.label, '')"
		" FROM v_doc d JOIN v_version v ON v.doc = d.id AND v.n = d.versions"
		" LEFT JOIN v_name o ON o.id = d.owner"
		" WHERE d.here = 1 AND d.folder = 0 AND d.parent >= 'memories/' AND d.parent < 'memories0'"
		" AND d.name LIKE '%.md' ORDER BY d.id",

#define FACT_COLUMNS                                                                               \
	"f.id, f.domain, f.text, f.confidence, f.explicit, f.entry, f.supersedes, f.superseded_by,"    \
	" f.added_us, f.confirmed_us, f.retracted_us, f.confirmations, f.author FROM v_fact f"
	[READ_FACT_LIST] = "SELECT l.saves, l.entries, s.time_us, s.seq FROM v_fact_list l"
					   " LEFT JOIN v_fact_save s ON s.domain = l.domain AND s.n = l.saves"
					   " WHERE l.domain = ?1",
	[READ_FACT_LIVE] = "SELECT " FACT_COLUMNS " INDEXED BY v_fact_live"
					   " WHERE f.domain = ?1 AND f.retracted_seq = 0 ORDER BY f.place, f.id",
	[READ_FACT_ID] = "SELECT " FACT_COLUMNS " WHERE f.id = ?1",
	[READ_FACT_ALL] = "SELECT " FACT_COLUMNS " ORDER BY f.id",
/* FACT_COLUMNS as they were when the tape ended with entry ?2. */
#define EVENTS_THEN(what) "(SELECT " what " FROM v_fact_event e WHERE e.fact = f.id AND e.seq <= ?2"
	[READ_FACT_AT] =
		"SELECT f.id, f.domain, f.text,"
		" coalesce(" EVENTS_THEN("e.confidence") " AND e.confidence >= 0 ORDER BY e.seq DESC"
		" LIMIT 1), f.confidence_then), f.explicit, f.entry, f.supersedes,"
		" iif(f.superseded_by <= ?2 AND f.retracted_seq <= ?2, f.superseded_by, 0), f.added_us,"
		" coalesce(" EVENTS_THEN("max(e.time_us)") " AND e.confidence < 0), f.added_us),"
		" iif(f.retracted_seq <= ?2, f.retracted_us, 0),"
		" " EVENTS_THEN("count(*)") " AND e.confidence < 0), f.author"
		" FROM v_fact f WHERE (?1 = 0 OR (f.domain = ?1"
		" AND (f.retracted_seq = 0 OR f.retracted_seq > ?2))) AND f.id <= ?2"
		" ORDER BY iif(?1 = 0, f.id, f.place), f.id",
	[READ_FACT_END] = "SELECT seq FROM v_fact_save WHERE domain = ?1 AND n = ?2",
	[READ_FACT_END_AT] = "SELECT max(seq) FROM v_fact_save WHERE time_us <= ?1",
	[READ_FACT_TEXT] = "SELECT text FROM v_fact_text WHERE domain = ?1 AND seq <= ?2"
					   " ORDER BY seq DESC LIMIT 1",
	[READ_FACT_SAVE_AT] = "SELECT n FROM v_fact_save WHERE domain = ?1 AND time_us <= ?2"
						  " ORDER BY n DESC LIMIT 1",
	[READ_FACT_HISTORY] = "SELECT n, seq, time_us, added, retracted, confirmed, weighed, texts,"
						  " author, hash FROM v_fact_save WHERE domain = ?1 ORDER BY n",

#define STILL " until = 9223372036854775807"
	[READ_CONTEXT] = "SELECT entries, size, pruned, pinned, summaries, summarized, last_seq,"
					 " last_us FROM v_context WHERE session = ?1",
	[READ_CONTEXT_HELD] =
		"SELECT message FROM v_context_mark INDEXED BY v_context_held"
		" WHERE session = ?1 AND mark = ?2"
		" AND message BETWEEN ?3 AND ?4 AND" STILL " ORDER BY message",
	[READ_CONTEXT_SHOWN] = "SELECT max(message) FROM v_context_mark INDEXED BY v_context_held"
						   " WHERE session = ?1 AND mark = 4 AND message BETWEEN ?2 AND ?3"
						   " AND" STILL,
#define SUMMARY_COLUMNS "since, first, last, time_us, author, text, session FROM v_context_summary"
	[READ_SUMMARIES] = "SELECT " SUMMARY_COLUMNS " WHERE session = ?1 AND" STILL
					   " AND first >= coalesce((SELECT iif(last >= ?2, first, NULL)"
					   " FROM v_context_summary WHERE session = ?1 AND" STILL
					   " AND first <= ?2 ORDER BY first DESC LIMIT 1), ?2) ORDER BY first",
	[READ_SUMMARIES_BACK] = "SELECT " SUMMARY_COLUMNS " WHERE session = ?1 AND" STILL
							" AND first <= ?2 ORDER BY first DESC",
	[READ_SUMMARY] = "SELECT " SUMMARY_COLUMNS " WHERE since = ?1",
	[READ_DIGEST] = "SELECT seq, first, last, time_us, author, text FROM v_context_digest"
					" WHERE session = ?1 AND first = ?2 AND last = ?3",
	[READ_CONTEXT_TOUCHED] =
		"SELECT EXISTS(SELECT 1 FROM v_context_mark WHERE session = ?1 AND message BETWEEN ?2"
		" AND ?3 AND mark IN (1, 2) AND" STILL ") OR coalesce((SELECT last >= ?2"
		" FROM v_context_summary WHERE session = ?1 AND first <= ?3 AND" STILL
		" ORDER BY first DESC LIMIT 1), 0)",
/* ENTRY_COLUMNS, marks, the first message of the summary over it.  ?1 stream, ?4 session */
#define TURN_COLUMNS                                                                               \
	ENTRY_COLUMNS ", (SELECT coalesce(sum(k.mark), 0) FROM v_context_mark k"                       \
	" WHERE k.session = ?4 AND k.message = t.stream_seq + 1 AND k." STILL "),"                     \
	" (SELECT iif(c.last > t.stream_seq, c.first, 0) FROM v_context_summary c"                     \
	" WHERE c.session = ?4 AND c." STILL " AND c.first <= t.stream_seq + 1"                        \
	" ORDER BY c.first DESC LIMIT 1) FROM tape t WHERE t.stream = ?1"
#define TURNS "SELECT " TURN_COLUMNS " AND t.stream_seq BETWEEN ?2 AND ?3"
	[READ_TURNS] = TURNS " ORDER BY t.stream_seq",
	[READ_TURNS_ACTIVE] = TURNS " AND NOT EXISTS (SELECT 1 FROM v_context_mark p"
							   " WHERE p.session = ?4 AND p.message = t.stream_seq + 1"
							   " AND p.mark = 1 AND p." STILL ") ORDER BY t.stream_seq DESC",
	[READ_TURNS_PINNED] =
		"SELECT " TURN_COLUMNS " AND t.stream_seq IN (SELECT message - 1 FROM v_context_mark"
		" INDEXED BY v_context_held WHERE session = ?4 AND mark = 2 AND" STILL ")"
		" ORDER BY t.stream_seq",
};

static int fill(struct store *s, struct reader *r)
{
	if (r->db)
		return 0;
	int err = db_open(s->path, DB_READ, &r->db, NULL);
	for (int i = 0; !err && i < READER_STMTS; i++) {
		r->stmt[i] = db_prepare(r->db, reader_sql[i]);
		if (!r->stmt[i] && i < READ_DOCS)
			err = STORE_EIO;
	}
	if (err) {
		for (int i = 0; i < READER_STMTS; i++) {
			sqlite3_finalize(r->stmt[i]);
			r->stmt[i] = NULL;
		}
		sqlite3_close(r->db);
		r->db = NULL;
	}
	return err;
}

static struct reader *free_one(struct store *s)
{
	struct reader *fresh = NULL;
	for (int i = 0; i < READERS; i++) {
		struct reader *r = &s->readers[i];
		if (!r->busy && r->db)
			return r; /* warm caches first */
		if (!r->busy && !fresh)
			fresh = r;
	}
	return fresh;
}

struct reader *reader_get(struct store *s)
{
	struct reader *r;
	pthread_mutex_lock(&s->reader_lock);
	while (!(r = free_one(s)))
		pthread_cond_wait(&s->reader_free, &s->reader_lock);
	r->busy = true;
	pthread_mutex_unlock(&s->reader_lock);
	if (fill(s, r)) {
		reader_put(s, r);
		return NULL;
	}
	return r;
}

static void give_back(struct store *s, struct reader *r)
{
	pthread_mutex_lock(&s->reader_lock);
	r->busy = false;
	pthread_cond_signal(&s->reader_free);
	pthread_mutex_unlock(&s->reader_lock);
}

void reader_put(struct store *s, struct reader *r)
{
	for (int i = 0; r->db && i < READER_STMTS; i++)
		sqlite3_reset(r->stmt[i]); /* also after SQLITE_DONE: else the next bind is refused */
	if (r->db && !sqlite3_get_autocommit(r->db))
		(void)db_exec(r->db, "COMMIT");
	give_back(s, r);
}

void reader_put_one(struct store *s, struct reader *r, sqlite3_stmt *used)
{
	sqlite3_reset(used);
	give_back(s, r);
}
