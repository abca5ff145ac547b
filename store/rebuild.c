/* SPDX-License-Identifier: MIT */
/* What opens a file by itself: views made anew, and whether the tape holds. */
#include "store/internal.h"
#include "store/views/views.h"
#include "store/memories/memories.h"
#include "store/search/search.h"
#include "store/verify/verify.h"

int store_rebuild(const char *path, const struct store_config *config, struct why *why)
{
	sqlite3 *db = NULL;
	struct view *v = NULL;
	int64_t upto = -1, before;
	int err = db_open(path, DB_WRITE, &db, why);
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
	if (!err)
		err = search_rebuild(path, config->plain_text);
	if (err && why && !why->text[0])
		why_set(why, "run cinta verify", "%s: %s", path,
				db ? sqlite3_errmsg(db) : store_strerror(err));
	view_close(v);
	sqlite3_close(db);
	return err;
}

int store_verify(const char *path, const struct verify_options *o, struct verify_report *out)
{
	return verify_tape(path, &store_views, o, out);
}
