/* SPDX-License-Identifier: MIT */
/* What view.c and view_message.c share. */
#ifndef CINTA_VIEW_INTERNAL_H
#define CINTA_VIEW_INTERNAL_H

#include "store/view.h"

enum { KIND_SESSION = 1, KIND_THREAD = 2 };
enum { TAG_PLAYER = 1, TAG_HASHTAG = 2, TAG_ITEM = 3 };

/* A session or thread while a batch changes it. */
struct view_group {
	int64_t kind, id, hash;
	char name[NAME_LIMIT + 1];
	int64_t made_us, messages, tokens, bytes, text_bytes, first_us, last_us, last_seq;
	char author[FIELD_MAX + 1];
	bool dirty;
	struct view_group *chain;
};

enum view_stmt {
	VIEW_STATE, VIEW_SET_STATE, VIEW_TAPE, VIEW_MARK, VIEW_LINE, VIEW_MESSAGE, VIEW_TAG, VIEW_REF,
	VIEW_NAME, VIEW_ADD_NAME, VIEW_GROUP, VIEW_GROUP_BY_NAME, VIEW_NEXT_GROUP, VIEW_PUT_GROUP,
	VIEW_LEAF, VIEW_STMTS
};

enum { GROUP_BUCKETS = 1024, MOST_GROUPS = 4096, NAME_BUCKETS = 4096 };

struct view_name { /* one-way cache of v_name: hash to id */
	char hash[HEX_SIZE];
	int64_t id;
};

struct view {
	sqlite3 *db;
	size_t (*text_size)(const struct entry *e);
	struct hasher hasher;
	int64_t upto, tape_bytes;
	sqlite3_stmt *stmt[VIEW_STMTS];
	struct view_group *groups[GROUP_BUCKETS];
	size_t group_count;
	struct view_name *names; /* NAME_BUCKETS */
};

/* Runs a bound statement to its end and resets it. */
int view_run(struct view *v, enum view_stmt which);
/* The number of the identity with this path or hash: made when new. */
int view_name_id(struct view *v, const char *label, int64_t *id);
/* As above, but `hash` is already the SHA-256 in hex of what `label` names. */
int view_hash_id(struct view *v, const char *hash, const char *label, int64_t *id);
/* A group by id, or by name; STORE_ENOENT. */
int view_group_get(struct view *v, int64_t kind, int64_t id, struct view_group **out);
int view_group_named(struct view *v, int64_t kind, const char *name, struct view_group **out);
/* A new group; id 0: the next free one. */
int view_group_add(struct view *v, int64_t kind, int64_t id, const char *name,
                   const struct entry *e, struct view_group **out);
/* view_message.c */
int view_message(struct view *v, const struct entry *e, int64_t session);

#endif
