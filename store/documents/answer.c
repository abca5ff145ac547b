/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door (documents.h): the documents that are answers, by when they
 * were saved.  How long an answer holds is for the caller to say.
 */
#include "store/documents/doc_read.h"

int store_answers(struct store *s, const char *parent, int64_t since_us, int most,
                  doc_answer_fn *fn, void *ctx)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_ANSWERS);
	int rc = SQLITE_DONE;
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, since_us);
	sqlite3_bind_int(q, 3, most);
	while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		struct doc_answer a = { .id = sqlite3_column_int64(q, 0),
			.question = (const char *)sqlite3_column_text(q, 1),
			.versions = sqlite3_column_int64(q, 2), .saved_us = sqlite3_column_int64(q, 3) };
		if (a.question && fn(ctx, &a))
			break;
	}
	reader_put(s, r);
	return db_error(rc);
}

int store_doc_next_since(struct store *s, const char *parent, int64_t since_us, int64_t after,
                         struct doc *out)
{
	struct reader *r;
	int err = views_reader(s, &r);
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_NEXT_SINCE);
	sqlite3_bind_text(q, 1, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 2, after);
	sqlite3_bind_int64(q, 3, since_us);
	err = doc_row(q, out);
	reader_put(s, r);
	return err;
}

int store_answer_question(struct store *s, int64_t id, char question[NAME_LIMIT + 1])
{
	struct reader *r;
	int err = views_reader(s, &r);
	question[0] = '\0';
	if (err)
		return err;
	sqlite3_stmt *q = reader_stmt(r, READ_DOC_QUESTION);
	sqlite3_bind_int64(q, 1, id);
	int rc = q ? sqlite3_step(q) : SQLITE_DONE;
	const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
	if (text)
		(void)snprintf(question, NAME_LIMIT + 1, "%s", text);
	reader_put(s, r);
	return text ? 0 : rc == SQLITE_ROW || rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
}
