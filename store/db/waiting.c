/* SPDX-License-Identifier: MIT */
/* Refusals in memory (waiting.h). */
#include "store/db/waiting.h"

#include <stdlib.h>
#include <string.h>

static const char *put(char **at, const char *text)
{
	const char *copy = *at;
	*at = stpcpy(*at, text) + 1;
	return copy;
}

void waiting_add(struct waiting *w, const struct refusal *r, const char *name, const char *offered,
                 size_t len, int64_t entries)
{
	const char *const text[] = { r->code, r->op, r->path, r->author, r->reason, r->todo, name };
	size_t size = 0;
	while (w->count >= WAITING_MOST)
		waiting_shift(w);
	bool room = offered && len <= WAITING_BYTES - w->bytes;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		size += strlen(text[i]) + 1;
	struct waiting_one *one = malloc(sizeof *one + size + (room ? len : 0));
	if (!one)
		return;
	char *at = (char *)(one + 1);
	*one = (struct waiting_one){ .len = room ? len : 0, .entries = entries };
	one->refusal = (struct refusal){ .time_us = r->time_us, .code = put(&at, r->code),
		.op = put(&at, r->op), .path = put(&at, r->path), .author = put(&at, r->author),
		.reason = put(&at, r->reason), .todo = put(&at, r->todo), .kept = "" };
	one->name = put(&at, name);
	if (room)
		one->offered = memcpy(at, offered, len);
	*(w->last ? &w->last->next : &w->first) = one;
	w->last = one;
	w->count++;
	w->bytes += one->len;
}

void waiting_shift(struct waiting *w)
{
	struct waiting_one *one = w->first;
	w->first = one->next;
	if (!w->first)
		w->last = NULL;
	w->count--;
	w->bytes -= one->len;
	explicit_bzero(one, sizeof *one);
	free(one);
}
