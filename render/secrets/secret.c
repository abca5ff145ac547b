/* SPDX-License-Identifier: MIT */
/*
 * Secrets in what is offered, by the forms their makers gave them.  Called by fs/ for each line
 * and each document that is written, so it must cost next to nothing where there is none: memchr
 * goes from one rare byte ("anchor") to the next, and only there a rule is looked at.
 *
 * A form alone is not enough: what stands in manuals and tests (AKIAIOSFODNN7EXAMPLE, sk-xxxx…)
 * has it as well.  So a secret has many different bytes and does not say that it is an example.
 * Text may be JSON as offered: what an escape ends with ("\n", "\u201c") is no letter of
 * a word.  Where a text has what nobody sees (bare.h) it is looked at without that as well.
 */
#include <stdlib.h>
#include <string.h>

#include "render/format/format.h"
#include "render/secrets/secrets.h"

#define ALL SIZE_MAX
enum { VARIED = 8, VARIED_IN = 1024, BEFORE_VALUE = 12, KEY_NAME = 40, KEY_LINE = 32 };

static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
static const char words[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz_";
static const char dashed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz_-";
static const char hexes[] = "0123456789abcdefABCDEF";
static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz+/=";

/* What is behind a prefix, up to the end of the text. */
struct rest {
	const char *p;
	size_t len;
};

static bool is_of(const char *set, char c)
{
	return c && strchr(set, c);
}

static size_t span(struct rest r, const char *set, size_t most)
{
	size_t n = 0;
	while (n < r.len && n < most && is_of(set, r.p[n]))
		n++;
	return n;
}

static struct rest after(struct rest r, size_t n)
{
	return (struct rest){ r.p + n, r.len - n };
}

static bool begins(struct rest r, const char *text)
{
	size_t n = strlen(text);
	return r.len >= n && memcmp(r.p, text, n) == 0;
}

/* The first `len` bytes are no placeholder: their beginning tells. */
static bool is_real(struct rest r, size_t len)
{
	bool seen[256] = { false }, example = false;
	size_t different = 0;
	len = len < VARIED_IN ? len : VARIED_IN;
	for (size_t i = 0; i < len; i++) {
		const struct rest from = { r.p + i, len - i };
		different += !seen[(unsigned char)r.p[i]];
		seen[(unsigned char)r.p[i]] = true;
		example = example || begins(from, "EXAMPLE") || begins(from, "example");
	}
	return different >= VARIED && !example;
}

/* ---- forms that are more than a prefix and a word ------------------------------ */

/* The run of `dashed` looked at last, where many tokens may begin; the bytes of one behind it. */
struct run {
	const char *from, *end;
	size_t tail;
};

/* `: "wJal…` as JSON, YAML, INI and shells have it; the key's 40 bytes. */
static size_t aws_secret(struct rest r)
{
	static const char between[] = " \t=:\"'\\";
	size_t skip = 0;
	while (skip < r.len && skip < BEFORE_VALUE && is_of(between, r.p[skip]))
		skip++;
	bool given = memchr(r.p, '=', skip) || memchr(r.p, ':', skip);
	return given && span(after(r, skip), base64, ALL) == 40 ? skip + 40 : 0;
}

static size_t webhook(struct rest r)
{
	size_t team = span(r, upper, ALL);
	if (team < 8 || !begins(after(r, team), "/B"))
		return 0;
	size_t robot = team + 2 + span(after(r, team + 2), upper, ALL);
	if (robot >= r.len || r.p[robot] != '/')
		return 0;
	size_t key = span(after(r, robot + 1), letters, ALL);
	return key >= 20 ? robot + 1 + key : 0;
}

/* Bytes of `.eyJ….…`, claims and their signature. */
static size_t claims(struct rest r)
{
	if (!begins(r, ".eyJ"))
		return 0;
	size_t end = 4 + span(after(r, 4), dashed, ALL);
	if (end < 12 || end >= r.len || r.p[end] != '.')
		return 0;
	size_t sign = span(after(r, end + 1), dashed, ALL);
	return sign >= 16 ? end + 1 + sign : 0;
}

static size_t web_token(struct rest r, struct run *run)
{
	if (!run->end || r.p < run->from || r.p >= run->end) {
		*run = (struct run){ r.p, r.p + span(r, dashed, ALL), 0 };
		run->tail = claims(after(r, (size_t)(run->end - r.p)));
	}
	size_t head = (size_t)(run->end - r.p);
	return head >= 8 && run->tail > 0 ? head + run->tail : 0;
}

/* True if a key's first line or its headers follow; a text about keys names the border alone. */
static bool key_follows(struct rest r)
{
	size_t skip = 0;
	while (skip < r.len && is_of(" \t\r\n\\nr\">", r.p[skip])) /* `> `: quoted, as in a mail */
		skip++;
	r = after(r, skip);
	return span(r, base64, ALL) >= KEY_LINE || begins(r, "Proc-Type:") || begins(r, "Version:") ||
	       begins(r, "Comment:");
}

/* To the end of the block, or of the text where that is cut off. */
static size_t private_key(struct rest r)
{
	size_t name = 0;
	while (name < r.len && name < KEY_NAME && is_of(upper, r.p[name] == ' ' ? 'A' : r.p[name]))
		name++;
	if (!begins(after(r, name), "-----") || !memmem(r.p, name, "PRIVATE KEY", 11) ||
	    !key_follows(after(r, name + 5)))
		return 0;
	const char *end = memmem(r.p, r.len, "-----END ", 9);
	const char *stop = end ? memmem(end + 9, r.len - (size_t)(end + 9 - r.p), "-----", 5) : NULL;
	return stop ? (size_t)(stop + 5 - r.p) : r.len;
}

/* ---- the rules ------------------------------------------------------------------ */

struct rule {
	const char *kind;
	const char *prefix; /* '?' stands for one of `any` */
	size_t anchor;      /* a place in the prefix whose byte is rare in texts */
	const char *set;    /* of what follows … */
	size_t least, most; /* … and how much of it; or else: */
	size_t (*measure)(struct rest r); /* without either: web_token() */
	const char *any;
};

static const struct rule rules[] = {
	{ "an AWS access key", "AKIA", 2, upper, 16, 16, NULL, NULL },
	{ "an AWS access key", "ASIA", 2, upper, 16, 16, NULL, NULL },
	{ "an AWS secret key", "aws_secret_access_key", 3, NULL, 0, 0, aws_secret, NULL },
	{ "an AWS secret key", "AWS_SECRET_ACCESS_KEY", 3, NULL, 0, 0, aws_secret, NULL },
	{ "a GitHub token", "gh?_", 3, letters, 36, 255, NULL, "pousr" },
	{ "a GitHub token", "github_pat_", 6, words, 60, 255, NULL, NULL },
	{ "a Slack token", "xox?-", 4, dashed, 20, 400, NULL, "abeoprs" },
	{ "a Slack token", "xapp-", 4, dashed, 30, 400, NULL, NULL },
	{ "a Slack webhook", "hooks.slack.com/services/T", 15, NULL, 0, 0, webhook, NULL },
	{ "an Anthropic key", "sk-ant-", 2, dashed, 32, 400, NULL, NULL },
	{ "an OpenAI key", "sk-proj-", 2, dashed, 40, 400, NULL, NULL },
	{ "an OpenAI key", "sk-svcacct-", 2, dashed, 40, 400, NULL, NULL },
	{ "an OpenAI key", "sk-admin-", 2, dashed, 40, 400, NULL, NULL },
	{ "an OpenAI key", "sk-", 2, letters, 40, 64, NULL, NULL },
	{ "a private key", "-----BEGIN ", 4, NULL, 0, 0, private_key, NULL },
	{ "a JSON web token", "eyJ", 2, NULL, 0, 0, NULL, NULL },
};
enum { RULES = sizeof rules / sizeof *rules };

static bool has_prefix(struct rest r, const struct rule *rule)
{
	size_t n = strlen(rule->prefix);
	for (size_t i = 0; i < n && i < r.len; i++)
		if (rule->prefix[i] == '?' ? !is_of(rule->any, r.p[i]) : rule->prefix[i] != r.p[i])
			return false;
	return r.len > n;
}

/* True if JSON's escape of a character ends at `at` that is no letter or digit of ASCII. */
static bool is_escape(const char *text, size_t at)
{
	char hex[5] = "";
	if (at > 1 && text[at - 2] == '\\' && is_of("nrtbf", text[at - 1]))
		return true;
	if (at < 6 || text[at - 6] != '\\' || text[at - 5] != 'u')
		return false;
	memcpy(hex, text + at - 4, 4);
	for (int i = 0; i < 4; i++)
		if (!is_of(hexes, hex[i]))
			return false;
	unsigned long code = strtoul(hex, NULL, 16);
	return code > 0x7F || !is_of(letters, (char)code);
}

/* True if a secret can begin at `at`: behind no letter, but `key-` and `key_` give one a name. */
static bool is_start(const char *text, size_t at)
{
	return at == 0 || !is_of(letters, text[at - 1]) || text[at] == '-' || is_escape(text, at);
}

/* Bytes of the secret that begins at `at`, 0: none does. */
static size_t apply(const struct rule *rule, const char *text, size_t len, size_t at,
                    struct run *run)
{
	struct rest whole = { text + at, len - at };
	size_t head = strlen(rule->prefix);
	if (!has_prefix(whole, rule) || !is_start(text, at))
		return 0;
	struct rest r = after(whole, head);
	size_t n = rule->measure ? rule->measure(r) : rule->set ? span(r, rule->set, rule->most + 1) :
		web_token(r, run);
	if (rule->set && (n < rule->least || n > rule->most))
		return 0;
	return n > 0 && is_real(r, n) ? head + n : 0;
}

static size_t find_at(const char *text, size_t len, size_t anchor, struct run *run,
                      struct secret *out)
{
	for (int i = 0; i < RULES; i++) {
		const struct rule *rule = &rules[i];
		if (rule->prefix[rule->anchor] != text[anchor] || rule->anchor > anchor ||
		    rule->prefix[0] != text[anchor - rule->anchor])
			continue;
		size_t n = apply(rule, text, len, anchor - rule->anchor, run);
		if (n > 0) {
			out->kind = rule->kind;
			out->at = anchor - rule->anchor;
			out->len = n;
			return n;
		}
	}
	return 0;
}

/* ---- the walk -------------------------------------------------------------------- */

static const char anchors[] = { 'I', '_', '-', '/', 'J' };
enum { ANCHORS = sizeof anchors };

/* Where each anchor stands next; `len`: nowhere. */
struct walk {
	const char *text;
	size_t len, next[ANCHORS];
};

static void seek(struct walk *w, int i, size_t from)
{
	const char *p = from < w->len ? memchr(w->text + from, anchors[i], w->len - from) : NULL;
	w->next[i] = p ? (size_t)(p - w->text) : w->len;
}

static size_t nearest(const struct walk *w)
{
	size_t at = w->len;
	for (int i = 0; i < ANCHORS; i++)
		at = w->next[i] < at ? w->next[i] : at;
	return at;
}

static int lines_between(const char *p, const char *end)
{
	int n = 0;
	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

static size_t look(const char *text, size_t len, secret_seen_fn *fn, void *ctx)
{
	struct walk w = { .text = text, .len = len };
	size_t count = 0, counted = 0;
	struct secret s = { .line = 1 };
	struct run run = { NULL, NULL, 0 };
	for (int i = 0; i < ANCHORS; i++)
		seek(&w, i, 0);
	for (size_t at; (at = nearest(&w)) < len;) {
		size_t from = at + 1;
		if (find_at(text, len, at, &run, &s)) {
			s.line += lines_between(text + counted, text + s.at);
			counted = s.at;
			count++;
			if (fn)
				fn(ctx, &s);
			from = s.at + s.len;
		}
		for (int i = 0; i < ANCHORS; i++)
			if (w.next[i] < from)
				seek(&w, i, from);
	}
	return count;
}

/* ---- with what nobody sees, and without ------------------------------------------- */

static void take(void *ctx, const struct secret *s)
{
	buf_add(ctx, s, sizeof *s);
}

static int by_place(const void *a, const void *b)
{
	const struct secret *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->len < y->len) - (x->len > y->len);
}

/* Each once, and of one that begins within another what goes on behind it. */
static size_t tell(struct secret *s, size_t count, secret_seen_fn *fn, void *ctx)
{
	size_t told = 0, upto = 0;
	if (count > 1)
		qsort(s, count, sizeof *s, by_place);
	for (size_t i = 0; i < count; i++) {
		size_t end = s[i].at + s[i].len;
		if (end <= upto)
			continue;
		s[i].at = s[i].at < upto ? upto : s[i].at;
		s[i].len = end - s[i].at;
		upto = end;
		told++;
		if (fn)
			fn(ctx, &s[i]);
	}
	return told;
}

/* As the text is without it, with `seam` in its place; what is seen, as places of the text. */
static void look_bare(const char *text, size_t len, char seam, struct buf *seen)
{
	struct buf bare = BUF_INIT;
	struct bare_place place = { 0, 0, seam };
	size_t from = seen->len;
	bare_copy(&bare, text, len, seam);
	if (bare.len > 0)
		(void)look(bare.data, bare.len, take, seen);
	seen->failed = seen->failed || bare.failed;
	buf_release(&bare);
	for (; from < seen->len && !seen->failed; from += sizeof(struct secret)) {
		struct secret *s = (struct secret *)(void *)(seen->data + from);
		size_t end = s->at + s->len;
		bare_seek(&place, text, len, s->at, true);
		s->at = place.text;
		bare_seek(&place, text, len, end, false);
		s->len = place.text - s->at;
	}
}

/* What a colour parts is one; and so is what stands right behind one, or ends at one. */
static size_t look_through(const char *text, size_t len, secret_seen_fn *fn, void *ctx)
{
	struct buf seen = BUF_INIT;
	size_t count;
	look_bare(text, len, 0, &seen);
	look_bare(text, len, ' ', &seen);
	if (seen.failed)
		count = look(text, len, fn, ctx);
	else
		count = tell((struct secret *)(void *)seen.data, seen.len / sizeof(struct secret), fn, ctx);
	buf_release(&seen);
	return count;
}

size_t render_secrets(const char *text, size_t len, secret_seen_fn *fn, void *ctx)
{
	return (bare_differs(text, len) ? look_through : look)(text, len, fn, ctx);
}
