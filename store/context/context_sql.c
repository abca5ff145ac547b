/* SPDX-License-Identifier: MIT */
/* What windows ask of a reading connection. */
#include "store/context/context_read.h"

static const char *const texts[] = {
	[SQL_N(READ_CONTEXT)] =
		"SELECT entries, size, pruned, pinned, summaries, summarized, last_seq,"
		" last_us FROM v_context WHERE session = ?1",
	[SQL_N(READ_CONTEXT_HELD)] =
		"SELECT message FROM v_context_mark INDEXED BY v_context_held"
		" WHERE session = ?1 AND mark = ?2"
		" AND message BETWEEN ?3 AND ?4 AND" STILL " ORDER BY message",
	[SQL_N(READ_CONTEXT_SHOWN)] =
		"SELECT max(message) FROM v_context_mark INDEXED BY v_context_held"
		" WHERE session = ?1 AND mark = " SHOWN_SQL " AND message BETWEEN ?2 AND ?3"
		" AND" STILL,
#define SUMMARY_COLUMNS "since, first, last, time_us, author, text, session FROM v_context_summary"
	[SQL_N(READ_SUMMARIES)] =
		"SELECT " SUMMARY_COLUMNS " WHERE session = ?1 AND" STILL
		" AND first >= coalesce((SELECT iif(last >= ?2, first, NULL)"
		" FROM v_context_summary WHERE session = ?1 AND" STILL
		" AND first <= ?2 ORDER BY first DESC LIMIT 1), ?2) ORDER BY first",
	[SQL_N(READ_SUMMARIES_BACK)] =
		"SELECT " SUMMARY_COLUMNS " WHERE session = ?1 AND" STILL
		" AND first <= ?2 ORDER BY first DESC",
	[SQL_N(READ_SUMMARY)] = "SELECT " SUMMARY_COLUMNS " WHERE since = ?1",
	[SQL_N(READ_DIGEST)] =
		"SELECT seq, first, last, time_us, author, text FROM v_context_digest"
		" WHERE session = ?1 AND first = ?2 AND last = ?3",
	[SQL_N(READ_CONTEXT_TOUCHED)] =
		"SELECT EXISTS(SELECT 1 FROM v_context_mark WHERE session = ?1 AND message BETWEEN ?2"
		" AND ?3 AND mark IN (" PRUNED_SQL ", " PINNED_SQL ") AND" STILL
		") OR coalesce((SELECT last >= ?2"
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
	[SQL_N(READ_TURNS)] = TURNS " ORDER BY t.stream_seq",
	[SQL_N(READ_TURNS_ACTIVE)] =
		TURNS " AND NOT EXISTS (SELECT 1 FROM v_context_mark p"
		" WHERE p.session = ?4 AND p.message = t.stream_seq + 1"
		" AND p.mark = " PRUNED_SQL " AND p." STILL ") ORDER BY t.stream_seq DESC",
	[SQL_N(READ_TURNS_PINNED)] =
		"SELECT " TURN_COLUMNS " AND t.stream_seq IN (SELECT message - 1 FROM v_context_mark"
		" INDEXED BY v_context_held WHERE session = ?4 AND mark = " PINNED_SQL " AND" STILL ")"
		" ORDER BY t.stream_seq",
/* Held when the tape ended before entry ?5. */
#define HELD(t) " " t "since < ?5 AND " t "until >= ?5"

/*
 * Of the last summary held then that begins at or before a message: no two of those meet, so it
 * alone can reach that far.  Walks the index back over those that were not held.
 */
#define HELD_UPTO(what, message)                                                                   \
	"(SELECT " what " FROM v_context_summary INDEXED BY v_context_first WHERE session = ?4"        \
	" AND first <= " message " AND" HELD("") " ORDER BY first DESC LIMIT 1)"
	[SQL_N(READ_CONTEXT_THEN)] =
		"SELECT coalesce(sum(mark = " PRUNED_SQL "), 0), coalesce(sum(mark = " PINNED_SQL "), 0),"
		" (SELECT count(*) FROM v_context_summary WHERE session = ?4 AND" HELD("") "),"
		" (SELECT coalesce(sum(last - first + 1), 0) FROM v_context_summary"
		" WHERE session = ?4 AND" HELD("") ") - coalesce(sum(mark = " SHOWN_SQL "), 0),"
		" coalesce((SELECT size FROM v_context_window WHERE session = ?4 AND" HELD("") "), 0)"
		" FROM v_context_mark WHERE session = ?4 AND" HELD(""),
	[SQL_N(READ_CONTEXT_LAST_THEN)] =
		"SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.stream = 'c' || ?4 AND t.seq < ?5"
		" ORDER BY t.stream_seq DESC",
	[SQL_N(READ_CONTEXT_BARRED_THEN)] =
		"SELECT NOT EXISTS(SELECT 1 FROM tape WHERE stream = 's' || ?4 AND stream_seq = ?3 - 1"
		" AND seq < ?5) OR EXISTS(SELECT 1 FROM v_context_mark WHERE session = ?4 AND mark = ?1"
		" AND message BETWEEN ?2 AND ?3 AND" HELD("") ")"
		" OR (?6 AND coalesce(" HELD_UPTO("last >= ?2", "?3") ", 0))",
	[SQL_N(READ_SUMMARIES_THEN)] =
		"SELECT since, first, last, time_us, author, text FROM v_context_summary"
		" WHERE session = ?4 AND" HELD("") " AND first >= coalesce("
		HELD_UPTO("iif(last >= ?1, first, NULL)", "?1") ", ?1) ORDER BY first",
	[SQL_N(READ_TURNS_THEN)] =
		"SELECT " ENTRY_COLUMNS ", (SELECT coalesce(sum(k.mark), 0) FROM v_context_mark k"
		" WHERE k.session = ?4 AND k.message = t.stream_seq + 1 AND" HELD("k.") ") AS marks,"
		" coalesce(" HELD_UPTO("iif(last > t.stream_seq, first, 0)", "t.stream_seq + 1") ", 0)"
		" AS over FROM tape t WHERE t.stream = ?1 AND t.stream_seq BETWEEN ?2 AND ?3"
		" ORDER BY t.stream_seq DESC",
	[SQL_N(READ_CONTEXT_MARKED_THEN)] =
		"SELECT message FROM v_context_mark WHERE session = ?4 AND mark = ?1 AND" HELD("")
		" ORDER BY message",
};
const struct sql context_queries = SQL_OF(texts);
