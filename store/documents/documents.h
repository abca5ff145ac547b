/* SPDX-License-Identifier: MIT */
/* The door of documents: bodies of their entries, their view, what was looked up lately. */
#ifndef CINTA_DOCUMENTS_H
#define CINTA_DOCUMENTS_H

#include "store/documents/doc_body.h"
#include "store/documents/doc_cache.h"
#include "store/logs/logs.h"

extern const struct view_room doc_views;
extern const struct sql doc_queries;
/* Statements for the scores of memories: each memory; the scoring that is active. */
sqlite3_stmt *doc_memories(struct reader *r);
sqlite3_stmt *doc_scoring(struct reader *r);

/* For struct view_table. */
int doc_component_here(struct view *v, const char *table, const char *code);

#endif
