/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as bodies of rows, as another program could have written them: the views catch up
 * without failing, logs have the size they say, and views made again are the same.
 * The input's lines are rows; the first byte of each chooses the stream.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/render.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"
#include "tests/place.h"

enum { INPUTS = 400 }; /* a store: then a fresh one, so that a finding needs few rows */

static size_t text_size(const struct entry *e)
{
	struct buf out = BUF_INIT;
	render_transcript(&out, e);
	size_t len = out.len;
	buf_release(&out);
	return len;
}

static void remove_dir(const char *dir)
{
	char command[128];
	(void)snprintf(command, sizeof command, "rm -rf -- '%s'", dir);
	MUST(system(command) == 0);
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

static void put(struct store *s, const char *line, size_t len)
{
	static const char *const streams[] = { "s1", "s2", "sessions", "s7", "other" };
	if (len == 0)
		return;
	const char *stream = streams[(unsigned char)line[0] % 5];
	struct draft d = { .stream = stream, .author = "a:b", .body = line + 1, .body_len = len - 1,
		.kind = strcmp(stream, "sessions") == 0 ? "session" : "message" };
	struct append a = { .drafts = &d, .count = 1, .expect = -1 };
	int err = store_append_wait(s, &a);
	MUST(err == 0 || err == STORE_EINVAL);
}

static void take_ref(void *ctx, const struct ref *r)
{
	(void)r;
	++*(int *)ctx;
}

static void check_log(struct store *s, struct log_id log)
{
	struct log_stat st;
	char part[997];
	int64_t at = 0;
	ssize_t got;
	MUST(store_log_stat(s, log, &st) == 0);
	while ((got = store_log_read(s, log, at, part, sizeof part)) > 0)
		at += got;
	MUST(got == 0 && at == st.bytes);
}

static void check(struct store *s)
{
	struct group g;
	int refs = 0;
	MUST(store_catch_up(s) == 0);
	for (enum log_kind kind = LOG_SESSION; kind <= LOG_THREAD; kind++)
		for (g.id = 0; store_group_next(s, kind, g.id, &g) == 0;) {
			check_log(s, (struct log_id){ kind, g.id });
			MUST(store_group_by_name(s, kind, g.name, NULL) == 0);
		}
	MUST(store_refs(s, 1, take_ref, &refs) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store *s; /* kept between inputs: making one costs a key */
	static int inputs;
	static char dir[64], path[96];
	if (!s)
		s = fresh(path, dir);
	const char *p = (const char *)data, *end = p + size;
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		put(s, p, (size_t)((stop ? stop : end) - p));
		p = stop ? stop + 1 : end;
	}
	if (++inputs % INPUTS == 0) {
		struct store_config config = { .text_size = text_size };
		struct verify_options o = { .all = true, .text_size = text_size };
		struct verify_report r;
		struct why why = { 0 };
		check(s);
		store_close(s);
		s = NULL;
		MUST(store_verify(path, &o, &r) == 0 && r.verdict != VERDICT_DERIVED);
		MUST(store_remake(path, &config, &(struct rebuild_options){ 0 }, &(struct rebuild_report){ 0 },
		                  &why) == 0);
		remove_dir(dir);
	} else {
		MUST(store_catch_up(s) == 0);
	}
	return 0;
}
