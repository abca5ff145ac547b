/* SPDX-License-Identifier: MIT */
/* Directories whose names come from the store: finding a name, listing the next. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/internal.h"

int find_group(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	const struct node *row = node_of(fs, dir);
	struct group g;
	struct why why;
	/* What can be no name needs no look into the store. */
	if (render_check_name(name, strlen(name), "thread", &why))
		return -ENOENT;
	int err = store_group_by_name(fs->store, row->log, name, &g);
	if (!err)
		*ino = ino_make(row->named, g.id);
	return errno_of_store(err);
}

int next_group(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
               uint64_t *ino)
{
	const struct node *row = node_of(fs, dir);
	struct group g;
	int err = store_group_next(fs->store, row->log, *cursor, &g);
	if (err)
		return err == STORE_ENOENT ? 0 : errno_of_store(err);
	*cursor = g.id;
	*ino = ino_make(row->named, g.id);
	memcpy(name, g.name, sizeof g.name);
	return 1;
}

void group_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct group g;
	if (store_group_by_id(fs->store, node_of(fs, ino)->log, ino_id(ino), &g) == 0)
		(void)snprintf(dst, size, "%s", g.name);
}

static void print_message_name(int64_t n, char *dst, size_t size)
{
	(void)snprintf(dst, size, "%06lld.md", (long long)n);
}

int find_message(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	char canonical[32], *end;
	int64_t seq;
	errno = 0;
	long long n = strtoll(name, &end, 10);
	print_message_name(n, canonical, sizeof canonical);
	if (errno || n < 1 || strcmp(name, canonical) != 0)
		return -ENOENT;
	int err = store_message_seq(fs->store, ino_id(dir), n, &seq);
	if (!err)
		*ino = ino_make(KIND_MESSAGE, seq);
	return errno_of_store(err);
}

int next_message(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                 uint64_t *ino)
{
	int64_t seq;
	int err = store_message_seq(fs->store, ino_id(dir), *cursor + 1, &seq);
	if (err)
		return err == STORE_ENOENT ? 0 : errno_of_store(err);
	++*cursor;
	print_message_name(*cursor, name, NAME_LIMIT + 1);
	*ino = ino_make(KIND_MESSAGE, seq);
	return 1;
}

static void take_number(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = e->stream_seq + 1;
}

void message_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	int64_t n = 0;
	(void)store_entry(fs->store, ino_id(ino), take_number, &n);
	print_message_name(n, dst, size);
}

static void take_session(void *ctx, const struct entry *e)
{
	*(int64_t *)ctx = store_stream_session(e->stream);
}

uint64_t message_parent(struct fs *fs, uint64_t ino)
{
	int64_t session = 0;
	(void)store_entry(fs->store, ino_id(ino), take_session, &session);
	return ino_make(KIND_MESSAGES, session);
}

int find_rejected(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	struct rejected file;
	char base[NAME_LIMIT + 1];
	size_t len = strlen(name);
	(void)dir;
	int err = store_rejected_by_name(fs->store, name, &file);
	if (!err)
		*ino = ino_make(KIND_REJECTED_FILE, file.id);
	if (err != STORE_ENOENT || len < 5 || strcmp(name + len - 4, ".why") != 0)
		return errno_of_store(err);
	(void)snprintf(base, sizeof base, "%.*s", (int)(len - 4), name);
	err = store_rejected_by_name(fs->store, base, &file);
	if (!err)
		*ino = ino_make(KIND_REJECTED_WHY, file.id);
	return errno_of_store(err);
}

/* Two names for each: the bytes, then the reason; the cursor is 2·id, 2·id + 1. */
int next_rejected(struct fs *fs, uint64_t dir, int64_t *cursor, char name[NAME_LIMIT + 1],
                  uint64_t *ino)
{
	struct rejected file;
	(void)dir;
	bool why = *cursor > 0 && *cursor % 2 == 0;
	int err = why ? store_rejected_by_id(fs->store, *cursor / 2, &file) : STORE_ENOENT;
	if (err == STORE_ENOENT) {
		why = false;
		err = store_rejected_next(fs->store, *cursor / 2, &file);
	}
	if (err)
		return err == STORE_ENOENT ? 0 : errno_of_store(err);
	*cursor = file.id * 2 + why;
	*ino = ino_make(why ? KIND_REJECTED_WHY : KIND_REJECTED_FILE, file.id);
	(void)snprintf(name, NAME_LIMIT + 1, "%.250s%s", file.name, why ? ".why" : "");
	return 1;
}

void rejected_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct rejected file;
	if (store_rejected_by_id(fs->store, ino_id(ino), &file) == 0)
		(void)snprintf(dst, size, "%.250s%s", file.name,
		               ino_kind(ino) == KIND_REJECTED_WHY ? ".why" : "");
}

int rejected_stat(struct fs *fs, int64_t id, struct log_stat *out)
{
	struct rejected file;
	int err = errno_of_store(store_rejected_by_id(fs->store, id, &file));
	*out = (struct log_stat){ err ? 0 : file.size, err ? 0 : file.time_us };
	return err;
}

ssize_t rejected_read(struct fs *fs, int64_t id, int64_t offset, char *dst, size_t size)
{
	ssize_t got = store_rejected_read(fs->store, id, offset, dst, size);
	return got < 0 ? errno_of_store((int)got) : got;
}

int session_now(struct fs *fs, int64_t id, struct group *g)
{
	int err = store_catch_up(fs->store);
	if (!err)
		err = store_group_by_id(fs->store, LOG_SESSION, id, g);
	return errno_of_store(err);
}

int current_session(struct fs *fs, struct group *out)
{
	const char *session = client_of(fs)->session;
	return errno_of_store(*session ?
		store_group_by_name(fs->store, LOG_SESSION, session, out) :
		store_group_current(fs->store, out));
}

int changed_session(struct fs *fs, int64_t id, int64_t *time_us)
{
	struct group g;
	int err = session_now(fs, id, &g);
	*time_us = err ? 0 : g.last_us ? g.last_us : g.made_us;
	return err;
}
