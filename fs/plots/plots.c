/* SPDX-License-Identifier: MIT */
/* The numbers of each plot; see plots.h. */
#include "fs/plots/plots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/context/context.h"
#include "fs/internal.h"

static const char *const names[FS_PLOTS] = { [FS_PLOT_GROWTH] = "growth",
	[FS_PLOT_FACTS] = "facts", [FS_PLOT_PRESSURE] = "pressure", [FS_PLOT_SESSIONS] = "sessions",
	[FS_PLOT_DAYS] = "days", [FS_PLOT_WEEKS] = "weeks" };

const char *fs_plot_name(enum fs_plot which)
{
	return (unsigned)which < FS_PLOTS ? names[which] : NULL;
}

/* A row more, all zeros; NULL: no memory. */
static struct plot_row *add_row(struct series *s)
{
	struct plot_row *r;
	if (!ARRAY_ROOM(s->row, s->room, s->plot.rows))
		return NULL;
	r = &s->row[s->plot.rows++];
	memset(r, 0, sizeof *r);
	s->plot.row = s->row;
	return r;
}

void series_release(struct series *s)
{
	for (size_t i = 0; i < s->plot.rows; i++) {
		free((char *)s->row[i].label);
		free((char *)s->row[i].link);
		free((char *)s->row[i].note);
	}
	free(s->row);
	*s = (struct series){ .room = 0 };
}

/* ---- days ------------------------------------------------------------------ */

struct days {
	struct day *at;
	size_t count, room;
	bool failed;
};

static void take_day(void *ctx, const struct day *d)
{
	struct days *all = ctx;
	if (all->failed || !ARRAY_ROOM(all->at, all->room, all->count))
		all->failed = true;
	else
		all->at[all->count++] = *d;
}

static int days_of(struct fs *fs, int64_t from, struct days *all)
{
	int err = errno_of_store(store_days(fs->store, from, INT64_MAX, take_day, all));
	return err ? err : all->failed ? -ENOMEM : 0;
}

/* What there was up to each day, or each of some days if there are many. */
static int growth(struct fs *fs, struct series *s)
{
	struct days all = { .count = 0 };
	struct day sum = { .day = 0 };
	int err = days_of(fs, INT64_MIN, &all);
	const int64_t today = store_time(fs->store) / US_OF_DAY;
	int64_t first = all.count ? all.at[0].day : today;
	int64_t last = all.count ? all.at[all.count - 1].day : today;
	last = last > today ? last : today;
	const int64_t every = (last - first) / SERIES_POINTS + 1;
	size_t n = 0;
	for (int64_t day = last - (last - first) / every * every; !err && day <= last; day += every) {
		struct plot_row *r = add_row(s);
		for (; n < all.count && all.at[n].day <= day; n++) {
			sum.messages += all.at[n].messages;
			sum.versions += all.at[n].versions;
			sum.facts += all.at[n].facts - all.at[n].retracted;
		}
		if (r)
			*r = (struct plot_row){ .from_us = day * US_OF_DAY,
				.value = { (double)sum.messages, (double)sum.versions,
				           sum.facts > 0 ? (double)sum.facts : 0 } };
		err = r ? 0 : -ENOMEM;
	}
	free(all.at);
	return err;
}

static int heat(struct fs *fs, struct series *s)
{
	enum { YEAR = 7 * 53 };
	struct days all = { .count = 0 };
	const int64_t today = store_time(fs->store) / US_OF_DAY;
	int err = days_of(fs, today - YEAR, &all);
	for (size_t i = 0; !err && i < all.count; i++) {
		struct plot_row *r = add_row(s);
		err = r ? 0 : -ENOMEM;
		if (!r)
			break;
		r->from_us = all.at[i].day * US_OF_DAY;
		r->value[0] = (double)all.at[i].messages;
		r->value[1] = (double)all.at[i].tokens;
		r->value[2] = (double)all.at[i].versions;
		r->value[3] = (double)all.at[i].facts;
	}
	free(all.at);
	return err;
}

