/* SPDX-License-Identifier: MIT */
/*
 * References of the messages on a page, both ways: what each stands on (of an answer that is what
 * the model was shown), and which messages refer to it.  They are made before the messages are
 * shown, because nothing is asked of the store meanwhile.
 */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum {
	FROM_MOST = 49,         /* of a message: one more than a context leaves at an answer */
	TO_MOST = 7,
	FROM_SHOWN = 16, TO_SHOWN = 6,
	REFS_SOFT = 48 << 10,   /* bytes of all on a page; then they are counted alone */
	FACT_SHOWN = 80         /* bytes of a fact */
};

/* The other end of a reference, or of several to messages that follow each other. */
struct end {
	int64_t n;              /* of the message on the page */
	bool back;
	char type[16], hash[16], stream[24], label[64];
	int64_t seq, at, last;  /* at: its number in its stream, from 1, up to the last of them */
};
struct ends {
	struct end *at;
	size_t count, room;
	struct site_refs *of;
	bool failed;
};

/* Counts it, for the title. */
static void count(struct site_refs *of, const struct ref_end *e)
{
	struct site_message_refs *m = &of->items[e->n - of->first];
	if (e->back)
		m->back++;
	else
		m->from++;
	m->others |= !e->back && strcmp(e->type, "context") != 0;
}

/* True if it goes on where the one before it ends. */
static bool goes_on(const struct end *before, const struct end *e)
{
	return before->n == e->n && !before->back && !e->back && *e->stream == 's' &&
		strcmp(before->stream, e->stream) == 0 && strcmp(before->type, e->type) == 0 &&
		before->last + 1 == e->at;
}

static void take_end(void *ctx, const struct ref_end *e)
{
	struct ends *all = ctx;
	if (all->failed || !ARRAY_ROOM(all->at, all->room, all->count)) {
		all->failed = true;
		return;
	}
	struct end *end = &all->at[all->count];
	*end = (struct end){ .n = e->n, .back = e->back, .seq = e->seq, .at = e->stream_seq + 1,
		.last = e->stream_seq + 1 };
	(void)snprintf(end->type, sizeof end->type, "%s", e->type);
	(void)snprintf(end->hash, sizeof end->hash, "%.12s", e->hash);
	(void)snprintf(end->stream, sizeof end->stream, "%s", e->stream);
	(void)snprintf(end->label, sizeof end->label, "%.*s",
	               (int)utf8_fit(e->label, strlen(e->label), sizeof end->label - 1), e->label);
	count(all->of, e);
	if (all->count && goes_on(end - 1, end))
		end[-1].last = end->at;
	else
		all->count++;
}

/* ---- where it leads ------------------------------------------------------------ */

struct lead {
	char path[SITE_PATH], text[PATH_LIMIT + 64];
	const char *id;         /* with n: a place of the page; NULL: the page */
	int64_t n;
	bool linked;
};

static void to_messages(struct site *s, int64_t session, int64_t here, int64_t at, int64_t last,
                        const char *what, struct lead *to)
{
	struct group g = { .name = "" };
	char of[NAME_LIMIT + 8] = "";
	if (store_group_by_id(s->fs->store, LOG_SESSION, session, &g))
		return;
	if (session != here)
		(void)snprintf(of, sizeof of, " of %s", g.name);
	if (last > at)
		(void)snprintf(to->text, sizeof to->text, "%smessages %lld to %lld%s", what,
		               (long long)at, (long long)last, of);
	else
		(void)snprintf(to->text, sizeof to->text, "%smessage %lld%s", what, (long long)at, of);
	to->linked = site_group_path(to->path, LOG_SESSION, g.name, at);
	to->id = "m";
	to->n = at;
}

/* The version that an entry made; 0: it made none. */
static int64_t version_of(struct site *s, int64_t doc, int64_t seq)
{
	struct doc_version v;
	int64_t low = 1, high = store_doc_version(s->fs->store, doc, 0, &v) ? 0 : v.n;
	while (low <= high) {
		int64_t mid = low + (high - low) / 2;
		if (store_doc_version(s->fs->store, doc, mid, &v))
			return 0;
		if (v.seq == seq)
			return mid;
		if (v.seq < seq)
			low = mid + 1;
		else
			high = mid - 1;
	}
	return 0;
}

static void to_document(struct site *s, int64_t doc, int64_t seq, struct lead *to)
{
	char path[PATH_LIMIT + 1];
	int64_t n = version_of(s, doc, seq);
	to->linked = site_doc_path(s->fs, doc, path, sizeof path, to->path);
	(void)snprintf(to->text, sizeof to->text, n ? "%s, version %lld" : "%s", path, (long long)n);
	if (to->linked && n)
		to->linked = site_version_path(path, n, to->path);
}

