/* SPDX-License-Identifier: MIT */
/* The door of documents: bodies of their entries, their view, what was looked up lately. */
#ifndef CINTA_DOCUMENTS_H
#define CINTA_DOCUMENTS_H

#include "store/documents/doc_body.h"
#include "store/documents/doc_cache.h"
#include "store/documents/doc_pack.h"
#include "store/logs/logs.h"

extern const struct view_room doc_views;
extern const struct sql doc_queries;
/* For the search, on a connection of its own: where document ?1 stands. */
#define DOC_PLACE_SQL "SELECT parent, name, newest, here, folder, versions FROM v_doc WHERE id = ?1"

/* A memory; strings live until its statement moves. */
struct doc_memory {
	int64_t id, link; /* who supersedes it by its own words, 0: nobody */
	const char *type, *name, *summary, *status;
	double importance;
	int64_t expires_us, made_us, saved_us, tokens;
	const char *owner_hash, *owner_label;
	int64_t newest;   /* entry of its newest version */
	bool names_heir;  /* it says who supersedes it, whether that is there or not */
};
/* Each memory (`most`: so many that were made last, 0: all), by id; memory ?1; a row of these; the
 * scoring that is active. */
sqlite3_stmt *doc_memories(struct reader *r, int64_t most);
sqlite3_stmt *doc_memory(struct reader *r);
void doc_memory_of(sqlite3_stmt *q, struct doc_memory *out);
/* Of document ?1: status, expires_us, whether it names another as its heir; no row: it is gone. */
sqlite3_stmt *doc_life(struct reader *r);
sqlite3_stmt *doc_scoring(struct reader *r);
/* Of entries ?1 to ?2 - 1 those of documents: its number, and whether something was redacted. */
sqlite3_stmt *doc_since(struct reader *r);
/* The leaf hash of entry ?1. */
sqlite3_stmt *doc_leaf(struct reader *r);

/* For struct view_table. */
int doc_component_here(struct view *v, const char *table, const char *code);

#endif