/* The newest weeks, from Monday to Sunday, those without anything, too. */
static int weeks(struct fs *fs, struct series *s)
{
	enum { MONDAY = 3 }; /* 1970 began on a Thursday */
	struct days all = { .count = 0 };
	const int64_t today = store_time(fs->store) / US_OF_DAY;
	const int64_t first = (today + MONDAY) / 7 * 7 - MONDAY - 7 * (SERIES_WEEKS - 1);
	int err = days_of(fs, first, &all);
	for (int i = 0; !err && all.count && i < SERIES_WEEKS; i++) {
		struct buf label = BUF_INIT;
		struct plot_row *r = add_row(s);
		buf_add_time(&label, (first + 7 * i) * US_OF_DAY);
		if (r && !label.failed)
			r->label = strndup(label.data, 10);
		err = r && r->label ? 0 : -ENOMEM;
		buf_release(&label);
	}
	for (size_t i = 0; !err && i < all.count; i++) {
		int64_t week = (all.at[i].day - first) / 7;
		if (week >= SERIES_WEEKS) /* said tomorrow, by somebody's clock */
			continue;
		s->row[week].value[0] += (double)all.at[i].messages;
		s->row[week].value[1] += (double)all.at[i].tokens;
	}
	free(all.at);
	return err;
}

/* ---- facts ------------------------------------------------------------------- */

int fact_ages(struct fs *fs, struct fact_ages *out)
{
	/* "Up to 7 days" is less than 8; what is stale is so on the moment. */
	const int64_t now = store_time(fs->store), stale = now - FACT_STALE_DAYS * US_OF_DAY;
	const int64_t since[FACT_AGES + 1] = { INT64_MAX, now - 8 * US_OF_DAY + 1,
		now - 31 * US_OF_DAY + 1, now - 91 * US_OF_DAY + 1, stale, INT64_MIN };
	int64_t soon[CONFIDENCE_HIGH + 1];
	int err = 0;
	memset(out, 0, sizeof *out);
	for (int i = 0; !err && i < FACT_AGES; i++)
		err = store_fact_confirmed(fs->store, since[i + 1], since[i], out->count[i]);
	if (!err)
		err = store_fact_confirmed(fs->store, stale, stale + FACT_SOON_DAYS * US_OF_DAY, soon);
	for (int c = 0; !err && c <= CONFIDENCE_HIGH; c++) {
		for (int i = 0; i < FACT_AGES; i++)
			out->live += out->count[i][c];
		out->soon += soon[c];
	}
	return errno_of_store(err);
}

static int facts(struct fs *fs, struct series *s)
{
	static const char *const labels[FACT_AGES] = { "up to 7 days", "up to 30 days",
		"up to 90 days", "up to 180 days", "stale" };
	struct fact_ages ages;
	int err = fact_ages(fs, &ages);
	for (int i = 0; !err && i < FACT_AGES; i++) {
		struct plot_row *r = add_row(s);
		if (r)
			r->label = strdup(labels[i]);
		if (!r || !r->label)
			return -ENOMEM;
		for (int c = 0; c <= CONFIDENCE_HIGH; c++)
			r->value[c] = (double)ages.count[i][CONFIDENCE_HIGH - c];
	}
	return err;
}

/* ---- sessions ------------------------------------------------------------------ */

struct spans {
	struct session_span *at; /* SERIES_SESSIONS */
	size_t count;
};

static void take_span(void *ctx, const struct session_span *span)
{
	struct spans *all = ctx;
	all->at[all->count++] = *span;
}

static int name_row(struct plot_row *r, const char *name)
{
	r->label = strdup(name);
	return r->label ? 0 : -ENOMEM;
}

