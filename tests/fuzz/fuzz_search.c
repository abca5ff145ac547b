/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as texts and as what is asked: an answer or STORE_EINVAL, hits in order, and the index
 * is the same when it is made anew.  The input's lines are, by their first byte, messages, documents
 * and their next versions, facts and retractions, or questions with all their filters.
 * Options: -max_len=2000
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/search/search_index.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"
#include "tests/place.h"

enum { INPUTS = 200 }; /* a store: then a fresh one, so that a finding needs few entries */

static size_t text_size(const struct entry *e)
{
	return e->body_len + 1;
}

static void put(struct store *s, const char *stream, const char *kind, const char *body)
{
	struct draft d = { stream, kind, "ana:fuzz", body, strlen(body), NULL };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	(void)store_append_wait(s, &a);
}

/* {"role":"user",NAME:TEXT}; bytes that are no UTF-8 become a body that is no JSON. */
static void put_text(struct store *s, const char *stream, const char *kind, const char *name, const char *text)
{
	json_t *body = json_pack("{ss ss s{ss s[s]}}", "role", "user", name, text, "fields", "summary", text, "tags", text);
	char *dump = body ? json_dumps(body, JSON_COMPACT) : NULL;
	put(s, stream, kind, dump ? dump : "{\"content\":");
	free(dump);
	json_decref(body);
}

struct seen {
	double last;
	int count;
};

static void keep_inside(void *ctx, const char *term, size_t len, size_t start, size_t end)
{
	(void)term;
	MUST(len > 0 && start < end && end <= *(const size_t *)ctx);
}

static int see(void *ctx, const struct search_hit *h)
{
	struct seen *s = ctx;
	MUST(s->count++ == 0 || h->score <= s->last);
	MUST(h->text && h->author && h->seq > 0);
	s->last = h->score;
	size_t len = h->len;
	MUST(store_search_tokens(h->text, h->len, keep_inside, &len) == 0);
	return 0;
}

static void ask(struct store *s, const char *text, unsigned how)
{
	struct seen seen = { 0 };
	struct search_query q = { .words = how & 1 ? text : "a b", .in = how >> 5 & 7, .limit = 30 };
	q.phrases = q.without = &text;
	q.phrase_count = how >> 1 & 1;
	q.without_count = how >> 2 & 1;
	q.by = how & 8 ? text : NULL;
	q.type = how & 16 ? text : NULL;
	q.session = how & 64 ? 1 : 0;
	int err = store_search(s, &q, see, &seen);
	MUST(err == 0 || err == STORE_EINVAL);
}

static void line(struct store *s, const char *text, size_t len)
{
	char fact[64];
	struct status st;
	if (len == 0)
		return;
	char *rest = strndup(text + 1, len - 1);
	MUST(rest);
	store_status(s, &st);
	switch ((unsigned char)text[0] % 8) {
	case 0: put_text(s, "s1", "message", "content", rest); break;
	case 1: put(s, "s2", "message", rest); break;
	case 2: put(s, "documents", "document.make", "{\"parent\":\"notes\",\"name\":\"a.md\",\"path\":\"p\"}"); break;
	case 3: put_text(s, "d1", "document", "text", rest); break;
	case 4: put_text(s, "f1", "fact.add", "text", rest); break;
	case 5:
		(void)snprintf(fact, sizeof fact, "{\"save\":1,\"fact\":%lld}", (long long)st.entries - 1);
		put(s, "f1", "fact.retract", fact);
		break;
	default: ask(s, rest, (unsigned char)text[0] >> 1 | (unsigned)(len & 1) << 7); break;
	}
	free(rest);
}

static struct store *fresh(char path[96], char dir[64])
{
	struct store *s = NULL;
	struct why why = { 0 };
	char keys[96];
	MUST(place_make(dir, 64));
	(void)snprintf(path, 96, "%s/m.db", dir);
	(void)snprintf(keys, sizeof keys, "%s/keys", dir);
	struct store_config config = { .flags = STORE_CREATE, .key_dir = keys, .text_size = text_size };
	MUST(store_open(path, &config, &s, &why) == 0);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store *s;
	static char path[96], dir[64];
	static int inputs;
	char detail[256] = "", command[96];
	if (!s)
		s = fresh(path, dir);
	for (size_t at = 0; at < size;) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at;
		line(s, (const char *)data + at, len);
		at += len + 1;
	}
	ask(s, "a", 1);
	if (++inputs % 50 == 0 && search_compare(path, NULL, detail, sizeof detail) != 0) {
		fprintf(stderr, "%s\n", detail);
		abort();
	}
	if (inputs < INPUTS)
		return 0;
	store_close(s);
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", dir);
	MUST(system(command) == 0);
	s = NULL;
	inputs = 0;
	return 0;
}
