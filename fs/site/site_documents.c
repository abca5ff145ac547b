/* SPDX-License-Identifier: MIT */
/* Documents: the list of them, each as it is, and its versions. */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { VERSIONS_SHOWN = 200 };

static void row(struct site *s, const struct doc *d)
{
	char path[PATH_LIMIT + 1], address[SITE_PATH];
	html_row(&s->h, NULL, 0);
	if (site_doc_path(s->fs, d->id, path, sizeof path, address))
		html_cell_link(&s->h, address, path);
	else
		html_cell(&s->h, path);
	html_cell_number(&s->h, d->versions);
	html_cell_number(&s->h, d->size);
	html_cell_time(&s->h, d->saved_us);
}

int site_documents(struct site *s, int64_t page)
{
	static const char *const heads[] = { "document", "#versions", "#bytes", "saved", NULL };
	struct doc d;
	int64_t id = (page - 1) * SITE_ROWS + 1, last = page * SITE_ROWS;
	int err = errno_of_store(store_catch_up(s->fs->store));
	if (!err && page > 1)
		err = errno_of_store(store_doc_by_id(s->fs->store, id, &d));
	if (err)
		return err;
	html_table(&s->h, "In the order in which they were made", heads);
	for (; !err && id <= last; id++) {
		err = store_doc_by_id(s->fs->store, id, &d);
		if (!err && !d.folder && !d.into && d.versions > 0)
			row(s, &d);
	}
	html_table_end(&s->h);
	bool more = !err && store_doc_by_id(s->fs->store, id, &d) == 0;
	site_list_pager(s, SITE_DOCUMENTS, page, more);
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

static void version_row(struct site *s, const char *path, const struct doc_version *v)
{
	char address[SITE_PATH], text[32];
	(void)snprintf(text, sizeof text, "version %lld", (long long)v->n);
	html_row(&s->h, NULL, 0);
	if (site_version_path(path, v->n, address))
		html_cell_link(&s->h, address, text);
	else
		html_cell(&s->h, text);
	html_cell_time(&s->h, v->time_us);
	html_cell(&s->h, v->author);
	html_cell_number(&s->h, v->size);
	html_cell_number(&s->h, v->added);
	html_cell_number(&s->h, v->removed);
}

static bool is_markdown(const char *name)
{
	size_t len = strlen(name);
	return len > 3 && strcmp(name + len - 3, ".md") == 0;
}

/* A version's text, without what stands before it as fields, which are folded. */
static int text_of(struct site *s, const struct doc *d, int64_t n)
{
	char *bytes;
	const char *body;
	size_t len, body_len;
	int err = errno_of_store(store_doc_content(s->fs->store, d->id, n, &bytes, &len));
	if (err)
		return err;
	render_body_of(bytes, len, &body, &body_len);
	html_section(&s->h, "text", "Text");
	if (body > bytes) {
		html_fold(&s->h, "Its fields");
		html_pre(&s->h, bytes, (size_t)(body - bytes));
		html_fold_end(&s->h);
	}
	size_t shown = utf8_fit(body, body_len, SITE_TEXT_MOST);
	if (is_markdown(d->name))
		html_markdown(&s->h, body, shown);
	else
		html_pre(&s->h, body, shown);
	if (shown < body_len)
		html_say(&s->h, "The rest is not shown here: the file has it.");
	free(bytes);
	return 0;
}

static int changes_of(struct site *s, const struct doc *d, int64_t n)
{
	char *before = NULL, *after = NULL;
	size_t before_len = 0, after_len = 0;
	if (n < 2)
		return 0;
	int err = store_doc_content(s->fs->store, d->id, n - 1, &before, &before_len);
	err = err ? err : store_doc_content(s->fs->store, d->id, n, &after, &after_len);
	if (!err) {
		html_section(&s->h, "changes", "Changes since the version before");
		html_diff(&s->h, before, before_len, after, after_len);
	}
	free(before);
	free(after);
	return errno_of_store(err);
}

struct history {
	const char *path; /* of the document */
	int64_t versions;
};

/* Each version's page lists those around it: the last of a list stands for it. */
static void history_path(const void *ctx, int64_t page, char dst[SITE_PATH])
{
	const struct history *of = ctx;
	int64_t n = page * VERSIONS_SHOWN < of->versions ? page * VERSIONS_SHOWN : of->versions;
	(void)site_version_path(of->path, n, dst);
}

/* The list that version `n` is on. */
static int history_of(struct site *s, const struct doc *d, const char *path, int64_t n)
{
	static const char *const heads[] = { "version", "saved", "by", "#bytes", "#lines added",
		"#lines removed", NULL };
	const int64_t list = (n - 1) / VERSIONS_SHOWN, first = list * VERSIONS_SHOWN + 1;
	const int64_t last = first + VERSIONS_SHOWN - 1 < d->versions ? first + VERSIONS_SHOWN - 1 :
		d->versions;
	const struct history of = { path, d->versions };
	char address[SITE_PATH];
	struct doc_version v;
	int err = 0;
	html_section(&s->h, "versions", "Versions");
	html_table(&s->h, "The newest last", heads);
	for (int64_t i = first; !err && i <= last; i++) {
		err = store_doc_version(s->fs->store, d->id, i, &v);
		if (!err)
			version_row(s, path, &v);
	}
	html_table_end(&s->h);
	if (d->versions > VERSIONS_SHOWN && site_version_path(path, d->versions, address))
		site_pager(s, "Lists of versions", list + 1, (d->versions - 1) / VERSIONS_SHOWN + 1,
		           history_path, &of);
	return errno_of_store(err);
}

/* Version `n` of a document, 0: as it is. */
static int page_of(struct fs *fs, int64_t id, int64_t n, struct buf *out)
{
	char path[PATH_LIMIT + 1], title[PATH_LIMIT + 32], up[3 * DEPTH_MOST + 4] = "";
	struct doc d;
	struct site s = { .fs = fs, .h = { .out = out, .up = up } };
	int err = errno_of_store(store_doc_by_id(fs->store, id, &d));
	if (err)
		return err;
	tree_path(fs, ino_make(KIND_DOC, id), NULL, path, sizeof path);
	size_t at = (size_t)snprintf(up, sizeof up, "../");
	for (const char *c = path; (c = strchr(c, '/')) && at + 4 < sizeof up; c++)
		at += (size_t)snprintf(up + at, sizeof up - at, "../");
	(void)snprintf(title, sizeof title, n ? "%s, version %lld" : "%s", path, (long long)n);
	html_begin(&s.h, title, n ? "" : "documents");
	err = text_of(&s, &d, n);
	err = err ? err : changes_of(&s, &d, n ? n : d.versions);
	err = err ? err : history_of(&s, &d, path, n ? n : d.versions);
	html_end(&s.h);
	return err;
}

int page_html_document(struct fs *fs, int64_t id, struct buf *out)
{
	return page_of(fs, id, 0, out);
}

int page_html_version(struct fs *fs, int64_t id, struct buf *out)
{
	return page_of(fs, id >> VERSION_BITS, id & ((1 << VERSION_BITS) - 1), out);
}
