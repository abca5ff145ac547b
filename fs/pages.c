/* SPDX-License-Identifier: MIT */
/* What the generated files of the tree hold, and when they changed. */
#include "fs/pages.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "fs/internal.h"
#include "fs/meaning/meaning.h"
#include "fs/save/save.h"

enum { ERRORS_SHOWN = 1000 };

int page_readme(struct fs *fs, int64_t id, struct buf *out)
{
	struct status status;
	(void)id;
	store_status(fs->store, &status);
	render_readme(out, status.database);
	return 0;
}

static void add_refusal(void *ctx, const struct refusal *r)
{
	render_refusal(ctx, r);
}

static void add_note(void *ctx, const struct bounds_line *line)
{
	buf_adds(ctx, line->text);
}

int page_errors(struct fs *fs, int64_t id, struct buf *out)
{
	(void)id;
	if (!client_sees_all(fs)) {
		bounds_each_note(client_of(fs)->bounds, add_note, out);
		return 0;
	}
	return errno_of_store(store_refusals(fs->store, ERRORS_SHOWN, add_refusal, out));
}

int page_session(struct fs *fs, int64_t id, struct buf *out)
{
	struct group g;
	int64_t doc;
	int err = edit_doc(fs, ino_make(KIND_PAGE, id), &doc);
	if (!err && doc)
		return page_document(fs, doc, out);
	if (!err)
		err = session_now(fs, id, &g);
	if (!err)
		render_session_page(out, &g);
	return err;
}

/* As new as the session: what refers is a message, or a line of its ctl. */
int refs_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	int err = errno_of_store(store_refs_size(fs->store, id, &out->bytes));
	return err ? err : changed_session(fs, id, &out->last_us);
}

ssize_t refs_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	ssize_t got = store_refs_read(fs->store, id, offset, dst, size);
	return got < 0 ? errno_of_store((int)got) : got;
}

struct message {
	struct buf *out;
	int64_t time_us;
	bool damaged;
};

static void add_message(void *ctx, const struct entry *e)
{
	struct message *m = ctx;
	m->time_us = e->time_us;
	m->damaged = e->damaged;
	if (!e->damaged)
		render_message_page(m->out, e, e->session ? e->session : e->stream);
}

int page_message(struct fs *fs, int64_t id, struct buf *out)
{
	struct message m = { .out = out };
	int err = store_message(fs->store, id, add_message, &m);
	return m.damaged ? -EIO : errno_of_store(err);
}

int message_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	struct buf page = BUF_INIT;
	struct message m = { .out = &page };
	int err = store_message(fs->store, id, add_message, &m);
	*out = (struct log_stat){ .bytes = (int64_t)page.len, .last_us = m.time_us };
	bool failed = page.failed;
	buf_release(&page);
	return m.damaged ? -EIO : failed ? -ENOMEM : errno_of_store(err);
}

int page_why(struct fs *fs, int64_t id, struct buf *out)
{
	struct rejected file;
	int err = store_rejected_by_id(fs->store, id, &file);
	if (!err) {
		buf_adds(out, file.reason);
		buf_addc(out, '\n');
	}
	return errno_of_store(err);
}

int page_status(struct fs *fs, int64_t id, struct buf *out)
{
	struct embedding_status embedding;
	struct status status;
	(void)id;
	store_status(fs->store, &status);
	bool embeds = embedder_status(fs, &embedding);
	render_status(out, &status, embeds ? &embedding : NULL);
	return 0;
}

/* Made when it is opened: all that a server had by then is here (cinta.5). */
int page_sync(struct fs *fs, int64_t id, struct buf *out)
{
	struct sync_state now;
	int err = store_catch_up_far(fs->store, &now);
	(void)id;
	buf_addf(out, "%lld ", (long long)now.entries - 1);
	buf_add_hex(out, now.leaf, HASH_SIZE);
	buf_addc(out, '\n');
	if (err && now.away_us) {
		buf_adds(out, "behind: the server cannot be asked since ");
		buf_add_time(out, now.away_us);
		buf_addc(out, '\n');
	} else if (err) {
		buf_adds(out, "behind: see trouble in .cinta/status.json\n");
	}
	return 0;
}

int page_checkpoint(struct fs *fs, int64_t id, struct buf *out)
{
	char note[2048];
	int err = store_checkpoint_note(fs->store, note, sizeof note);
	(void)id;
	if (!err)
		buf_adds(out, note);
	return err == STORE_ENOENT ? 0 : errno_of_store(err); /* not signed yet: empty */
}

int page_pubkey(struct fs *fs, int64_t id, struct buf *out)
{
	char vkey[512];
	int err = store_vkey(fs->store, vkey, sizeof vkey);
	(void)id;
	if (!err) {
		buf_adds(out, vkey);
		buf_addc(out, '\n');
	}
	return errno_of_store(err);
}

