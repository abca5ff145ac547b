/* SPDX-License-Identifier: MIT */
/*
 * The door of render/pages: what is generated.  Part of the room's door.
 */
#ifndef CINTA_RENDER_PAGES_H
#define CINTA_RENDER_PAGES_H

#include "render/pages/compare.h"
#include "render/vectors/vectors.h"
#include "render/pages/memory.h"

/* messages/NNNNNN.md: one message, all its members as front matter. */
void render_message_page(struct buf *out, const struct entry *e, const char *session);
/* .cinta/by-hash/HASH: an entry that is not damaged, and where it stands. */
struct entry_place {
	const char *file, *log; /* below the mount point; `log`: of which it is a line */
	int64_t line;           /* from 1; 0: of none */
};
void render_entry_page(struct buf *out, const struct entry *e, const struct entry_place *at);
/* sessions/<name>/session.md */
void render_session_page(struct buf *out, const struct group *session);
/* A line of errors.log, with its newline. */
void render_refusal(struct buf *out, const struct refusal *r);
/*
 * README.md of the mount: what this is and how to use it, under 60 lines (readme.md).  It names
 * `database`, a path, as a shell takes it.
 */
void render_readme(struct buf *out, const char *database);
/* smma/identity.md until somebody has set it. */
void render_identity(struct buf *out);
/* .cinta/status.json; `e` NULL: there is no embedding endpoint. */
void render_status(struct buf *out, const struct status *s, const struct embedding_status *e);
/* .cinta/verify.sh: checks the tape with sqlite3, sha256sum and openssl alone. */
void render_verify_script(struct buf *out);

#endif