static int session_row(struct series *s, const struct session_span *span)
{
	char note[FIELD_MAX + TALK_AGENT + 8];
	struct plot_row *r = add_row(s);
	if (!r)
		return -ENOMEM;
	r->from_us = span->from_us ? span->from_us : span->group.made_us;
	r->to_us = span->to_us ? span->to_us : r->from_us;
	r->value[0] = (double)span->group.messages;
	r->value[1] = (double)span->group.tokens;
	(void)snprintf(note, sizeof note, "%s%s%s", span->group.author, *span->agent ? ", " : "",
	               span->agent);
	r->note = strdup(note);
	return r->note ? name_row(r, span->group.name) : -ENOMEM;
}

static int pressure_row(struct fs *fs, struct series *s, const struct session_span *span,
                        struct dashboard *d)
{
	struct plot_row *r = add_row(s);
	memset(d, 0, sizeof *d);
	int err = r ? context_measure(fs, span->group.id, d) : -ENOMEM;
	if (err)
		return err;
	r->value[0] = d->percent;
	s->plot.mark = d->threshold;
	return name_row(r, span->group.name);
}

/* The newest sessions, the oldest of them first. */
static int sessions(struct fs *fs, struct series *s, bool pressure)
{
	struct spans all = { .at = calloc(SERIES_SESSIONS, sizeof *all.at) };
	struct dashboard *d = malloc(sizeof *d);
	int err = all.at && d ? 0 : -ENOMEM;
	if (!err)
		err = errno_of_store(store_sessions_back(fs->store, 0, SERIES_SESSIONS, take_span, &all));
	while (!err && all.count-- > 0)
		err = pressure ? pressure_row(fs, s, &all.at[all.count], d) :
			session_row(s, &all.at[all.count]);
	free(d);
	free(all.at);
	return err;
}

/* ---- all of them --------------------------------------------------------------- */

static const struct plot plots[FS_PLOTS] = {
	[FS_PLOT_GROWTH] = { .shape = PLOT_LINE, .title = "Growth of the memory",
		.about = "How many messages, saved versions and facts there were up to each day.",
		.of = "up to", .column = { "messages", "versions saved", "facts that hold" },
		.columns = 3 },
	[FS_PLOT_FACTS] = { .shape = PLOT_STACK, .title = "Facts by age",
		.about = "How many facts hold, by the time since they were said or confirmed last.",
		.of = "confirmed", .column = { "high", "medium", "low" }, .columns = 3 },
	[FS_PLOT_PRESSURE] = { .shape = PLOT_BAR, .title = "Memory pressure of the newest sessions",
		.about = "What an agent has to hold of each session, as a part of what is safe.",
		.of = "session", .column = { "pressure" }, .columns = 1, .unit = "%",
		.mark_name = "threshold" },
	[FS_PLOT_SESSIONS] = { .shape = PLOT_TIME, .title = "The newest sessions",
		.about = "When each session's first and last messages were said.",
		.of = "session", .column = { "messages", "tokens" }, .columns = 2, .notes = "begun by" },
	[FS_PLOT_DAYS] = { .shape = PLOT_DAYS, .title = "Messages and tokens a day",
		.about = "How much was said on each day of the last year.",
		.of = "day", .column = { "messages", "tokens", "versions saved", "facts" }, .columns = 4 },
	[FS_PLOT_WEEKS] = { .shape = PLOT_BAR, .title = "Messages and tokens a week",
		.about = "How much was said in each of the newest weeks, which begin on Mondays.",
		.of = "week", .column = { "messages", "tokens" }, .columns = 2 },
};

int series_make(struct fs *fs, enum fs_plot which, struct series *out)
{
	*out = (struct series){ .plot = plots[which] };
	switch (which) {
	case FS_PLOT_GROWTH:
		return growth(fs, out);
	case FS_PLOT_FACTS:
		return facts(fs, out);
	case FS_PLOT_PRESSURE:
		return sessions(fs, out, true);
	case FS_PLOT_SESSIONS:
		return sessions(fs, out, false);
	case FS_PLOT_DAYS:
		return heat(fs, out);
	case FS_PLOT_WEEKS:
		return weeks(fs, out);
	case FS_PLOTS:
		break;
	}
	return -EINVAL;
}
