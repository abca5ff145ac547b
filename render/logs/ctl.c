/* SPDX-License-Identifier: MIT */
/*
 * What is written to a session's ctl: a command a line, to operations.  The verbs
 * are a table; tools of other memories that are file operations here are refused
 * with the words that say which.
 */
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/secrets/secrets.h"
#include "render/text/text.h"

enum shape {
	IDS,     /* 3 4 7-9 */
	RANGE,   /* A-B TEXT */
	BOUNDS,  /* A B TEXT, or A-B TEXT */
	NOTHING,
	TURNS,   /* N or auto */
	REFS,    /* N TYPE:REF TYPE:REF */
	ELSEWHERE /* another file does it */
};

static const struct verb {
	const char *name;
	enum shape shape;
	enum context_verb verb;
	const char *todo; /* how it is written, or which file does it */
} verbs[] = {
	{ "prune", IDS, CONTEXT_PRUNE, "prune 3 4 7-9" },
	{ "restore", IDS, CONTEXT_RESTORE, "restore 3 4 7-9" },
	{ "pin", IDS, CONTEXT_PIN, "pin 3 4 7-9" },
	{ "unpin", IDS, CONTEXT_UNPIN, "unpin 3 4 7-9" },
	{ "summarize", RANGE, CONTEXT_SUMMARIZE, "summarize 10-20 TEXT" },
	{ "reset", NOTHING, CONTEXT_RESET, "reset" },
	{ "window", TURNS, CONTEXT_WINDOW, "window 6, or window auto" },
	{ "refer", REFS, CONTEXT_REFER, "refer 12 context:3 accountant:17 secretary:HASH" },
	{ "prune_messages", IDS, CONTEXT_PRUNE, "prune_messages [3, 4], or prune 3 4" },
	{ "summarize_range", BOUNDS, CONTEXT_SUMMARIZE, "summarize_range 10 20 TEXT" },
	{ "recall_original", ELSEWHERE, CONTEXT_RESET, "cat messages/000003.md, for message 3" },
	{ "save_to_disk", ELSEWHERE, CONTEXT_RESET, "write the file: smma/NAME.md, notes/NAME.md" },
	{ "load_from_disk", ELSEWHERE, CONTEXT_RESET, "cat smma/NAME.md" },
	{ "edit_section", ELSEWHERE, CONTEXT_RESET, "write smma/user_profile.md, "
	  "project_context.md, current_task.md or agent_notes.md" },
	{ "commit_to_ltm", ELSEWHERE, CONTEXT_RESET, "write memories/TYPE/KEY.md" },
	{ "search_ltm", ELSEWHERE, CONTEXT_RESET, "cat search/QUERY.md" },
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static const char blanks[] = " \t", apart[] = " \t,[]()";

/* What is left of a line. */
struct rest {
	const char *at, *end;
};

static void skip(struct rest *r, const char *set)
{
	while (r->at < r->end && *r->at && strchr(set, *r->at))
		r->at++;
}

/* The bytes up to the next of the set. */
static struct rest token(struct rest *r, const char *set)
{
	struct rest t = { r->at, r->at };
	while (t.end < r->end && !(*t.end && strchr(set, *t.end)))
		t.end++;
	r->at = t.end;
	return t;
}

static bool is_word(struct rest t, const char *word)
{
	size_t len = (size_t)(t.end - t.at);
	return len == strlen(word) && memcmp(t.at, word, len) == 0;
}

/* A number above 0 of at most 15 digits; 0: none begins here. */
static int64_t number(struct rest *t)
{
	int64_t n = 0;
	const char *from = t->at;
	while (t->at < t->end && *t->at >= '0' && *t->at <= '9' && t->at - from < 16)
		n = n * 10 + (*t->at++ - '0');
	return t->at - from < 16 ? n : 0;
}

/* "7" or "7-9", and nothing more. */
static bool range(struct rest t, struct context_range *out)
{
	out->first = out->last = number(&t);
	if (t.at < t.end && *t.at == '-') {
		t.at++;
		out->last = number(&t);
	}
	return t.at == t.end && out->first > 0 && out->last >= out->first;
}

/* The bytes of a user's, short enough to be quoted. */
static void quote(struct rest t, char dst[64])
{
	size_t n = 0;
	while (t.at < t.end && n < 40) {
		size_t step = utf8_size(t.at, (size_t)(t.end - t.at));
		bool bad = step == 0 || (unsigned char)*t.at < 0x20 || *t.at == 0x7F;
		if (bad)
			dst[n++] = '?';
		else
			memcpy(dst + n, t.at, step);
		n += bad ? 0 : step;
		t.at += step ? step : 1;
	}
	(void)snprintf(dst + n, 64 - n, "%s", t.at < t.end ? "…" : "");
}

static int wrong(const struct verb *v, struct rest t, const char *what, struct why *why)
{
	char said[64];
	quote(t, said);
	why_set(why, v->todo, "%s: %s%s%s%s", v->name, what, *said ? ": `" : "", said,
	        *said ? "`" : "");
	return RENDER_EINVAL;
}

static int by_first(const void *a, const void *b)
{
	const struct context_range *x = a, *y = b;
	return x->first != y->first ? (x->first < y->first ? -1 : 1) : 0;
}

/* Ascending, each message once. */
static size_t join(struct context_range *r, size_t count)
{
	size_t kept = 0;
	qsort(r, count, sizeof *r, by_first);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && r[i].first <= r[kept - 1].last + 1) {
			if (r[i].last > r[kept - 1].last)
				r[kept - 1].last = r[i].last;
		} else {
			r[kept++] = r[i];
		}
	}
	return kept;
}

