/* SPDX-License-Identifier: MIT */
/*
 * Front matter: YAML between a first line `---` and the next line `---`, read
 * with libyaml into a JSON object, so that one reader of typed values serves
 * markdown and JSON documents alike.
 *
 * Only plain data is taken: one mapping with scalar keys, none twice; no
 * anchors, aliases or tags, so nothing can grow beyond what was written.
 * Scalars follow the YAML 1.2 core schema, but what JSON could not hold as it
 * stands (0x1F, 007, .inf, numbers beyond a double) stays text.
 *
 * Private to render/.
 */
#ifndef CINTA_FRONTMATTER_H
#define CINTA_FRONTMATTER_H

#include "render/format/buf.h"
#include "store/entry.h"

enum {
	FRONT_BYTES = 64 << 10, /* limits of what stands between the two lines */
	FRONT_LINES = 1000,
	FRONT_VALUES = 4096,    /* scalars, lists and mappings, without keys */
	FRONT_DEPTH = 8         /* nesting; the mapping itself is 1 */
};

struct front {
	struct buf json; /* the mapping as a JSON object; "{}" when there is none */
	int *lines;      /* of each value in json's order (struct json_node), from 1; may be NULL */
	size_t body;     /* where the text begins */
};

/*
 * Reads the front matter of a document, which must be UTF-8 without NUL.  None
 * is fine.  0, RENDER_EINVAL with `why` and its line, RENDER_ENOMEM.  Release in
 * every case.
 */
int front_read(struct front *f, const char *bytes, size_t len, struct why *why);
void front_release(struct front *f);

/* Where the text begins after a byte order mark, which any document may have. */
size_t front_skip_mark(const char *bytes, size_t len);
/* Appends a scalar as JSON; `plain`: unquoted, so it may be null, a truth or a number. */
void front_add_scalar(struct buf *out, const char *text, size_t len, bool plain);

#endif
