/* SPDX-License-Identifier: MIT */
/*
 * What a server has lost comes back: each entry that a file has and the server has not is appended
 * anew, in its order, and what it names by number (sessions, documents, messages, facts) by the
 * numbers that these have now.
 *
 * Invariants
 *   1. Nothing that came to the server since is hidden: a document that others have saved since
 *      shows their version, with what came back before it; a name that they gave stays theirs.
 *   2. An entry that has come back, from this file or another machine's, does not come twice.
 *   3. Each lost entry is told of: back, there already, or left out, and why.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/documents/documents.h"
#include "store/lost/lost_state.h"
#include "store/tape/tape.h"

#define ROW_SQL "SELECT " ENTRY_COLUMNS " FROM tape t WHERE t.seq "

/* What became of one entry: `seq` on the server, or `why` it was left out. */
struct bring_outcome {
	enum came what;
	int64_t seq;
	const char *why;
};

static int left(struct bring_outcome *b, const char *why)
{
	*b = (struct bring_outcome){ CAME_LEFT, 0, why };
	return 0;
}

static int there(struct bring_outcome *b, int64_t seq)
{
	*b = (struct bring_outcome){ CAME_THERE, seq, NULL };
	return 0;
}

/* Appends a body, unless it is there. */
static int append(struct lost *l, const char *stream, const struct entry *e, const char *body,
                  size_t len, const struct message_key *key, struct bring_outcome *b)
{
	bool known = false;
	int64_t seq = lost_meet(l, stream, e->kind, body, len);
	if (seq)
		return there(b, seq);
	struct draft d = { .stream = stream, .kind = e->kind, .author = e->author, .body = body,
		.body_len = len, .key = key };
	struct append a = { .drafts = &d, .count = 1, .expect = -1, .known = &known };
	int err = store_append_wait(l->s, &a);
	if (err)
		return err;
	if (known)
		return there(b, 0);
	*b = (struct bring_outcome){ CAME_BACK, a.first_seq, NULL };
	return 0;
}

static int append_json(struct lost *l, const char *stream, const struct entry *e,
                       const json_t *body, struct bring_outcome *b)
{
	char *text = json_dumps(body, JSON_COMPACT);
	int err = text ? append(l, stream, e, text, strlen(text), NULL, b) : STORE_ENOMEM;
	free(text);
	return err;
}

/* ---- sessions, their messages, records --------------------------------------------- */

static int bring_session(struct lost *l, const struct entry *e, const json_t *body,
                         struct bring_outcome *b)
{
	const char *name = json_string_value(json_object_get(body, "name"));
	struct group g;
	int64_t id = 0;
	if (!name)
		return left(b, "it names no session");
	int err = store_session_make(l->s, name, e->body, e->body_len, e->author, &id);
	if (err == STORE_EEXIST) {
		b->what = CAME_THERE;
		err = store_group_by_name(l->s, LOG_SESSION, name, &g);
		id = g.id;
	}
	if (!err)
		b->seq = lost_number(l->now, "SELECT seq FROM tape WHERE stream = ?1 AND stream_seq = ?2",
		                     "sessions", id - 1, 0);
	return err;
}

/* The stream that one of these names of a session ("s17", "c17") has now; false: none. */
static bool stream_now(const struct lost *l, const char *stream, char now[24])
{
	int64_t id = lost_nth(l, "sessions", store_stream_number(stream, stream[0]));
	(void)snprintf(now, 24, "%c%lld", stream[0], (long long)id);
	return id > 0;
}

/* The name its agent gives a message; false: it has none. */
static bool key_of(const json_t *body, struct talk *t, struct message_key *key)
{
	const json_t *from = json_object_get(body, "from");
	const char *agent = json_string_value(json_object_get(from, "agent"));
	const char *session = json_string_value(json_object_get(from, "session"));
	key->id = json_string_value(json_object_get(from, "id"));
	key->part = doc_body_number(json_object_get(from, "part"));
	key->talk = t;
	return agent && session && key->id && strlen(agent) < sizeof t->agent &&
		strlen(session) < sizeof t->session && strlen(key->id) <= MESSAGE_ID &&
		snprintf(t->agent, sizeof t->agent, "%s", agent) >= 0 &&
		snprintf(t->session, sizeof t->session, "%s", session) >= 0;
}

