/* SPDX-License-Identifier: MIT */
/*
 * The memory of a busy team, past the mount: `years DB FROM TO` adds messages number FROM to TO - 1
 * and what comes with them.  A session has 1,500, one that never ends each 25th; of 120 messages
 * comes a note, five new versions of older ones, and a memory; a tenth are results of tools, some of
 * them long, a few have references.  So 600,000 are two years: 400 sessions, 5,000 notes in 30,000
 * versions, 5,000 memories.  Run by tests/bench/years.py on a database that is not mounted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/fs.h"
#include "render/render.h"
#include "store/store.h"

enum { BATCH = 400, SESSION = 1500, BIG = 25, DOCUMENT = 120, VERSIONS = 5 };

static const char *const words[] = {
	"the", "plan", "for", "week", "was", "due", "with", "Ana", "and", "Bruno", "about", "prices",
	"of", "new", "garden", "tool", "that", "we", "tested", "in", "spring", "mañana", "reunión",
	"quedamos", "probar", "otra", "vez", "report", "failed", "again", "because", "server", "clock",
	"stood", "hour", "behind", "so", "send", "it", "later", "factura", "cliente", "deploy", "índice"
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "years: %s: %s\n", what, why);
	exit(1);
}

static void must(int err, const char *what)
{
	if (err)
		die(what, store_strerror(err));
}

/* The smaller, the more often. */
static size_t zipf(size_t most)
{
	size_t at = (size_t)random() % most;
	return (size_t)random() % (at + 1);
}

static void add_words(struct buf *out, size_t bytes)
{
	size_t end = out->len + bytes;
	while (out->len < end && !out->failed)
		buf_addf(out, " %s%zu", words[zipf(sizeof words / sizeof *words)], zipf(5000));
}

/* ---- messages ---------------------------------------------------------------- */

struct batch {
	struct store *store;
	struct draft drafts[BATCH];
	struct buf bodies[BATCH];
	char streams[BATCH][24];
	size_t count;
};

static void batch_commit(struct batch *b)
{
	struct append a = { .drafts = b->drafts, .count = b->count, .expect = -1 };
	must(b->count ? store_append_wait(b->store, &a) : 0, "append");
	b->count = 0;
}

static int64_t session_of(struct store *s, const char *name)
{
	struct group g;
	struct buf body = BUF_INIT;
	int64_t id = 0;
	if (store_group_by_name(s, LOG_SESSION, name, &g) == 0)
		return g.id;
	render_session_body(&body, name);
	must(store_session_make(s, name, body.data, body.len, "user:bench", &id), name);
	buf_release(&body);
	return id;
}

static void make_line(struct buf *line, long n)
{
	bool tool = n % 10 == 7;
	buf_clear(line);
	buf_addf(line, "{\"role\":\"%s\",", tool ? "tool" : n & 1 ? "assistant" : "user");
	if (tool)
		buf_addf(line, "\"tool\":\"%s\",", n % 20 == 7 ? "shell" : "fetch");
	if (n % 97 == 0)
		buf_addf(line, "\"thread\":\"t%ld\",", n % 20);
	if (n % 500 == 0)
		buf_addf(line, "\"refs\":[{\"type\":\"context\",\"ref\":\"c%ld\"}],", n);
	buf_addf(line, "\"content\":\"%ld", n);
	add_words(line, tool && n % 500 == 7 ? 20000 : tool ? 2000 : 200 + zipf(1500));
	buf_adds(line, "\"}");
}

static void batch_add(struct batch *b, int64_t session, const struct buf *line)
{
	char thread[NAME_LIMIT + 1];
	struct why why = { 0 };
	size_t i = b->count++;
	buf_clear(&b->bodies[i]);
	if (render_message_in(line->data, line->len, NULL, NULL, store_token_count, &b->bodies[i],
	                      thread, &why))
		die("message", why.text);
	(void)snprintf(b->streams[i], sizeof b->streams[i], "s%lld", (long long)session);
	b->drafts[i] = (struct draft){ .stream = b->streams[i], .kind = "message",
		.author = "user:bench", .body = b->bodies[i].data, .body_len = b->bodies[i].len };
	if (b->count == BATCH)
		batch_commit(b);
}

/* ---- documents --------------------------------------------------------------- */