static int read_ids(const struct verb *v, struct rest *r, struct buf *ranges, size_t *count,
                    struct why *why)
{
	struct context_range one[CONTEXT_RANGES_MOST];
	size_t n = 0;
	for (skip(r, apart); r->at < r->end; skip(r, apart)) {
		struct rest t = token(r, apart);
		if (n == CONTEXT_RANGES_MOST)
			return wrong(v, (struct rest){ NULL, NULL }, "too many numbers for one line", why);
		if (!range(t, &one[n++]))
			return wrong(v, t, "not a message's number, nor a range as 7-9", why);
	}
	if (n == 0)
		return wrong(v, (struct rest){ NULL, NULL }, "no message is named", why);
	*count = join(one, n);
	buf_add(ranges, one, *count * sizeof *one);
	return 0;
}

int render_summary_in(const char *bytes, size_t len, struct why *why)
{
	size_t blank = 0;
	if (len > CONTEXT_TEXT_MOST) {
		why_set(why, "say less; the originals stay in messages/", "%zu bytes, at most %d", len,
		        CONTEXT_TEXT_MOST);
		return RENDER_EFBIG;
	}
	for (size_t i = 0; i < len;) {
		size_t n = bytes[i] ? utf8_size(bytes + i, len - i) : 0;
		if (n == 0) {
			why_set(why, "write text", "a summary is UTF-8 without NUL; byte %zu is not", i + 1);
			return RENDER_EINVAL;
		}
		blank += strchr(" \t\r\n", bytes[i]) != NULL;
		i += n;
	}
	if (blank < len)
		return 0;
	why_set(why, "say what the messages it stands for came to", "a summary cannot be empty");
	return RENDER_EINVAL;
}

/* `10-20 TEXT` or `10 20 TEXT`; the text is the rest of the line, and gets its newline. */
static int read_range(const struct verb *v, struct rest *r, struct ctl *out,
                      struct context_op *op, struct why *why)
{
	struct context_range one;
	const char *parts = v->shape == BOUNDS ? " \t,(" : blanks;
	skip(r, parts);
	struct rest t = token(r, parts);
	bool both = !memchr(t.at, '-', (size_t)(t.end - t.at)) && v->shape == BOUNDS;
	bool sound = range(t, &one);
	if (sound && both) {
		struct context_range end;
		skip(r, parts);
		t = token(r, parts);
		sound = range(t, &end) && end.first == end.last && end.first >= one.first;
		one.last = end.first;
	}
	if (!sound || (v->shape == RANGE && !memchr(t.at, '-', (size_t)(t.end - t.at))))
		return wrong(v, t, "not a range of messages", why);
	skip(r, blanks);
	if (v->shape == BOUNDS && r->at < r->end && *r->at == ',') {
		r->at++;
		skip(r, blanks);
	}
	size_t start = out->texts.len;
	buf_add(&out->texts, r->at, (size_t)(r->end - r->at));
	buf_addc(&out->texts, '\n');
	buf_add(&out->ranges, &one, sizeof one);
	op->count = 1;
	op->len = out->texts.len - start;
	return out->texts.failed ? RENDER_ENOMEM :
		render_summary_in(out->texts.data + start, op->len, why);
}

