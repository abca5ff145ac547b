/* SPDX-License-Identifier: MIT */
/*
 * The door of render/facts: lists of facts, read and written (cinta.5, "Facts").
 * Part of the room's door.
 */
#ifndef CINTA_RENDER_FACTS_H
#define CINTA_RENDER_FACTS_H

#include "render/format/plain.h"

enum {
	FACTS_LIMIT = 1 << 20,       /* most bytes of a list as offered */
	FACTS_COUNT_LIMIT = 20000,   /* most facts of a list */
	FACT_LIMIT = 8 << 10         /* most bytes of a fact */
};

/* What a list of facts says.  The items' texts live in `bytes`. */
struct fact_list {
	struct fact_item *items; /* in the order of the file */
	size_t count;
	struct buf frame; /* the free text, as render_facts takes it; "" for none */
	struct buf bytes;
};

/*
 * Reads facts/DOMAIN.md, any markdown: each item of a list is a fact.  RENDER_EINVAL
 * (not UTF-8, or a NUL), RENDER_EFBIG, RENDER_ENOMEM with `why`.  `out` is to be
 * released in every case.
 */
int render_facts_in(const char *bytes, size_t len, struct fact_list *out, struct why *why);
void fact_list_release(struct fact_list *list);
/*
 * facts/DOMAIN.md in canonical form.  `frame` is what render_facts_in gave, or NULL;
 * stale items go below "## Stale".  Texts must come from render_facts_in: any other
 * text becomes one by being read as the line "- text".
 */
void render_facts(struct buf *out, const char *domain, const char *frame,
                  const struct fact_item *items, size_t count);

/*
 * How alike each text is to each other, as render_similarity() tells: of a[i] and b[k] at
 * alike[i * bs + k].  Each is looked at once, so that of lists it costs what they share.
 * RENDER_ENOMEM.
 */
struct fact_text {
	const char *text;
	size_t len;
};
int render_facts_alike(const struct fact_text *a, size_t as, const struct fact_text *b, size_t bs,
                       double *alike);

/* What a fact's text ends with: "", " *(low)*", " *(medium)* *(inferred)*" … */
const char *render_fact_marks(enum confidence c, bool inferred);
/* A line of facts/facts.jsonl, with its newline; `said_in`: the path of the message, "": none. */
void render_fact_line(struct buf *out, const struct fact *f, const char *domain,
                      const char *said_in);
/* A line of facts/DOMAIN.md@log, which ends as that of a version of a document does. */
void render_fact_save(struct buf *out, const struct fact_save *s, const char *where);

#endif