/* A line of a log, as it was shown, is offered again. */
static int bring_line(struct lost *l, const struct entry *e, const json_t *body,
                      struct bring_outcome *b)
{
	char stream[24], *line = malloc(line_size(e)), *again = NULL;
	struct talk t;
	struct message_key key;
	size_t len = 0;
	bool record = strcmp(e->kind, "record") == 0;
	(void)snprintf(stream, sizeof stream, "%s", e->stream);
	if (!line)
		return STORE_ENOMEM;
	line_write(e, line);
	bool fits = (record || stream_now(l, e->stream, stream)) &&
		l->how->line_again(line, line_size(e) - 1, record, store_counter(l->s->config.tokenizer),
		                   &again, &len) == 0;
	int err = fits ? append(l, stream, e, again, len, key_of(body, &t, &key) ? &key : NULL, b) :
		left(b, "its session is not there, or it is no line that a log takes");
	free(again);
	free(line);
	return err;
}

/* ---- documents ---------------------------------------------------------------------- */

/* "session:17", "#12": by the numbers of now.  False: that is not there. */
static bool place_parent(const struct lost *l, json_t *body)
{
	const char *parent = json_string_value(json_object_get(body, "parent"));
	char now[40];
	if (!parent)
		return false;
	bool session = strncmp(parent, "session:", 8) == 0;
	if (!session && parent[0] != '#')
		return true;
	int64_t id = lost_nth(l, session ? "sessions" : "documents",
	                      strtoll(parent + (session ? 8 : 1), NULL, 10));
	(void)snprintf(now, sizeof now, session ? "session:%lld" : "#%lld", (long long)id);
	return id > 0 && json_object_set_new(body, "parent", json_string(now)) == 0;
}

static int64_t make_seq(const struct lost *l, int64_t doc)
{
	return lost_number(l->now, "SELECT seq FROM tape WHERE stream = ?1 AND stream_seq = ?2",
	                   "documents", doc - 1, 0);
}

static int note_saved(struct lost *l, int64_t doc)
{
	for (size_t i = 0; i < l->saved_count; i++)
		if (l->saved[i] == doc)
			return 0;
	if (!ARRAY_ROOM(l->saved, l->saved_room, l->saved_count))
		return STORE_ENOMEM;
	l->saved[l->saved_count++] = doc;
	return 0;
}

/* Made anew, with the version that was made with it. */
static int make_document(struct lost *l, const struct entry *e, const char *parent,
                         const char *name, const char *make, int64_t *id)
{
	char stream[24];
	struct entry v = { .seq = 0 };
	sqlite3_stmt *q = db_prepare(l->db, ROW_SQL "= ?1 AND t.stream = ?2 AND t.kind = 'document'");
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)e->stream_seq + 1);
	sqlite3_bind_int64(q, 1, e->seq + 1);
	sqlite3_bind_text(q, 2, stream, -1, SQLITE_STATIC);
	bool with = q && sqlite3_step(q) == SQLITE_ROW && row_entry(&l->check, q, &v) == 0 &&
		!v.damaged && v.salt;
	const struct doc_text version = { with ? v.body : NULL, with ? v.body_len : 0 };
	int err = store_doc_make(l->s, parent, name, (struct doc_text){ make, strlen(make) },
	                         with ? &version : NULL, e->author, id);
	if (!err && with)
		l->skip = v.seq;
	sqlite3_finalize(q);
	return err;
}

static int bring_make(struct lost *l, const struct entry *e, json_t *body, struct bring_outcome *b)
{
	const char *name = json_string_value(json_object_get(body, "name"));
	struct doc d;
	int64_t id = 0;
	if (!name || !place_parent(l, body))
		return left(b, "the folder or session it was made in is not there");
	const char *parent = json_string_value(json_object_get(body, "parent"));
	char *make = json_dumps(body, JSON_COMPACT);
	int err = make ? make_document(l, e, parent, name, make, &id) : STORE_ENOMEM;
	free(make);
	if (err == STORE_EEXIST) {
		b->what = CAME_THERE; /* its versions go to who has the name now */
		err = store_doc_at(l->s, parent, name, &d);
		id = d.id;
	}
	if (err == STORE_ENOENT)
		return left(b, "the folder it was made in has been removed");
	if (!err)
		b->seq = make_seq(l, id);
	return err;
}

/* The document that an entry is of, as it stands now; false: left out. */
static bool document_of(struct lost *l, const struct entry *e, struct doc *d,
                        struct bring_outcome *b)
{
	int64_t id = lost_nth(l, "documents", store_stream_number(e->stream, 'd'));
	if (id > 0 && store_doc_by_id(l->s, id, d) == 0)
		return true;
	(void)left(b, "the document it is of is not there");
	return false;
}

static int bring_version(struct lost *l, const struct entry *e, struct bring_outcome *b)
{
	struct doc d;
	char stream[24];
	if (!document_of(l, e, &d, b))
		return 0;
	if (d.into && store_doc_at(l->s, d.parent, d.name, NULL) == 0)
		return left(b, "its document was retired since, and its name is another's");
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)d.id);
	int err = append(l, stream, e, e->body, e->body_len, NULL, b);
	return err || b->what != CAME_BACK ? err : note_saved(l, d.id);
}

