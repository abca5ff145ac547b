/* SPDX-License-Identifier: MIT */
/* What files said, and when they had changed, at a time that is over: for the tree's table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"
#include "fs/context/context.h"
#include "fs/window/window.h"
#include "fs/past/past.h"

enum { REFUSALS_MOST = 1000 };

static int group_then(struct fs *fs, enum log_kind log, int64_t id, int64_t time_us,
                      struct group *g)
{
	return errno_of_store(store_group_at_time(fs->store, (struct log_id){ log, id }, time_us, g));
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

int page_errors_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct refusals all = { time_us, 0, out };
	(void)id;
	return refusals(fs, &all);
}

int page_offered_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	char part[1 << 14];
	ssize_t got;
	(void)time_us;
	while ((got = store_rejected_read(fs->store, id, (int64_t)out->len, part, sizeof part)) > 0)
		buf_add(out, part, (size_t)got);
	return got < 0 ? errno_of_store((int)got) : 0;
}

/* ---- documents and pages ------------------------------------------------ */

static int version_then(struct fs *fs, int64_t doc, int64_t time_us, struct doc_version *v)
{
	return errno_of_store(store_doc_version_at(fs->store, doc, time_us, v));
}

int page_document_at(struct fs *fs, int64_t doc, int64_t time_us, struct buf *out)
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

int document_stat_at(struct fs *fs, int64_t doc, int64_t time_us, struct log_stat *out)
{
	struct doc_version v;
	int err = version_then(fs, doc, time_us, &v);
	*out = (struct log_stat){ err ? 0 : v.size, err ? 0 : v.time_us };
	return err;
}

/* The document that session.md was by then; -ENOENT: it was generated. */
static int session_doc(struct fs *fs, int64_t session, int64_t time_us, struct doc *d)
{
	struct place p;
	int err = place_of(fs, ino_make(KIND_SESSION, session), &p);
	return err ? err : errno_of_store(store_doc_at_time(fs->store, time_us, p.key,
	                                                    fs->tree[KIND_PAGE].name, d));
}

int page_session_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct doc d;
	struct group g;
	int err = session_doc(fs, id, time_us, &d);
	if (err != -ENOENT)
		return err ? err : page_document_at(fs, d.id, time_us, out);
	err = group_then(fs, LOG_SESSION, id, time_us, &g);
	if (!err)
		err = errno_of_store(store_tokens_of_first(fs->store, (struct log_id){ LOG_SESSION, id },
		                                           g.messages, &g.tokens));
	if (!err)
		render_session_page(out, &g);
	return err;
}

struct refs {
	int64_t messages, time_us;
	struct buf *out;
};

static void add_ref(void *ctx, const struct ref *r)
{
	const struct refs *refs = ctx;
	char line[REF_LINE_MOST];
	if (r->message <= refs->messages && r->added_us <= refs->time_us)
		buf_add(refs->out, line, store_ref_line(r, line));
}

int page_refs_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct group g;
	int err = group_then(fs, LOG_SESSION, id, time_us, &g);
	struct refs refs = { err ? 0 : g.messages, time_us, out };
	return err ? err : errno_of_store(store_refs(fs->store, id, add_ref, &refs));
}

/* sessions/current: the one chosen at the mount, or the one last written to by then. */
static int current_then(struct fs *fs, int64_t time_us, struct group *g)
{
	int err;
	const char *session = client_of(fs)->session;
	if (!*session)
		return errno_of_store(store_current_at_time(fs->store, time_us, g));
	err = errno_of_store(store_group_by_name(fs->store, LOG_SESSION, session, g));
	return err ? err : g->made_us <= time_us ? 0 : -ENOENT;
}

int page_current_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct group g;
	(void)id;
	int err = current_then(fs, time_us, &g);
	if (!err)
		buf_adds(out, g.name);
	return err;
}

int page_ctl_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct group g;
	int err = group_then(fs, LOG_SESSION, id, time_us, &g);
	return err ? err : page_ctl_then(fs, &g, time_us, out);
}

int page_action_log_at(struct fs *fs, int64_t id, int64_t time_us, struct buf *out)
{
	struct group g;
	(void)id;
	int err = current_then(fs, time_us, &g);
	return err && err != -ENOENT ? err :
		page_action_log_then(fs, err ? NULL : &g, time_us, out);
}

/* ---- whether it was there ------------------------------------------------ */

int group_existed_at(struct fs *fs, uint64_t ino, int64_t time_us)
{
	struct group g;
	return group_then(fs, node_of(fs, ino)->log, ino_id(ino), time_us, &g);
}

int current_existed_at(struct fs *fs, uint64_t ino, int64_t time_us)
{
	struct group g;
	(void)ino;
	return current_then(fs, time_us, &g);
}

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

int message_existed_at(struct fs *fs, uint64_t ino, int64_t time_us)
{
	int64_t us;
	int err = errno_of_store(store_entry(fs->store, ino_id(ino), take_time, &us));
	return err ? err : us <= time_us ? 0 : -ENOENT;
}

int rejected_existed_at(struct fs *fs, uint64_t ino, int64_t time_us)
{
	struct rejected file;
	int err = errno_of_store(store_rejected_by_id(fs->store, ino_id(ino), &file));
	return err ? err : file.time_us <= time_us ? 0 : -ENOENT;
}

/* ---- when ------------------------------------------------------------------ */

int changed_errors_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	(void)ino;
	return past_refused(fs, time_us, us);
}

int changed_groups_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	return errno_of_store(store_groups_changed_at_time(fs->store,
		(struct log_id){ node_of(fs, ino)->log, 0 }, time_us, us));
}

static int group_made(struct fs *fs, enum log_kind log, int64_t id, int64_t time_us, int64_t *us)
{
	struct group g;
	int err = group_then(fs, log, id, time_us, &g);
	*us = err ? 0 : g.made_us;
	return err;
}

int changed_group_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	return group_made(fs, node_of(fs, ino)->log, ino_id(ino), time_us, us);
}

int changed_session_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	struct group g;
	int err = group_then(fs, LOG_SESSION, ino_id(ino), time_us, &g);
	*us = err ? 0 : g.last_us ? g.last_us : g.made_us;
	return err;
}

int changed_page_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	struct doc d;
	struct log_stat then;
	int err = session_doc(fs, ino_id(ino), time_us, &d);
	if (err == -ENOENT)
		return group_made(fs, LOG_SESSION, ino_id(ino), time_us, us);
	err = err ? err : document_stat_at(fs, d.id, time_us, &then);
	*us = err ? 0 : then.last_us;
	return err;
}

/* The later of this and the last operation of a session's window. */
static int or_window(struct fs *fs, int64_t session, int64_t time_us, int64_t *us)
{
	int64_t done;
	int err = changed_window_then(fs, session, time_us, &done);
	if (!err && done > *us)
		*us = done;
	return err;
}

int changed_ctl_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	int err = changed_session_at(fs, ino, time_us, us);
	return err ? err : or_window(fs, ino_id(ino), time_us, us);
}

int changed_summaries_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	int err = group_made(fs, LOG_SESSION, ino_id(ino), time_us, us);
	return err ? err : or_window(fs, ino_id(ino), time_us, us);
}

int changed_action_log_at(struct fs *fs, uint64_t ino, int64_t time_us, int64_t *us)
{
	struct group g;
	(void)ino;
	int err = current_then(fs, time_us, &g);
	return err == -ENOENT ? 0 : err ? err :
		changed_ctl_at(fs, ino_make(KIND_CTL, g.id), time_us, us);
}
