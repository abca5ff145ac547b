/* SPDX-License-Identifier: MIT */
/* The pieces of a context: copied, made to fit, printed one by one and as a page. */
#include "fs/context/page.h"

#include <stdlib.h>
#include <string.h>

#include "store/array.h"

/* The array of pieces moves, so what stands in a piece cannot be pointed to before. */
static struct context_part part_of(const struct piece *p)
{
	struct context_part part = p->part;
	part.role = p->role;
	part.said = p->said;
	part.author = p->author;
	return part;
}

void piece_print(struct buf *out, const struct piece *p)
{
	struct context_part part = part_of(p);
	render_context_part(out, &part);
}

int64_t part_tokens(const struct context *c, const struct context_part *p)
{
	struct buf text = BUF_INIT;
	render_context_part(&text, p);
	int64_t tokens = c->fs->count_tokens(text.data ? text.data : "", text.len);
	buf_release(&text);
	return tokens;
}

int64_t piece_tokens(const struct context *c, const struct piece *p)
{
	struct context_part part = part_of(p);
	return part_tokens(c, &part);
}

struct piece *context_add(struct context *c, const struct context_part *p, enum part_kind cut_as,
                          int64_t seq, int64_t doc)
{
	struct piece *piece = context_add_counted(c, p, 0, cut_as, seq, doc);
	if (piece)
		piece->tokens = piece_tokens(c, piece);
	return piece;
}

struct piece *context_add_counted(struct context *c, const struct context_part *p, int64_t tokens,
                                  enum part_kind cut_as, int64_t seq, int64_t doc)
{
	/* All texts of a page come by here, and say where they stand. */
	if (!client_sees(c->fs, p->where))
		return NULL;
	if (!ARRAY_ROOM(c->piece, c->room, c->count)) {
		c->failed = true;
		return NULL;
	}
	struct piece *piece = &c->piece[c->count];
	*piece = (struct piece){ .part = *p, .tokens = tokens, .text = bytes_copy(p->text, p->len),
		.title = strdup(p->title), .where = strdup(p->where),
		.cut_as = cut_as, .seq = seq, .doc = doc };
	if (!piece->text || !piece->title || !piece->where) {
		free(piece->text);
		free(piece->title);
		free(piece->where);
		c->failed = true;
		return NULL;
	}
	(void)snprintf(piece->role, sizeof piece->role, "%s", p->role ? p->role : "");
	(void)snprintf(piece->said, sizeof piece->said, "%s", p->said ? p->said : "");
	(void)snprintf(piece->author, sizeof piece->author, "%s", p->author ? p->author : "");
	piece->part.text = piece->text;
	piece->part.title = piece->title;
	piece->part.where = piece->where;
	piece->part.role = piece->part.said = ""; /* the caller's are not ours to keep */
	piece->part.author = "";
	c->count++;
	return piece;
}

int64_t context_quoted(const struct context *c, const char *text, size_t len)
{
	struct buf quoted = BUF_INIT;
	render_quoted(&quoted, text, len);
	int64_t more = quoted.len <= len + 1 ? 0 : c->fs->count_tokens(quoted.data, quoted.len) -
		c->fs->count_tokens(text, len);
	buf_release(&quoted);
	return more;
}

struct piece *context_add_fit(struct context *c, const struct context_part *p, int64_t most,
                              int64_t all, enum part_kind cut_as, int64_t seq, int64_t doc)
{
	struct context_part some = *p;
	some.len = render_fit(p->text, p->len, most, c->fs->count_tokens);
	for (int64_t more = context_quoted(c, p->text, some.len), left = most; more > 0 && left > 0;) {
		if (c->fs->count_tokens(p->text, some.len) + more <= most)
			break;
		left -= more;
		some.len = render_fit(p->text, p->len, left, c->fs->count_tokens);
		more = context_quoted(c, p->text, some.len);
	}
	if (all > 0)
		some.left = all - c->fs->count_tokens(p->text, some.len);
	else if (some.len < p->len)
		some.left = c->fs->count_tokens(p->text + some.len, p->len - some.len);
	if (some.len < p->len && some.left < 1)
		some.left = 1; /* two halves may have fewer tokens than the whole */
	return context_add(c, &some, cut_as, seq, doc);
}

void context_print(const struct context *c, struct buf *out)
{
	buf_clear(out);
	render_context_head(out, c->session ? "" : c->of);
	for (int kind = 0; kind < CONTEXT_KINDS; kind++) {
		const struct piece *last = NULL;
		if (c->session && kind == CONTEXT_BLOCK + 1)
			render_context_of(out, c->of, c->of_thread);
		for (size_t i = 0; i < c->count; i++) {
			const struct piece *p = &c->piece[i];
			if (p->out || (int)p->part.kind != kind)
				continue;
			if (!last)
				render_context_heading(out, (enum context_kind)kind);
			if (!last && (kind == CONTEXT_FACTS || kind == CONTEXT_MEMORY))
				buf_addc(out, '\n');
			if (kind == CONTEXT_HIT && !(last && render_context_together(&last->part, &p->part)))
				render_context_group(out, &p->part);
			last = p;
			piece_print(out, p);
		}
	}
	render_context_left(out, &c->left);
	buf_add(out, c->memory.data ? c->memory.data : "", c->memory.len);
}

int64_t context_tokens(const struct context *c)
{
	struct buf page = BUF_INIT;
	context_print(c, &page);
	int64_t tokens = page.failed ? INT64_MAX : c->fs->count_tokens(page.data, page.len);
	buf_release(&page);
	return tokens;
}

struct context *context_new(struct fs *fs)
{
	struct context *c = calloc(1, sizeof *c);
	if (c)
		c->fs = fs;
	return c;
}

void context_clear(struct context *c)
{
	struct fs *fs = c->fs;
	for (size_t i = 0; i < c->count; i++) {
		free(c->piece[i].text);
		free(c->piece[i].title);
		free(c->piece[i].where);
	}
	for (size_t i = 0; i < c->turns; i++)
		free(c->turn[i].text);
	free(c->piece);
	buf_release(&c->memory);
	memset(c, 0, sizeof *c);
	c->fs = fs;
}

void context_free(struct context *c)
{
	if (c)
		context_clear(c);
	free(c);
}
