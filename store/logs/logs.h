/* SPDX-License-Identifier: MIT */
/* The door of logs: sessions, threads and records, as the views have them. */
#ifndef CINTA_LOGS_H
#define CINTA_LOGS_H

#include <jansson.h>

#include "store/logs/json_body.h"
#include "store/views/views.h"

/* v_group.kind and v_line.kind, and two of them as SQL has them. */
enum { GROUP_SESSION = 1, GROUP_THREAD = 2, GROUP_RECORD = 3 };
#define SESSION_SQL "1"
#define THREAD_SQL "2"
/* Columns that say how long lines and parts of transcripts are, for view_table.sized. */
#define LOG_SIZED "v_group.bytes v_group.text_bytes v_line.end v_line.text_end v_ref.end "
/* The number of a log's kind; not of LOG_TAPE. */
int64_t store_kind_number(enum log_kind kind);

/* A session, thread or log of records while a batch changes it. */
struct view_group {
	int64_t kind, id, hash;
	char name[NAME_LIMIT + 1];
	int64_t made_us, messages, tokens, bytes, text_bytes, first_us, last_us, last_seq;
	char author[FIELD_MAX + 1];
	bool dirty;
	struct view_group *chain;
};
/* A group by id, or by name; STORE_ENOENT. */
int view_group_get(struct view *v, int64_t kind, int64_t id, struct view_group **out);
int view_group_named(struct view *v, int64_t kind, const char *name, struct view_group **out);
/* A new group; id 0: the next free one. */
int view_group_add(struct view *v, int64_t kind, int64_t id, const char *name,
                   const struct entry *e, struct view_group **out);
/*
 * The identity a member names: 64 hex are a hash; "plu:bob" (or "plu/bob") names table and code;
 * a bare code is that of the first component there is now in the tables of `field` (its system
 * table: ply hst flg itm loc), else the system table's.  *id: 0 when `text` names nothing.
 */
int view_component_id(struct view *v, const char *field, const char *text, int64_t *id);
/* The same for an owner; without one it is the author: the part before the colon. */
int view_owner_id(struct view *v, const char *owner, const char *author, int64_t *id);

/* store_said() of a message whose body is read already; NULL: it is none. */
void log_said(const json_t *body, const struct entry *e, struct saying *out);
/*
 * The agent's conversation that a body of any kind names under `from`; false: it names none.  Rows
 * by other programs hold anything: what is no name is "".
 */
bool log_talk(const json_t *body, struct talk *out);
/* True if a message was taken in from an agent: it names its conversation and its id there. */
bool log_taken(const struct draft *d);
/* 1 if the views have the message of that key, else 0. */
int log_known(struct view *v, const struct message_key *k);
/* When the message of entry `seq` was said; 0: the views have no such message. */
int view_said(struct view *v, int64_t seq, int64_t *time_us);

/*
 * Adds these references (an array as in a message) to message n of a session, behind those it has,
 * once each; `e` is the entry that says so.  Nothing where there is no such message.
 */
int log_refer(struct view *v, const struct entry *e, int64_t session, int64_t n,
              const json_t *refs);
extern const struct view_room log_views;
extern const struct sql log_queries;

/* How many messages the views have of a session; STORE_ENOENT: it is not there. */
int log_length(struct reader *r, int64_t session, int64_t *messages);
/* Sessions, threads and messages there are. */
void log_totals(struct reader *r, struct status *out);

/*
 * Keeps beside the tape which session this process wrote to last, for the next one; *kept: what was
 * kept by the last call, at first 0.
 */
void log_keep_current(struct store *s, int64_t *kept);

/* For struct tape_hooks: lines and bytes of a log that the views have seen. */
int log_seen(sqlite3 *db, struct log_id log, int64_t *lines, int64_t *bytes);

#endif
