/* SPDX-License-Identifier: MIT */
/* The tools that read: memory_context, memory_search, memory_read (mcp.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mount/mcp/mcp.h"

enum {
	PIECE = 128 << 10,
	SHOWN_MOST = 64 << 10,    /* bytes of a file at once: some 16,000 tokens */
	QUESTION_MOST = 240,      /* bytes: a name holds 255 */
	HITS_MOST = 100
};

/* A file's text, all of it. */
static bool show(struct mcp *m, const char *path, FILE *out)
{
	struct files *f = tool_begin(m, false, out);
	char *text = NULL;
	size_t len = 0;
	if (!f)
		return false;
	int err = files_slurp(f, path, &text, &len);
	if (err)
		(void)tool_refused(f, path, err, out);
	else
		(void)fwrite(text, 1, len, out);
	free(text);
	files_end(f);
	return !err;
}

/* Any text as a name asks it: in one line, without what ends a name, cut between characters. */
static void as_name(char dst[QUESTION_MOST + 1], const char *text)
{
	size_t len = 0;
	text += strspn(text, ". \t\n");
	for (; *text && len < QUESTION_MOST; text++)
		dst[len++] = *text == '/' || (unsigned char)*text < 0x20 || *text == 0x7F ? ' ' : *text;
	if (((unsigned char)*text & 0xC0) == 0x80) {
		while (len > 0 && ((unsigned char)dst[len - 1] & 0xC0) == 0x80)
			len--;
		len -= len > 0;
	}
	dst[len] = '\0';
}

bool tool_context(struct mcp *m, const json_t *arguments, FILE *out)
{
	const char *question = json_string_value(json_object_get(arguments, "question"));
	char path[PATH_MAX], name[QUESTION_MOST + 1] = "";
	bool session = json_object_get(arguments, "session") || m->options.session;
	as_name(name, question ? question : "");
	if (*name && json_object_get(arguments, "session")) {
		(void)fputs("Give a question or a session, not both", out);
		return false;
	}
	if (*name)
		(void)snprintf(path, sizeof path, "context/%s.md", name);
	else if (!session)
		(void)snprintf(path, sizeof path, "context.md");
	else if (!tool_session(m, arguments, "context.md", path, out))
		return false;
	return show(m, path, out);
}

bool tool_search(struct mcp *m, const json_t *arguments, FILE *out)
{
	const json_t *limit = json_object_get(arguments, "limit");
	char path[PATH_MAX], name[QUESTION_MOST + 1], most[32] = "";
	as_name(name, json_string_value(json_object_get(arguments, "query")));
	if (!*name) {
		(void)fputs("query: say for what", out);
		return false;
	}
	if (limit && (json_integer_value(limit) < 1 || json_integer_value(limit) > HITS_MOST)) {
		(void)fprintf(out, "limit must be 1 to %d", HITS_MOST);
		return false;
	}
	if (limit) /* before the query: a quote that is left open takes in all behind it */
		(void)snprintf(most, sizeof most, "limit:%d ", (int)json_integer_value(limit));
	(void)snprintf(path, sizeof path, "search/%s%s.md", most, name);
	return show(m, path, out);
}

/* ---- memory_read ------------------------------------------------------------------- */

struct listing {
	FILE *out;
	int64_t count;
};

static int list_name(void *ctx, const char *name, mode_t type)
{
	struct listing *l = ctx;
	(void)fprintf(l->out, "%s%s\n", name, S_ISDIR(type) ? "/" : "");
	l->count++;
	return 0;
}

static bool list(struct files *f, const char *path, FILE *out)
{
	struct listing l = { out, 0 };
	int err = files_list(f, path, list_name, &l);
	if (err)
		return tool_refused(f, path, err, out);
	if (l.count == 0)
		(void)fputs("(nothing is listed here)\n", out);
	return true;
}

struct range {
	int64_t first, last;
};

