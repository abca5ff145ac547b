/* SPDX-License-Identifier: MIT */
/* Whole files: one made anew, whether the tape holds, a copy of what is open. */
#include <unistd.h>

#include "store/internal.h"
#include "store/salvage/salvage.h"
#include "store/tape/tape.h"
#include "store/verify/verify.h"

int store_remake(const char *path, const struct store_config *config,
                 const struct rebuild_options *o, struct rebuild_report *out, struct why *why)
{
	return salvage_remake(path, &store_views, config, o, out, why);
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
