/* SPDX-License-Identifier: MIT */
/* The view of sessions, threads and records: what each is, cached while a batch changes it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/logs/view_logs.h"

static struct view_group **bucket(struct view *v, int64_t kind, int64_t id)
{
	return &v->logs->groups[(uint64_t)(id * 2 + kind) % GROUP_BUCKETS];
}

static struct view_group *group_of_row(sqlite3_stmt *q)
{
	struct view_group *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->kind = sqlite3_column_int64(q, 0);
	g->id = sqlite3_column_int64(q, 1);
	g->hash = sqlite3_column_int64(q, 2);
	(void)snprintf(g->name, sizeof g->name, "%s", db_text(q, 3));
	g->made_us = sqlite3_column_int64(q, 4);
	(void)snprintf(g->author, sizeof g->author, "%s", db_text(q, 5));
	int64_t *const number[] = { &g->messages, &g->tokens, &g->bytes, &g->text_bytes, &g->first_us,
		&g->last_us, &g->last_seq };
	for (int i = 0; i < 7; i++)
		*number[i] = sqlite3_column_int64(q, 6 + i);
	return g;
}

static void remember(struct view *v, struct view_group *g)
{
	struct view_group **b = bucket(v, g->kind, g->id);
	g->chain = *b;
	*b = g;
	v->logs->group_count++;
}

int view_group_get(struct view *v, int64_t kind, int64_t id, struct view_group **out)
{
	for (struct view_group *g = *bucket(v, kind, id); g; g = g->chain)
		if (g->kind == kind && g->id == id) {
			*out = g;
			return 0;
		}
	sqlite3_stmt *q = view_stmt(v, VIEW_GROUP);
	sqlite3_bind_int64(q, 1, kind);
	sqlite3_bind_int64(q, 2, id);
	int rc = sqlite3_step(q);
	struct view_group *g = rc == SQLITE_ROW ? group_of_row(q) : NULL;
	sqlite3_reset(q);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	if (!g)
		return STORE_ENOMEM;
	remember(v, g);
	*out = g;
	return 0;
}

int view_group_named(struct view *v, int64_t kind, const char *name, struct view_group **out)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_GROUP_BY_NAME);
	sqlite3_bind_int64(q, 1, kind);
	sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
	int rc = sqlite3_step(q);
	int64_t id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	if (rc == SQLITE_DONE)
		return STORE_ENOENT;
	return rc == SQLITE_ROW ? view_group_get(v, kind, id, out) : db_error(rc);
}

static int put_group(struct view *v, const struct view_group *g)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_PUT_GROUP);
	const int64_t number[] = { g->messages, g->tokens, g->bytes, g->text_bytes, g->first_us,
		g->last_us, g->last_seq };
	sqlite3_bind_int64(q, 1, g->kind);
	sqlite3_bind_int64(q, 2, g->id);
	sqlite3_bind_int64(q, 3, g->hash);
	sqlite3_bind_text(q, 4, g->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 5, g->made_us);
	sqlite3_bind_text(q, 6, g->author, -1, SQLITE_STATIC);
	for (int i = 0; i < 7; i++)
		sqlite3_bind_int64(q, 7 + i, number[i]);
	return view_run(v, VIEW_PUT_GROUP);
}

/* Our own sessions have names of their own; rows by other programs may not. */
static int free_name(struct view *v, int64_t kind, const char *name, int64_t id,
                     char out[NAME_LIMIT + 1])
{
	struct view_group *other;
	(void)snprintf(out, NAME_LIMIT + 1, "%s", name);
	int err = view_group_named(v, kind, out, &other);
	for (int i = 0; err == 0 && i < 100; i++) {
		(void)snprintf(out, NAME_LIMIT + 1, "%.200s+s%lld+%d", name, (long long)id, i);
		err = view_group_named(v, kind, out, &other);
	}
	return err == STORE_ENOENT ? 0 : err ? err : STORE_EEXIST;
}

int view_group_add(struct view *v, int64_t kind, int64_t id, const char *name,
                   const struct entry *e, struct view_group **out)
{
	char path[NAME_LIMIT + 16];
	if (id == 0) {
		sqlite3_stmt *q = view_stmt(v, VIEW_NEXT_GROUP);
		sqlite3_bind_int64(q, 1, kind);
		int rc = sqlite3_step(q);
		id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
		sqlite3_reset(q);
		if (rc != SQLITE_ROW)
			return db_error(rc);
	}
	struct view_group *g = calloc(1, sizeof *g);
	if (!g)
		return STORE_ENOMEM;
	g->kind = kind;
	g->id = id;
	g->made_us = e->time_us;
	g->last_seq = e->seq;
	(void)snprintf(g->author, sizeof g->author, "%s", e->author);
	int err = free_name(v, kind, name, id, g->name);
	static const char *const word[] = { [GROUP_SESSION] = "sessions", [GROUP_THREAD] = "threads",
		[GROUP_RECORD] = "records" };
	(void)snprintf(path, sizeof path, "%s/%s", word[kind], g->name);
	if (!err)
		err = view_name_id(v, path, &g->hash);
	if (!err)
		err = put_group(v, g); /* at once, so that it is found by name and counted */
	if (err) {
		free(g);
		return err;
	}
	remember(v, g);
	*out = g;
	return 0;
}

/* A `session` entry; a name that is missing or no name gives way to the stream's id. */
int view_session(struct view *v, const struct entry *e, int64_t number)
{
	(void)number;
	char fallback[24];
	struct view_group *g;
	int64_t id = e->stream_seq + 1;
	int err = view_group_get(v, GROUP_SESSION, id, &g);
	if (err != STORE_ENOENT)
		return err; /* messages came first: it has a name already */
	json_t *body = e->body ? json_loadb(e->body, e->body_len, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(body, "name"));
	store_session_stream(id, fallback);
	if (!name || !*name || strlen(name) > NAME_LIMIT || strchr(name, '/'))
		name = fallback;
	err = view_group_add(v, GROUP_SESSION, id, name, e, &g);
	struct talk talk;
	int64_t number_of_talk;
	if (!err && log_talk(body, &talk) && *talk.session) {
		g->last_seq = 0; /* it is not current by what is taken in */
		g->dirty = true;
		err = view_talk_here(v, &talk, id, &number_of_talk);
	}
	json_decref(body);
	return err;
}

void view_groups_forget(struct view *v)
{
	for (int i = 0; v->logs && i < GROUP_BUCKETS; i++) {
		for (struct view_group *g = v->logs->groups[i], *next; g; g = next) {
			next = g->chain;
			free(g);
		}
	}
	if (v->logs)
		memset(v->logs, 0, sizeof *v->logs);
}

int view_groups_save(struct view *v)
{
	for (int i = 0; i < GROUP_BUCKETS; i++) {
		for (struct view_group *g = v->logs->groups[i]; g; g = g->chain) {
			int err = g->dirty ? put_group(v, g) : 0;
			if (err)
				return err;
			g->dirty = false;
		}
	}
	if (v->logs->group_count > MOST_GROUPS)
		view_groups_forget(v);
	return 0;
}
