/* SPDX-License-Identifier: MIT */
/* Reading archives by libarchive (archive.h). */
#include "mount/import/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "store/store.h"

enum { PIECE = 64 << 10 };

/* The functions that are called, as the header declares them. */
struct library {
	__typeof__(&archive_read_new) read_new;
	__typeof__(&archive_read_support_filter_all) filters;
	__typeof__(&archive_read_support_format_zip) zip;
	__typeof__(&archive_read_support_format_tar) tar;
	__typeof__(&archive_read_open_filename) open;
	__typeof__(&archive_read_next_header) next;
	__typeof__(&archive_read_data) data;
	__typeof__(&archive_read_free) free;
	__typeof__(&archive_error_string) error;
	__typeof__(&archive_entry_pathname_utf8) name;
	__typeof__(&archive_entry_pathname) raw_name;
	__typeof__(&archive_entry_filetype) type;
};
#define SYMBOL(member, function) LIBRARY_SYMBOL(library, member, function)
static const struct library_symbol symbols[] = {
	SYMBOL(read_new, archive_read_new),
	SYMBOL(filters, archive_read_support_filter_all),
	SYMBOL(zip, archive_read_support_format_zip),
	SYMBOL(tar, archive_read_support_format_tar),
	SYMBOL(open, archive_read_open_filename),
	SYMBOL(next, archive_read_next_header),
	SYMBOL(data, archive_read_data),
	SYMBOL(free, archive_read_free),
	SYMBOL(error, archive_error_string),
	SYMBOL(name, archive_entry_pathname_utf8),
	SYMBOL(raw_name, archive_entry_pathname),
	SYMBOL(type, archive_entry_filetype),
};

static int load(struct library *l, struct why *why)
{
	if (library_load("libarchive.so.13", symbols, sizeof symbols / sizeof *symbols, l))
		return 0;
	why_set(why, "install it (Debian: libarchive13 or libarchive13t64), or unpack the archive "
	        "and import the directory", "archives are read by libarchive, which is not here");
	return -ENOSYS;
}

/* The bytes of one file. */
static int read_file(const struct library *l, struct archive *a, const struct archive_sink *sink,
                     struct why *why)
{
	static char piece[PIECE];
	ssize_t got;
	int err = 0;
	while (!err && (got = l->data(a, piece, sizeof piece)) > 0)
		err = sink->bytes(sink->ctx, piece, (size_t)got);
	if (!err && got < 0) {
		const char *text = l->error(a);
		why_set(why, "get the archive anew", "the archive is damaged: %.150s", text ? text : "");
		err = -EINVAL;
	}
	int ended = sink->end(sink->ctx); /* in every case, as it has begun */
	return err ? err : ended;
}

static int read_all(const struct library *l, struct archive *a, const struct archive_sink *sink,
                    struct why *why)
{
	struct archive_entry *e;
	int rc, err = 0;
	while (!err && ((rc = l->next(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN)) {
		if (l->type(e) != AE_IFREG)
			continue;
		const char *name = l->name(e);
		int pass = sink->begin(sink->ctx, name ? name : l->raw_name(e));
		err = pass < 0 ? pass : pass > 0 ? 0 : read_file(l, a, sink, why);
	}
	if (!err && rc != ARCHIVE_EOF) {
		const char *text = l->error(a);
		why_set(why, "get the archive anew", "the archive is damaged: %.150s", text ? text : "");
		err = -EINVAL;
	}
	return err;
}

static int read_archive(const struct library *l, const char *path, const struct archive_sink *sink,
                        struct why *why)
{
	struct archive *a = l->read_new();
	int err;
	if (!a)
		return -ENOMEM;
	(void)l->filters(a);
	(void)l->zip(a);
	(void)l->tar(a);
	if (l->open(a, path, PIECE) != ARCHIVE_OK) {
		const char *text = l->error(a);
		why_set(why, "a .zip or .tar is expected", "%.200s", text ? text : "no archive");
		err = -EINVAL;
	} else {
		err = read_all(l, a, sink, why);
	}
	(void)l->free(a);
	return err;
}

int archive_read_files(const char *path, const struct archive_sink *sink, struct why *why)
{
	struct library l;
	int err = load(&l, why);
	if (err)
		return err;
	/* In the C locale libarchive knows no name that is not ASCII. */
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	locale_t before = utf8 ? uselocale(utf8) : NULL;
	err = read_archive(&l, path, sink, why);
	if (utf8) {
		(void)uselocale(before);
		freelocale(utf8);
	}
	return err;
}
