/* SPDX-License-Identifier: MIT */
/*
 * A path below the mount point to what is on the tape: documents with their versions,
 * messages, summaries.  Lists and logs hold many texts; these are found by --match.
 */
#include "mount/redact/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The next part of a path, cut off at its slash; NULL: none. */
static char *part(char **at)
{
	char *begin = *at;
	if (!begin || !*begin)
		return NULL;
	char *slash = strchr(begin, '/');
	if (slash)
		*slash = '\0';
	*at = slash ? slash + 1 : NULL;
	return begin;
}

/* Two numbers as in "3-9.md", or one as in "000017.md". */
static bool numbers(const char *name, int64_t *a, int64_t *b)
{
	char *end;
	*a = *b = strtoll(name, &end, 10);
	if (end != name && *end == '-')
		*b = strtoll(end + 1, &end, 10);
	return end != name && strcmp(end, ".md") == 0 && *a > 0 && *b >= *a;
}

static int document(struct store *s, const char *key, char *name, struct named *out)
{
	struct doc d;
	int err = store_doc_at(s, key, name, &d);
	char *at = strrchr(name, '@');
	if (err && at && strspn(at + 1, "0123456789") == strlen(at + 1) && at[1]) {
		out->version = strtoll(at + 1, NULL, 10);
		*at = '\0';
		err = store_doc_at(s, key, name, &d);
	}
	if (err)
		err = store_doc_last_at(s, key, name, &d);
	if (err || d.folder)
		return -ENOENT;
	out->doc = d.id;
	return 0;
}

static int in_session(struct store *s, char *rest, struct named *out)
{
	struct group g;
	char key[DOC_KEY_MAX + 1];
	const char *name = part(&rest);
	char *what = part(&rest);
	const char *file = part(&rest);
	if (!name || !what || (strcmp(name, "current") == 0 ? store_group_current(s, &g) :
	                       store_group_by_name(s, LOG_SESSION, name, &g)))
		return -ENOENT;
	if (!file && strncmp(what, "session.md", 10) == 0) {
		(void)snprintf(key, sizeof key, "session:%lld", (long long)g.id);
		return document(s, key, what, out);
	}
	if (file && strcmp(what, "messages") == 0 && numbers(file, &out->first, &out->last) &&
	    out->first == out->last) {
		store_session_stream(g.id, out->stream);
		out->n = out->first - 1;
		out->first = out->last = 0;
		return 0;
	}
	if (file && strcmp(what, "summaries") == 0 && numbers(file, &out->first, &out->last)) {
		(void)snprintf(out->stream, sizeof out->stream, "c%lld", (long long)g.id);
		return 0;
	}
	return -ENOENT;
}

static bool two_parts(const char *first)
{
	static const char *const of[] = { "blocks", "memories", "components" };
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(of[i], first) == 0)
			return true;
	return false;
}

static int in_place(struct store *s, const char *first, char *rest, struct named *out)
{
	char key[DOC_KEY_MAX + 1];
	struct doc folder;
	bool tools = strcmp(first, "answers") == 0 && rest && strncmp(rest, "tools/", 6) == 0;
	const char *second = two_parts(first) || tools ? part(&rest) : NULL;
	if ((size_t)snprintf(key, sizeof key, "%s%s%s", first, second ? "/" : "",
	                     second ? second : "") >= sizeof key)
		return -ENOENT;
	for (char *name = part(&rest); name; name = part(&rest)) {
		if (!rest)
			return document(s, key, name, out);
		if (store_doc_at(s, key, name, &folder) || !folder.folder)
			return -ENOENT;
		(void)snprintf(key, sizeof key, "#%lld", (long long)folder.id);
	}
	return -ENOENT;
}

int redact_path(struct store *s, const char *path, struct named *out, struct why *why)
{
	char *copy = strdup(path), *rest = copy;
	*out = (struct named){ .doc = 0 };
	const char *first = copy ? part(&rest) : NULL;
	int err = !first ? -ENOENT : strcmp(first, "sessions") == 0 ? in_session(s, rest, out) :
		in_place(s, first, rest, out);
	free(copy);
	if (err)
		why_set(why, "as seen from the mount, name a document (NAME or NAME@N),"
		             " sessions/NAME/messages/N.md or sessions/NAME/summaries/A-B.md, else an"
		             " entry's seq, or --match PATTERN",
		        "%.200s is nothing that can be redacted by its path", path);
	return err;
}
