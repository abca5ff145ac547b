/* SPDX-License-Identifier: MIT */
/* A file's disk: how much room it has; a name made to last. */
#ifndef CINTA_STORE_DISK_H
#define CINTA_STORE_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* Less than this, and a write-ahead log cannot be begun: an index of 32 KiB, a few pages. */
enum { DISK_LEAST = 64 << 10 };
/* Bytes that this process may still write there; INT64_MAX if nobody knows. */
int64_t disk_room(const char *path);
/* The name `path` outlives a power cut: its directory is synced.  False: errno says why not. */
bool disk_sync_name(const char *path);

#endif
