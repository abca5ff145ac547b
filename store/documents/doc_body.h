/* SPDX-License-Identifier: MIT */
/* The body of a `document` entry, taken apart (store/documents.h). */
#ifndef CINTA_DOC_BODY_H
#define CINTA_DOC_BODY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct doc_body {
	json_t *json;  /* NULL: redacted, or not an object; without the text, perhaps */
	char *bytes;   /* the document, NUL-terminated; never NULL after a read that returned 0 */
	size_t len;
	char *fields;  /* a JSON object as the writer spelled it */
};

/*
 * 0 or STORE_ENOMEM: what is redacted or malformed is an empty document without
 * fields, so that size and content agree whoever wrote it.
 */
int doc_body_read(const char *body, size_t len, struct doc_body *out);
void doc_body_release(struct doc_body *b);

/* Where the text after a front matter begins, as v_content in documents.sql has it. */
size_t doc_body_start(const char *text, size_t len);

/* A number that equal texts share, front matter and blanks around them left out; 0: of no text. */
int64_t doc_body_text(const char *bytes, size_t len);

/* A member that is a whole number from 0 to 10^15; else 0. */
int64_t doc_body_number(const json_t *value);

#endif