static void take_fact(void *ctx, const struct fact *f)
{
	struct lead *to = ctx;
	size_t len = utf8_fit(f->text, f->len, FACT_SHOWN);
	if (f->len)
		(void)snprintf(to->text, sizeof to->text, "fact: %.*s%s", (int)len, f->text,
		               len < f->len ? "…" : "");
	else
		(void)snprintf(to->text, sizeof to->text, "fact: [redacted]");
	site_fact_path(to->path, f->id);
	to->linked = true;
}

struct told {
	int64_t first, last;
};

static int take_summary(void *ctx, const struct summary *y)
{
	struct told *told = ctx;
	*told = (struct told){ y->first, y->last };
	return 0;
}

static void find(struct site *s, int64_t here, const struct end *e, struct lead *to)
{
	const int64_t session = store_stream_session(e->stream);
	const int64_t doc = store_stream_number(e->stream, 'd');
	struct told told = { .first = 0 };
	int64_t of;
	*to = (struct lead){ .linked = false };
	if (session)
		to_messages(s, session, here, e->at, e->last, "", to);
	else if (doc)
		to_document(s, doc, e->seq, to);
	else if (*e->stream == 'f')
		(void)store_fact_by_id(s->fs->store, e->seq, take_fact, to);
	else if (*e->stream == 'c' &&
	         store_summary(s->fs->store, e->seq, &of, take_summary, &told) == 0 && told.first)
		to_messages(s, of, here, told.first, told.last, "the summary of ", to);
	else if (*e->stream == 'r')
		(void)snprintf(to->text, sizeof to->text, "line %lld of records/%s.jsonl",
		               (long long)e->at, e->type);
	else if (*e->label)
		(void)snprintf(to->text, sizeof to->text, "%s", e->label);
	if (!*to->text)
		(void)snprintf(to->text, sizeof to->text, "%s %s…", e->type, e->hash);
}

/* ---- as HTML ------------------------------------------------------------------- */

static void add_item(struct html *h, const struct lead *to)
{
	if (to->linked && to->id)
		html_item_at(h, to->path, to->id, to->n, to->text);
	else
		html_item(h, to->linked ? to->path : NULL, to->text, NULL);
}

/* Those of one message and way, as items; what is too much is left out. */
static size_t add_items(struct site *s, const struct ends *all, size_t i, struct html *h)
{
	const struct end *first = &all->at[i];
	const size_t most = first->back ? TO_SHOWN : FROM_SHOWN;
	struct lead to;
	size_t end = i;
	for (; end < all->count && all->at[end].n == first->n && all->at[end].back == first->back;
	     end++) {
		if (end - i >= most || h->out->len > REFS_SOFT)
			continue;
		find(s, all->of->session, &all->at[end], &to);
		add_item(h, &to);
	}
	if (end - i > most || (first->back && end - i >= TO_MOST))
		html_item(h, NULL, "and others: refs.jsonl has them", NULL);
	return end;
}

int site_refs_make(struct site *s, int64_t session, int64_t first, int64_t last,
                   struct site_refs *out)
{
	const struct ref_ends which = { session, first, last, FROM_MOST, TO_MOST };
	struct ends all = { .of = out };
	struct html h = { .out = &out->html, .up = s->h.up };
	*out = (struct site_refs){ .session = session, .first = first };
	int err = errno_of_store(store_ref_ends(s->fs->store, &which, take_end, &all));
	err = err ? err : all.failed ? -ENOMEM : 0;
	for (size_t i = 0; !err && i < all.count;) {
		struct site_message_refs *m = &out->items[all.at[i].n - first];
		const size_t from = out->html.len, back = all.at[i].back;
		i = add_items(s, &all, i, &h);
		m->at[back] = from;
		m->end[back] = out->html.len;
	}
	free(all.at);
	return err ? err : out->html.failed ? -ENOMEM : 0;
}

void site_refs_show(const struct site_refs *refs, struct html *h, int64_t n, bool answer)
{
	const struct site_message_refs *m = &refs->items[n - refs->first];
	static const char *const what[] = { "Refers to", "Referred to by" };
	const int count[] = { m->from, m->back }, most[] = { FROM_MOST, TO_MOST };
	for (int back = 0; back < 2; back++) {
		char title[80];
		if (count[back] == 0)
			continue;
		bool many = count[back] == most[back];
		(void)snprintf(title, sizeof title, "%s: %s%d", back == 0 && answer && !m->others ?
		               "What the model was shown, in pieces" : what[back],
		               many ? "more than " : "", many ? most[back] - 1 : count[back]);
		html_fold(h, title);
		html_list(h);
		if (m->end[back] > m->at[back])
			buf_add(h->out, refs->html.data + m->at[back], m->end[back] - m->at[back]);
		else
			html_item(h, NULL, "refs.jsonl has them", NULL);
		html_list_end(h);
		html_fold_end(h);
	}
}
