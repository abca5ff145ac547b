/* SPDX-License-Identifier: MIT */
/* Digests as a context shows them: while their messages are as they were told of. */
#include <stdlib.h>
#include <string.h>

#include "fs/context/page.h"

struct said {
	char *text;
	int64_t seq;
};

static int take(void *ctx, const struct summary *y)
{
	struct said *f = ctx;
	f->text = strdup(y->text);
	f->seq = y->seq;
	return 1;
}

char *context_digest(const struct context *c, struct context_range r, int64_t *seq)
{
	struct said f = { NULL, 0 };
	bool untouched = false;
	if (store_digest(c->fs->store, c->session, r, take, &f) || !f.text)
		return NULL;
	/* One of them pruned or pinned since: it is not wanted here, or stands elsewhere. */
	if (store_context_untouched(c->fs->store, c->session, r, &untouched) || !untouched) {
		free(f.text);
		return NULL;
	}
	*seq = f.seq;
	return f.text;
}
