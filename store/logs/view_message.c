/* SPDX-License-Identifier: MIT */
/*
 * The view of messages: log_messages, log_message_refs, the lines of sessions
 * and threads.  A body that is redacted or not what we write still gets its
 * line and its row, with what the header knows.
 */
#include <jansson.h>
#include <string.h>

#include "store/logs/view_logs.h"

static bool is_hash(const char *text)
{
	return strlen(text) == 2 * HASH_SIZE && strspn(text, "0123456789abcdef") == 2 * HASH_SIZE;
}

/* A field's tables, in the order in which a code is looked for; the first is the system's. */
enum { TABLES_MOST = 5 };
static const char *const tables[][TABLES_MOST] = {
	{ "ply", "plu", "plx" }, { "hst", "hsu", "spe", "vsn", "vue" }, { "flg", "flu" },
	{ "itm", "itu", "itx" }, { "loc", "lou", "lox" },
};
enum { FIELDS = sizeof tables / sizeof *tables };

/* The table that "TABLE:CODE" names, or NULL. */
static const char *table_named(const char *text)
{
	if (strlen(text) < 5 || text[3] != ':')
		return NULL;
	for (int f = 0; f < FIELDS; f++)
		for (int i = 0; i < TABLES_MOST && tables[f][i]; i++)
			if (strncmp(text, tables[f][i], 3) == 0)
				return tables[f][i];
	return NULL;
}

/* Which of the tables beside `first` holds a bare code: the system's if none does. */
static int table_of(struct view *v, const char *first, const char *code, const char **table)
{
	int f = 0, here = 0;
	while (f < FIELDS && strcmp(tables[f][0], first) != 0)
		f++;
	*table = first;
	for (int i = 0; f < FIELDS && here == 0 && i < TABLES_MOST && tables[f][i]; i++)
		if ((here = v->table->component_here(v, tables[f][i], code)) > 0)
			*table = tables[f][i];
	return here < 0 ? here : 0;
}

/* The id of a component is the SHA-256 of its path. */
static int find_component(struct view *v, const char *field, const char *text, int64_t *id)
{
	char path[NAME_LIMIT + 64];
	if (is_hash(text))
		return view_hash_id(v, text, text, id);
	const char *table = table_named(text), *code = table ? text + 4 : text;
	bool whole = !table && strchr(text, '/'); /* "plu/bob": with its table */
	int err = table || whole ? 0 : table_of(v, field, code, &table);
	if (err)
		return err;
	int len = whole ? snprintf(path, sizeof path, "components/%s.md", text) :
		snprintf(path, sizeof path, "components/%s/%s.md", table, code);
	if (len >= (int)sizeof path) { /* too long for a path: known by its own hash */
		uint8_t hash[HASH_SIZE];
		char hex[HEX_SIZE];
		hasher_sha256(&v->hasher, text, strlen(text), hash);
		hex_of(hash, HASH_SIZE, hex);
		return view_hash_id(v, hex, hex, id);
	}
	return view_name_id(v, path, id);
}

/* Messages name the same few again and again: looking in five tables for each is slow. */
int view_component_id(struct view *v, const char *field, const char *text, int64_t *id)
{
	*id = 0;
	if (!text || !*text)
		return 0;
	size_t slot = (size_t)(unsigned char)field[0], len = strlen(text);
	for (size_t i = 0; i < len; i++)
		slot = slot * 31 + (unsigned char)text[i];
	struct view_code *known = &v->logs->codes[slot % CODE_BUCKETS];
	if (known->turn == v->turn && known->field == field && strcmp(known->text, text) == 0) {
		*id = known->id;
		return 0;
	}
	int err = find_component(v, field, text, id);
	if (!err && len < sizeof known->text) {
		known->field = field;
		known->turn = v->turn;
		known->id = *id;
		memcpy(known->text, text, len + 1);
	}
	return err;
}

static void bind_id(sqlite3_stmt *q, int column, int64_t id)
{
	if (id > 0)
		sqlite3_bind_int64(q, column, id);
	else
		sqlite3_bind_null(q, column);
}

int view_owner_id(struct view *v, const char *owner, const char *author, int64_t *id)
{
	char user[FIELD_MAX + 1];
	int err = view_component_id(v, "ply", owner, id);
	if (err || *id > 0)
		return err;
	(void)snprintf(user, sizeof user, "%.*s", (int)strcspn(author, ":"), author);
	return view_component_id(v, "ply", *user ? user : author, id);
}

