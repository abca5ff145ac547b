/* SPDX-License-Identifier: MIT */
/*
 * cinta export --messages openai|anthropic SESSION: an array that the API takes, and cinta import
 * takes back.  What is pruned from the window is left out; what a summary stands for is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/export/conversation.h"
#include "mount/export/export.h"
#include "mount/memory/memory.h"
#include "store/array.h"
#include "store/store.h"

struct pruned {
	struct context_range *range;
	size_t count, room;
};

static int note(void *ctx, struct context_range r)
{
	struct pruned *p = ctx;
	if (!ARRAY_ROOM(p->range, p->room, p->count))
		return 1;
	p->range[p->count++] = r;
	return 0;
}

static bool is_pruned(const struct pruned *p, int64_t n)
{
	for (size_t i = 0; i < p->count; i++)
		if (n >= p->range[i].first && n <= p->range[i].last)
			return true;
	return false;
}

static int read_pruned(const struct files_command *c, const char *session, struct pruned *p)
{
	char path[PATH_MAX];
	struct group g;
	int status = database_named(c->options.database, path);
	struct store *s = status == EXIT_FINE ? database_read(path, c->options.key_dir) : NULL;
	if (!s)
		return EXIT_FAULT;
	int err = store_group_by_name(s, LOG_SESSION, session, &g);
	err = err ? err : store_context_marked(s, g.id, MARK_PRUNED, note, p);
	store_close(s);
	if (err)
		complain("export: session %s: %s", session, store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

static bool add_lines(struct conversation *c, const struct pruned *p, char *at)
{
	bool good = true;
	for (char *end; good && *at && (end = strchr(at, '\n')); at = end + 1) {
		json_t *line = json_loadb(at, (size_t)(end - at), JSON_DECODE_INT_AS_REAL, NULL);
		if (!is_pruned(p, (int64_t)json_number_value(json_object_get(line, "id"))))
			good = conversation_add(c, line);
		json_decref(line);
	}
	return good && conversation_make(c);
}

/* A message a line. */
static void print(const struct conversation *c)
{
	size_t n;
	json_t *one;
	if (c->system) {
		json_t *text = json_string(c->system);
		printf("{\"system\":");
		(void)json_dumpf(text, stdout, JSON_ENCODE_ANY);
		printf(",\"messages\":");
		json_decref(text);
	}
	printf("[");
	json_array_foreach(c->messages, n, one) {
		printf(n ? ",\n" : "\n");
		(void)json_dumpf(one, stdout, JSON_COMPACT);
	}
	printf("\n]%s\n", c->system ? "}" : "");
}

static int read_log(const struct files_command *c, const char *session, char **log)
{
	char path[PATH_MAX];
	size_t len;
	struct files *f = NULL;
	(void)snprintf(path, sizeof path, "sessions/%s/log.jsonl", session);
	int status = files_start(c, false, &f);
	int err = status == EXIT_FINE ? files_slurp(f, path, log, &len) : 0;
	if (err)
		status = files_complain(f, path, err);
	files_end(f);
	return status;
}

int export_messages(const struct files_command *c, const struct export_order *o)
{
	struct conversation talk;
	struct pruned pruned = { NULL, 0, 0 };
	char *log = NULL;
	int status = EXIT_FINE;
	if (!conversation_begin(&talk, o->to))
		status = usage("export", "export: --messages %s: one of openai, anthropic", o->to);
	if (status == EXIT_FINE)
		status = read_log(c, o->word, &log);
	if (status == EXIT_FINE)
		status = read_pruned(c, o->word, &pruned);
	if (status == EXIT_FINE && !add_lines(&talk, &pruned, log)) {
		complain("export: out of memory");
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		print(&talk);
	free(log);
	free(pruned.range);
	conversation_end(&talk);
	return status;
}
