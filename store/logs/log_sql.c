/* SPDX-License-Identifier: MIT */
/* What logs ask of a reading connection. */
#include "store/logs/log_read.h"

static const char *const texts[] = {
#define GROUP_COLUMNS                                                                              \
	"id, name, made_us, author, messages, tokens, bytes, text_bytes, first_us, last_us"
	[SQL_N(READ_GROUP_NAME)] =
		"SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND name = ?2",
	[SQL_N(READ_GROUP_ID)] = "SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND id = ?2",
	[SQL_N(READ_GROUP_NEXT)] =
		"SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND id > ?2"
		" ORDER BY id LIMIT 1",
	[SQL_N(READ_GROUP_LAST)] =
		"SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1 AND messages > 0 AND last_seq > 0"
		" ORDER BY last_seq DESC LIMIT 1",
	[SQL_N(READ_GROUP_NEWEST)] =
		"SELECT " GROUP_COLUMNS " FROM v_group WHERE kind = ?1"
		" ORDER BY id DESC LIMIT 1",
	[SQL_N(READ_LINE)] = "SELECT end, text_end FROM v_line WHERE kind = ?1 AND id = ?2 AND n = ?3",
	[SQL_N(READ_STREAM)] =
		"SELECT " ENTRY_COLUMNS " FROM tape t"
		" WHERE t.stream = ?1 AND t.stream_seq >= ?2 ORDER BY t.stream_seq",
	[SQL_N(READ_THREAD)] =
		"SELECT " ENTRY_COLUMNS ", g.name FROM v_line l JOIN tape t ON t.seq = l.seq"
		" LEFT JOIN v_group g ON g.kind = " SESSION_SQL
		" AND g.id = CAST(substr(t.stream, 2) AS INTEGER)"
		" WHERE l.kind = " THREAD_SQL " AND l.id = ?1 AND l.n >= ?2 ORDER BY l.n",
	[SQL_N(READ_TAPE)] = "SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq >= ?1 ORDER BY t.seq",
	[SQL_N(READ_SAID)] = "SELECT " ENTRY_COLUMNS " FROM tape t"
		" WHERE t.seq >= ?1 AND t.seq < ?2 AND t.kind = 'message' ORDER BY t.seq",
	[SQL_N(READ_MESSAGE)] =
		"SELECT " ENTRY_COLUMNS ", g.name FROM tape t LEFT JOIN v_group g"
		" ON t.kind = 'message' AND g.kind = " SESSION_SQL
		" AND g.id = CAST(substr(t.stream, 2) AS INTEGER) WHERE t.seq = ?1",
	[SQL_N(READ_MESSAGE_SEQ)] = "SELECT seq FROM tape WHERE stream = ?1 AND stream_seq = ?2",
#define REF_SQL                                                                                    \
	"SELECT r.id, t.stream_seq + 1, lower(hex(t.leaf_hash)), r.hash, r.type, r.position,"          \
	" n.hash, b.time_us, r.end FROM v_ref r JOIN tape t ON t.seq = r.seq"                          \
	" LEFT JOIN tape b ON b.seq = r.by LEFT JOIN v_name n ON n.id = r.thread"                      \
	" WHERE r.session = ?1 AND r.end > ?2 ORDER BY r.end"
	[SQL_N(READ_REFS)] = REF_SQL,
	[SQL_N(READ_REFS_SIZE)] = "SELECT max(end) FROM v_ref WHERE session = ?1",
	[SQL_N(READ_REFS_OF)] =
		"SELECT t.stream_seq, t.seq, h.hash FROM tape t JOIN v_hash h ON h.seq = t.seq"
		" WHERE t.stream = ?1 AND t.stream_seq BETWEEN ?2 AND ?3 ORDER BY t.stream_seq",
	[SQL_N(READ_REFS_FROM)] =
		"SELECT r.type, r.hash, n.label, t.stream, t.seq, t.stream_seq FROM v_ref r"
		" LEFT JOIN v_name n ON n.hash = r.hash"
		" LEFT JOIN tape t ON t.seq = (SELECT max(h.seq) FROM v_hash h WHERE h.hash = r.hash)"
		" WHERE +r.session = ?1 AND r.seq = ?2 ORDER BY r.position LIMIT ?3",
	[SQL_N(READ_REFS_TO)] =
		"SELECT r.type, r.hash, NULL, t.stream, t.seq, t.stream_seq FROM v_ref r"
		" JOIN tape t ON t.seq = r.seq WHERE r.hash = ?1 ORDER BY r.id DESC LIMIT ?2",
	[SQL_N(READ_LINE_TIME)] =
		"SELECT t.time_us, l.end, l.text_end FROM v_line l JOIN tape t ON t.seq = l.seq"
		" WHERE l.kind = ?1 AND l.id = ?2 AND l.n = ?3",
	[SQL_N(READ_LINE_TOKENS)] =
		"SELECT coalesce(sum(CASE WHEN n >= 0 AND n < 1e12 THEN CAST(n AS INTEGER) ELSE 0 END), 0)"
		" FROM (SELECT CASE WHEN json_valid(t.body) AND json_type(t.body, '$.token_count')"
		" IN ('integer', 'real') THEN json_extract(t.body, '$.token_count') ELSE 0 END AS n"
		" FROM v_line l JOIN tape t ON t.seq = l.seq"
		" WHERE l.kind = ?1 AND l.id = ?2 AND l.n >= ?3 AND l.n < ?4)",
	[SQL_N(READ_SESSION_BEFORE)] =
		"SELECT stream FROM tape t WHERE seq < ?1 AND stream GLOB 's[1-9]*' AND NOT EXISTS"
		" (SELECT 1 FROM v_message m WHERE m.seq = t.seq AND m.talk IS NOT NULL)"
		" ORDER BY seq DESC",
	[SQL_N(READ_GROUP_MADE)] = "SELECT max(made_us) FROM v_group WHERE kind = ?1 AND made_us <= ?2",
	[SQL_N(READ_GROUP_TOTALS)] =
		"SELECT coalesce(sum(kind = " SESSION_SQL "), 0), coalesce(sum(kind = " THREAD_SQL "), 0),"
		" coalesce(sum(messages) FILTER (WHERE kind = " SESSION_SQL "), 0) FROM v_group",
	[SQL_N(READ_SESSION_COUNT)] = "SELECT max(stream_seq) + 1 FROM tape WHERE stream = 'sessions'",
	[SQL_N(READ_SESSIONS_BACK)] =
		"SELECT " GROUP_COLUMNS ","
		" (SELECT coalesce(m.said_us, m.time_us) FROM v_line l JOIN v_message m ON m.seq = l.seq"
		"  WHERE l.kind = " SESSION_SQL " AND l.id = g.id AND l.n = 0),"
		" (SELECT coalesce(m.said_us, m.time_us) FROM v_line l JOIN v_message m ON m.seq = l.seq"
		"  WHERE l.kind = " SESSION_SQL " AND l.id = g.id AND l.n = g.messages - 1),"
		" (SELECT k.agent FROM v_talk k WHERE k.session = g.id ORDER BY k.id LIMIT 1)"
		" FROM v_group g WHERE kind = " SESSION_SQL " AND id < ?1 ORDER BY id DESC LIMIT ?2",
	[SQL_N(READ_THREAD_LINES)] =
		"SELECT t.stream, t.stream_seq FROM v_line l JOIN tape t ON t.seq = l.seq"
		" WHERE l.kind = " THREAD_SQL " AND l.id = ?1 AND l.n >= ?2 ORDER BY l.n LIMIT ?3",
	[SQL_N(READ_THREADS_SINCE)] =
		"SELECT DISTINCT g.id FROM v_message m JOIN v_group g ON g.hash = m.thread"
		" AND g.kind = " THREAD_SQL " WHERE m.seq >= ?1 AND m.thread IS NOT NULL",
	[SQL_N(READ_TALK)] = "SELECT session FROM v_talk WHERE name = ?1 AND agent = ?2",
	[SQL_N(READ_TALK_NAME)] = "SELECT session FROM v_talk WHERE name = ?1 ORDER BY id LIMIT 1",
	[SQL_N(READ_TALKS)] = "SELECT agent, name FROM v_talk WHERE session = ?1 ORDER BY id",
	[SQL_N(READ_TAKEN_ONE)] =
		"SELECT seq FROM v_taken WHERE talk = (SELECT id FROM v_talk WHERE name = ?1"
		" AND agent = ?2) AND id = ?3 AND part = ?4",
	[SQL_N(READ_TAKEN)] =
		"SELECT k.id, t.stream_seq FROM v_taken k JOIN tape t ON t.seq = k.seq"
		" WHERE k.talk = (SELECT id FROM v_talk WHERE name = ?1 AND agent = ?2)"
		" AND t.stream = ?3 ORDER BY t.stream_seq",
};
const struct sql log_queries = SQL_OF(texts);
