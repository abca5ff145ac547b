/* SPDX-License-Identifier: MIT */
/*
 * Messages on their way to the tape.  Each has a key (agent, conversation, id, part), and what of
 * them is here is left out by who commits, in that transaction: two imports at once double nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/import/import.h"
#include "fs/save/save.h"
#include "store/base/hash.h"

static uint64_t hash_key(const char *id, int64_t part)
{
	return hash_text(HASH_NONE ^ (uint64_t)part, id);
}

static bool in_batch(struct import_batch *b, const char *id, int64_t part, uint64_t hash)
{
	if (seen_add(&b->hashes, hash) > 0)
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (b->message[i].hash == hash && b->message[i].part == part &&
		    strcmp(b->ids.data + b->message[i].id, id) == 0)
			return true;
	return false;
}

static void add_text(struct buf *out, const char *member, const char *text)
{
	if (!text || !*text)
		return;
	buf_addf(out, ",\"%s\":", member);
	buf_add_json(out, text, strlen(text));
}

/* The line as a client would offer it. */
static void make_line(struct buf *out, const struct conversation *c, const struct import_said *s,
                      const char *text, size_t len, const char *id)
{
	buf_addf(out, "{\"role\":\"%s\",\"content\":", s->role);
	buf_add_json(out, text, len);
	add_text(out, "tool", s->tool);
	add_text(out, "call", s->call);
	add_text(out, "error", s->error ? "the tool failed" : NULL);
	add_text(out, "thread", s->thread ? s->thread : c->thread);
	if (s->members)
		buf_adds(out, s->members);
	buf_adds(out, ",\"from\":{\"agent\":");
	buf_add_json(out, c->name.agent, strlen(c->name.agent));
	add_text(out, "session", c->name.session);
	add_text(out, "id", id);
	buf_addf(out, ",\"part\":%lld", (long long)s->part);
	if (s->at_us > 0) {
		buf_adds(out, ",\"at\":\"");
		buf_add_time(out, s->at_us);
		buf_addc(out, '"');
	}
	add_text(out, "author", s->author);
	add_text(out, "model", s->model);
	buf_adds(out, "}}");
}

static void add_piece(struct fs_import *im, const struct import_said *s, const char *text,
                      size_t len, const char *id)
{
	struct import_batch *b = &im->batch;
	struct buf *line = &b->line;
	char thread[NAME_LIMIT + 1];
	struct why why = { 0 };
	uint64_t hash = hash_key(id, s->part);
	if (in_batch(b, id, s->part, hash)) {
		im->counts.known++;
		return;
	}
	buf_clear(line);
	make_line(line, &im->talk, s, text, len, id);
	if (!line->failed && import_refuses(im, s->at, NULL, line->data, line->len))
		return;
	struct batch_message m = { .body = b->bodies.len, .id = b->ids.len, .part = s->part,
		.hash = hash };
	int err = line->failed ? -ENOMEM : errno_of_render(render_message_in(line->data, line->len,
		NULL, NULL, im->fs->count_tokens, &b->bodies, thread, &why));
	m.body_len = b->bodies.len - m.body;
	if (err == -EINVAL || err == -EFBIG) {
		import_skip(im, s->at, why.text);
		return;
	}
	buf_add(&b->ids, id, strlen(id) + 1);
	if (err || b->bodies.failed || b->ids.failed || !ARRAY_ROOM(b->message, b->room, b->count))
		im->error = -ENOMEM;
	else
		b->message[b->count++] = m;
}

/* An id as it can be kept: of a longer one its hash. */
static void short_id(char id[MESSAGE_ID + 1], const char *given)
{
	if (strlen(given) <= MESSAGE_ID - 24)
		(void)snprintf(id, MESSAGE_ID + 1, "%s", given);
	else
		store_sha256(given, strlen(given), id);
}

/* By what was said first; secrets are looked for before it is cut, behind that they are none. */
static void name_by(struct fs_import *im, const char *text)
{
	char shown[4096];
	told_hide(im->fs, text, shown, sizeof shown);
	render_name(im->talk.title, SLUG_TITLE, shown);
}

