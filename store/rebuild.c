/* SPDX-License-Identifier: MIT */
/* Whole files: views made anew, whether the tape holds, a copy of what is open. */
#include <string.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/views/views.h"
#include "store/memories/memories.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/verify/verify.h"

/*
 * Where two tables share a page, or a page is garbage, dropping the views would free pages of the
 * tape: then nothing is begun.  What the views' rows hold is not looked at, they are made anew.
 */
static int check_pages(sqlite3 *db, struct why *why)
{
	sqlite3_stmt *q = db_prepare(db, "PRAGMA quick_check(1)");
	int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
	const char *said = rc == SQLITE_ROW ? db_text(q, 0) : sqlite3_errmsg(db);
	bool sound = rc == SQLITE_ROW && strcmp(said, "ok") == 0;
	const char *line = strrchr(said, '\n'); /* before it, the name of the database */
	if (!sound)
		why_set(why, "nothing was changed; restore a backup, and see `cinta verify`",
		        "the file is damaged: %.200s", line ? line + 1 : said);
	sqlite3_finalize(q);
	return sound ? 0 : STORE_EFORMAT;
}

int store_rebuild(const char *path, const struct store_config *config, struct why *why)
{
	sqlite3 *db = NULL;
	struct view *v = NULL;
	int64_t upto = -1, before;
	int err = db_open(path, DB_WRITE, &db, why);
	if (!err)
		err = check_pages(db, why);
	if (!err)
		err = views_reset(db);
	if (!err)
		err = view_open(db, &store_views, config->text_size, &v);
	do {
		before = upto;
		if (!err)
			err = view_catch_up(v, 10000, INT64_MAX / 2, &upto);
	} while (!err && upto != before);
	if (!err)
		err = access_copy_file(db, path);
	if (!err && (err = search_rebuild(path, config->plain_text)) != 0)
		why_set(why, "the views are made; what stands there has to go, it holds nothing of its own",
		        "DB.search: %s", store_strerror(err));
	if (err && why && !why->text[0])
		why_set(why, "run cinta verify", "%s", db && sqlite3_errcode(db) != SQLITE_OK ?
		        sqlite3_errmsg(db) : store_strerror(err));
	view_close(v);
	sqlite3_close(db);
	return err;
}

int store_rescue(struct store *s, const char *to, struct why *why)
{
	char side[PATH_MAX];
	if ((size_t)snprintf(side, sizeof side, "%s.side", to) >= sizeof side) {
		why_set(why, "use a shorter path", "the path is too long");
		return STORE_EINVAL;
	}
	(void)store_catch_up(s); /* what cannot be made now is when it is mounted */
	int err = side_copy(s, side, why);
	sqlite3 *db = err ? NULL : tape_lock(s);
	if (db) {
		err = db_copy(db, to, why);
		tape_unlock(s);
		if (err)
			(void)unlink(side);
	}
	return err;
}

int store_verify(const char *path, const struct verify_options *o, struct verify_report *out)
{
	return verify_tape(path, &store_views, o, out);
}
