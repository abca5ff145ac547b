/* SPDX-License-Identifier: MIT */
/*
 * Of each list what was made of all its facts, until one of them changes or passes a day that
 * matters: its page, and how many there are (facts.h).
 */
#include <errno.h>
#include <stdlib.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"

enum { PAGE_MOST = 1 << 20 /* bytes of a page: a longer one is made each time */ };
#define STALE_US (FACT_STALE_DAYS * INT64_C(86400) * 1000000)

/* For which state of the list and which times it holds. */
struct holds {
	int64_t saves, entries; /* saves -1: nothing is kept */
	int64_t from_us, until_us;
	int64_t forgotten;      /* how often all was, when it was looked at */
};

struct kept_list {
	struct holds page_of, counts_of;
	struct buf page;
	struct fact_counts counts;
};

struct kept_facts {
	struct lock lock;
	/* Guarded by lock. */
	struct kept_list list[FACT_DOMAINS];
	int64_t forgotten; /* facts_forget(): what was read before it is not kept after it */
};

int facts_kept_start(struct fs *fs)
{
	fs->kept_facts = calloc(1, sizeof *fs->kept_facts);
	if (!fs->kept_facts)
		return -ENOMEM;
	lock_init(&fs->kept_facts->lock, RANK_KEPT_FACTS);
	facts_forget(fs);
	return 0;
}

void facts_kept_stop(struct fs *fs)
{
	if (!fs->kept_facts)
		return;
	facts_forget(fs);
	lock_destroy(&fs->kept_facts->lock);
	free(fs->kept_facts);
}

void facts_forget(struct fs *fs)
{
	struct kept_facts *k = fs->kept_facts;
	lock_take(&k->lock);
	k->forgotten++;
	for (int d = 0; d < FACT_DOMAINS; d++) {
		buf_release(&k->list[d].page);
		k->list[d].page_of.saves = k->list[d].counts_of.saves = -1;
	}
	lock_give(&k->lock);
}

static int holds_now(struct fs *fs, int domain, struct holds *now)
{
	struct kept_facts *k = fs->kept_facts;
	*now = (struct holds){ .from_us = store_time(fs->store), .until_us = INT64_MAX };
	lock_take(&k->lock);
	now->forgotten = k->forgotten;
	lock_give(&k->lock);
	return errno_of_store(store_fact_list(fs->store, domain, &now->saves, &now->entries));
}

static bool is_held(const struct holds *kept, const struct holds *now)
{
	return kept->saves == now->saves && kept->entries == now->entries &&
	       now->from_us >= kept->from_us && now->from_us < kept->until_us;
}

/* Something is another one from `us` on. */
static void until(struct holds *h, int64_t us)
{
	if (us > h->from_us && us < h->until_us)
		h->until_us = us;
}

/* ---- the page ------------------------------------------------------------------- */

static void see_fact(void *ctx, const struct fact *f)
{
	until(ctx, f->confirmed_us + STALE_US + 1);
}

static bool give_page(struct fs *fs, int domain, const struct holds *now, struct buf *out)
{
	struct kept_facts *k = fs->kept_facts;
	lock_take(&k->lock);
	const struct kept_list *list = &k->list[domain];
	bool held = is_held(&list->page_of, now);
	if (held)
		buf_add(out, list->page.data, list->page.len);
	lock_give(&k->lock);
	return held;
}

static void keep_page(struct fs *fs, int domain, const struct holds *of, const struct buf *page)
{
	struct kept_facts *k = fs->kept_facts;
	lock_take(&k->lock);
	struct kept_list *list = &k->list[domain];
	if (of->forgotten != k->forgotten) { /* it may hold what was redacted meanwhile */
		lock_give(&k->lock);
		return;
	}
	buf_clear(&list->page);
	buf_add(&list->page, page->data, page->len);
	list->page_of = *of;
	if (list->page.failed) {
		buf_release(&list->page);
		list->page_of.saves = -1;
	}
	lock_give(&k->lock);
}

int page_facts(struct fs *fs, int64_t id, struct buf *out)
{
	struct buf page = BUF_INIT;
	struct holds now;
	int domain = (int)id;
	if (!store_fact_domain_name(domain))
		return -ENOENT;
	int err = holds_now(fs, domain, &now);
	if (err || give_page(fs, domain, &now, out))
		return err;
	err = facts_page(fs, domain, now.from_us, see_fact, &now, &page);
	err = err ? err : page.failed ? -ENOMEM : 0;
	if (!err)
		buf_add(out, page.data, page.len);
	if (!err && page.len <= PAGE_MOST)
		keep_page(fs, domain, &now, &page);
	buf_release(&page);
	return err;
}

/* ---- counts --------------------------------------------------------------------- */

struct counting {
	struct holds *now;
	struct fact_counts counts;
};

void fact_counts_add(struct fact_counts *n, const struct fact *f, int64_t now_us)
{
	bool stale = store_fact_state(f, now_us) == FACT_STALE;
	n->live++;
	n->stale += stale;
	n->expiring += !stale && store_fact_state(f, now_us + FACTS_EXPIRING_US) == FACT_STALE;
}

static void count_fact(void *ctx, const struct fact *f)
{
	struct counting *c = ctx;
	fact_counts_add(&c->counts, f, c->now->from_us);
	until(c->now, f->confirmed_us + STALE_US + 1);
	until(c->now, f->confirmed_us + STALE_US + 1 - FACTS_EXPIRING_US);
}

int facts_count(struct fs *fs, int domain, struct fact_counts *out)
{
	struct kept_facts *k = fs->kept_facts;
	struct holds now;
	int err = holds_now(fs, domain, &now);
	if (err)
		return err;
	lock_take(&k->lock);
	bool held = is_held(&k->list[domain].counts_of, &now);
	if (held)
		*out = k->list[domain].counts;
	lock_give(&k->lock);
	if (held)
		return 0;
	struct counting c = { .now = &now };
	err = errno_of_store(store_fact_live(fs->store, domain, count_fact, &c));
	if (err)
		return err;
	*out = c.counts;
	lock_take(&k->lock);
	k->list[domain].counts_of = now;
	k->list[domain].counts = c.counts;
	lock_give(&k->lock);
	return 0;
}
