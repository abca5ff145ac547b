/* SPDX-License-Identifier: MIT */
/* The iterator: texts of a file, one after the other, to the format that knows them. */
#include <stdlib.h>
#include <string.h>

#include "render/import/parts.h"

static const struct import_format *const formats[] = { &import_claude_code, &import_codex,
	&import_gemini, &import_chatgpt, &import_claude_ai, &import_claude_kept, &import_entities,
	&import_tape, &import_opencode, &import_agentfs, &import_letta, &import_cursor,
	&import_messages };

static json_t *parse(struct import *i, const char *text, size_t len, json_error_t *error)
{
	if (cut_is_crowded(text, len)) {
		(void)snprintf(error->text, sizeof error->text, "it has more values than are taken in");
		return NULL;
	}
	struct buf mended = BUF_INIT;
	json_t *item = json_tree(text, len, error);
	if (!item && cut_mend(&mended, text, len))
		item = json_tree(mended.data, mended.len, error);
	i->failed |= mended.failed;
	buf_release(&mended);
	return item;
}

static void skip(struct import *i, const char *reason)
{
	i->sink->skipped(i->sink->ctx, i->at, reason);
}

static void choose(struct import *i, const json_t *item)
{
	for (size_t n = 0; !i->format && n < sizeof formats / sizeof *formats; n++)
		if (formats[n]->knows(item))
			i->format = formats[n];
}

static void import_line(void *ctx, int64_t at, char *text, size_t len)
{
	struct import *i = ctx;
	json_error_t error;
	i->at = at;
	if (!text) {
		skip(i, "it is longer than anything that is taken in");
		return;
	}
	json_t *item = parse(i, text, len, &error);
	if (item && !i->format)
		choose(i, item);
	if (!item)
		skip(i, error.text);
	else if (!json_is_object(item))
		skip(i, "it is not a JSON object");
	else if (!i->format)
		skip(i, "nothing that is known: no message or conversation of a format in cinta(1)");
	else
		i->format->item(i, item);
	i->items += item && i->format;
	json_decref(item);
}

struct import *render_import_new(const char *name, enum import_tools tools,
                                 const struct import_sink *sink)
{
	struct import *i = calloc(1, sizeof *i);
	char *copy = strdup(name);
	if (!i || !copy) {
		free(i);
		free(copy);
		return NULL;
	}
	i->name = copy;
	i->tools = tools;
	i->sink = sink;
	i->cut = (struct cut){ .tell = import_line, .ctx = i };
	return i;
}

int render_import_bytes(struct import *i, const char *bytes, size_t len)
{
	cut_bytes(&i->cut, bytes, len);
	return i->failed || i->cut.text.failed ? RENDER_ENOMEM : 0;
}

/* A last line may have lost its newline only; half a line parses as nothing. */
static bool take_rest(struct import *i)
{
	struct cut *c = &i->cut;
	size_t blank = c->text.data ? strspn(c->text.data, "\xEF\xBB\xBF \t\r\n") : 0;
	json_error_t error;
	if (c->text.len == blank)
		return true;
	json_t *item = c->mode == CUT_ELEMENTS ? NULL :
		parse(i, c->text.data + blank, c->text.len - blank, &error);
	if (item)
		import_line(i, c->at + 1, c->text.data + blank, c->text.len - blank);
	json_decref(item);
	return item || c->mode == CUT_LINES;
}

int render_import_end(struct import *i, struct why *why)
{
	bool whole = take_rest(i);
	if (i->format && i->format->end)
		i->format->end(i);
	if (i->failed || i->cut.text.failed) {
		why_set(why, "try again", "out of memory");
		return RENDER_ENOMEM;
	}
	if (i->cut.mode == CUT_ELEMENTS ? !i->cut.closed : !whole) {
		why_set(why, "get it anew: what was whole in it has been taken in",
		        "its JSON ends in the middle");
		return RENDER_EINVAL;
	}
	if (i->items == 0 && !(i->cut.mode == CUT_ELEMENTS && i->cut.at == 0)) {
		why_set(why, "cinta(1) lists the formats",
		        "it holds no conversation that is known here");
		return RENDER_EINVAL;
	}
	return 0;
}

void render_import_free(struct import *i)
{
	if (!i)
		return;
	cut_release(&i->cut);
	json_decref(i->kept);
	buf_release(&i->turns);
	buf_release(&i->ids);
	free((char *)i->name);
	free(i);
}
