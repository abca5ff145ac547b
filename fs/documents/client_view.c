/* SPDX-License-Identifier: MIT */
/* Documents out of sight, and times that clients have set (client_view.h). */
#include <string.h>

#include "fs/internal.h"
#include "fs/documents/documents.h"

void hidden_add(struct fs *fs, int64_t doc)
{
	struct client_view *v = &fs->documents->client_view;
	hidden_remove(fs, doc);
	if (v->hidden_count == HIDDEN_MOST) /* the oldest comes back a little early */
		hidden_remove(fs, v->hidden[0].doc);
	v->hidden[v->hidden_count++] = (struct hidden){ doc, now_ms() };
}

bool is_hidden(struct fs *fs, int64_t doc)
{
	const struct client_view *v = &fs->documents->client_view;
	for (int i = 0; i < v->hidden_count; i++)
		if (v->hidden[i].doc == doc)
			return true;
	return false;
}

void hidden_remove(struct fs *fs, int64_t doc)
{
	struct client_view *v = &fs->documents->client_view;
	for (int i = 0; i < v->hidden_count; i++) {
		if (v->hidden[i].doc != doc)
			continue;
		v->hidden_count--;
		memmove(&v->hidden[i], &v->hidden[i + 1],
		        (size_t)(v->hidden_count - i) * sizeof *v->hidden);
		return;
	}
}

int64_t hidden_overdue(struct fs *fs, int *at)
{
	const struct client_view *v = &fs->documents->client_view;
	if (*at > v->hidden_count)
		*at = v->hidden_count;
	while (--*at >= 0)
		if (now_ms() - v->hidden[*at].since_ms >= HIDE_MS)
			return v->hidden[*at].doc;
	return 0;
}

/* Slots by document: a client's time is a courtesy, a later document may take its place. */
void times_set(struct fs *fs, int64_t doc, int64_t time_us)
{
	fs->documents->client_view.times[doc % TIMES] = (struct client_time){ doc, time_us };
}

void times_forget(struct fs *fs, int64_t doc)
{
	struct client_time *t = &fs->documents->client_view.times[doc % TIMES];
	if (t->doc == doc)
		t->doc = 0;
}

int64_t times_of(struct fs *fs, int64_t doc, int64_t otherwise)
{
	const struct client_time *t = &fs->documents->client_view.times[doc % TIMES];
	return t->doc == doc ? t->time_us : otherwise;
}
