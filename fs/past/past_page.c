/* SPDX-License-Identifier: MIT */
/*
 * What nodes of the past say and said: bytes, sizes, times.  Logs and transcripts
 * only grow, so theirs are the first bytes of those of today.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/pages.h"
#include "fs/past/past.h"
#include "fs/tree/place.h"
#include "fs/context/window.h"

enum { REFUSALS_MOST = 1000 };

/* The log that a session's, thread's or record's node belongs to. */
static struct log_id log_of(const struct fs *fs, uint64_t ino)
{
	enum kind kind = ino_kind(ino);
	bool text = fs->tree[kind].content == CONTENT_LOG || fs->tree[kind].content == CONTENT_TEXT;
	return (struct log_id){ text ? fs->tree[kind].log : kind == KIND_THREAD || kind == KIND_THREADS ?
		LOG_THREAD : LOG_SESSION, ino_id(ino) };
}

static int group_then(struct fs *fs, const struct past_node *n, struct group *g)
{
	return errno_of_store(store_group_at_time(fs->store, log_of(fs, n->ino), n->time_us, g));
}

/* ---- refusals ---------------------------------------------------------- */

struct refusals {
	int64_t time_us, last_us;
	struct buf *out; /* NULL: only the time of the last is wanted */
};

static void see_refusal(void *ctx, const struct refusal *r)
{
	struct refusals *all = ctx;
	if (r->time_us > all->time_us)
		return;
	all->last_us = r->time_us > all->last_us ? r->time_us : all->last_us;
	if (all->out)
		render_refusal(all->out, r);
}

static int refusals(struct fs *fs, struct refusals *all)
{
	int most = all->time_us == INT64_MAX && !all->out ? 1 : REFUSALS_MOST;
	return errno_of_store(store_refusals(fs->store, most, see_refusal, all));
}

int past_refused(struct fs *fs, int64_t time_us, int64_t *last_us)
{
	struct refusals all = { time_us, 0, NULL };
	int err = refusals(fs, &all);
	*last_us = all.last_us;
	return err;
}

static int page_offered(struct fs *fs, int64_t id, struct buf *out)
{
	char part[1 << 14];
	ssize_t got;
	while ((got = store_rejected_read(fs->store, id, (int64_t)out->len, part, sizeof part)) > 0)
		buf_add(out, part, (size_t)got);
	return got < 0 ? errno_of_store((int)got) : 0;
}

/* ---- documents and pages ------------------------------------------------ */

static int version_then(struct fs *fs, int64_t doc, int64_t time_us, struct doc_version *v)
{
	return errno_of_store(store_doc_version_at(fs->store, doc, time_us, v));
}

static int page_version_then(struct fs *fs, int64_t doc, int64_t time_us, struct buf *out)
{
	struct doc_version v;
	char *bytes = NULL;
	size_t len = 0;
	int err = version_then(fs, doc, time_us, &v);
	if (!err)
		err = errno_of_store(store_doc_content(fs->store, doc, v.n, &bytes, &len));
	if (!err)
		buf_add(out, bytes, len);
	free(bytes);
	return err;
}

/* The document that session.md was by then; -ENOENT: it was generated. */
static int session_doc(struct fs *fs, const struct past_node *n, struct doc *d)
{
	struct place p;
	int err = place_of(fs, ino_make(KIND_SESSION, ino_id(n->ino)), &p);
	return err ? err : errno_of_store(store_doc_at_time(fs->store, n->time_us, p.key,
	                                                    fs->tree[KIND_PAGE].name, d));
}

static int page_session_then(struct fs *fs, const struct past_node *n, struct buf *out)
{
	struct doc d;
	struct group g;
	int err = session_doc(fs, n, &d);
	if (err != -ENOENT)
		return err ? err : page_version_then(fs, d.id, n->time_us, out);
	err = group_then(fs, n, &g);
	if (!err)
		err = errno_of_store(store_tokens_of_first(fs->store, log_of(fs, n->ino), g.messages,
		                                           &g.tokens));
	if (!err)
		render_session_page(out, &g);
	return err;
}

struct refs {
	int64_t messages;
	struct buf *out;
};

static void add_ref(void *ctx, const struct ref *r)
{
	const struct refs *refs = ctx;
	if (r->message <= refs->messages)
		render_ref(refs->out, r);
}

static int page_refs_then(struct fs *fs, const struct past_node *n, struct buf *out)
{
	struct group g;
	int err = group_then(fs, n, &g);
	struct refs refs = { err ? 0 : g.messages, out };
	return err ? err : errno_of_store(store_refs(fs->store, ino_id(n->ino), add_ref, &refs));
}

