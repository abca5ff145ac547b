/* SPDX-License-Identifier: MIT */
/*
 * The files in an archive, without unpacking it anywhere: for the exports that services send as
 * .zip.  By libarchive, which is loaded when the first archive is read.
 */
#ifndef CINTA_ARCHIVE_H
#define CINTA_ARCHIVE_H

#include <stddef.h>

#include "store/entry.h"

/* What is done with each file; nonzero from any ends the reading and is returned. */
struct archive_sink {
	void *ctx;
	/* Its path in the archive, NULL if that cannot be read; > 0: pass it by. */
	int (*begin)(void *ctx, const char *name);
	int (*bytes)(void *ctx, const char *bytes, size_t len);
	int (*end)(void *ctx);
};

/* 0, what the sink returned, or with `why`: -ENOSYS (no libarchive), -EINVAL (no archive). */
int archive_read_files(const char *path, const struct archive_sink *sink, struct why *why);

#endif
