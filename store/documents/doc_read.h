/* SPDX-License-Identifier: MIT */
/* What doc.c and doc_past.c share: reading documents through a borrowed connection. */
#ifndef CINTA_DOC_READ_H
#define CINTA_DOC_READ_H

#include "store/documents/documents.h"
#include "store/internal.h"

enum {
	READ_DOC_COUNT = SQL_FIRST(SQL_DOCUMENTS), READ_DOC_NAME, READ_DOC_LAST, READ_DOC_ID,
	READ_DOC_NEXT, READ_DOC_DIR, READ_DOC_WITHIN, READ_DOC_VERSION, READ_DOC_VERSION_AT,
	READ_DOC_HISTORY,
	READ_DOC_BODY, READ_DOC_PLACE, READ_DOC_PLACE_NEXT, READ_DOC_BLOCKS, READ_DOC_BLOCKS_LIKE,
	READ_DOC_ANSWERS,
	READ_DOC_NEXT_SINCE, READ_DOC_QUESTION, READ_DOC_POLICY, READ_DOC_SCORING,
	READ_DOC_ALGORITHMS, READ_DOC_MEMORIES, READ_DOC_MEMORY_BACK, READ_DOC_MEMORY,
	READ_DOC_PLACE_OF, READ_DOC_DIR_AT, READ_DOC_LIFE, READ_DOC_HELD,
	READ_DOC_SAVES, READ_DOC_TOUCHED, READ_DOC_SINCE, READ_DOC_LEAF,
	READ_DOC_PACKABLE
};

/* 1 if something but removed folders has ever stood in folder ?1. */
#define FOLDER_HELD_SQL \
	"SELECT EXISTS(SELECT 1 FROM v_place p JOIN v_doc c ON c.id = p.doc" \
	" WHERE p.parent = '#' || ?1 AND NOT (c.folder = 1 AND c.here = 0 AND c.heir = 0))"

/*
 * One row of DOC_COLUMNS (doc_sql.c); STORE_ENOENT.  `out` may be NULL, and so may
 * `q`: then the file's views know no documents.
 */
int doc_row(sqlite3_stmt *q, struct doc *out);

#endif