static int bring_rename(struct lost *l, const struct entry *e, json_t *body,
                        struct bring_outcome *b)
{
	struct doc d;
	if (!document_of(l, e, &d, b))
		return 0;
	if (!place_parent(l, body))
		return left(b, "the folder it was moved to is not there");
	const char *parent = json_string_value(json_object_get(body, "parent"));
	const char *name = json_string_value(json_object_get(body, "name"));
	if (name && strcmp(d.parent, parent) == 0 && strcmp(d.name, name) == 0)
		return there(b, 0);
	char *text = json_dumps(body, JSON_COMPACT);
	int err = !text ? STORE_ENOMEM : store_doc_append(l->s, d.id, e->kind,
		(struct doc_text){ text, strlen(text) }, e->author, -1);
	free(text);
	return err == STORE_EEXIST || err == STORE_EINVAL ? left(b, "its new name is another's") : err;
}

static int bring_retire(struct lost *l, const struct entry *e, json_t *body,
                        struct bring_outcome *b)
{
	struct doc d;
	if (!document_of(l, e, &d, b))
		return 0;
	int64_t into = doc_body_number(json_object_get(body, "into"));
	int64_t heir = into > 0 ? lost_nth(l, "documents", into) : 0;
	char text[48], stream[24];
	if (d.into)
		return there(b, 0);
	if ((into > 0 && heir == 0) || lost_saved_since(l, d.id))
		return left(b, "it was saved since, or what it was to give way to is not there");
	(void)snprintf(text, sizeof text, "{\"into\":%lld}", (long long)heir);
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)d.id);
	return append(l, stream, e, text, strlen(text), NULL, b);
}

/* Invariant 1: what others have saved since is shown. */
static int put_on_top(struct lost *l, int64_t doc)
{
	char stream[24];
	struct entry e;
	int64_t seq = lost_saved_since(l, doc);
	sqlite3_stmt *q = seq ? db_prepare(l->now, ROW_SQL "= ?1") : NULL;
	int err = 0;
	(void)snprintf(stream, sizeof stream, "d%lld", (long long)doc);
	sqlite3_bind_int64(q, 1, seq);
	if (q && sqlite3_step(q) == SQLITE_ROW && entry_of_row(q, &e) == 0 && e.body) {
		struct draft d = { .stream = stream, .kind = e.kind, .author = e.author, .body = e.body,
			.body_len = e.body_len };
		struct append a = { .drafts = &d, .count = 1, .expect = -1 };
		err = store_append_wait(l->s, &a);
		l->how->above += !err;
	}
	sqlite3_finalize(q);
	return err;
}

/* ---- windows and facts ------------------------------------------------------------- */

static bool map_number(const struct lost *l, const char *stream, json_t *of, const char *member)
{
	int64_t was = doc_body_number(json_object_get(of, member));
	int64_t is = was > 0 ? stream ? lost_nth(l, stream, was) : lost_entry(l, was) : 0;
	return is > 0 && json_object_set_new(of, member, json_integer(is)) == 0;
}

/* [first, last], if as many messages lie between them now. */
static bool map_range(const struct lost *l, const char *stream, json_t *range)
{
	int64_t first = doc_body_number(json_array_get(range, 0));
	int64_t last = doc_body_number(json_array_get(range, 1));
	int64_t from = lost_nth(l, stream, first), to = lost_nth(l, stream, last);
	return from > 0 && to > 0 && to - from == last - first &&
		json_array_set_new(range, 0, json_integer(from)) == 0 &&
		json_array_set_new(range, 1, json_integer(to)) == 0;
}

static int bring_window(struct lost *l, const struct entry *e, json_t *body,
                        struct bring_outcome *b)
{
	char messages[24], stream[24];
	json_t *ids = json_object_get(body, "ids"), *range;
	int64_t first = doc_body_number(json_object_get(body, "from"));
	int64_t last = doc_body_number(json_object_get(body, "to"));
	size_t i;
	(void)snprintf(messages, sizeof messages, "s%s", e->stream + 1);
	bool fits = stream_now(l, e->stream, stream);
	json_array_foreach(ids, i, range)
		fits = fits && map_range(l, messages, range);
	if (fits && first > 0)
		fits = map_number(l, messages, body, "from") && map_number(l, messages, body, "to") &&
			doc_body_number(json_object_get(body, "to")) -
			doc_body_number(json_object_get(body, "from")) == last - first;
	return fits ? append_json(l, stream, e, body, b) :
		left(b, "among the messages it names there are others now");
}