int page_verify(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id;
	render_verify_script(out);
	return 0;
}

int link_agents(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id;
	buf_adds(out, "README.md");
	return 0;
}

int link_smma_log(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id;
	buf_adds(out, "../sessions/current/log.jsonl");
	return 0;
}

int link_current(struct fs *fs, int64_t id, struct buf *out)
{
	struct group g;
	(void)id;
	int err = current_session(fs, &g);
	if (err && err != -ENOENT)
		return err;
	if (!*client_of(fs)->session) /* whose leads where it leads */
		atomic_store(&fs->current, err ? 0 : g.id);
	buf_adds(out, err ? ".new" : g.name); /* where the first line makes a session (logs/first.c) */
	return 0;
}

int link_dashboard(struct fs *fs, int64_t id, struct buf *out)
{
	(void)fs, (void)id;
	buf_adds(out, "smma/dashboard.md");
	return 0;
}

/* What comes of all there is: when the newest entry was written. */
int changed_memory(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct log_stat tape;
	(void)id;
	int err = store_log_stat(fs->store, (struct log_id){ LOG_TAPE, 0 }, &tape);
	*time_us = err ? 0 : tape.last_us;
	return errno_of_store(err);
}

static void take_time(void *ctx, const struct refusal *r)
{
	*(int64_t *)ctx = r->time_us;
}

int changed_errors(struct fs *fs, int64_t id, int64_t *time_us)
{
	(void)id;
	return errno_of_store(store_refusals(fs->store, 1, take_time, time_us));
}

static int newest(struct fs *fs, enum log_kind kind, int64_t *time_us)
{
	struct group g;
	int err = store_group_newest(fs->store, kind, &g);
	*time_us = err ? 0 : g.made_us;
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

int changed_sessions(struct fs *fs, int64_t id, int64_t *time_us)
{
	(void)id;
	return newest(fs, LOG_SESSION, time_us);
}

int changed_threads(struct fs *fs, int64_t id, int64_t *time_us)
{
	(void)id;
	return newest(fs, LOG_THREAD, time_us);
}

static int made(struct fs *fs, enum log_kind kind, int64_t id, int64_t *time_us)
{
	struct group g;
	int err = store_group_by_id(fs->store, kind, id, &g);
	*time_us = err ? 0 : g.made_us;
	return errno_of_store(err);
}

int changed_session_dir(struct fs *fs, int64_t id, int64_t *time_us)
{
	return made(fs, LOG_SESSION, id, time_us);
}

int changed_thread_dir(struct fs *fs, int64_t id, int64_t *time_us)
{
	return made(fs, LOG_THREAD, id, time_us);
}

int changed_page(struct fs *fs, int64_t id, int64_t *time_us)
{
	int64_t doc;
	int err = edit_doc(fs, ino_make(KIND_PAGE, id), &doc);
	return err ? err : doc ? changed_document(fs, doc, time_us) :
		changed_session_dir(fs, id, time_us);
}

static void take_entry_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

int changed_message(struct fs *fs, int64_t id, int64_t *time_us)
{
	return errno_of_store(store_entry(fs->store, id, take_entry_time, time_us));
}

int changed_rejected(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct rejected file;
	int err = store_rejected_by_id(fs->store, id, &file);
	*time_us = err ? 0 : file.time_us;
	return errno_of_store(err);
}

int changed_signed(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct status status;
	(void)id;
	store_status(fs->store, &status);
	*time_us = status.signed_us;
	return 0;
}

int changed_now(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct timespec now;
	(void)fs, (void)id;
	clock_gettime(CLOCK_REALTIME, &now);
	*time_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
	return 0;
}

void sessions_on_saved(struct job *job, const struct saved *saved)
{
	static const enum kind page[] = { KIND_TRANSCRIPT, KIND_PAGE, KIND_REFS, KIND_MESSAGES };
	if (saved && ino_kind(saved->dir) == KIND_SESSION)
		job_inode(job, ino_make(KIND_PAGE, ino_id(saved->dir)));
	if (!saved || ino_kind(saved->ino) != KIND_LOG)
		return;
	int64_t session = ino_id(saved->ino);
	for (size_t i = 0; i < sizeof page / sizeof *page; i++)
		job_inode(job, ino_make(page[i], session));
	if (saved->elsewhere) { /* nothing written here yet: theirs may be the current one */
		struct group g;
		session = current_session(job->fs, &g) == 0 ? g.id : 0;
	}
	int64_t before = atomic_exchange(&job->fs->current, session);
	if (before != session)
		job_current(job);
	if (!before)
		atomic_store(&job->fs->first_ms, now_ms());
}
