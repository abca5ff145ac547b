/* SPDX-License-Identifier: MIT */
/*
 * What commands ask of a database without mounting it (fs.h): a search, a comparison of algorithms,
 * the identity.  Each makes an fs without threads for that.
 */
#include <errno.h>
#include <string.h>

#include "fs/algorithms/algorithms.h"
#include "fs/import/import.h"
#include "fs/internal.h"
#include "fs/documents/documents.h"
#include "fs/meaning/meaning.h"
#include "fs/plots/plots.h"
#include "fs/save/save.h"
#include "fs/search/search.h"

static void add_json(void *ctx, const struct result *r)
{
	render_result_json(ctx, r);
}

int fs_search(struct store *store, const struct fs_options *o, const char *query, size_t len,
              bool json, fs_text_fn *emit, void *ctx, struct why *why)
{
	struct fs *fs = NULL;
	struct embedding_status embedding;
	struct found found;
	struct buf lines = BUF_INIT;
	int err = fs_make(store, o, &fs);
	if (err)
		return err;
	err = found_make(fs, 0, query, len, json ? add_json : NULL, &lines, &found, why);
	const struct buf *text = json ? &lines : &found.page;
	err = !err && text->failed ? -ENOMEM : err;
	if (!err && text->len > 0)
		emit(ctx, text->data, text->len);
	int hits = (int)found.count;
	if (!err && found.by_words && embedder_status(fs, &embedding))
		why_set(why, "the hits are those of the words alone", "%.200s",
		        *embedding.trouble ? embedding.trouble : "the embedding endpoint did not answer");
	found_release(&found);
	buf_release(&lines);
	fs_free(fs);
	return err ? err : hits;
}

int fs_algorithms_compare(struct store *store, const struct fs_compare *what, fs_text_fn *emit,
                          void *ctx, struct why *why)
{
	const struct fs_options none = { .session = NULL };
	struct fs *fs = NULL;
	struct buf page = BUF_INIT;
	*why = (struct why){ 0 };
	int err = fs_make(store, &none, &fs);
	if (err)
		return err;
	err = algorithms_compare(fs, what, &page, why);
	if (page.len > 0) /* what was measured is told, even if it could not be written */
		emit(ctx, page.data, page.len);
	buf_release(&page);
	fs_free(fs);
	return err;
}

int fs_plot(struct store *store, enum fs_plot which, bool svg, int width, fs_text_fn *emit,
            void *ctx)
{
	const struct fs_options none = { .session = NULL };
	struct fs *fs = NULL;
	struct series series;
	struct buf out = BUF_INIT;
	int err = fs_make(store, &none, &fs);
	if (err)
		return err;
	err = series_make(fs, which, &series);
	if (!err && svg)
		plot_svg(&out, &series.plot, fs_plot_name(which), true);
	else if (!err)
		plot_text(&out, &series.plot, width);
	series_release(&series);
	err = err ? err : out.failed ? -ENOMEM : 0;
	if (!err)
		emit(ctx, out.data, out.len);
	buf_release(&out);
	fs_free(fs);
	return err;
}

int fs_check_session(const char *name, struct why *why)
{
	return render_check_name(name, strlen(name), "session", why) ? -EINVAL : 0;
}

int fs_check_bounds(const struct fs_mount_options *o, struct why *why)
{
	struct bounds *b = NULL;
	int err = client_bounds(tree_table, o, &b, why);
	bounds_free(b);
	return err;
}

int fs_identity(struct store *store, const char *bytes, size_t len, const char *author,
                struct why *why)
{
	struct fs *fs = NULL;
	struct saved saved;
	int err = fs_make_as_mounted(store, &fs);
	if (err)
		return err;
	struct save save = { .dir = ino_make(KIND_SMMA, 0), .name = "identity.md", .bytes = bytes,
		.len = len, .author = author, .uid = IDENTITY_UID, .base = -1 };
	lock_take(&fs->docs);
	err = save_document(fs, &save, &saved, why);
	lock_give(&fs->docs);
	if (!err)
		*why = (struct why){ 0 };
	if (!err && saved.noted)
		why_set(why, "errors.log tells the line, and the cinta redact that takes it out",
		        "it is stored, and holds what looks like a secret");
	fs_free(fs);
	return err;
}

int fs_import_new(struct store *store, const struct fs_import_options *o, struct fs_import **out)
{
	struct fs *fs = NULL;
	int err = fs_make_as_mounted(store, &fs);
	if (err)
		return err;
	err = import_open(fs, o, out);
	if (err)
		fs_free(fs);
	return err;
}

void fs_import_free(struct fs_import *im)
{
	if (im)
		fs_free(import_close(im));
}

void fs_thread_of(const char *directory, char name[NAME_LIMIT + 1])
{
	import_thread_name(name, directory);
}