static void version_body(struct buf *out, enum family family, const char *dir, const char *name,
                         const struct buf *text)
{
	const struct document d = { family, dir, name, 0 };
	char hex[2 * HASH_SIZE + 1];
	struct buf fields = BUF_INIT;
	struct why why = { 0 };
	if (render_document_in(&d, text->data, text->len, store_token_count, &fields, &why))
		die(name, why.text);
	store_sha256(text->data, text->len, hex);
	const struct version_text v = { .fields = fields.data, .bytes = text->data, .len = text->len,
		.sha256 = hex, .tokens = store_token_count(text->data, text->len), .added = 3 };
	render_version_body(out, &v);
	buf_release(&fields);
}

static void make_document(struct store *s, enum family family, const char *parent, const char *dir,
                          const char *name, size_t bytes)
{
	struct buf text = BUF_INIT, make = BUF_INIT, body = BUF_INIT;
	char path[NAME_LIMIT + 64];
	int64_t id;
	buf_addf(&text, "# %s\n", name);
	add_words(&text, bytes);
	buf_addc(&text, '\n');
	(void)snprintf(path, sizeof path, "%s/%s", parent, name);
	render_make_body(&make, parent, name, path, false);
	version_body(&body, family, dir, name, &text);
	const struct doc_text version = { body.data, body.len };
	must(store_doc_make(s, parent, name, (struct doc_text){ make.data, make.len }, &version,
	                    "user:bench", &id), path);
	buf_release(&text);
	buf_release(&make);
	buf_release(&body);
}

static void save_again(struct store *s, const char *name)
{
	struct buf text = BUF_INIT, body = BUF_INIT;
	struct doc d;
	char *old;
	size_t len;
	must(store_doc_at(s, "notes", name, &d), name);
	must(store_doc_content(s, d.id, 0, &old, &len), name);
	buf_add(&text, old, len);
	buf_addf(&text, "- version %lld:", (long long)d.versions + 1);
	add_words(&text, 60);
	buf_addc(&text, '\n');
	version_body(&body, FAMILY_NOTE, "", name, &text);
	must(store_doc_append(s, d.id, "document", (struct doc_text){ body.data, body.len },
	                      "user:bench", -1), name);
	free(old);
	buf_release(&text);
	buf_release(&body);
}

static void add_documents(struct store *s, long n)
{
	char name[NAME_LIMIT + 1];
	(void)snprintf(name, sizeof name, "n%06ld.md", n);
	make_document(s, FAMILY_NOTE, "notes", "", name, 1000 + zipf(12000));
	(void)snprintf(name, sizeof name, "m%06ld.md", n);
	make_document(s, FAMILY_MEMORY, "memories/fact", "fact", name, 60 + zipf(400));
	for (int i = 0; i < VERSIONS; i++) {
		(void)snprintf(name, sizeof name, "n%06ld.md", n - (long)zipf((size_t)n + 1));
		save_again(s, name);
	}
}

/* ---- both -------------------------------------------------------------------- */

static void live(struct store *s, long from, long to)
{
	static struct batch b;
	struct buf line = BUF_INIT;
	char name[32];
	b.store = s;
	srandom((unsigned)from + 1);
	int64_t big = session_of(s, "big"), day = 0;
	for (long n = from; n < to; n++) {
		if (n == from || n % SESSION == 0) {
			(void)snprintf(name, sizeof name, "day%04ld", n / SESSION);
			day = session_of(s, name);
		}
		make_line(&line, n);
		batch_add(&b, n % BIG == 0 ? big : day, &line);
		if (n % DOCUMENT == 0)
			add_documents(s, n / DOCUMENT);
	}
	batch_commit(&b);
	for (size_t i = 0; i < BATCH; i++)
		buf_release(&b.bodies[i]);
	buf_release(&line);
}

int main(int argc, char **argv)
{
	struct store_config config = { .flags = STORE_OWNER | STORE_CREATE, .text_size = fs_text_size,
		.plain_text = fs_plain_text };
	struct store *s;
	struct why why = { 0 };
	if (argc != 4) {
		fprintf(stderr, "usage: years DB FROM TO\n");
		return 2;
	}
	int err = store_open(argv[1], &config, &s, &why);
	if (err)
		die(argv[1], why.text[0] ? why.text : store_strerror(err));
	live(s, atol(argv[2]), atol(argv[3]));
	must(store_catch_up(s), "views");
	store_close(s);
	return 0;
}
