/* SPDX-License-Identifier: MIT */
/*
 * What clients did to documents that the tape does not say: a rename to a scratch name, and times.
 * All functions want fs->docs locked.
 */
#ifndef CINTA_FS_CLIENT_VIEW_H
#define CINTA_FS_CLIENT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct fs;

enum { HIDDEN_MOST = 64, TIMES = 1024, HIDE_MS = 5000 };

struct client_view { /* guarded by fs->docs */
	struct hidden {
		int64_t doc, since_ms;
	} hidden[HIDDEN_MOST];
	int hidden_count;
	struct client_time {
		int64_t doc, time_us;
	} times[TIMES];
};

/*
 * A document renamed to a scratch name (an editor's backup) is not seen until its name is saved
 * again, or HIDE_MS have passed.
 */
void hidden_add(struct fs *fs, int64_t doc);
bool is_hidden(struct fs *fs, int64_t doc);
void hidden_remove(struct fs *fs, int64_t doc);
/* The next below number *at that has been out of sight for HIDE_MS; 0: no more.  Newest first. */
int64_t hidden_overdue(struct fs *fs, int *at);

/* Times that clients have set, until the next version. */
void times_set(struct fs *fs, int64_t doc, int64_t time_us);
void times_forget(struct fs *fs, int64_t doc);
int64_t times_of(struct fs *fs, int64_t doc, int64_t otherwise);

#endif