static int bring_fact(struct lost *l, const struct entry *e, json_t *body, struct bring_outcome *b)
{
	static const char *const members[] = { "entry", "fact", "by", "supersedes" };
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		if (doc_body_number(json_object_get(body, members[i])) <= 0 ||
		    map_number(l, NULL, body, members[i]))
			continue;
		if (strcmp(members[i], "fact") == 0)
			return left(b, "the fact it is about is not there");
		json_object_del(body, members[i]);
	}
	return append_json(l, e->stream, e, body, b);
}

/* ---- all ----------------------------------------------------------------------------- */

static int bring_one(struct lost *l, const struct entry *e, struct bring_outcome *b)
{
	bool line = strcmp(e->kind, "message") == 0 || strcmp(e->kind, "record") == 0;
	/* What others wrote may hold integers of any size. */
	size_t flags = line || strcmp(e->kind, "document") == 0 ? JSON_DECODE_INT_AS_REAL : 0;
	json_t *body = e->salt && !e->damaged ? json_loadb(e->body, e->body_len, flags, NULL) : NULL;
	int err = 0;
	if (!json_is_object(body))
		(void)left(b, "its body is gone, or damaged");
	else if (strcmp(e->kind, "session") == 0)
		err = bring_session(l, e, body, b);
	else if (line)
		err = bring_line(l, e, body, b);
	else if (strcmp(e->kind, "document.make") == 0)
		err = bring_make(l, e, body, b);
	else if (strcmp(e->kind, "document") == 0)
		err = bring_version(l, e, b);
	else if (strcmp(e->kind, "rename") == 0)
		err = bring_rename(l, e, body, b);
	else if (strcmp(e->kind, "retire") == 0)
		err = bring_retire(l, e, body, b);
	else if (strcmp(e->kind, "context") == 0)
		err = bring_window(l, e, body, b);
	else if (strncmp(e->kind, "fact.", 5) == 0)
		err = bring_fact(l, e, body, b);
	else
		(void)left(b, strcmp(e->kind, REDACTION_KIND) == 0 ?
			"what it took out is there again, under another number: redact that" :
			"entries of this kind are not written anew");
	json_decref(body);
	return err;
}

static int count_one(struct lost *l, const struct entry *e, const struct bring_outcome *b)
{
	struct come_back *how = l->how;
	int64_t *const counts[] = { &how->back, &how->there, &how->left };
	how->lost++;
	++*counts[b->what];
	if (how->tell)
		how->tell(how->ctx, e, b->what, b->seq, b->why);
	return b->seq > 0 ? lost_pair_add(l, e->seq, b->seq) : 0;
}

static int bring_all(struct lost *l)
{
	sqlite3_stmt *q = db_prepare(l->db, ROW_SQL ">= ?1 ORDER BY t.seq");
	int err = q ? 0 : STORE_EIO, rc = SQLITE_DONE;
	sqlite3_bind_int64(q, 1, l->first);
	while (!err && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct bring_outcome b = { CAME_BACK, 0, NULL };
		struct entry e;
		err = row_entry(&l->check, q, &e);
		if (!err && (e.seq != l->skip || e.seq == 0))
			err = bring_one(l, &e, &b);
		err = err ? err : count_one(l, &e, &b);
	}
	sqlite3_finalize(q);
	for (size_t i = 0; !err && i < l->saved_count; i++)
		err = put_on_top(l, l->saved[i]);
	return err ? err : db_error(rc);
}

static int open_both(struct lost *l, struct why *why)
{
	int err = db_open(l->how->file, DB_READ, &l->db, why);
	err = err ? err : db_open(l->s->path, DB_READ, &l->now, why);
	err = err ? err : row_check_open(&l->check, l->db, NULL);
	err = err ? err : lost_first(l->db, l->now, &l->first);
	if (!err && l->first < 0) {
		why_set(why, "name a replica of the same memory", "they have not one entry in common");
		err = STORE_EINVAL;
	}
	l->how->first = l->first;
	l->until = tape_entries(l->s);
	return err ? err : lost_read_known(l);
}

int store_bring_back(struct store *s, struct come_back *how, struct why *why)
{
	struct lost l = { .s = s, .how = how };
	int err = open_both(&l, why);
	err = err ? err : bring_all(&l);
	if (err && !why->text[0])
		why_set(why, "run it again: what is back does not come twice", "%s after %lld entries",
		        store_strerror(err), (long long)how->lost);
	row_check_release(&l.check);
	sqlite3_close(l.db);
	sqlite3_close(l.now);
	free(l.pairs);
	free(l.known);
	free(l.saved);
	return err;
}
