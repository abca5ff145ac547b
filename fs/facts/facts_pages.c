/* SPDX-License-Identifier: MIT */
/* The files of facts/: names, lists, old versions, and what is generated from all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

int facts_domain(const char *name)
{
	char word[32];
	size_t len = strlen(name);
	if (len < 4 || len >= sizeof word || strcmp(name + len - 3, ".md") != 0)
		return 0;
	(void)snprintf(word, sizeof word, "%.*s", (int)(len - 3), name);
	return store_fact_domain(word);
}

int64_t facts_version(struct fs *fs, int domain)
{
	int64_t saves = 0, last_us;
	(void)store_fact_saves(fs->store, domain, &saves, &last_us);
	return saves;
}

bool facts_is_name(const char *name)
{
	return facts_domain(name) > 0;
}

/* DOMAIN.md@3, DOMAIN.md@2026-11-20, DOMAIN.md@log */
static int find_version(struct fs *fs, const char *name, uint64_t *ino)
{
	const char *at = strrchr(name, '@');
	char base[NAME_LIMIT + 1], *end;
	int64_t us, save;
	(void)snprintf(base, sizeof base, "%.*s", at ? (int)(at - name) : 0, name);
	int domain = facts_domain(base);
	if (!at || !domain || !at[1])
		return -ENOENT;
	if (strcmp(at + 1, "log") == 0) {
		*ino = ino_make(KIND_FACT_LOG, domain);
		return 0;
	}
	long long n = strtoll(at + 1, &end, 10);
	if (*end || at[1] < '1' || at[1] > '9') {
		if (when_parse(at + 1, &us))
			return -ENOENT;
		int err = errno_of_store(store_fact_save_at(fs->store, domain, us, &save));
		if (err)
			return err;
		n = save;
	}
	if (n > facts_version(fs, domain) || n >> VERSION_BITS)
		return -ENOENT;
	*ino = ino_make(KIND_FACT_VERSION, (int64_t)domain << VERSION_BITS | n);
	return 0;
}

int find_facts(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int domain = facts_domain(name);
	if (domain) {
		*ino = ino_make(KIND_FACT_LIST, domain);
		return 0;
	}
	int err = find_version(fs, name, ino);
	return err == -ENOENT ? find_document(fs, dir, name, ino) : err; /* scratch */
}

/* The domains come first; the cursor of scratch files is odd (documents.c). */
int next_facts(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
               uint64_t *ino)
{
	int domain = *cursor % 2 ? 0 : (int)(*cursor / 2) + 1;
	if (domain && store_fact_domain_name(domain)) {
		*cursor = domain * 2;
		*ino = ino_make(KIND_FACT_LIST, domain);
		facts_name(fs, *ino, name, NAME_LIMIT + 1);
		return 1;
	}
	int64_t after = *cursor % 2 ? *cursor : 1;
	int got = next_document(fs, dir, &after, name, ino);
	*cursor = after;
	return got;
}

int find_facts_at(struct fs *fs, uint64_t dir, int64_t time_us, const char *name, uint64_t *ino)
{
	(void)fs, (void)dir, (void)time_us;
	*ino = ino_make(KIND_FACT_LIST, facts_domain(name));
	return facts_domain(name) ? 0 : -ENOENT;
}

int next_facts_at(struct fs *fs, uint64_t dir, int64_t time_us, int64_t *after,
                  char name[NAME_LIMIT + 1], uint64_t *ino)
{
	(void)dir, (void)time_us;
	if (!store_fact_domain_name((int)*after + 1))
		return 0;
	*ino = ino_make(KIND_FACT_LIST, ++*after);
	facts_name(fs, *ino, name, NAME_LIMIT + 1);
	return 1;
}

static int domain_of(uint64_t ino)
{
	return (int)(ino_kind(ino) == KIND_FACT_VERSION ? ino_id(ino) >> VERSION_BITS : ino_id(ino));
}

void facts_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	const char *domain = store_fact_domain_name(domain_of(ino));
	char end[32] = "";
	(void)fs;
	if (ino_kind(ino) == KIND_FACT_VERSION)
		(void)snprintf(end, sizeof end, "@%lld",
		               (long long)(ino_id(ino) & ((INT64_C(1) << VERSION_BITS) - 1)));
	else if (ino_kind(ino) == KIND_FACT_LOG)
		(void)snprintf(end, sizeof end, "@log");
	(void)snprintf(dst, size, "%s.md%s", domain ? domain : "?", end);
}

/* Items as they are collected; their texts stand one after the other in `texts`. */
struct collected {
	struct fact_item *item;
	size_t count, room;
	struct buf texts;
	int64_t now_us;
	bool stale_only, failed;
	const struct seeing *seeing; /* who sees each fact, too; NULL: nobody */
};

struct seeing {
	fact_fn *fn;
	void *ctx;
};

static void collect(void *ctx, const struct fact *f)
{
	struct collected *c = ctx;
	bool stale = store_fact_state(f, c->now_us) == FACT_STALE;
	if (c->seeing)
		c->seeing->fn(c->seeing->ctx, f);
	if (f->len == 0 || (c->stale_only && !stale))
		return;
	if (!ARRAY_ROOM(c->item, c->room, c->count)) {
		c->failed = true;
		return;
	}
	/* The buffer may move while it grows: pointers are set when all are there. */
	c->item[c->count++] = (struct fact_item){ .len = f->len, .confidence = f->confidence,
		.stale = stale && !c->stale_only, .inferred = !f->explicit_ };
	buf_add(&c->texts, f->text, f->len);
}

static int collected_items(struct collected *c)
{
	const char *text = c->texts.data;
	for (size_t i = 0; i < c->count; i++) {
		c->item[i].text = text;
		text += c->item[i].len;
	}
	return c->failed || c->texts.failed ? -ENOMEM : 0;
}

