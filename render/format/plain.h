/* SPDX-License-Identifier: MIT */
/*
 * Names and texts as others may see them.  Part of the room's door.
 */
#ifndef CINTA_RENDER_PLAIN_H
#define CINTA_RENDER_PLAIN_H

#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/utf8.h"

/*
 * The line, from 1, on which a list or quotation begins behind column 128, 0: none does.  cmark
 * takes time by the depth for each blank line: such a text is shown as it stands, and is no list of
 * facts.
 */
int render_deep(const char *text, size_t len);
/*
 * A document's text without its markup; the front matter must be off already.  With it, if it is
 * nested too deep.
 */
void render_plain(struct buf *out, const char *text, size_t len);
/* Checks the name of a session or thread; `what` is "session" or "thread". */
int render_check_name(const char *name, size_t len, const char *what, struct why *why);

/*
 * A name from outside as one line of at most size - 1 bytes: whole characters; a control character
 * is a blank, one that acts without being seen (quote.h) a "?".
 */
void render_name(char *dst, size_t size, const char *name);
/*
 * The same of a tool's name, as a line of a page has it: a plain word as it is, else in quotes, of
 * `size` / 4 bytes then at most.
 */
void render_word(char *dst, size_t size, const char *name);
/*
 * A name or line as a terminal may be sent it: what acts unseen is shown as pages show it
 * (quote.h), tabs and line ends as their pictures.
 */
void render_seen(struct buf *out, const char *text, size_t len);
/*
 * A path as a shell takes it: in quotes if it needs them; what acts unseen in it as bash and zsh
 * take it, $'\342\200\256'.
 */
void render_shell_word(struct buf *out, const char *path);

#endif
