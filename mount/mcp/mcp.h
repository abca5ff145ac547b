/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/mcp: a memory for clients of the Model Context Protocol, on standard input and
 * output.  It is the files of mount/files under six names; nothing of a memory is done here.
 *
 *   cmd_mcp.c   the verb; lines in, lines out
 *   answer.c    what is answered to a message, in both generations of the protocol
 *   tools.c     the tools by name, and what they are given; tools.json says what they are
 *   tool_read.c  tool_write.c  what each does; tool.c: what they have in common
 *   resource.c  files by their URIs
 */
#ifndef CINTA_MCP_H
#define CINTA_MCP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "mount/files/files.h"

struct mcp {
	const char *database;
	struct options options; /* ro: tools that write are not offered; session: where none is named */
	json_t *tools;          /* the array of those offered */
	bool named;             /* the process has the client's name */
};

/*
 * The answer to a message, or to an array of them: a new reference; NULL: none is due.  `message`
 * NULL: it was no JSON.
 */
json_t *mcp_answer(struct mcp *m, const json_t *message);
/* An error that answers `id`, which is borrowed; NULL: nobody's. */
json_t *mcp_error(const json_t *id, int code, const char *text);

/* The tools that are offered: a new reference; NULL: no memory. */
json_t *tools_offered(const struct mcp *m);
/* The result of calling one: a new reference; NULL: none is called so. */
json_t *tools_call(struct mcp *m, const char *name, const json_t *arguments);
/*
 * A tool writes to `out` what is read by the model; false: that is why it did nothing.  What it is
 * given has the types and members that tools.json says.
 */
typedef bool tool_fn(struct mcp *m, const json_t *arguments, FILE *out);
tool_fn tool_context, tool_search, tool_read, tool_write, tool_log, tool_window;

/* tool.c: the memory, for one of them; NULL after saying why.  files_end() ends it. */
struct files *tool_begin(struct mcp *m, bool writes, FILE *out);
/* Says why the last operation on `path` failed so; false. */
bool tool_refused(struct files *f, const char *path, int error, FILE *out);
/* "sessions/NAME/FILE" of the session that was named; false after saying why not. */
bool tool_session(const struct mcp *m, const json_t *arguments, const char *file,
                  char path[PATH_MAX], FILE *out);

/* resource.c: results, new references. */
json_t *resources_list(void);
json_t *resources_templates(void);
/* `missing`: there is none at that URI, and NULL is returned; NULL: no memory. */
json_t *resources_read(struct mcp *m, const char *uri, char reason[1024]);

verb_fn cmd_mcp;

#endif