static int add_row(struct view *v, const json_t *body, const struct entry *e, int64_t session,
                   int64_t thread, int64_t talk, int64_t tokens)
{
	static const struct {
		const char *member, *table;
		int column;
	} named[] = {
		{ "master_player", "ply", 5 }, { "flag", "flg", 6 }, { "master_item", "itm", 7 },
		{ "location", "loc", 8 },
	};
	sqlite3_stmt *q = view_stmt(v, VIEW_MESSAGE);
	int64_t id;
	int err = view_owner_id(v, json_string_value(json_object_get(body, "owner")), e->author, &id);
	if (err)
		return err;
	sqlite3_bind_int64(q, 1, e->seq);
	sqlite3_bind_int64(q, 2, session);
	bind_id(q, 3, thread);
	bind_id(q, 4, id);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		const char *text = json_string_value(json_object_get(body, named[i].member));
		if ((err = view_component_id(v, named[i].table, text, &id)))
			return err;
		bind_id(q, named[i].column, id);
	}
	sqlite3_bind_int64(q, 9, e->time_us);
	struct saying said;
	log_said(body, e, &said);
	bind_id(q, 10, said.told ? said.time_us : 0);
	if (said.by[0])
		sqlite3_bind_text(q, 11, said.by, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(q, 11);
	bind_id(q, 12, talk);
	err = view_run(v, VIEW_MESSAGE);
	const int64_t when = said.told ? said.time_us : e->time_us;
	err = err ? err : view_day(v, when, DAY_MESSAGES, 1);
	return err ? err : view_day(v, when, DAY_TOKENS, tokens);
}

int view_said(struct view *v, int64_t seq, int64_t *time_us)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_SAID);
	sqlite3_bind_int64(q, 1, seq);
	int rc = sqlite3_step(q);
	*time_us = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return db_error(rc);
}

static int add_tags(struct view *v, const json_t *body, const struct entry *e)
{
	static const struct {
		const char *member, *table;
		int field;
	} lists[] = { { "players", "ply", TAG_PLAYER }, { "hashtags", "hst", TAG_HASHTAG },
		{ "items", "itm", TAG_ITEM } };
	for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
		const json_t *list = json_object_get(body, lists[l].member);
		for (size_t i = 0; i < json_array_size(list); i++) {
			sqlite3_stmt *q = view_stmt(v, VIEW_TAG);
			int64_t id;
			const char *text = json_string_value(json_array_get(list, i));
			int err = view_component_id(v, lists[l].table, text, &id);
			if (err)
				return err;
			if (id == 0)
				continue;
			sqlite3_bind_int64(q, 1, e->seq);
			sqlite3_bind_int64(q, 2, lists[l].field);
			sqlite3_bind_int64(q, 3, (int64_t)i + 1);
			sqlite3_bind_int64(q, 4, id);
			if ((err = view_run(v, VIEW_TAG)))
				return err;
		}
	}
	return 0;
}

/* Hash of line `n` of a session's log or of records, if it stands before `e` on the tape. */
static bool line_hash(struct view *v, struct log_id log, int64_t n, const struct entry *e,
                      char hex[HEX_SIZE])
{
	char stream[24];
	store_log_stream(log, stream);
	if (n < 1 || (strcmp(stream, e->stream) == 0 && n > e->stream_seq))
		return false;
	struct view_group *g;
	if (view_group_get(v, store_kind_number(log.kind), log.id, &g) || n > g->messages)
		return false; /* not seen yet: the same whatever the batch */
	sqlite3_stmt *q = view_stmt(v, VIEW_LEAF);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, n - 1);
	bool found = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_bytes(q, 0) == HASH_SIZE;
	if (found)
		hex_of(sqlite3_column_blob(q, 0), HASH_SIZE, hex);
	sqlite3_reset(q);
	return found;
}

static int64_t whole_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	int64_t n = 0;
	if (digits == 0 || digits > 15 || text[digits])
		return 0;
	for (; *text; text++)
		n = n * 10 + (*text - '0');
	return n;
}

/* The log whose lines a bare number counts: by type of reference. */
static struct log_id log_of_type(const char *type, int64_t session)
{
	if (strcmp(type, "accountant") == 0)
		return (struct log_id){ LOG_RECORD, RECORD_ACCOUNTANT };
	if (strcmp(type, "secretary") == 0)
		return (struct log_id){ LOG_RECORD, RECORD_SECRETARY };
	return (struct log_id){ LOG_SESSION, session };
}

/*
 * What a reference points at: a hash as it is; 17 or "17" is record 17 of that
 * type or else message 17 of this session, "name/17" of another; anything else
 * is known by the hash of its text.
 */