static int read_turns(const struct verb *v, struct rest *r, struct context_op *op, struct why *why)
{
	skip(r, blanks);
	struct rest t = token(r, blanks), said = t;
	skip(r, blanks);
	bool is_auto = is_word(t, "auto");
	int64_t n = is_auto ? 0 : number(&t);
	op->window = (int)(n <= CONTEXT_WINDOW_MOST ? n : 0);
	if (r->at < r->end || (!is_auto && (t.at < t.end || op->window == 0)))
		return wrong(v, said, "takes a number of turns from 1 to 64, or auto", why);
	return 0;
}

/* UTF-8 without control characters. */
static bool is_plain(const char *at, const char *end)
{
	for (size_t step; at < end; at += step) {
		step = utf8_size(at, (size_t)(end - at));
		if (step == 0 || (unsigned char)*at < 0x20 || *at == 0x7F)
			return false;
	}
	return true;
}

/* TYPE:REF as JSON: a number where it is one, as in a message. */
static bool add_ref(struct buf *out, struct rest t)
{
	static const char *const types[] = { "context", "accountant", "secretary" };
	const char *colon = memchr(t.at, ':', (size_t)(t.end - t.at));
	if (!colon || colon + 1 == t.end || t.end - colon > CONTEXT_REF_MOST ||
	    !is_plain(colon + 1, t.end))
		return false;
	struct rest n = { colon + 1, t.end };
	bool is_number = number(&n) > 0 && n.at == n.end && colon[1] != '0';
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (!is_word((struct rest){ t.at, colon }, types[i]))
			continue;
		buf_addf(out, "{\"type\":\"%s\",\"ref\":", types[i]);
		if (is_number)
			buf_add(out, colon + 1, (size_t)(t.end - colon - 1));
		else
			buf_add_json(out, colon + 1, (size_t)(t.end - colon - 1));
		buf_addc(out, '}');
		return true;
	}
	return false;
}

static int read_refs(const struct verb *v, struct rest *r, struct ctl *out, struct context_op *op,
                     struct why *why)
{
	struct context_range one;
	size_t start = out->texts.len;
	int count = 0;
	skip(r, blanks);
	struct rest t = token(r, blanks);
	if (!range(t, &one) || one.first != one.last)
		return wrong(v, t, "not a message's number", why);
	buf_addc(&out->texts, '[');
	for (skip(r, blanks); r->at < r->end; skip(r, blanks)) {
		t = token(r, blanks);
		if (count++ > 0)
			buf_addc(&out->texts, ',');
		if (!add_ref(&out->texts, t))
			return wrong(v, t, "not a type and what it refers to", why);
	}
	buf_addc(&out->texts, ']');
	if (count == 0 || count > CONTEXT_REFS_MOST)
		return wrong(v, (struct rest){ NULL, NULL }, "it takes 1 to 64 references", why);
	buf_add(&out->ranges, &one, sizeof one);
	op->count = 1;
	op->len = out->texts.len - start;
	return 0;
}

static int read_line(struct rest r, struct ctl *out, struct context_op *op, struct why *why)
{
	struct rest word = token(&r, " \t([");
	const struct verb *v = verbs;
	while (v < verbs + VERBS && !is_word(word, v->name))
		v++;
	if (v == verbs + VERBS) {
		char said[64];
		quote(word, said);
		why_set(why, "one of: prune restore pin unpin summarize window reset refer (see: cat ctl)",
		        "`%s` is no command", said);
		return RENDER_EINVAL;
	}
	op->verb = v->verb;
	switch (v->shape) {
	case IDS:
		return read_ids(v, &r, &out->ranges, &op->count, why);
	case RANGE:
	case BOUNDS:
		return read_range(v, &r, out, op, why);
	case TURNS:
		return read_turns(v, &r, op, why);
	case REFS:
		return read_refs(v, &r, out, op, why);
	case NOTHING:
		skip(&r, "()[] \t");
		return r.at == r.end ? 0 : wrong(v, r, "takes nothing more", why);
	case ELSEWHERE:
		break;
	}
	why_set(why, v->todo, "%s is done with files here", v->name);
	return RENDER_EINVAL;
}