/* sessions/current: the one chosen at the mount, or the one last written to by then. */
static int current_then(struct fs *fs, int64_t time_us, struct group *g)
{
	int err;
	if (!fs->session[0])
		return errno_of_store(store_current_at_time(fs->store, time_us, g));
	err = errno_of_store(store_group_by_name(fs->store, LOG_SESSION, fs->session, g));
	return err ? err : g->made_us <= time_us ? 0 : -ENOENT;
}

static int page_then(struct fs *fs, const struct past_node *n, struct buf *out)
{
	struct refusals all = { n->time_us, 0, out };
	struct group g;
	int err;
	switch (ino_kind(n->ino)) {
	case KIND_ERRORS:
		return refusals(fs, &all);
	case KIND_REJECTED_FILE:
		return page_offered(fs, ino_id(n->ino), out);
	case KIND_DOC:
		return page_version_then(fs, ino_id(n->ino), n->time_us, out);
	case KIND_PAGE:
		return page_session_then(fs, n, out);
	case KIND_REFS:
		return page_refs_then(fs, n, out);
	case KIND_CURRENT:
		err = current_then(fs, n->time_us, &g);
		if (!err)
			buf_adds(out, g.name);
		return err;
	case KIND_CTL:
		err = group_then(fs, n, &g);
		return err ? err : page_ctl_then(fs, &g, n->time_us, out);
	case KIND_ACTION_LOG:
		err = current_then(fs, n->time_us, &g);
		return err && err != -ENOENT ? err :
			page_action_log_then(fs, err ? NULL : &g, n->time_us, out);
	case KIND_FACT_LIST:
		return page_facts_then(fs, (int)ino_id(n->ino), n->time_us, out);
	case KIND_FACTS_ALL:
		return page_facts_all_then(fs, n->time_us, out);
	case KIND_FACTS_STALE:
		return page_facts_stale_then(fs, n->time_us, out);
	default:
		return tree_page(fs, n->ino, out); /* it never changed */
	}
}

int page_past(struct fs *fs, int64_t id, struct buf *out)
{
	struct past_node n;
	int err = past_node(fs, id, &n);
	return err ? err : page_then(fs, &n, out);
}

/* ---- when -------------------------------------------------------------- */

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

int past_existed(struct fs *fs, const struct past_node *n)
{
	struct group g;
	struct rejected file;
	int64_t us = 0, id = ino_id(n->ino);
	int err = 0;
	switch (ino_kind(n->ino)) {
	case KIND_SESSION:
	case KIND_THREAD:
		return group_then(fs, n, &g);
	case KIND_CURRENT:
		return current_then(fs, n->time_us, &g);
	case KIND_MESSAGE:
		err = errno_of_store(store_entry(fs->store, id, take_time, &us));
		break;
	case KIND_REJECTED_FILE:
	case KIND_REJECTED_WHY:
		err = errno_of_store(store_rejected_by_id(fs->store, id, &file));
		us = err ? 0 : file.time_us;
		break;
	default:
		break;
	}
	return err ? err : us <= n->time_us ? 0 : -ENOENT;
}

/* When something in a log's directory changed last. */
static int changed_log(struct fs *fs, const struct past_node *n, bool made, int64_t *us)
{
	struct group g;
	int err = group_then(fs, n, &g);
	*us = err ? 0 : made || !g.last_us ? g.made_us : g.last_us;
	return err;
}

static int changed_dir(struct fs *fs, const struct past_node *n, int64_t *us)
{
	struct place p;
	int err = place_of(fs, n->ino, &p);
	return err || !p.key[0] ? 0 :
		errno_of_store(store_doc_dir_changed_at_time(fs->store, p.key, n->time_us, us));
}

static int changed_version_then(struct fs *fs, int64_t doc, int64_t time_us, int64_t *us)
{
	struct doc_version v;
	int err = version_then(fs, doc, time_us, &v);
	*us = err ? 0 : v.time_us;
	return err;
}

/* The last message or operation of a session's window; `made`: only its operations. */
static int changed_window_of(struct fs *fs, int64_t session, int64_t time_us, bool made,
                             int64_t *us)
{
	struct past_node n = { time_us, ino_make(KIND_SESSION, session) };
	int64_t done = 0;
	int err = changed_log(fs, &n, made, us);
	if (!err)
		err = changed_window_then(fs, session, time_us, &done);
	if (!err && done > *us)
		*us = done;
	return err;
}