static void ref_hash(struct view *v, const struct entry *e, struct log_id log, const json_t *ref,
                     char hex[HEX_SIZE])
{
	char text[512];
	uint8_t hash[HASH_SIZE];
	struct view_group *g;
	if (json_is_number(ref)) /* every number is read as a real: see view_message() */
		(void)snprintf(text, sizeof text, "%.0f", json_number_value(ref));
	else
		(void)snprintf(text, sizeof text, "%s", json_is_string(ref) ? json_string_value(ref) : "");
	if (is_hash(text)) {
		memcpy(hex, text, HEX_SIZE);
		return;
	}
	if (line_hash(v, log, whole_number(text), e, hex))
		return;
	char *slash = strrchr(text, '/');
	if (slash) {
		*slash = '\0';
		bool found = view_group_named(v, GROUP_SESSION, text, &g) == 0 &&
			line_hash(v, (struct log_id){ LOG_SESSION, g->id }, whole_number(slash + 1), e, hex);
		*slash = '/';
		if (found)
			return;
	}
	hasher_sha256(&v->hasher, text, strlen(text), hash);
	hex_of(hash, HASH_SIZE, hex);
}

/* The message that refers, and where its next reference stands. */
struct referring {
	int64_t seq, thread, session, position;
	int64_t by; /* the entry that adds them; 0: its own */
	int64_t n;  /* its number in the session */
	int64_t id, end; /* the number that the next has, and where the lines before it end */
	int64_t added;   /* bytes of the lines that were made */
};

/* Number of the next reference, and where those up to that message end. */
static int place_refs(struct view *v, struct referring *to)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_REF_PLACE);
	sqlite3_bind_int64(q, 1, to->session);
	sqlite3_bind_int64(q, 2, to->seq);
	int rc = sqlite3_step(q);
	to->id = sqlite3_column_int64(q, 0);
	to->end = sqlite3_column_int64(q, 1);
	sqlite3_reset(q);
	return db_error(rc);
}

/* Of the line that is made of it, in bytes. */
static int64_t ref_size(struct ref *ref, bool thread)
{
	char line[REF_LINE_MOST];
	memset(ref->message_hash, '0', HEX_SIZE - 1); /* as long as any */
	memset(ref->thread_hash, '0', thread ? HEX_SIZE - 1 : 0);
	return (int64_t)ref_line(ref, line);
}

/* They are of an earlier message: those of later ones stand behind them now. */
static int shift_refs(struct view *v, const struct referring *to)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_REF_SHIFT);
	sqlite3_bind_int64(q, 1, to->session);
	sqlite3_bind_int64(q, 2, to->seq);
	sqlite3_bind_int64(q, 3, to->added);
	return to->added > 0 ? view_run(v, VIEW_REF_SHIFT) : 0;
}

static int add_ref(struct view *v, const char *type, const char *hex, int64_t position,
                   struct referring *to)
{
	struct ref ref = { .message = to->n, .position = position, .id = to->id };
	(void)snprintf(ref.ref_hash, sizeof ref.ref_hash, "%s", hex);
	ref_set_type(&ref, type);
	int64_t size = ref_size(&ref, to->thread > 0);
	sqlite3_stmt *q = view_stmt(v, VIEW_REF);
	sqlite3_bind_int64(q, 1, to->seq);
	sqlite3_bind_text(q, 2, type, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, hex, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 4, position);
	bind_id(q, 5, to->thread);
	sqlite3_bind_int64(q, 6, to->session);
	bind_id(q, 7, to->by);
	sqlite3_bind_int64(q, 8, to->id);
	sqlite3_bind_int64(q, 9, to->end + size);
	int err = view_run(v, VIEW_REF);
	if (!err && sqlite3_changes(v->db) > 0) { /* else the message has it already */
		to->id++;
		to->end += size;
		to->added += size;
	}
	return err;
}

static int add_refs(struct view *v, const json_t *refs, const struct entry *e,
                    struct referring *to)
{
	int err = json_array_size(refs) > 0 ? place_refs(v, to) : 0;
	for (size_t i = 0; !err && i < json_array_size(refs); i++) {
		const json_t *ref = json_array_get(refs, i);
		const char *type = json_string_value(json_object_get(ref, "type"));
		char hex[HEX_SIZE];
		if (!type)
			continue;
		ref_hash(v, e, log_of_type(type, to->session), json_object_get(ref, "ref"), hex);
		err = add_ref(v, type, hex, to->position + (int64_t)i, to);
	}
	return err;
}

