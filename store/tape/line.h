/* SPDX-License-Identifier: MIT */
/*
 * The lines of the logs: log.jsonl of a session or thread, records/…, and
 * .cinta/tape.jsonl (docs/format.md).  Pure functions of the row, so that a line
 * can be made again at any time and any part of a log can be read without the rest.
 *
 * Sizes are computed, not measured by formatting, and are exact: a …_write puts
 * just as many bytes and no NUL.
 */
#ifndef CINTA_LINE_H
#define CINTA_LINE_H

#include "store/entry.h"

/*
 * A line of log.jsonl or of records, with its newline.  A body that is one line
 * of JSON object gives its members; any other is the member "body", a string; a
 * missing one is "missing":true; a damaged
 * row's line says just that, in the room it had.  Never shorter than the line the client offered.
 */
size_t line_size(const struct entry *e);
void line_write(const struct entry *e, char *dst);

/* A line of tape.jsonl: the whole row, enough to verify without the database. */
size_t tape_line_size(const struct entry *e);
void tape_line_write(const struct entry *e, char *dst);

/*
 * A line of refs.jsonl, with its newline and no NUL; returns its size.  `dst` has REF_LINE_MOST
 * bytes (store/entry.h).
 */
size_t ref_line(const struct ref *r, char *dst);

#endif