static int add_line(struct ctl *out, const char *line, size_t len, int n, struct why *why)
{
	struct rest r = { line, line + len };
	struct context_op op = { .line = n };
	skip(&r, blanks);
	while (r.end > r.at && r.end[-1] && strchr(" \t\r", r.end[-1]))
		r.end--;
	if (r.at == r.end || *r.at == '#')
		return 0;
	if (len > CTL_LINE_LIMIT) {
		why_set(why, "write it in parts", "a command is longer than %d bytes", CTL_LINE_LIMIT);
		return RENDER_EFBIG;
	}
	if (out->count == CONTEXT_OPS_MOST) {
		why_set(why, "write them in parts", "more than %d commands at once", CONTEXT_OPS_MOST);
		return RENDER_EINVAL;
	}
	int err = read_line(r, out, &op, why);
	if (!err)
		out->op[out->count++] = op;
	return err;
}

/* Each line to an operation, up to the first that is none. */
static int read_lines(const char *bytes, size_t len, struct ctl *out, struct why *why)
{
	const char *at = bytes, *end = bytes + len;
	int err = 0;
	memset(out, 0, sizeof *out);
	out->op = calloc(CONTEXT_OPS_MOST, sizeof *out->op);
	if (!out->op)
		err = RENDER_ENOMEM;
	for (int n = 1; !err && at < end; n++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		err = add_line(out, at, (size_t)(stop - at), n, why);
		if (err)
			why->line = n;
		at = stop + 1;
	}
	return err;
}

/* Stars in place of a secret; lines and words stay where they are. */
static void hide(void *ctx, const struct secret *s)
{
	char *text = ctx;
	for (size_t i = s->at; i < s->at + s->len; i++)
		text[i] = strchr(" \t\r\n", text[i]) && text[i] ? text[i] : '*';
}

/*
 * A complaint quotes the beginning of a word, in which a secret is no longer known as one: where
 * the lines hold any, what is wrong is said of the lines without it.
 */
static void complain_without(const char *bytes, size_t len, struct why *why)
{
	struct buf text = BUF_INIT;
	struct ctl again;
	if (render_secrets(bytes, len, NULL, NULL) == 0)
		return;
	buf_add(&text, bytes, len);
	if (!text.failed)
		(void)render_secrets(bytes, len, hide, text.data);
	if (text.failed || read_lines(text.data, len, &again, why) == 0)
		why_set(why, "write it without", "there is a secret where none can be");
	if (!text.failed)
		ctl_release(&again);
	buf_release(&text);
}

int render_ctl_in(const char *bytes, size_t len, struct ctl *out, struct why *why)
{
	int err = read_lines(bytes, len, out, why);
	if (err && err != RENDER_ENOMEM)
		complain_without(bytes, len, why);
	if (!err && (out->ranges.failed || out->texts.failed))
		err = RENDER_ENOMEM;
	if (err == RENDER_ENOMEM)
		why_set(why, "try again", "out of memory");
	const struct context_range *range_at = (const void *)out->ranges.data;
	const char *text_at = out->texts.data;
	for (size_t i = 0; !err && i < out->count; i++) { /* the buffers have come to rest */
		struct context_op *op = &out->op[i];
		op->range = op->count ? range_at : NULL;
		op->text = op->len ? text_at : NULL;
		if (op->count)
			range_at += op->count;
		if (op->len)
			text_at += op->len;
	}
	return err;
}

void ctl_release(struct ctl *c)
{
	free(c->op);
	buf_release(&c->ranges);
	buf_release(&c->texts);
}

bool render_summary_name(const char *name, struct context_range *out)
{
	struct rest t = { name, name + strlen(name) };
	memset(out, 0, sizeof *out);
	if (t.end - t.at < 4 || strcmp(t.end - 3, ".md") != 0)
		return false;
	t.end -= 3;
	const char *dash = memchr(t.at, '-', (size_t)(t.end - t.at));
	if (!dash || dash == t.at || dash + 1 == t.end)
		return false;
	for (const char *p = t.at; p < t.end; p++)
		if (p != dash && (*p < '0' || *p > '9'))
			return false;
	if (!range(t, out)) /* it looks like one, and is none */
		*out = (struct context_range){ 0, 0 };
	return true;
}
