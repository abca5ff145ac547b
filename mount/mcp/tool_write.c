/* SPDX-License-Identifier: MIT */
/* The tools that write: memory_write, memory_log, memory_window (mcp.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mount/mcp/mcp.h"

enum { EDITED_MOST = 16 << 20 }; /* bytes of a document that a part is changed of */

/* As files_put(), with words; where a file may be made, with the directories before it. */
static bool tool_put(struct files *f, const char *path, int flags, const char *bytes, size_t len,
                     FILE *out)
{
	int64_t stored = 0;
	int err = flags & O_CREAT ? files_make_parents(f, path) : 0;
	if (!err)
		err = files_put(f, path, flags, bytes, len, &stored);
	if (!err)
		return true;
	(void)tool_refused(f, path, err, out);
	if (stored > 0 && flags & O_APPEND)
		(void)fprintf(out, "\nThe first %lld lines are stored", (long long)stored);
	return false;
}

/* `old` once in `text`: where; else NULL after saying so. */
static const char *only_place(const char *path, const char *text, size_t len, const char *old,
                              FILE *out)
{
	size_t n = strlen(old);
	const char *at = n ? memmem(text, len, old, n) : NULL;
	if (!at) {
		(void)fprintf(out, "%s: old does not occur in it: nothing was changed", path);
		return NULL;
	}
	if (memmem(at + 1, len - (size_t)(at + 1 - text), old, n)) {
		(void)fprintf(out, "%s: old occurs more than once: give more of what is around it", path);
		return NULL;
	}
	return at;
}

static bool replace(struct files *f, const char *path, const char *old, const char *new, FILE *out)
{
	char *changed = NULL;
	size_t size = 0;
	struct change c;
	struct stat st;
	int err = files_stat(f, path, true, &st);
	if (!err && st.st_size > EDITED_MOST)
		err = -EFBIG;
	if (!err)
		err = files_change_begin(f, path, 0, &c);
	if (err)
		return tool_refused(f, path, err, out);
	const char *at = only_place(path, c.bytes, c.len, old, out);
	FILE *made = at ? open_memstream(&changed, &size) : NULL;
	bool fine = made != NULL;
	if (made) {
		(void)fwrite(c.bytes, 1, (size_t)(at - c.bytes), made);
		(void)fputs(new, made);
		at += strlen(old);
		(void)fwrite(at, 1, c.len - (size_t)(at - c.bytes), made);
		fine = fclose(made) == 0;
	}
	err = files_change_end(f, &c, fine ? changed : NULL, size);
	free(changed);
	return err ? tool_refused(f, path, err, out) : fine;
}

/* A line that does not end would go on with the next one. */
static bool append(struct files *f, const char *path, const char *text, FILE *out)
{
	char *line = NULL;
	size_t len = strlen(text);
	bool ends = len == 0 || text[len - 1] == '\n';
	int n = asprintf(&line, "%s%s", text, ends ? "" : "\n");
	if (n < 0) {
		(void)fputs(strerror(ENOMEM), out);
		return false;
	}
	bool fine = tool_put(f, path, O_CREAT | O_APPEND, line, (size_t)n, out);
	free(line);
	return fine;
}

bool tool_write(struct mcp *m, const json_t *arguments, FILE *out)
{
	const char *path = json_string_value(json_object_get(arguments, "path"));
	const char *text = json_string_value(json_object_get(arguments, "text"));
	const char *old = json_string_value(json_object_get(arguments, "old"));
	const char *new = json_string_value(json_object_get(arguments, "new"));
	const char *more = json_string_value(json_object_get(arguments, "append"));
	path += strspn(path, "/");
	if (!old != !new || !!text + !!old + !!more != 1) {
		(void)fputs("Give text, or old and new, or append", out);
		return false;
	}
	if (!*path) {
		(void)fputs("path is empty: name a file, like notes/deploys.md", out);
		return false;
	}
	struct files *f = tool_begin(m, true, out);
	if (!f)
		return false;
	bool fine = text ? tool_put(f, path, O_CREAT | O_TRUNC, text, strlen(text), out) :
		old ? replace(f, path, old, new, out) : append(f, path, more, out);
	if (fine)
		(void)fprintf(out, "Saved %s", path);
	files_end(f);
	return fine;
}

/* As a line, with as few digits as give its numbers back: 0.1 stays what it was. */
static bool put_line(const json_t *message, FILE *out)
{
	char *line = NULL;
	bool same = false;
	for (size_t digits = 15; digits <= 17 && !same; digits++) {
		free(line);
		line = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(digits));
		json_t *again = line ? json_loads(line, JSON_ALLOW_NUL, NULL) : NULL;
		same = again && json_equal(again, message);
		json_decref(again);
	}
	bool put = line && fprintf(out, "%s\n", line) > 0;
	free(line);
	return put;
}

bool tool_log(struct mcp *m, const json_t *arguments, FILE *out)
{
	const json_t *messages = json_object_get(arguments, "messages"), *message;
	char path[PATH_MAX], *lines = NULL;
	size_t len = 0, i;
	if (!tool_session(m, arguments, "log.jsonl", path, out))
		return false;
	if (json_array_size(messages) == 0) {
		(void)fputs("messages is empty", out);
		return false;
	}
	FILE *made = open_memstream(&lines, &len);
	bool fine = made != NULL;
	json_array_foreach(messages, i, message)
		fine = fine && put_line(message, made);
	if (made)
		fine = fclose(made) == 0 && fine;
	struct files *f = fine ? tool_begin(m, true, out) : NULL;
	fine = f && tool_put(f, path, O_CREAT | O_APPEND, lines, len, out);
	if (fine)
		(void)fprintf(out, "Added %zu to %s", json_array_size(messages), path);
	free(lines);
	files_end(f);
	return fine;
}

/* All of them in one write: a line is one command. */
static bool run_commands(struct files *f, const char *path, const json_t *commands, FILE *out)
{
	char *lines = NULL;
	size_t len = 0, i;
	const json_t *command;
	FILE *made = open_memstream(&lines, &len);
	if (!made) {
		(void)fputs(strerror(ENOMEM), out);
		return false;
	}
	json_array_foreach(commands, i, command) {
		const char *text = json_string_value(command);
		for (; *text; text++)
			(void)fputc(*text == '\n' || *text == '\r' ? ' ' : *text, made);
		(void)fputc('\n', made);
	}
	bool fine = fclose(made) == 0 && tool_put(f, path, O_APPEND, lines, len, out);
	free(lines);
	return fine;
}

bool tool_window(struct mcp *m, const json_t *arguments, FILE *out)
{
	const json_t *commands = json_object_get(arguments, "commands");
	char path[PATH_MAX], *state = NULL;
	size_t len = 0;
	if (!tool_session(m, arguments, "ctl", path, out))
		return false;
	struct files *f = tool_begin(m, true, out);
	if (!f)
		return false;
	bool fine = json_array_size(commands) == 0 || run_commands(f, path, commands, out);
	int err = fine ? files_slurp(f, path, &state, &len) : 0;
	if (err)
		fine = tool_refused(f, path, err, out);
	else if (fine)
		(void)fwrite(state, 1, len, out);
	free(state);
	files_end(f);
	return fine;
}
