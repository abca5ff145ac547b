/* SPDX-License-Identifier: MIT */
/*
 * What the files that read documents share: the tables of typed fields and the
 * walk over them.  Private to render/.
 */
#ifndef CINTA_FAMILY_H
#define CINTA_FAMILY_H

#include "render/documents/documents.h"
#include "render/format/format.h"

enum shape {
	SHAPE_TEXT,    /* at most `max` characters */
	SHAPE_TEXTS,   /* a list of texts, each at most `max` characters */
	SHAPE_WORD,    /* one of `words` */
	SHAPE_CODE,    /* [A-Za-z0-9][A-Za-z0-9._-]*, at most `max` bytes */
	SHAPE_HASH,    /* 64 hex digits */
	SHAPE_NAME,    /* of a session or thread */
	SHAPE_INTEGER, /* from `min` to `max` */
	SHAPE_UNIT,    /* a number from 0 to 1 */
	SHAPE_YESNO,
	SHAPE_TIME,    /* RFC 3339 or a date; becomes RFC 3339 UTC */
	SHAPE_RECORD,  /* a mapping */
	SHAPE_LINK,    /* a number or a text of at most `max` characters */
	SHAPE_LINKS,   /* a list of them */
	SHAPE_DIR,     /* what the directory says; may be repeated, not contradicted */
	SHAPE_STEM,    /* what the file name says, without its ending */
	SHAPE_HANDLED  /* known, but read elsewhere */
};

struct field {
	const char *key;      /* in the document and in the fields */
	const char *also;     /* another name the document may use; NULL: none */
	enum shape shape;
	int64_t min, max;
	const char *words;    /* apart by one blank */
	const char *fallback; /* JSON, or "@dir", "@stem"; NULL: the field is left out */
	const char *only;     /* this field is for this directory only; NULL: for all */
};

/* What typed fields are read from and written to. */
struct source {
	const struct document *d;
	const struct json *j; /* an object */
	const int *lines;     /* of each of its values; NULL: count them in the text */
	bool yaml;            /* unquoted numbers do for text */
	char stem[NAME_LIMIT + 1];
	struct buf *out;
	struct why *why;
};

/* Appends `"key":`, after a comma if the object is not empty. */
void fields_key(struct buf *out, const char *key);
/* Reads and appends all fields of the table; 0 or a RENDER_ code. */
int fields_add(const struct source *s, const struct field *fields, size_t count);
/* Appends, as an object `name`, the members that no field of the table knows, if there are any. */
void fields_add_rest(const struct source *s, const struct field *fields, size_t count,
                     const char *name);
/* Appends a value without the blanks between its parts. */
void fields_value(const struct source *s, uint32_t node);
/* Refuses the value of `node` (0: one that is missing): key, then what is wrong with it. */
int fields_bad(const struct source *s, uint32_t node, const char *key, const char *todo,
               const char *reason);
/* The value as text, appended; false: it is none. */
bool fields_text(const struct source *s, uint32_t node, struct buf *text);
/* The member of that name, 0 for none; null counts as none. */
uint32_t fields_member(const struct source *s, const char *key);

/* scope, server_code, agent_code, session of a block. */
int scope_add(const struct source *s);
/* Checks an algorithm's config, a node of `s` that is an object (0: the whole). */
int config_check(const struct source *s, uint32_t config);
/* [A-Za-z0-9][A-Za-z0-9._-]*, at most `most` bytes, no dot at the end. */
bool code_check(const char *text, size_t len, size_t most);

#endif