void batch_add(struct fs_import *im, const struct import_said *s)
{
	char id[MESSAGE_ID + 1], piece[MESSAGE_ID + 1];
	const char *text = s->text;
	size_t left = s->len;
	struct conversation *c = &im->talk;
	if (import_refuses(im, s->at, NULL, text, left)) /* whole: a piece may hold half of a secret */
		return;
	short_id(id, s->id);
	if (!*c->title && strcmp(s->role, "user") == 0)
		name_by(im, s->text);
	if (c->began_us == 0)
		c->began_us = s->at_us;
	/* What is longer than a line may be becomes several messages, at borders of characters. */
	for (int n = 0; left > 0 && !im->error; n++) {
		size_t len = left < PIECE ? left : PIECE;
		while (len < left && len > 1 && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
		if (n == 0)
			(void)snprintf(piece, sizeof piece, "%s", id);
		else
			(void)snprintf(piece, sizeof piece, "%.140s+%d", id, n);
		add_piece(im, s, text, len, piece);
		text += len;
		left -= len;
	}
	if (im->batch.count >= BATCH_MOST || im->batch.bodies.len >= BATCH_BYTES)
		batch_flush(im);
}

/* Without writing: which of them are here. */
static void count_only(struct fs_import *im, const struct message_key *key, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool known = false;
		int err = store_message_known(im->fs->store, &key[i], &known);
		if (err)
			im->error = errno_of_store(err);
		*(known ? &im->counts.known : &im->counts.messages) += 1;
	}
}

static void tell_secrets(struct fs_import *im, const struct append *a)
{
	struct group g;
	char path[NAME_LIMIT + 32], number[24];
	int64_t seq = a->first_seq;
	if (render_secrets(im->batch.bodies.data, im->batch.bodies.len, NULL, NULL) == 0 ||
	    store_group_by_id(im->fs->store, LOG_SESSION, im->talk.session, &g))
		return;
	(void)snprintf(path, sizeof path, "sessions/%s/log.jsonl", g.name);
	for (size_t i = 0; i < a->count; i++) {
		if (a->known[i])
			continue;
		(void)snprintf(number, sizeof number, "%lld", (long long)seq++);
		if (secrets_tell(im->fs, path, im->author, a->drafts[i].body, a->drafts[i].body_len,
		                 number))
			im->counts.secrets++;
	}
}

static void append(struct fs_import *im, struct draft *draft, bool *known)
{
	char stream[24];
	struct append a = { .drafts = draft, .count = im->batch.count, .expect = -1, .known = known };
	int err = conversation_session(im);
	if (err) {
		im->error = err;
		return;
	}
	store_session_stream(im->talk.session, stream);
	for (size_t i = 0; i < a.count; i++)
		draft[i].stream = stream;
	err = store_append_wait(im->fs->store, &a);
	if (err) {
		im->error = errno_of_store(err);
		return;
	}
	for (size_t i = 0; i < a.count; i++)
		*(known[i] ? &im->counts.known : &im->counts.messages) += 1;
	tell_secrets(im, &a);
}

/* Conversations may come in pieces, between those of others: each counts once. */
static bool is_new(struct fs_import *im)
{
	uint64_t hash = hash_key(im->talk.name.session, 0) ^ hash_key(im->talk.name.agent, 1) * 31;
	return seen_add(&im->met, hash) != 0;
}

void batch_flush(struct fs_import *im)
{
	struct import_batch *b = &im->batch;
	struct draft *draft = calloc(b->count + 1, sizeof *draft);
	struct message_key *key = calloc(b->count + 1, sizeof *key);
	bool *known = calloc(b->count + 1, sizeof *known);
	if (!draft || !key || !known)
		im->error = -ENOMEM;
	for (size_t i = 0; !im->error && i < b->count; i++) {
		const struct batch_message *m = &b->message[i];
		key[i] = (struct message_key){ &im->talk.name, b->ids.data + m->id, m->part };
		draft[i] = (struct draft){ .kind = "message", .author = im->author,
			.body = b->bodies.data + m->body, .body_len = m->body_len, .key = &key[i] };
	}
	if (!im->error && b->count > 0 && !im->talk.met) {
		im->counts.sessions += is_new(im);
		im->talk.met = true;
	}
	if (!im->error && b->count > 0) {
		if (im->o.dry)
			count_only(im, key, b->count);
		else
			append(im, draft, known);
	}
	free(draft);
	free(key);
	free(known);
	b->count = 0;
	seen_clear(&b->hashes);
	buf_clear(&b->bodies);
	buf_clear(&b->ids);
}

void batch_release(struct import_batch *b)
{
	free(b->message);
	buf_release(&b->bodies);
	buf_release(&b->ids);
	buf_release(&b->line);
	seen_release(&b->hashes);
}
