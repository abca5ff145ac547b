/* SPDX-License-Identifier: MIT */
/*
 * Makes a memory quickly, past the mount: `fill DB PREFIX SESSIONS MESSAGES BYTES [WORDS]`
 * adds SESSIONS sessions PREFIX000001 …, each with MESSAGES messages whose content
 * has about BYTES bytes, a few hundred a transaction.  With WORDS they are drawn from so
 * many, the k-th 1/(k + 3) times as often (Zipf), of which the first are those of pages.py:
 * so a search has something to find.  Run by tests/bench/run on a database that is not
 * mounted; the rows are those that the mount would store.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "store/store.h"

enum { BATCH = 400, WORDS_MOST = 60000, SYLLABLES = 16, SHORT = 3000 /* of three syllables */ };

static const char *const words[] = {
	"the", "plan", "for", "week", "was", "due", "with", "Ana", "and", "Bruno", "about",
	"prices", "of", "the", "new", "garden", "tool", "that", "we", "tested", "in", "spring",
	"mañana", "reunión", "quedamos", "probar", "otra", "vez", "report", "failed", "again",
	"because", "server", "clock", "stood", "an", "hour", "behind", "so", "send", "it", "later"
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "fill: %s: %s\n", what, why);
	exit(1);
}

static size_t text_size(const struct entry *e)
{
	struct buf text = BUF_INIT;
	render_transcript(&text, e);
	size_t size = text.len;
	buf_release(&text);
	return size;
}

static const char *const syllables[SYLLABLES] = { "ba", "ke", "li", "mo", "ru", "tan", "ver",
	"sil", "pro", "den", "gar", "nis", "cho", "fel", "zu", "min" };

/* How often the words up to each one are drawn together; none: those of `words`. */
struct vocabulary {
	double upto[WORDS_MOST];
	size_t count;
};

static void vocabulary_make(struct vocabulary *v, size_t count)
{
	v->count = count < WORDS_MOST ? count : WORDS_MOST;
	for (size_t i = 0; i < v->count; i++)
		v->upto[i] = (i ? v->upto[i - 1] : 0) + 1 / ((double)i + 3);
}

static void add_drawn(struct buf *line, const struct vocabulary *v)
{
	double at = (double)random() / ((double)RAND_MAX + 1) * v->upto[v->count - 1];
	size_t low = 0, high = v->count - 1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (v->upto[mid] <= at)
			low = mid + 1;
		else
			high = mid;
	}
	buf_addc(line, ' ');
	if (low >= SHORT)
		buf_adds(line, syllables[low / (SYLLABLES * SYLLABLES * SYLLABLES) % SYLLABLES]);
	for (size_t unit = SYLLABLES * SYLLABLES; unit > 0; unit /= SYLLABLES)
		buf_adds(line, syllables[low / unit % SYLLABLES]);
}

static void make_line(struct buf *line, const struct vocabulary *v, size_t bytes, long n)
{
	static const char *const roles[] = { "user", "assistant" };
	buf_clear(line);
	buf_addf(line, "{\"role\":\"%s\",\"content\":\"%ld", roles[n & 1], n);
	while (line->len < bytes + 28) {
		if (v->count)
			add_drawn(line, v);
		else
			buf_addf(line, " %s", words[(size_t)random() % (sizeof words / sizeof *words)]);
	}
	buf_adds(line, "\"}");
}

static int64_t make_session(struct store *s, const char *name)
{
	struct buf body = BUF_INIT;
	int64_t id;
	render_session_body(&body, name);
	int err = store_session_make(s, name, body.data, body.len, "user:bench", &id);
	if (err)
		die(name, store_strerror(err));
	buf_release(&body);
	return id;
}

/* Drafts on their way to the store, with room for their texts. */
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
	int err = b->count ? store_append_wait(b->store, &a) : 0;
	if (err)
		die("append", store_strerror(err));
	b->count = 0;
}

static void batch_add(struct batch *b, int64_t session, const struct buf *line)
{
	char thread[NAME_LIMIT + 1];
	struct why why = { 0 };
	size_t i = b->count++;
	buf_clear(&b->bodies[i]);
	if (render_message_in(line->data, line->len, NULL, NULL, store_token_count, &b->bodies[i], thread, &why))
		die("message", why.text);
	(void)snprintf(b->streams[i], sizeof b->streams[i], "s%lld", (long long)session);
	b->drafts[i] = (struct draft){ .stream = b->streams[i], .kind = "message",
		.author = "user:bench", .body = b->bodies[i].data, .body_len = b->bodies[i].len };
	if (b->count == BATCH)
		batch_commit(b);
}

static void fill(struct store *s, const struct vocabulary *v, const char *prefix, long sessions,
                 long messages, size_t bytes)
{
	static struct batch b;
	struct buf line = BUF_INIT;
	char name[NAME_LIMIT + 1];
	b.store = s;
	srandom(1);
	int64_t *ids = calloc((size_t)sessions, sizeof *ids);
	if (!ids)
		die("sessions", "out of memory");
	for (long i = 0; i < sessions; i++) {
		(void)snprintf(name, sizeof name, "%.200s%06ld", prefix, i + 1);
		ids[i] = make_session(s, name);
	}
	for (long i = 0; i < sessions; i++) {
		for (long n = 0; n < messages; n++) {
			make_line(&line, v, bytes, n);
			batch_add(&b, ids[i], &line);
		}
	}
	batch_commit(&b);
	for (size_t i = 0; i < BATCH; i++)
		buf_release(&b.bodies[i]);
	buf_release(&line);
	free(ids);
}

int main(int argc, char **argv)
{
	struct store_config config = { .flags = STORE_OWNER | STORE_CREATE, .text_size = text_size };
	struct store *s;
	struct why why = { 0 };
	static struct vocabulary v;
	if (argc != 6 && argc != 7) {
		fprintf(stderr, "usage: fill DB PREFIX SESSIONS MESSAGES BYTES [WORDS]\n");
		return 2;
	}
	vocabulary_make(&v, argc > 6 ? strtoul(argv[6], NULL, 10) : 0);
	int err = store_open(argv[1], &config, &s, &why);
	if (err)
		die(argv[1], why.text[0] ? why.text : store_strerror(err));
	fill(s, &v, argv[2], atol(argv[3]), atol(argv[4]), (size_t)atol(argv[5]));
	store_close(s);
	return 0;
}
