/* SPDX-License-Identifier: MIT */
/* What view_group.c and view_message.c share. */
#ifndef CINTA_VIEW_LOGS_H
#define CINTA_VIEW_LOGS_H

#include "store/logs/logs.h"

enum {
	VIEW_LINE = SQL_FIRST(SQL_LOGS), VIEW_MESSAGE, VIEW_TAG, VIEW_REF, VIEW_GROUP,
	VIEW_GROUP_BY_NAME, VIEW_NEXT_GROUP, VIEW_PUT_GROUP, VIEW_LEAF, VIEW_SAID,
	VIEW_TALK, VIEW_PUT_TALK, VIEW_TAKE, VIEW_TAKEN, VIEW_REFERRED,
	VIEW_REF_PLACE, VIEW_REF_SHIFT
};

enum { TAG_PLAYER = 1, TAG_HASHTAG = 2, TAG_ITEM = 3 };
enum { GROUP_BUCKETS = 1024, MOST_GROUPS = 4096, CODE_BUCKETS = 512 };

struct view_code { /* what view_component_id() said, true while `turn` is the view's */
	char text[48];
	const char *field;
	int64_t turn, id;
};

struct view_talk { /* a row of v_talk; id 0: none */
	int64_t id;
	struct talk name;
};

/* Caches between entries. */
struct log_views {
	struct view_group *groups[GROUP_BUCKETS];
	size_t group_count;
	struct view_code codes[CODE_BUCKETS];
	struct view_talk talk; /* the last one that was asked for */
};

/* view_group.c: a `session` entry; what is cached is written, or forgotten */
int view_session(struct view *v, const struct entry *e, int64_t number);
int view_groups_save(struct view *v);
void view_groups_forget(struct view *v);
/* view_talk.c: the number of a conversation; where it is new, that session holds it from now on */
int view_talk_here(struct view *v, const struct talk *t, int64_t session, int64_t *id);
/* A message with an id of its agent's is here; *talk 0: it has none. */
int view_taken(struct view *v, const json_t *body, const struct entry *e, int64_t session,
               int64_t *talk);
/* view_message.c: an entry of a session's log, of records */
int view_message(struct view *v, const struct entry *e, int64_t session);
int view_record(struct view *v, const struct entry *e, int64_t id);
/* refs.c: its type as refs.jsonl shows it, cut after a whole character. */
void ref_set_type(struct ref *ref, const char *type);

#endif
