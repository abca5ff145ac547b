/* SPDX-License-Identifier: MIT */
/* The fs itself: who is made, wired and ended in which order. */
#include "fs/fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/learn/summarizer.h"
#include "fs/pages.h"
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

static on_saved_fn *const on_saved[] = { documents_on_saved, actives_on_saved, claims_on_saved,
	facts_on_saved, answers_on_saved, window_on_saved, defaults_on_saved, sessions_on_saved, NULL };

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

static void init_locks(struct fs *fs)
{
	lock_init_recursive(&fs->docs, RANK_DOCS);
	lock_init(&fs->lock, RANK_FS);
	meanings_init(&fs->meanings);
}

enum { MODEL_LIMIT = 200000 };

int fs_make(struct store *store, const struct fs_options *o, struct fs **out)
{
	struct fs *fs = calloc(1, sizeof *fs);
	if (!fs)
		return -ENOMEM;
	fs->store = store;
	fs->kernel_asks = &kernel_asks;
	fs->tree = tree_table;
	fs->on_saved = on_saved;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->threshold = o->threshold;
	fs->model_limit = o->model_limit ? o->model_limit : MODEL_LIMIT;
	fs->count_tokens = store_counter(store_tokenizer(store));
	(void)snprintf(fs->session, sizeof fs->session, "%s", o->session ? o->session : "");
	(void)snprintf(fs->owner, sizeof fs->owner, "%s", o->owner ? o->owner : "");
	init_locks(fs);
	fs->frozen = store_frozen(store);
	(void)store_entry(store, 0, take_time, &fs->began_us);
	held_init(&fs->held);
	claims_init(&fs->claims);
	actives_init(&fs->actives);
	defaults_init(&fs->defaults);
	shown_init(&fs->shown);
	fs->past = past_new();
	fs->searches = searches_new();
	int err = fs->past && fs->searches ? service_start(fs) : -ENOMEM;
	if (err)
		fs_free(fs);
	else
		*out = fs;
	return err;
}

int fs_new(struct store *store, const struct fs_options *o, struct fs **out)
{
	struct fs *fs = NULL;
	int err = fs_make(store, o, &fs);
	if (err)
		return err;
	(void)scratch_load(fs); /* without it editors' files are gone, memory is not */
	err = notifier_start(&fs->notifier);
	if (!err)
		err = entries_start(fs);
	if (!err)
		err = tidy_start(fs);
	if (!err && o->summarizer && !fs->frozen)
		err = summarizer_start(fs, o);
	if (!err && o->embedding)
		err = embedder_start(fs, o, !fs->frozen && !o->embedding_ask);
	if (err)
		fs_free(fs);
	else
		*out = fs;
	return err;
}

void fs_free(struct fs *fs)
{
	if (!fs)
		return;
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
	service_stop(fs);
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
	job_init(&job, fs);
	job.elsewhere = true; /* the caller keeps `fs` alive by a lock */
	for (on_saved_fn *const *told = on_saved; *told; told++)
		(*told)(&job, NULL);
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

