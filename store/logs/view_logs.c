/* SPDX-License-Identifier: MIT */
/* The views of logs: which entries they see, by which statements. */
#include "store/logs/view_logs.h"

#include <stdlib.h>

static const char *const view_sql[] = {
	[SQL_N(VIEW_LINE)] = "INSERT INTO v_line VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[SQL_N(VIEW_MESSAGE)] =
		"INSERT INTO v_message VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
	[SQL_N(VIEW_TAG)] = "INSERT INTO v_tag VALUES(?1, ?2, ?3, ?4)",
	[SQL_N(VIEW_REF)] =
		"INSERT OR IGNORE INTO v_ref(seq, type, hash, position, thread, session, by, id, end)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	/* The number that the next has, and where those up to that message end. */
	[SQL_N(VIEW_REF_PLACE)] =
		"SELECT coalesce((SELECT max(id) FROM v_ref), 0) + 1, coalesce((SELECT end FROM v_ref"
		" WHERE session = ?1 AND seq <= ?2 ORDER BY end DESC LIMIT 1), 0)",
	[SQL_N(VIEW_REF_SHIFT)] =
		"UPDATE v_ref SET end = end + ?3 WHERE session = ?1 AND seq > ?2",
	[SQL_N(VIEW_REFERRED)] =
		"SELECT m.seq, m.thread, (SELECT coalesce(max(r.position), 0) FROM v_ref r"
		" WHERE r.seq = m.seq) FROM tape t JOIN v_message m ON m.seq = t.seq"
		" WHERE t.stream = ?1 AND t.stream_seq = ?2",
	[SQL_N(VIEW_GROUP)] =
		"SELECT kind, id, hash, name, made_us, author, messages, tokens, bytes, text_bytes,"
		" first_us, last_us, last_seq FROM v_group WHERE kind = ?1 AND id = ?2",
	[SQL_N(VIEW_GROUP_BY_NAME)] = "SELECT id FROM v_group WHERE kind = ?1 AND name = ?2",
	[SQL_N(VIEW_NEXT_GROUP)] = "SELECT coalesce(max(id), 0) + 1 FROM v_group WHERE kind = ?1",
	[SQL_N(VIEW_PUT_GROUP)] =
		"INSERT OR REPLACE INTO v_group(kind, id, hash, name, made_us, author, messages,"
		" tokens, bytes, text_bytes, first_us, last_us, last_seq)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
	[SQL_N(VIEW_SAID)] = "SELECT coalesce(said_us, time_us) FROM v_message WHERE seq = ?1",
	[SQL_N(VIEW_TALK)] = "SELECT id FROM v_talk WHERE name = ?1 AND agent = ?2",
	[SQL_N(VIEW_PUT_TALK)] = "INSERT INTO v_talk(agent, name, session) VALUES(?1, ?2, ?3)",
	[SQL_N(VIEW_TAKE)] = "INSERT OR IGNORE INTO v_taken VALUES(?1, ?2, ?3, ?4)",
	[SQL_N(VIEW_TAKEN)] = "SELECT seq FROM v_taken WHERE talk = ?1 AND id = ?2 AND part = ?3",
	[SQL_N(VIEW_LEAF)] = "SELECT leaf_hash FROM tape WHERE stream = ?1 AND stream_seq = ?2",
};

static int open_caches(struct view *v)
{
	v->logs = calloc(1, sizeof *v->logs);
	return v->logs ? 0 : STORE_ENOMEM;
}

static void close_caches(struct view *v)
{
	free(v->logs);
}

static const struct view_kind kinds[] = {
	{ .letter = 's', .see = view_message },
	{ .letter = 'r', .most = RECORD_SECRETARY, .see = view_record },
	{ .stream = "sessions", .kind = "session", .see = view_session },
};
const struct view_room log_views = { .sql = SQL_OF(view_sql), .kinds = kinds, .kind_count = 3,
	.open = open_caches, .close = close_caches, .forget = view_groups_forget,
	.save = view_groups_save };
