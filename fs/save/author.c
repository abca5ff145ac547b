/* SPDX-License-Identifier: MIT */
/* Who asks: "alice:vim".  A player of components/ply may claim a user or a program. */
#include "fs/save/save.h"

#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"

/* Visible ASCII without what JSON or the author's own syntax would have to escape. */
static bool plain(unsigned char c)
{
	return c > 0x20 && c < 0x7F && !strchr("%\"\\", c);
}

static void add_encoded(char *dst, size_t size, const char *text, const char *also)
{
	size_t len = strlen(dst);
	for (const char *p = text; *p && len + 4 < size; p++) {
		unsigned char c = (unsigned char)*p;
		if (plain(c) && !strchr(also, c))
			dst[len++] = *p;
		else
			len += (size_t)snprintf(dst + len, 4, "%%%02X", c);
	}
	dst[len] = '\0';
}

/* `name`: the program's. */
static void author_by(fuse_req_t req, const char *name, char author[FIELD_MAX + 1])
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	/* The name given for the owner is not for others who were let in. */
	const struct client *of = &mount_of(req)->client;
	const char *owner = *of->as ? of->as : ctx->uid == fs_of(req)->uid ? of->owner : "";
	char text[FIELD_MAX + 1], code[NAME_LIMIT + 1];
	author[0] = '\0';
	if (!*owner) {
		claims_player(fs_of(req), ctx->uid, name, code);
		owner = code;
	}
	if (!*owner) {
		claims_user(fs_of(req), ctx->uid, text);
		owner = text;
	}
	if (!*owner) {
		(void)snprintf(text, sizeof text, "uid%u", (unsigned)ctx->uid);
		owner = text;
	}
	add_encoded(author, FIELD_MAX - 40, owner, ":");
	if (*name) {
		size_t len = strlen(author); /* at most FIELD_MAX - 40 so far */
		(void)snprintf(author + len, FIELD_MAX + 1 - len, ":");
		add_encoded(author, FIELD_MAX + 1, name, "");
	}
}

void author_of(fuse_req_t req, char author[FIELD_MAX + 1])
{
	char program[64];
	program_of(fuse_req_ctx(req)->pid, program);
	author_by(req, program, author);
}

void writer_of(fuse_req_t req, struct writer *out)
{
	process_look(fuse_req_ctx(req)->pid, &out->process);
	author_by(req, out->process.program, out->author);
	talk_of(fs_of(req), &out->process, &out->talk);
	out->uid = fuse_req_ctx(req)->uid;
}
