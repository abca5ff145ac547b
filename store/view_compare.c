/* SPDX-License-Identifier: MIT */
/* Are the views in the file what the tape says?  Makes them anew in memory and compares. */
#include <string.h>

#include "store/schema.h"
#include "store/store.h"
#include "store/view.h"

/* Each table since a version of the views; a file of an older one is compared in what it has. */
static const struct {
	const char *name;
	int since;
} tables[] = {
	{ "v_state", 1 }, { "v_mark", 1 }, { "v_name", 1 }, { "v_group", 1 }, { "v_line", 1 },
	{ "v_message", 1 }, { "v_tag", 1 }, { "v_ref", 1 },
	{ "v_doc", 2 }, { "v_version", 2 }, { "v_place", 2 }, { "v_dir", 2 },
	{ "v_fact", 3 }, { "v_fact_event", 3 }, { "v_fact_save", 3 }, { "v_fact_list", 3 },
	{ "v_fact_text", 3 },
	{ "v_context", 4 }, { "v_context_mark", 4 }, { "v_context_summary", 4 },
	{ "v_context_window", 4 }, { "v_context_digest", 6 },
	{ "v_redacted", 9 }, { "v_made", VIEWS_VERSION },
};

static int make_anew(sqlite3 *fresh, size_t (*text_size)(const struct entry *), int64_t limit)
{
	struct view *v = NULL;
	int64_t upto = 0;
	int err = view_open(fresh, text_size, &v);
	/* As far as the file's views have looked: they may be on their way. */
	int64_t known = db_int(fresh, "SELECT max(by) + 1 FROM file.v_redacted", 0);
	if (!err)
		view_know_redactions(v, known > limit ? known : limit);
	while (!err && upto < limit)
		err = view_catch_up(v, 10000, limit, &upto);
	view_close(v);
	return err;
}

/* 1 when a row stands on one side only. */
static int differ(sqlite3 *fresh, const char *table)
{
	char sql[256];
	(void)snprintf(sql, sizeof sql,
	               "SELECT EXISTS(SELECT * FROM main.%s EXCEPT SELECT * FROM file.%s)"
	               " OR EXISTS(SELECT * FROM file.%s EXCEPT SELECT * FROM main.%s)",
	               table, table, table, table);
	return (int)db_int(fresh, sql, STORE_EIO);
}

int view_compare(sqlite3 *db, size_t (*text_size)(const struct entry *e), char *detail,
                 size_t size)
{
	sqlite3 *fresh = NULL;
	char *attach = NULL;
	int err = STORE_EIO;
	if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    !(attach = sqlite3_mprintf("ATTACH %Q AS file", sqlite3_db_filename(db, "main"))))
		goto out;
	sqlite3_busy_timeout(fresh, 20000);
	if ((err = db_exec(fresh, views_sql)) || (err = db_exec(fresh, attach)) ||
	    (err = db_exec(fresh, "BEGIN"))) /* one state of the file, while a daemon writes on */
		goto out;
	/* `tape` is only in the file, so the views read it there and write here. */
	int64_t limit = db_int(fresh, "SELECT upto FROM file.v_state", -1);
	err = limit < 0 ? STORE_EFORMAT : make_anew(fresh, text_size, limit);
	if (err)
		goto out;
	for (size_t i = 0; err == 0 && i < sizeof tables / sizeof *tables; i++) {
		if (tables[i].since > db_views_version(db))
			continue;
		err = differ(fresh, tables[i].name);
		if (err == 1)
			(void)snprintf(detail, size, "view %s is not what the tape says", tables[i].name);
	}
out:
	sqlite3_free(attach);
	sqlite3_close(fresh);
	return err;
}
