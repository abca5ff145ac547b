/* SPDX-License-Identifier: MIT */
/* The fs itself: who is made, wired and ended in which order. */
#include "fs/fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/facts/facts.h"
#include "fs/internal.h"
#include "fs/learn/learn.h"
#include "fs/pages.h"
#include "fs/request/request.h"
#include "fs/answers/answers.h"
#include "fs/context/context.h"
#include "fs/window/window.h"
#include "fs/logs/logs.h"
#include "fs/meaning/meaning.h"
#include "fs/past/past.h"
#include "fs/search/search.h"

static struct kernel_file kernel_file(const struct fs *fs, uint64_t ino)
{
	const struct node *row = node_of(fs, ino);
	bool lines = row->content == CONTENT_LOG;
	return (struct kernel_file){ .log = lines || row->content == CONTENT_TEXT ? (int)row->log : -1,
		.lines = lines, .appended = row->flags & NODE_GROWS,
		.unpaged = is_document(fs, ino) || row->find };
}

static bool kernel_stands(struct fs *fs, int64_t doc, uint64_t *dir, char name[NAME_LIMIT + 1])
{
	struct doc d;
	if (document_living(fs, doc, &d) || d.id != doc)
		return false;
	*dir = place_ino(fs, d.parent);
	memcpy(name, d.name, sizeof d.name);
	return *dir != 0;
}

static const struct kernel_asks kernel_asks = { kernel_file, tree_size, tree_read, kernel_stands,
	mount_abort };

static on_saved_fn *const on_saved[] = { documents_on_saved, active_blocks_on_saved,
	claims_on_saved, facts_on_saved, answers_on_saved, window_on_saved,
	session_defaults_on_saved, sessions_on_saved, NULL };

/* In the order of the floors; each stop() allows for a start() that failed, or never ran. */
static const struct {
	int (*start)(struct fs *fs, const struct fs_options *o);
	void (*stop)(struct fs *fs);
} rooms[] = {
	{ client_start, client_stop },
	{ kernel_start, kernel_stop },
	{ talks_start, talks_stop },
	{ numbers_start, numbers_stop },
	{ scratch_start, scratch_stop },
	{ meanings_start, meanings_stop },
	{ embedder_start, embedder_stop },
	{ documents_start, documents_stop },
	{ facts_start, facts_stop },
	{ answers_start, answers_stop },
	{ searches_start, searches_stop },
	{ context_cache_start, context_cache_stop },
	{ exposure_start, exposure_stop },
	{ missing_start, missing_stop },
	{ session_defaults_start, session_defaults_stop },
	{ flocks_start, flocks_stop },
	{ past_start, past_stop },
	{ tidy_start, tidy_stop },
	{ summarizer_start, summarizer_stop },
	{ service_start, service_stop },
	{ vacant_start, vacant_stop },
};

static void take_time(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->time_us;
}

static void init_locks(struct fs *fs)
{
	lock_init_recursive(&fs->docs, RANK_DOCS);
	lock_init(&fs->lock, RANK_FS);
}

static char *database_of(struct store *store)
{
	struct status status;
	store_status(store, &status);
	return strdup(status.database);
}

enum { MODEL_LIMIT = 200000 };

static int make(struct store *store, const struct fs_options *o, bool unmounted, struct fs **out)
{
	struct fs *fs = calloc(1, sizeof *fs);
	if (!fs)
		return -ENOMEM;
	fs->store = store;
	fs->database = database_of(store);
	fs->kernel_asks = &kernel_asks;
	fs->unmounted = unmounted;
	fs->tree = tree_table;
	fs->on_saved = on_saved;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->threshold = o->threshold;
	fs->secrets = o->secrets;
	fs->model_limit = o->model_limit ? o->model_limit : MODEL_LIMIT;
	fs->count_tokens = store_counter(store_tokenizer(store));
	init_locks(fs);
	(void)store_entry(store, 0, take_time, &fs->began_us);
	int err = 0;
	for (size_t i = 0; !err && i < sizeof rooms / sizeof *rooms; i++)
		err = rooms[i].start(fs, o);
	if (err)
		fs_free(fs);
	else
		*out = fs;
	return err;
}

/* What a mount does with secrets is what `cinta identity` and `cinta import` do after it. */
static const char secrets_mark[] = "secrets";

static enum secrets kept_secrets(struct store *store)
{
	int64_t value;
	bool known = store_mark_get(store, secrets_mark, &value) == 0 && value >= 0 &&
		value <= SECRETS_OFF;
	return known ? (enum secrets)value : SECRETS_WARN;
}

int fs_new(struct store *store, const struct fs_options *o, struct fs **out)
{
	if (kept_secrets(store) != o->secrets)
		(void)store_mark_set(store, secrets_mark, o->secrets);
	return make(store, o, false, out);
}

int fs_make(struct store *store, const struct fs_options *o, struct fs **out)
{
	return make(store, o, true, out);
}

int fs_make_as_mounted(struct store *store, struct fs **out)
{
	const struct fs_options kept = { .secrets = kept_secrets(store) };
	return make(store, &kept, true, out);
}

void fs_free(struct fs *fs)
{
	if (!fs)
		return;
	for (size_t i = sizeof rooms / sizeof *rooms; i-- > 0;)
		rooms[i].stop(fs);
	lock_destroy(&fs->docs);
	lock_destroy(&fs->lock);
	free(fs->database);
	free(fs);
}

size_t fs_text_size(const struct entry *e)
{
	struct buf text = BUF_INIT;
	(void)buf_reserve(&text, (e->body ? e->body_len : 0) + 256);
	render_transcript(&text, e);
	size_t size = text.len;
	buf_release(&text);
	return size;
}

char *fs_seen(const char *text)
{
	struct buf seen = BUF_INIT;
	render_seen(&seen, text, strlen(text));
	buf_adds(&seen, "");
	if (!seen.failed && seen.data)
		return seen.data;
	buf_release(&seen);
	return *text ? NULL : strdup("");
}

int fs_line_again(const char *line, size_t len, bool record, store_count_fn *count, char **body,
                  size_t *body_len)
{
	char thread[NAME_LIMIT + 1];
	struct buf out = BUF_INIT;
	struct why why = { 0 };
	int err = record ? render_record_in(line, len, &out, &why) :
		render_message_in(line, len, NULL, NULL, count, &out, thread, &why);
	if (!err && !out.failed) {
		*body = out.data; /* malloc'ed, as a buf's bytes are */
		*body_len = out.len;
		return 0;
	}
	buf_release(&out);
	return -1;
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