int log_refer(struct view *v, const struct entry *e, int64_t session, int64_t n,
              const json_t *refs)
{
	struct referring to = { .session = session, .by = e->seq, .n = n };
	char stream[24];
	store_log_stream((struct log_id){ LOG_SESSION, session }, stream);
	sqlite3_stmt *q = view_stmt(v, VIEW_REFERRED);
	sqlite3_bind_text(q, 1, stream, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(q, 2, n - 1);
	int rc = sqlite3_step(q);
	if (rc == SQLITE_ROW) {
		to.seq = sqlite3_column_int64(q, 0);
		to.thread = sqlite3_column_int64(q, 1);
		to.position = sqlite3_column_int64(q, 2) + 1;
	}
	sqlite3_reset(q);
	int err = rc == SQLITE_ROW ? add_refs(v, refs, e, &to) : db_error(rc);
	return err ? err : shift_refs(v, &to);
}

/* One more line in a log; records have no transcript. */
static int add_line(struct view *v, struct view_group *g, const struct entry *e, int64_t tokens)
{
	sqlite3_stmt *q = view_stmt(v, VIEW_LINE);
	g->bytes += (int64_t)line_size(e);
	g->text_bytes += g->kind == GROUP_RECORD ? 0 : (int64_t)v->text_size(e);
	sqlite3_bind_int64(q, 1, g->kind);
	sqlite3_bind_int64(q, 2, g->id);
	sqlite3_bind_int64(q, 3, g->messages);
	sqlite3_bind_int64(q, 4, e->seq);
	sqlite3_bind_int64(q, 5, g->bytes);
	sqlite3_bind_int64(q, 6, g->text_bytes);
	g->messages++;
	g->tokens += tokens;
	g->first_us = g->messages == 1 ? e->time_us : g->first_us;
	g->last_us = e->time_us;
	g->last_seq = e->seq;
	g->dirty = true;
	return view_run(v, VIEW_LINE);
}

static int thread_of(struct view *v, const json_t *body, const struct entry *e,
                     struct view_group **out)
{
	const char *name = json_string_value(json_object_get(body, "thread"));
	*out = NULL;
	if (!name || !*name || strlen(name) > NAME_LIMIT || strchr(name, '/'))
		return 0;
	int err = view_group_named(v, GROUP_THREAD, name, out);
	if (err == STORE_ENOENT)
		err = view_group_add(v, GROUP_THREAD, 0, name, e, out);
	return err;
}

int view_message(struct view *v, const struct entry *e, int64_t session)
{
	struct view_group *group, *thread;
	/* Integers of any size are valid JSON; none that matters here needs more than 53 bits. */
	struct json_body read = { .json = NULL };
	if (e->body)
		json_body_read(e->body, e->body_len, NULL, &read);
	json_t *body = read.json;
	int err = view_group_get(v, GROUP_SESSION, session, &group);
	if (err == STORE_ENOENT) /* written by a program that never made the session */
		err = view_group_add(v, GROUP_SESSION, session, e->stream, e, &group);
	if (!err)
		err = thread_of(v, body, e, &thread);
	if (err)
		goto out;
	double count = json_number_value(json_object_get(body, "token_count"));
	int64_t tokens =
		count >= 0 && count < 1e12 ? (int64_t)count : 0; /* rows by others hold anything */
	int64_t thread_hash = thread ? thread->hash : 0, talk, last = group->last_seq;
	struct referring to = { .seq = e->seq, .thread = thread_hash, .session = session, .position = 1,
		.n = e->stream_seq + 1 };
	if ((err = view_taken(v, body, e, session, &talk)) ||
	    (err = add_row(v, body, e, group->hash, thread_hash, talk, tokens)) ||
	    (err = add_tags(v, body, e)) ||
	    (err = add_refs(v, json_object_get(body, "refs"), e, &to)) ||
	    (err = add_line(v, group, e, tokens)))
		goto out;
	if (talk) /* what is taken in was not written here: it makes no session the current one */
		group->last_seq = last;
	if (json_is_true(json_object_get(body, "pinned")))
		err = v->table->pinned(v, e, session, group->messages);
	if (!err && thread) {
		struct entry there = *e;
		there.session = group->name;
		err = add_line(v, thread, &there, tokens);
	}
out:
	json_decref(body);
	return err;
}

int view_record(struct view *v, const struct entry *e, int64_t id)
{
	struct view_group *log;
	int err = view_group_get(v, GROUP_RECORD, id, &log);
	if (err == STORE_ENOENT)
		err = view_group_add(v, GROUP_RECORD, id, id == RECORD_ACCOUNTANT ? "accountant" :
		                     "secretary", e, &log);
	return err ? err : add_line(v, log, e, 0);
}
