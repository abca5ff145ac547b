/* SPDX-License-Identifier: MIT */
/* The fs itself: who is made, wired and ended in which order. */
#include "fs/fs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/internal.h"
#include "fs/learn/summarizer.h"
#include "fs/request/request.h"

static struct kernel_file kernel_file(const struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	bool lines = row->content == CONTENT_LOG;
	return (struct kernel_file){ .log = lines || row->content == CONTENT_TEXT ? (int)row->log : -1,
		.lines = lines, .appended = row->flags & NODE_GROWS,
		.unpaged = is_document(fs, ino) || row->find };
}

static const struct kernel_asks kernel_asks = { kernel_file, tree_size, tree_read, mount_abort };

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

static void init_locks(struct fs *fs)
{
	lock_init_recursive(&fs->docs, RANK_DOCS);
	lock_init(&fs->lock, RANK_FS);
	pthread_cond_init(&fs->changed, NULL);
	meanings_init(&fs->meanings);
}

enum { MODEL_LIMIT = 200000 };

int fs_new(struct store *store, const struct fs_options *o, struct fs **out)
{
	struct fs *fs = calloc(1, sizeof *fs);
	if (!fs)
		return -ENOMEM;
	fs->store = store;
	fs->kernel_asks = &kernel_asks;
	fs->tree = tree_table;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->threshold = o->threshold;
	fs->model_limit = o->model_limit ? o->model_limit : MODEL_LIMIT;
	fs->count_tokens = store_counter(store_tokenizer(store));
	(void)snprintf(fs->session, sizeof fs->session, "%s", o->session ? o->session : "");
	(void)snprintf(fs->owner, sizeof fs->owner, "%s", o->owner ? o->owner : "");
	init_locks(fs);
	fs->wait_begins = workers_lend;
	fs->wait_ends = workers_return;
	fs->frozen = store_frozen(store);
	(void)store_entry(store, 0, take_time, &fs->began_us);
	held_init(&fs->held);
	claims_init(&fs->claims);
	actives_init(&fs->actives);
	defaults_init(&fs->defaults);
	shown_init(&fs->shown);
	(void)scratch_load(fs); /* without it editors' files are gone, memory is not */
	fs->past = past_new();
	fs->searches = searches_new();
	int err = fs->past && fs->searches ? notifier_start(&fs->notifier) : -ENOMEM;
	if (!err)
		err = entries_start(fs);
	if (!err)
		err = tidy_start(fs);
	if (!err && o->summarizer && !fs->frozen)
		err = summarizer_start(fs, o);
	if (!err && o->embedding)
		err = embedder_start(fs, o, !fs->frozen && !o->embedding_ask);
	if (err) {
		fs_free(fs);
		return err;
	}
	*out = fs;
	return 0;
}

void fs_free(struct fs *fs)
{
	if (!fs)
		return;
	assert(!fs->mounts);
	summarizer_stop(fs);
	embedder_stop(fs);
	tidy_stop(fs);
	entries_stop(fs);
	notifier_stop(&fs->notifier);
	held_release(&fs->held);
	claims_release(&fs->claims);
	actives_release(&fs->actives);
	defaults_release(&fs->defaults);
	answers_release(&fs->answers);
	shown_release(&fs->shown);
	past_free(fs->past);
	searches_free(fs->searches);
	scratch_release(fs);
	meanings_release(&fs->meanings);
	lock_destroy(&fs->docs);
	lock_destroy(&fs->lock);
	pthread_cond_destroy(&fs->changed);
	free(fs);
}

size_t fs_text_size(const struct entry *e)
{
	struct buf text = BUF_INIT;
	render_transcript(&text, e);
	size_t size = text.len;
	buf_release(&text);
	return size;
}

int fs_plain_text(const char *text, size_t len, char **plain, size_t *plain_len)
{
	struct buf out = BUF_INIT;
	render_plain(&out, text, len);
	buf_addc(&out, '\0');
	if (out.failed) {
		buf_release(&out);
		return -1;
	}
	*plain = out.data; /* malloc'ed, as a buf's bytes are */
	*plain_len = out.len - 1;
	return 0;
}

void fs_on_foreign(void *arg)
{
	struct fs *fs = arg;
	struct job job;
	atomic_store(&fs->claims.stale, true);
	defaults_changed(&fs->defaults);
	atomic_store(&fs->answers.due_us, 0);
	job_init(&job, fs);
	job.elsewhere = true; /* the caller keeps `fs` alive by a lock */
	lock_take(&fs->lock);
	for (struct fs_mount *m = fs->mounts; m; m = m->next) {
		size_t count;
		uint64_t *all = known_take_all(&m->known, &count);
		for (size_t i = 0; i < count; i++) {
			hot_grows(fs, all[i]);
			job_add(&job, m, all[i]);
		}
		free(all);
	}
	lock_give(&fs->lock);
	job_finish(&job, NULL, NULL, NULL);
}

int fs_identity(struct store *store, const char *bytes, size_t len, const char *author,
                struct why *why)
{
	const struct fs_options none = { .session = NULL };
	struct fs *fs = NULL;
	struct saved saved;
	int err = fs_new(store, &none, &fs);
	if (err)
		return err;
	struct save save = { .dir = ino_make(KIND_SMMA, 0), .name = "identity.md", .bytes = bytes,
		.len = len, .author = author, .uid = IDENTITY_UID, .base = -1 };
	lock_take(&fs->docs);
	err = save_document(fs, &save, &saved, why);
	lock_give(&fs->docs);
	fs_free(fs);
	return err;
}
