/* SPDX-License-Identifier: MIT */
/*
 * The view of days: counts that each subject adds to while it sees an entry.  They are summed up
 * here, and written once a batch, so that an entry costs an addition and no statement.
 */
#include <string.h>

#include "store/views/view_own.h"

static int64_t day_of(int64_t time_us)
{
	return time_us / US_OF_DAY - (time_us % US_OF_DAY < 0);
}

int view_days_save(struct view *v)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_DAY);
	int err = 0;
	for (int i = 0; !err && i < v->days.count; i++) {
		sqlite3_bind_int64(q, 1, v->days.at[i].day);
		for (int n = 0; n < DAY_COLUMNS; n++)
			sqlite3_bind_int64(q, 2 + n, v->days.at[i].sum[n]);
		int rc = sqlite3_step(q);
		sqlite3_reset(q);
		err = db_error(rc);
	}
	v->days.count = 0;
	return err;
}

void view_days_forget(struct view *v)
{
	v->days.count = 0;
}

int view_day(struct view *v, int64_t time_us, enum day_column which, int64_t more)
{
	const int64_t day = day_of(time_us);
	int i = v->days.count - 1; /* most entries are of the same day as the one before */
	while (i >= 0 && v->days.at[i].day != day)
		i--;
	if (i < 0 && v->days.count == DAYS_HELD) {
		int err = view_days_save(v);
		if (err)
			return err;
	}
	if (i < 0) {
		i = v->days.count++;
		memset(&v->days.at[i], 0, sizeof v->days.at[i]);
		v->days.at[i].day = day;
	}
	v->days.at[i].sum[which] += more;
	return 0;
}
