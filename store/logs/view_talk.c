/* SPDX-License-Identifier: MIT */
/*
 * The view of agents' own conversations: which session holds each, and which of its messages are
 * here.  By it a message that is taken in a second time is known (tape_hooks.known).
 */
#include <string.h>

#include "store/logs/view_logs.h"

/* A text that can stand in a line of a table: no control characters; "" if it is none. */
static bool take_name(const json_t *value, char *dst, size_t size)
{
	size_t len = json_string_length(value);
	dst[0] = '\0';
	if (!json_is_string(value) || len == 0 || len >= size)
		return false;
	const unsigned char *text = (const unsigned char *)json_string_value(value);
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] == 0x7F || (text[i] == 0xC2 && text[i + 1] < 0xA0))
			return false;
	memcpy(dst, text, len + 1);
	return true;
}

bool log_talk(const json_t *body, struct talk *out)
{
	const json_t *from = json_object_get(body, "from");
	bool agent = take_name(json_object_get(from, "agent"), out->agent, sizeof out->agent);
	bool session = take_name(json_object_get(from, "session"), out->session, sizeof out->session);
	return agent || session;
}

/* The message of an agent's that a body is; false: it is none. */
static bool take_message(const json_t *body, struct talk *t, char id[MESSAGE_ID + 1])
{
	const json_t *from = json_object_get(body, "from");
	return log_talk(body, t) && *t->session &&
	       take_name(json_object_get(from, "id"), id, MESSAGE_ID + 1);
}

bool log_taken(const struct draft *d)
{
	char id[MESSAGE_ID + 1];
	struct talk t;
	if (d->key || !memmem(d->body, d->body_len, "\"session\"", 9))
		return d->key; /* most say nothing of it */
	json_t *body = json_loadb(d->body, d->body_len, JSON_DECODE_INT_AS_REAL, NULL);
	bool taken = take_message(body, &t, id);
	json_decref(body);
	return taken;
}

static int find_talk(struct view *v, const struct talk *t, int64_t *id)
{
	struct view_talk *kept = &v->logs->talk;
	if (kept->id > 0 && strcmp(kept->name.session, t->session) == 0 &&
	    strcmp(kept->name.agent, t->agent) == 0) {
		*id = kept->id;
		return 0;
	}
	sqlite3_stmt *q = view_stmt(v, VIEW_TALK);
	sqlite3_bind_text(q, 1, t->session, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, t->agent, -1, SQLITE_STATIC);
	int err = db_number(q, id);
	if (!err)
		*kept = (struct view_talk){ *id, *t };
	return err;
}

int view_talk_here(struct view *v, const struct talk *t, int64_t session, int64_t *id)
{
	int err = find_talk(v, t, id);
	if (err != STORE_ENOENT)
		return err;
	sqlite3_stmt *q = view_stmt(v, VIEW_PUT_TALK);
	sqlite3_bind_text(q, 1, t->agent, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, t->session, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, session);
	err = view_run(v, VIEW_PUT_TALK);
	return err ? err : find_talk(v, t, id);
}

static void bind_key(sqlite3_stmt *q, int64_t talk, const char *id, int64_t part)
{
	sqlite3_bind_int64(q, 1, talk);
	sqlite3_bind_text(q, 2, id, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(q, 3, part);
}

int view_taken(struct view *v, const json_t *body, const struct entry *e, int64_t session,
               int64_t *talk)
{
	char id[MESSAGE_ID + 1];
	struct talk t;
	const json_t *from = json_object_get(body, "from");
	double part = json_number_value(json_object_get(from, "part"));
	*talk = 0;
	if (!take_message(body, &t, id))
		return 0;
	int err = view_talk_here(v, &t, session, talk);
	if (err)
		return err;
	sqlite3_stmt *q = view_stmt(v, VIEW_TAKE);
	bind_key(q, *talk, id, part >= 0 && part < 1e9 ? (int64_t)part : 0);
	sqlite3_bind_int64(q, 4, e->seq);
	return view_run(v, VIEW_TAKE);
}

int log_known(struct view *v, const struct message_key *k)
{
	int64_t talk, seq;
	int err = find_talk(v, k->talk, &talk);
	if (!err) {
		sqlite3_stmt *q = view_stmt(v, VIEW_TAKEN);
		bind_key(q, talk, k->id, k->part);
		err = db_number(q, &seq);
	}
	return err == STORE_ENOENT ? 0 : err ? err : 1;
}