static int changed_then(struct fs *fs, const struct past_node *n, int64_t *us)
{
	struct doc d;
	struct group g;
	enum kind kind = ino_kind(n->ino);
	int err;
	*us = 0;
	switch (kind) {
	case KIND_ERRORS:
	case KIND_REJECTED:
		return past_refused(fs, n->time_us, us);
	case KIND_SESSIONS:
	case KIND_THREADS:
		return errno_of_store(store_groups_changed_at_time(fs->store, log_of(fs, n->ino), n->time_us,
		                                                   us));
	case KIND_SESSION:
	case KIND_THREAD:
		return changed_log(fs, n, true, us);
	case KIND_PAGE:
		err = session_doc(fs, n, &d);
		return err == -ENOENT ? changed_log(fs, n, true, us) : err ? err :
			changed_version_then(fs, d.id, n->time_us, us);
	case KIND_REFS:
	case KIND_MESSAGES:
		return changed_log(fs, n, false, us);
	case KIND_CTL:
	case KIND_SUMMARIES:
		return changed_window_of(fs, ino_id(n->ino), n->time_us, kind == KIND_SUMMARIES, us);
	case KIND_ACTION_LOG:
		err = current_then(fs, n->time_us, &g);
		return err == -ENOENT ? 0 : err ? err :
			changed_window_of(fs, g.id, n->time_us, false, us);
	case KIND_REJECTED_FILE:
		return changed_rejected(fs, ino_id(n->ino), us);
	case KIND_DOC:
		return changed_version_then(fs, ino_id(n->ino), n->time_us, us);
	case KIND_FACT_LIST:
		return changed_facts_then(fs, (int)ino_id(n->ino), n->time_us, us);
	case KIND_FACTS_ALL:
	case KIND_FACTS_STALE:
		return changed_facts_then(fs, 0, n->time_us, us);
	default:
		if (fs->tree[kind].content == CONTENT_DIR)
			return changed_dir(fs, n, us);
		return fs->tree[kind].changed ? fs->tree[kind].changed(fs, ino_id(n->ino), us) : 0;
	}
}

int changed_past(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct past_node n;
	int err = past_node(fs, id, &n);
	return err ? err : changed_then(fs, &n, time_us);
}

/* ---- sizes and bytes ----------------------------------------------------- */

static bool is_log(const struct fs *fs, const struct past_node *n)
{
	enum content content = node_of(fs, n->ino)->content;
	return content == CONTENT_LOG || content == CONTENT_TEXT;
}

/* How long a log or transcript was. */
static int cut_log(struct fs *fs, const struct past_node *n, struct log_stat *out)
{
	struct group g;
	int err = group_then(fs, n, &g);
	*out = (struct log_stat){ 0, 0 };
	if (err) /* a log of records is there from the beginning, empty */
		return err == -ENOENT && log_of(fs, n->ino).kind == LOG_RECORD ? 0 : err;
	bool text = node_of(fs, n->ino)->content == CONTENT_TEXT;
	*out = (struct log_stat){ text ? g.text_bytes : g.bytes, g.last_us };
	if (text && !g.last_us)
		out->last_us = g.made_us;
	return 0;
}

int past_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	struct past_node n;
	struct buf page = BUF_INIT;
	struct doc_version v;
	int err = past_node(fs, id, &n);
	*out = (struct log_stat){ 0, 0 };
	if (err)
		return err;
	if (is_log(fs, &n))
		return cut_log(fs, &n, out);
	if (ino_kind(n.ino) == KIND_DOC) {
		err = version_then(fs, ino_id(n.ino), n.time_us, &v);
		*out = (struct log_stat){ err ? 0 : v.size, err ? 0 : v.time_us };
		return err;
	}
	err = page_then(fs, &n, &page);
	out->bytes = (int64_t)page.len;
	if (!err && page.failed)
		err = -ENOMEM;
	buf_release(&page);
	return err ? err : changed_then(fs, &n, &out->last_us);
}

ssize_t past_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	struct past_node n;
	struct buf page = BUF_INIT;
	struct log_stat cut;
	int err = past_node(fs, id, &n);
	if (err)
		return err;
	if (is_log(fs, &n)) {
		err = cut_log(fs, &n, &cut);
		if (err || offset >= cut.bytes)
			return err;
		int64_t left = cut.bytes - offset;
		return tree_read(fs, n.ino, offset, dst, (int64_t)size < left ? size : (size_t)left);
	}
	err = page_then(fs, &n, &page);
	if (!err && page.failed)
		err = -ENOMEM;
	size_t take = 0;
	if (!err && offset < (int64_t)page.len) {
		take = page.len - (size_t)offset < size ? page.len - (size_t)offset : size;
		memcpy(dst, page.data + offset, take);
	}
	buf_release(&page);
	return err ? err : (ssize_t)take;
}
