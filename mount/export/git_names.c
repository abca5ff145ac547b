/* SPDX-License-Identifier: MIT */
/* Names by number (git_names.h), as docs/format.md §5 and §6 have them. */
#include "mount/export/git_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"

enum { DEEPEST = 64 /* folders in each other: a tape by another program may have a circle */ };

static char *text_of(const json_t *body, const char *member)
{
	const char *text = json_string_value(json_object_get(body, member));
	return strdup(text ? text : "");
}

bool git_names_session(struct git_names *g, int64_t number, const json_t *body)
{
	while ((int64_t)g->sessions < number) {
		if (!ARRAY_ROOM(g->session, g->session_room, g->sessions))
			return false;
		g->session[g->sessions++] = NULL;
	}
	free(g->session[number - 1]);
	g->session[number - 1] = text_of(body, "name");
	return g->session[number - 1] != NULL;
}

bool git_names_doc(struct git_names *g, int64_t number, const json_t *body)
{
	while ((int64_t)g->docs < number) {
		if (!ARRAY_ROOM(g->doc, g->doc_room, g->docs))
			return false;
		g->doc[g->docs++] = (struct git_doc){ .parent = NULL };
	}
	g->doc[number - 1].folder = json_is_true(json_object_get(body, "folder"));
	return git_names_move(g, number, body);
}

bool git_names_move(struct git_names *g, int64_t number, const json_t *body)
{
	if (number < 1 || number > (int64_t)g->docs)
		return true;
	struct git_doc *d = &g->doc[number - 1];
	free(d->parent);
	free(d->name);
	d->parent = text_of(body, "parent");
	d->name = text_of(body, "name");
	return d->parent && d->name;
}

struct git_doc *git_names_get(const struct git_names *g, int64_t number)
{
	bool there = number > 0 && number <= (int64_t)g->docs && g->doc[number - 1].name;
	return there ? &g->doc[number - 1] : NULL;
}

const char *git_names_of_session(const struct git_names *g, int64_t number)
{
	bool there = number > 0 && number <= (int64_t)g->sessions;
	return there ? g->session[number - 1] : NULL;
}

/* The number behind `lead` in a key; 0: it begins otherwise. */
static int64_t number_in(const char *key, const char *lead)
{
	size_t len = strlen(lead);
	return strncmp(key, lead, len) == 0 ? strtoll(key + len, NULL, 10) : 0;
}

static bool place(const struct git_names *g, int64_t number, int deep, char path[GIT_PATH])
{
	const struct git_doc *d = git_names_get(g, number);
	char above[GIT_PATH];
	if (!d || deep == DEEPEST)
		return false;
	int64_t folder = number_in(d->parent, "#"), session = number_in(d->parent, "session:");
	const char *name = git_names_of_session(g, session);
	if (folder > 0 && !place(g, folder, deep + 1, above))
		return false;
	if (session > 0)
		(void)snprintf(above, sizeof above, "sessions/%s", name ? name : d->parent);
	else if (folder == 0)
		(void)snprintf(above, sizeof above, "%s", d->parent);
	return *d->name && *above &&
	       snprintf(path, GIT_PATH, "%.2000s/%s", above, d->name) < GIT_PATH;
}

bool git_names_path(const struct git_names *g, int64_t number, char path[GIT_PATH])
{
	return place(g, number, 0, path);
}

bool git_names_below(const struct git_names *g, int64_t number, int64_t of)
{
	const struct git_doc *d;
	for (int deep = 0; deep < DEEPEST && (d = git_names_get(g, number)); deep++) {
		if (number == of)
			return true;
		number = number_in(d->parent, "#");
	}
	return false;
}

void git_names_release(struct git_names *g)
{
	for (size_t i = 0; i < g->sessions; i++)
		free(g->session[i]);
	for (size_t i = 0; i < g->docs; i++) {
		free(g->doc[i].parent);
		free(g->doc[i].name);
	}
	free(g->session);
	free(g->doc);
}
