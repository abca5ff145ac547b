/* SPDX-License-Identifier: MIT */
/* What facts ask of a reading connection. */
#include "store/facts/fact_read.h"

static const char *const texts[] = {
#define FACT_COLUMNS                                                                               \
	"f.id, f.domain, f.text, f.confidence, f.explicit, f.entry, f.supersedes, f.superseded_by,"    \
	" f.added_us, f.confirmed_us, f.retracted_us, f.confirmations, f.author, f.agent, f.talk"      \
	" FROM v_fact f"
#define SAVE_COLUMNS                                                                               \
	"domain, n, seq, time_us, added, retracted, confirmed, weighed, texts, author, hash, agent,"   \
	" talk FROM v_fact_save"
	[SQL_N(READ_FACT_LIST)] =
		"SELECT l.saves, l.entries, s.time_us, s.seq FROM v_fact_list l"
		" LEFT JOIN v_fact_save s ON s.domain = l.domain AND s.n = l.saves"
		" WHERE l.domain = ?1",
	[SQL_N(READ_FACT_LIVE)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_live"
		" WHERE f.domain = ?1 AND f.retracted_seq = 0 ORDER BY f.place, f.id",
	[SQL_N(READ_FACT_ID)] = "SELECT " FACT_COLUMNS " WHERE f.id = ?1",
	[SQL_N(READ_FACT_ALL)] = "SELECT " FACT_COLUMNS " ORDER BY f.id",
/* FACT_COLUMNS as they were when the tape ended with entry ?2. */
#define EVENTS_THEN(what) "(SELECT " what " FROM v_fact_event e WHERE e.fact = f.id AND e.seq <= ?2"
	[SQL_N(READ_FACT_AT)] =
		"SELECT f.id, f.domain, f.text,"
		" coalesce(" EVENTS_THEN("e.confidence") " AND e.confidence >= 0 ORDER BY e.seq DESC"
		" LIMIT 1), f.confidence_then), f.explicit, f.entry, f.supersedes,"
		" iif(f.superseded_by <= ?2 AND f.retracted_seq <= ?2, f.superseded_by, 0), f.added_us,"
		" max(f.added_us, coalesce(" EVENTS_THEN("max(e.time_us)") " AND e.confidence < 0), 0)),"
		" iif(f.retracted_seq <= ?2, f.retracted_us, 0),"
		" " EVENTS_THEN("count(*)") " AND e.confidence < 0), f.author, f.agent, f.talk"
		" FROM v_fact f WHERE (?1 = 0 OR (f.domain = ?1"
		" AND (f.retracted_seq = 0 OR f.retracted_seq > ?2))) AND f.id <= ?2"
		" ORDER BY iif(?1 = 0, f.id, f.place), f.id",
	[SQL_N(READ_FACT_END)] = "SELECT seq FROM v_fact_save WHERE domain = ?1 AND n = ?2",
	[SQL_N(READ_FACT_END_AT)] = "SELECT max(seq) FROM v_fact_save WHERE time_us <= ?1",
	[SQL_N(READ_FACT_TEXT)] =
		"SELECT text FROM v_fact_text WHERE domain = ?1 AND seq <= ?2"
		" ORDER BY seq DESC LIMIT 1",
	[SQL_N(READ_FACT_SAVE_AT)] =
		"SELECT n FROM v_fact_save WHERE domain = ?1 AND time_us <= ?2"
		" ORDER BY n DESC LIMIT 1",
	[SQL_N(READ_FACT_HISTORY)] =
		"SELECT " SAVE_COLUMNS " WHERE domain = ?1 ORDER BY n",
	[SQL_N(READ_FACT_TALK)] = "SELECT " SAVE_COLUMNS " WHERE talk = ?1 ORDER BY seq",
	/* What is skipped is passed over in the index alone. */
	[SQL_N(READ_FACT_HELD)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_live"
		" WHERE f.retracted_seq = 0 ORDER BY f.domain, f.place, f.id LIMIT ?1 OFFSET ?2",
	[SQL_N(READ_FACT_ENDED)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_ended"
		" WHERE f.retracted_seq > 0 ORDER BY f.retracted_us DESC, f.id DESC LIMIT ?1 OFFSET ?2",
	[SQL_N(READ_FACT_SAID_IN)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_added"
		" WHERE f.added_us >= ?1 AND f.added_us < ?2 ORDER BY f.added_us, f.id LIMIT ?3 OFFSET ?4",
	[SQL_N(READ_FACT_ENDED_IN)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_ended"
		" WHERE f.retracted_seq > 0 AND f.retracted_us >= ?1 AND f.retracted_us < ?2"
		" ORDER BY f.retracted_us, f.id LIMIT ?3 OFFSET ?4",
	[SQL_N(READ_FACT_OLDEST)] =
		"SELECT " FACT_COLUMNS " INDEXED BY v_fact_confirmed WHERE f.retracted_seq = 0"
		" AND f.confirmed_us >= ?1 AND f.confirmed_us < ?2"
		" ORDER BY f.confirmed_us, f.confidence, f.id LIMIT ?3",
	[SQL_N(READ_FACT_CONFIRMED)] =
		"SELECT confidence, count(*) FROM v_fact INDEXED BY v_fact_confirmed"
		" WHERE retracted_seq = 0 AND confirmed_us >= ?1 AND confirmed_us < ?2"
		" GROUP BY confidence",
	[SQL_N(READ_FACT_COUNT)] =
		"SELECT (SELECT count(*) FROM v_fact INDEXED BY v_fact_confirmed WHERE retracted_seq = 0),"
		" (SELECT count(*) FROM v_fact INDEXED BY v_fact_ended WHERE retracted_seq > 0)",
};
const struct sql fact_queries = SQL_OF(texts);
