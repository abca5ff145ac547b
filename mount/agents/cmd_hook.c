/* SPDX-License-Identifier: MIT */
/*
 * cinta hook [-d DB] [-o opt,...]: what Claude Code, Codex and Gemini run at events of a session.
 * They say on standard input, as a JSON object, which; of that these members are read:
 *
 *   hook_event_name  session_id  transcript_path  cwd
 *
 * When a session starts the answer is the context of its project, the thread of `cwd`.  When it
 * stops, ends or is about to be shortened, its transcript is taken in, as `cinta import` does.
 *
 * An agent must never wait for its memory, or be stopped by it: the status is 0 whatever happens,
 * nothing but the answer is on standard output, what takes long goes on after we have gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mount/agents/agents.h"
#include "mount/files/files.h"
#include "mount/import/import.h"
#include "mount/memory/memory.h"

enum {
	INPUT_MOST = 4 << 20,  /* a tool's answer may be in it */
	INPUT_MS = 1000,       /* for an agent that does not close its end */
	FILES_MS = 150,        /* while another owner comes or goes */
	START_SECONDS = 8,     /* a mount that hangs must not hang the agent, which waits for ten */
	IMPORT_MS = 200        /* waited for it, then it goes on alone */
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* True if `fd` can be read before `deadline`. */
static bool readable(int fd, int64_t deadline)
{
	struct pollfd p = { fd, POLLIN, 0 };
	for (;;) {
		int64_t left = deadline - now_ms();
		int n = poll(&p, 1, left > 0 ? (int)left : 0);
		if (n >= 0 || errno != EINTR)
			return n > 0;
	}
}

/* The event: to the end of standard input, or to where an object is complete.  NULL: none. */
static json_t *read_event(void)
{
	char *text = malloc(INPUT_MOST);
	size_t len = 0;
	json_t *event = NULL;
	int64_t deadline = now_ms() + INPUT_MS;
	while (text && !event && len < INPUT_MOST && readable(STDIN_FILENO, deadline)) {
		ssize_t got = read(STDIN_FILENO, text + len, INPUT_MOST - len);
		if (got < 0 && errno == EINTR)
			continue;
		len += got > 0 ? (size_t)got : 0;
		bool whole = got <= 0 || memrchr(text + len - got, '}', (size_t)got);
		if (whole)
			event = json_loadb(text, len, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL |
			                   JSON_ALLOW_NUL, NULL);
		if (got <= 0)
			break;
	}
	free(text);
	if (json_is_object(event))
		return event;
	json_decref(event);
	return NULL;
}

static const char *member(const json_t *event, const char *name)
{
	const char *text = json_string_value(json_object_get(event, name));
	return text ? text : "";
}

/* ---- a session starts ------------------------------------------------------ */

/* What is known of a project that has no thread yet is what a question with its name finds. */
static int read_context(struct files *f, const char *thread, char **text, size_t *len)
{
	char path[NAME_LIMIT + 32];
	int err = -ENOENT;
	if (*thread) {
		(void)snprintf(path, sizeof path, "threads/%s/context.md", thread);
		err = files_slurp(f, path, text, len);
	}
	if (err && *thread) {
		(void)snprintf(path, sizeof path, "context/%s.md", thread);
		err = files_slurp(f, path, text, len);
	}
	return err ? files_slurp(f, "context/project.md", text, len) : 0;
}

static void print_context(const char *text, size_t len)
{
	/* By this line an import knows the text again when the agent hands its transcript back. */
	static const char mark[] = "<!-- cinta:context -->\n";
	char *marked = malloc(sizeof mark + len);
	if (!marked)
		return;
	memcpy(marked, mark, sizeof mark - 1);
	memcpy(marked + sizeof mark - 1, text, len);
	json_t *answer = json_pack("{s:{s:s, s:s%}}", "hookSpecificOutput", "hookEventName",
		"SessionStart", "additionalContext", marked, sizeof mark - 1 + len);
	char *line = json_dumps(answer, JSON_COMPACT);
	if (line)
		puts(line);
	else
		complain("hook: the context is no text");
	free(line);
	json_decref(answer);
	free(marked);
}

static void give_up(int sig)
{
	static const char words[] = "cinta: hook: the memory did not answer; see `cinta doctor`\n";
	(void)sig;
	(void)!write(STDERR_FILENO, words, sizeof words - 1);
	_exit(EXIT_FINE);
}

static void on_start(const char *database, const struct options *o, const json_t *event)
{
	struct files *f = NULL;
	struct why why = { 0 };
	char thread[NAME_LIMIT + 1], *text = NULL;
	size_t len = 0;
	(void)signal(SIGALRM, give_up);
	(void)alarm(START_SECONDS);
	fs_thread_of(member(event, "cwd"), thread);
	int err = files_begin(database, o, false, FILES_MS, &f, &why);
	if (err) {
		complain_why(database, &why, strerror(-err));
		return;
	}
	err = read_context(f, thread, &text, &len);
	if (err)
		(void)files_complain(f, "context.md", err);
	else
		print_context(text, len);
	(void)fflush(stdout); /* an agent has it, however long closing takes */
	free(text);
	files_end(f);
	(void)alarm(0);
}