/* "7", "7-", "7-12"; false after saying so. */
static bool read_range(const json_t *arguments, struct range *r, FILE *out)
{
	const char *text = json_string_value(json_object_get(arguments, "lines"));
	char *end;
	*r = (struct range){ 1, INT64_MAX };
	if (!text || !*text)
		return true;
	r->first = strtoll(text, &end, 10);
	if (*end == '\0')
		r->last = r->first;
	else if (*end == '-' && end[1])
		r->last = strtoll(end + 1, &end, 10);
	else if (*end == '-')
		end++;
	if (*end || r->first < 1 || r->last < r->first) {
		(void)fputs("lines: like 20-40, from 1", out);
		return false;
	}
	return true;
}

/* Where a file is, while its lines go by. */
struct reading {
	struct range want;
	int64_t line;  /* the one that begins or goes on next, from 1 */
	size_t shown;
	bool begun;    /* of that one there was something */
	bool full;     /* that one does not fit */
	FILE *out;
};

/*
 * What does not fit any more: of the first line wanted as much as may be, of another nothing, for
 * the next reading begins with it.  A character that a piece's end parts is made whole.
 */
static void cut(struct reading *r, const char *text, size_t len)
{
	size_t fits = r->line == r->want.first ? SHOWN_MOST - r->shown : 0, most = fits + 3;
	while (fits < len && fits < most && ((unsigned char)text[fits] & 0xC0) == 0x80)
		fits++;
	(void)fwrite(text, 1, fits, r->out);
	r->full = true;
}

static void take_piece(struct reading *r, const char *piece, size_t len)
{
	for (size_t at = 0; at < len && r->line <= r->want.last;) {
		const char *end = memchr(piece + at, '\n', len - at);
		size_t n = end ? (size_t)(end - piece) + 1 - at : len - at;
		if (r->line >= r->want.first) {
			if (r->shown + n > SHOWN_MOST) {
				cut(r, piece + at, n);
				return;
			}
			(void)fwrite(piece + at, 1, n, r->out);
			r->shown += n;
		}
		r->line += end != NULL;
		r->begun = !end;
		at += n;
	}
}

/* How to go on; a line of which no more can be given must not be asked for again. */
static void tell_end(const struct reading *r)
{
	long long line = (long long)r->line;
	if (r->full && r->line == r->want.first)
		(void)fprintf(r->out, "\n(cut here: line %lld is longer than the 64 KiB that are given; "
		              "go on with lines %lld-)\n", line, line + 1);
	else if (r->full)
		(void)fprintf(r->out, "\n(cut here: 64 KiB; go on with lines %lld-)\n", line);
	else if (r->shown == 0 && r->want.first > 1)
		(void)fprintf(r->out, "(it has %lld lines)\n", line - 1 + r->begun);
}

static bool print_lines(struct files *f, const char *path, struct reading *r)
{
	struct file file;
	char *piece = malloc(PIECE);
	ssize_t got = piece ? 1 : -ENOMEM;
	int err = files_open(f, path, O_RDONLY, &file);
	if (err) {
		free(piece);
		return tool_refused(f, path, err, r->out);
	}
	while (got > 0 && !r->full && r->line <= r->want.last) {
		got = files_read(f, &file, piece, PIECE);
		take_piece(r, piece, got > 0 ? (size_t)got : 0);
	}
	err = files_close(f, &file);
	free(piece);
	if (got < 0 || err)
		return tool_refused(f, path, got < 0 ? (int)got : err, r->out);
	tell_end(r);
	return true;
}

bool tool_read(struct mcp *m, const json_t *arguments, FILE *out)
{
	const char *path = json_string_value(json_object_get(arguments, "path"));
	struct reading r = { .line = 1, .out = out };
	struct stat st;
	if (!read_range(arguments, &r.want, out))
		return false;
	struct files *f = tool_begin(m, false, out);
	if (!f)
		return false;
	path += strspn(path, "/");
	int err = files_stat(f, *path ? path : ".", true, &st);
	bool fine = err ? tool_refused(f, path, err, out) :
		S_ISDIR(st.st_mode) ? list(f, *path ? path : ".", out) : print_lines(f, path, &r);
	files_end(f);
	return fine;
}
