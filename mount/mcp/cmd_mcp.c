/* SPDX-License-Identifier: MIT */
/*
 * cinta mcp [-d DB] [-o opt,...]: a server of the Model Context Protocol, started by its client: a
 * JSON message a line on standard input and on standard output, until the input ends.
 *
 * The memory is opened for each call and closed after it, so that others can mount it, or have it
 * to themselves, while a client sits there for days.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/mcp/mcp.h"
#include "mount/memory/memory.h"

enum {
	LINE_MOST = 4 << 20,
	PIECE = 64 << 10,
	JSON_FLAGS = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY
};

/* What was read and is no whole line yet. */
struct input {
	char *bytes;
	size_t len, room;
	bool skips; /* the line is too long: what comes of it is dropped */
};

/*
 * Clients are agents, and what they write is told from what a person does by the environment that
 * a program was started with: so one that is told of none starts again with a name for it.
 */
static void be_an_agent(char **argv)
{
	static const char *const names[] = { "CINTA_AGENT", "CLAUDE_CODE_SESSION_ID",
		"CODEX_THREAD_ID", "OPENCODE", "AI_AGENT" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return;
	char **again = NULL;
	int count = 0;
	while (argv[count])
		count++;
	again = calloc((size_t)count + 2, sizeof *again);
	if (!again || setenv("CINTA_AGENT", "mcp", 1) < 0)
		return;
	char program[] = "cinta";
	again[0] = program;
	memcpy(again + 1, argv, (size_t)count * sizeof *again);
	(void)execv("/proc/self/exe", again);
	free(again); /* without /proc it is a person's: more is allowed, nothing else changes */
}

/*
 * Half a character, written as an escape, is what is left where a client cut a text; no JSON
 * parser takes it.  Each becomes U+FFFD.  False: there was none.
 */
static bool mend(char *line, size_t len)
{
	bool mended = false;
	for (size_t i = 0; i + 6 <= len; i++) {
		if (line[i] != '\\')
			continue;
		bool half = line[i + 1] == 'u' && (line[i + 2] | 0x20) == 'd';
		char kind = half ? line[i + 3] : '0';
		bool high = kind && strchr("89abAB", kind), low = kind && strchr("cdefCDEF", kind);
		if (high && i + 12 <= len && line[i + 6] == '\\' && line[i + 7] == 'u' &&
		    (line[i + 8] | 0x20) == 'd' && line[i + 9] && strchr("cdefCDEF", line[i + 9])) {
			i += 11;
		} else if (high || low) {
			memcpy(line + i + 2, "fffd", 4);
			mended = true;
			i += 5;
		} else {
			i++;
		}
	}
	return mended;
}

static json_t *parse(char *line, size_t len, json_error_t *error)
{
	json_t *message = json_loadb(line, len, JSON_FLAGS, error);
	if (!message && mend(line, len))
		message = json_loadb(line, len, JSON_FLAGS, error);
	return message;
}

/* False: nobody reads any more. */
static bool print(json_t *answer)
{
	char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	json_decref(answer);
	if (!text)
		return true;
	bool out = puts(text) >= 0 && fflush(stdout) == 0;
	free(text);
	return out;
}

static bool on_line(struct mcp *m, char *line, size_t len)
{
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	if (len == 0)
		return true;
	json_error_t error;
	json_t *message = parse(line, len, &error);
	bool large = !message && json_error_code(&error) == json_error_numeric_overflow;
	bool reads = print(large ? mcp_error(NULL, -32700, "Parse error: a number of more than 64 "
	                                     "bits: write it as a string") : mcp_answer(m, message));
	json_decref(message);
	return reads;
}

/* All whole lines of it, and what is not one at the end; false: nobody reads any more. */
static bool on_input(struct mcp *m, struct input *in, bool ended)
{
	size_t at = 0;
	bool reads = true;
	for (char *end; reads && (end = memchr(in->bytes + at, '\n', in->len - at));) {
		size_t len = (size_t)(end - in->bytes) - at;
		if (!in->skips)
			reads = on_line(m, in->bytes + at, len);
		in->skips = false;
		at += len + 1;
	}
	memmove(in->bytes, in->bytes + at, in->len - at);
	in->len -= at;
	if (in->len > LINE_MOST && !in->skips) {
		in->skips = true;
		reads = reads && print(mcp_error(NULL, -32600, "A line of more than 4 MiB: send less"));
	}
	if (in->skips)
		in->len = 0;
	return reads && (!ended || on_line(m, in->bytes, in->len));
}

static int serve(struct mcp *m)
{
	struct input in = { NULL, 0, 0, false };
	int status = EXIT_FINE;
	for (bool goes = true; goes;) {
		if (in.room - in.len < PIECE) {
			size_t room = in.room ? in.room * 2 : 2 * PIECE;
			char *more = realloc(in.bytes, room);
			if (!more) {
				complain("mcp: %s", strerror(ENOMEM));
				status = EXIT_FAULT;
				break;
			}
			in.bytes = more;
			in.room = room;
		}
		ssize_t got = read(STDIN_FILENO, in.bytes + in.len, PIECE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			complain("cannot read standard input: %s", strerror(errno));
			status = EXIT_FAULT;
		}
		in.len += got > 0 ? (size_t)got : 0;
		goes = on_input(m, &in, got <= 0) && got > 0;
	}
	free(in.bytes);
	return status;
}

static int parse_words(int argc, char **argv, struct options *o)
{
	int status = database_words(argc, argv, OPTIONS_SERVE, o);
	if (status == EXIT_FINE && argc - optind > 1)
		status = usage(argv[0], "mcp: name one database, not %d", argc - optind);
	if (status == EXIT_FINE && optind < argc)
		o->database = argv[optind];
	return status;
}

int cmd_mcp(int argc, char **argv)
{
	struct mcp m = { .named = false };
	struct why why = { 0 };
	char path[PATH_MAX];
	be_an_agent(argv);
	int status = parse_words(argc, argv, &m.options);
	if (status == EXIT_FINE)
		status = database_named(m.options.database, path);
	if (status == EXIT_FINE && m.options.session && fs_check_session(m.options.session, &why))
		status = usage(argv[0], "mcp: session=%s: %s", m.options.session, why.text);
	m.database = path;
	if (status == EXIT_FINE && !(m.tools = tools_offered(&m)))
		status = EXIT_FAULT;
	if (status == EXIT_FINE) {
		if (isatty(STDIN_FILENO))
			complain("mcp: a client of the protocol starts this, and talks to it; ^D ends it");
		(void)signal(SIGPIPE, SIG_IGN);
		status = serve(&m);
		if (ferror(stdout) && errno != EPIPE) /* a client may go */
			status = finish(status);
	}
	json_decref(m.tools);
	options_release(&m.options);
	return status;
}