/* ---- a session stops, ends, or is shortened --------------------------------- */

/* Codex may not say where it is: by the session's name, where it always is.  For free(). */
static char *find_transcript(const json_t *event)
{
	const char *given = member(event, "transcript_path"), *id = member(event, "session_id");
	const char *home = getenv("CODEX_HOME"), *user = getenv("HOME");
	char pattern[PATH_MAX];
	glob_t found = { .gl_pathc = 0 };
	if (*given)
		return strdup(given);
	if (!*id || id[strcspn(id, "/*?[\\")] || (!home && !user))
		return NULL;
	int n = snprintf(pattern, sizeof pattern, "%s%s/sessions/*/*/*/rollout-*-%s.jsonl",
	                 home ? home : user, home ? "" : "/.codex", id);
	bool fits = n > 0 && (size_t)n < sizeof pattern;
	char *path = fits && glob(pattern, 0, NULL, &found) == 0 ? strdup(found.gl_pathv[0]) : NULL;
	globfree(&found);
	return path;
}

/* In a process of its own, which holds nothing that the agent waits for. */
static _Noreturn void take_in(const char *database, const struct options *o, const json_t *event,
                              char *path, int tells)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)setsid();
	if (null >= 0) {
		(void)dup2(null, STDIN_FILENO);
		(void)dup2(null, STDOUT_FILENO);
	}
	(void)dup2(tells, STDERR_FILENO);
	(void)close_range(STDERR_FILENO + 1, ~0U, 0);
	_exit(import_quietly(database, o, member(event, "cwd"), path));
}

/* What it says while we wait. */
static void listen_for(int fd)
{
	char text[512];
	int64_t deadline = now_ms() + IMPORT_MS;
	while (readable(fd, deadline)) {
		ssize_t got = read(fd, text, sizeof text);
		if (got <= 0)
			break;
		(void)fwrite(text, 1, (size_t)got, stderr);
	}
}

static void on_stop(const char *database, const struct options *o, const json_t *event)
{
	int tells[2];
	struct stat st;
	char *path = find_transcript(event);
	if (!path) {
		complain("hook: %s names no transcript", member(event, "hook_event_name"));
		return;
	}
	bool there = stat(path, &st) == 0, plain = there && S_ISREG(st.st_mode);
	/* A directory would be taken in whole, a FIFO waited for. */
	if (!plain || access(path, R_OK) < 0 || pipe2(tells, O_CLOEXEC) < 0) {
		complain("hook: %s: %s", path, there && !plain ? "is no plain file" : strerror(errno));
		free(path);
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		take_in(database, o, event, path, tells[1]);
	close(tells[1]);
	if (pid < 0)
		complain("hook: %s", strerror(errno));
	else
		listen_for(tells[0]);
	close(tells[0]);
	free(path);
}

/* ---- which ------------------------------------------------------------------- */

typedef void event_fn(const char *database, const struct options *o, const json_t *event);

/* By the names of Claude Code and Codex, then those that Gemini has for the same. */
static event_fn *answer_to(const char *event)
{
	static const struct {
		const char *name;
		event_fn *fn;
	} events[] = {
		{ "SessionStart", on_start }, { "Stop", on_stop }, { "SessionEnd", on_stop },
		{ "PreCompact", on_stop }, { "AfterAgent", on_stop }, { "PreCompress", on_stop },
	};
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (strcmp(events[i].name, event) == 0)
			return events[i].fn;
	return NULL;
}

static void answer(const struct options *o)
{
	char path[PATH_MAX];
	json_t *event = read_event();
	if (!event) {
		complain("hook: an agent runs this, with a JSON object on standard input");
		return;
	}
	event_fn *fn = answer_to(member(event, "hook_event_name"));
	if (fn && database_named(o->database, path) == EXIT_FINE)
		fn(path, o, event);
	json_decref(event);
}

int cmd_hook(int argc, char **argv)
{
	struct options o = { 0 };
	(void)signal(SIGPIPE, SIG_IGN); /* an agent may have gone */
	int status = database_words(argc, argv, OPTIONS_WRITE, &o);
	if (status == EXIT_FINE && optind < argc)
		status = usage("hook", "hook: %s: name the database with -d", argv[optind]);
	if (status == EXIT_FINE)
		answer(&o);
	options_release(&o);
	(void)finish(EXIT_FINE);
	return EXIT_FINE; /* of 2 an agent would make an order to go on */
}