static void collected_release(struct collected *c)
{
	free(c->item);
	buf_release(&c->texts);
}

/* A list as after a save (0: now), with what was stale at that time. */
static int page_of(struct fs *fs, int domain, int64_t save, int64_t now_us,
                   const struct seeing *seeing, struct buf *out)
{
	struct collected c = { .now_us = now_us, .seeing = seeing };
	char *frame = NULL;
	size_t len = 0;
	if (!store_fact_domain_name(domain))
		return -ENOENT;
	int err = save ? store_fact_at(fs->store, domain, save, collect, &c) :
		store_fact_live(fs->store, domain, collect, &c);
	if (!err)
		err = store_fact_frame(fs->store, domain, save, &frame, &len);
	err = err ? errno_of_store(err) : collected_items(&c);
	if (!err)
		render_facts(out, store_fact_domain_name(domain), frame, c.item, c.count);
	free(frame);
	collected_release(&c);
	return err;
}

int facts_page(struct fs *fs, int domain, int64_t now_us, fact_fn *fn, void *ctx, struct buf *out)
{
	return page_of(fs, domain, 0, now_us, &(struct seeing){ fn, ctx }, out);
}

struct wanted {
	int64_t n, time_us;
};

static void take_when(void *ctx, const struct fact_save *s)
{
	struct wanted *w = ctx;
	if (s->n == w->n)
		w->time_us = s->time_us;
}

int facts_when_saved(struct fs *fs, int domain, int64_t n, int64_t *us)
{
	struct wanted w = { n, 0 };
	int err = errno_of_store(store_fact_history(fs->store, domain, take_when, &w));
	*us = w.time_us;
	return err;
}

int page_facts_version(struct fs *fs, int64_t id, struct buf *out)
{
	int domain = (int)(id >> VERSION_BITS);
	int64_t us, n = id & ((INT64_C(1) << VERSION_BITS) - 1);
	int err = facts_when_saved(fs, domain, n, &us);
	return err ? err : page_of(fs, domain, n, us, NULL, out);
}

int facts_as_saved(struct fs *fs, int domain, int64_t save, int64_t time_us, struct buf *out)
{
	return page_of(fs, domain, save, time_us, NULL, out);
}

int page_facts_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	int domain = (int)id;
	int64_t save;
	int err = errno_of_store(store_fact_save_at(fs->store, domain, time_us, &save));
	if (!err)
		return page_of(fs, domain, save, time_us, NULL, out);
	if (err == -ENOENT)
		render_facts(out, store_fact_domain_name(domain), NULL, NULL, 0);
	return err == -ENOENT ? 0 : err;
}

int changed_facts_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	int64_t save, one, domain = ino_id(ino);
	*us = 0;
	for (int d = 1; store_fact_domain_name(d); d++) {
		if (domain && d != domain)
			continue;
		int err = errno_of_store(store_fact_save_at(fs->store, d, time_us, &save));
		if (!err)
			err = facts_when_saved(fs, d, save, &one);
		if (err && err != -ENOENT)
			return err;
		if (!err && one > *us)
			*us = one;
	}
	return 0;
}

/* The stale facts of a list, as after a save (0: now). */
static int add_stale(struct fs *fs, int domain, int64_t save, int64_t now_us, struct buf *out)
{
	struct collected c = { .now_us = now_us, .stale_only = true };
	int err = errno_of_store(save ? store_fact_at(fs->store, domain, save, collect, &c) :
	                         store_fact_live(fs->store, domain, collect, &c));
	err = err ? err : collected_items(&c);
	if (!err && c.count) {
		if (out->len)
			buf_addc(out, '\n');
		render_facts(out, store_fact_domain_name(domain), NULL, c.item, c.count);
	}
	collected_release(&c);
	return err;
}

int page_facts_stale(struct fs *fs, int64_t id, struct buf *out)
{
	int err = 0;
	(void)id;
	for (int d = 1; !err && store_fact_domain_name(d); d++)
		err = add_stale(fs, d, 0, store_time(fs->store), out);
	return err;
}

int page_facts_stale_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	int err = 0;
	(void)id;
	for (int d = 1; !err && store_fact_domain_name(d); d++) {
		int64_t save;
		err = errno_of_store(store_fact_save_at(fs->store, d, time_us, &save));
		err = err == -ENOENT ? 0 : err ? err : add_stale(fs, d, save, time_us, out);
	}
	return err;
}

int changed_facts(struct fs *fs, int64_t domain, int64_t *time_us)
{
	int64_t saves;
	if (!store_fact_domain_name((int)domain))
		return -ENOENT;
	return errno_of_store(store_fact_saves(fs->store, (int)domain, &saves, time_us));
}

int changed_all_facts(struct fs *fs, int64_t id, int64_t *time_us)
{
	int64_t one;
	(void)id;
	*time_us = 0;
	for (int domain = 1; store_fact_domain_name(domain); domain++)
		if (changed_facts(fs, domain, &one) == 0 && one > *time_us)
			*time_us = one;
	return 0;
}

void job_facts(struct job *job, int64_t domain)
{
	for (int d = 1; store_fact_domain_name(d); d++)
		if (domain == 0 || d == domain)
			job_inode(job, ino_make(KIND_FACT_LIST, d));
	if (domain)
		job_inode(job, ino_make(KIND_FACT_LOG, domain));
	job_inode(job, ino_make(KIND_FACTS_ALL, 0));
	job_inode(job, ino_make(KIND_FACTS_STALE, 0));
}

void facts_on_saved(struct job *job, const struct saved *saved)
{
	if (saved && ino_kind(saved->ino) == KIND_FACT_LIST)
		job_facts(job, ino_id(saved->ino));
}
