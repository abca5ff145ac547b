/* SPDX-License-Identifier: MIT */
/*
 * Reads queries.  Nothing that is not one of the ten filters has a meaning of its
 * own, so any text can be pasted; a filter whose value is wrong is refused, because
 * to leave it out would answer another question.
 */
#include "render/format/format.h"
#include "render/search/query_date.h"
#include "render/search/search.h"

#include <stdlib.h>
#include <string.h>


struct reading {
	struct query *q;
	struct why *why;
	const char *at, *end;
	unsigned seen; /* filters that were there, by their number */
	int err;
};

/* ---- any bytes to text ------------------------------------------------- */

/* What is written as one byte or left out: blanks, quotes; 0: as it is. */
static char plain(const char *s, size_t n)
{
	static const struct {
		char bytes[4], as;
	} list[] = {
		{ "\xC2\xA0", ' ' }, { "\xE3\x80\x80", ' ' }, /* no-break, ideographic */
		{ "\xE2\x80\xA8", ' ' }, { "\xE2\x80\xA9", ' ' }, /* lines */
		{ "\xEF\xBB\xBF", ' ' }, /* byte order */
		{ "\xE2\x80\x9C", '"' }, { "\xE2\x80\x9D", '"' }, { "\xE2\x80\x9E", '"' },
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (strlen(list[i].bytes) == n && memcmp(s, list[i].bytes, n) == 0)
			return list[i].as;
	return 0;
}

/* UTF-8 without control characters; all that is not is a blank. */
static void clean(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = utf8_size(text + i, len - i);
		char as = n > 1 ? plain(text + i, n) : 0;
		if (n == 0 || c < 0x20 || c == 0x7F ||
		    (n == 2 && c == 0xC2 && (unsigned char)text[i + 1] < 0xA0))
			as = ' ';
		if (as)
			buf_addc(out, as);
		else
			buf_add(out, text + i, n);
		i += n ? n : 1;
	}
}

/* ---- what a query is made of -------------------------------------------- */

static void wrong(struct reading *r, const char *todo, const char *what)
{
	why_set(r->why, todo, "%.200s", what);
	r->err = RENDER_EINVAL;
}

/* [from, to) with single blanks, none at the ends. */
static char *tidy(const char *from, const char *to)
{
	char *text = malloc((size_t)(to - from) + 1);
	size_t n = 0;
	for (; text && from < to; from++)
		if (*from != ' ' || (n > 0 && text[n - 1] != ' '))
			text[n++] = *from;
	if (!text)
		return NULL;
	n -= n > 0 && text[n - 1] == ' ';
	text[n] = '\0';
	return text;
}

static void add_to(struct reading *r, char **list, size_t *count, const char *from, const char *to)
{
	char *text = tidy(from, to);
	if (!text) {
		r->err = RENDER_ENOMEM;
	} else if (!*text) {
		free(text);
	} else if (*count == QUERY_PHRASES) {
		free(text);
		wrong(r, "leave some out", "a query has at most 32 phrases, and is without at most 32");
	} else {
		list[(*count)++] = text;
	}
}

static void add_word(struct reading *r, const char *from, const char *to)
{
	if (r->q->words.len > 0)
		buf_addc(&r->q->words, ' ');
	buf_add(&r->q->words, from, (size_t)(to - from));
}

/* ---- filters ------------------------------------------------------------ */

static void take_name(struct reading *r, const char *key, const char *value, char *dst, size_t size)
{
	if (strlen(value) < size)
		memcpy(dst, value, strlen(value) + 1);
	else
		why_set(r->why, "see README.md", "%s: is at most %d bytes long", key, (int)size - 1);
	if (strlen(value) >= size)
		r->err = RENDER_EINVAL;
}

static void take_in(struct reading *r, const char *value)
{
	static const char *const places[] = { "messages", "facts", "documents", "memories", "blocks",
		"notes" };
	while (*value) {
		size_t n = strcspn(value, ",");
		int i = 0;
		while (i < 6 && (strlen(places[i]) != n || memcmp(places[i], value, n) != 0))
			i++;
		if (i == 6) {
			why_set(r->why, "in:messages, facts, documents, memories, blocks or notes, with commas "
			        "between", "in:%.100s is nowhere", value);
			r->err = RENDER_EINVAL;
			return;
		}
		r->q->in |= 1u << i;
		value += n + (value[n] == ',');
	}
}

/* "live", or how something is retired; several with commas between. */
static void take_status(struct reading *r, const char *value)
{
	while (*value) {
		size_t n = strcspn(value, ",");
		enum life life = LIFE_LIVE;
		while (life < LIFE_PRUNED &&
		       (strlen(life_name(life)) != n || memcmp(life_name(life), value, n) != 0))
			life++;
		if (life == LIFE_PRUNED) {
			why_set(r->why, "status:live, aged, stale, expired, superseded, deleted, deprecated or "
			        "inactive, with commas between", "there is no status:%.100s", value);
			r->err = RENDER_EINVAL;
			return;
		}
		r->q->status |= 1u << life;
		value += n + (value[n] == ',');
	}
}

static void take_role(struct reading *r, const char *value)
{
	static const char *const roles[] = { "user", "assistant", "system", "tool" };
	for (int i = 0; i < 4; i++)
		if (strcmp(value, roles[i]) == 0)
			take_name(r, "role", value, r->q->role, sizeof r->q->role);
	if (!r->q->role[0]) {
		why_set(r->why, "role:user, assistant, system or tool", "there is no role:%.100s", value);
		r->err = RENDER_EINVAL;
	}
}

static void take_date(struct reading *r, const char *key, const char *value, int64_t *us)
{
	if (query_date(value, us) == 0) {
		*us += *us == 0; /* 0 would be no date at all */
		return;
	}
	why_set(r->why, "a date is 2026, 2026-01, 2026-01-31 or 2026-01-31T10:00, in UTC",
	        "%s:%.100s is no date", key, value);
	r->err = RENDER_EINVAL;
}

static void take_limit(struct reading *r, const char *value)
{
	int n = 0;
	const char *c = value;
	for (; *c >= '0' && *c <= '9' && n <= QUERY_HITS_MOST; c++)
		n = n * 10 + (*c - '0');
	if (!*c && n >= 1 && n <= QUERY_HITS_MOST) {
		r->q->limit = n;
		return;
	}
	why_set(r->why, "a limit is 1 to 1000", "limit:%.100s is no number of hits", value);
	r->err = RENDER_EINVAL;
}

/* Of an entry: its beginning will do. */
static void take_hash(struct reading *r, const char *value)
{
	size_t len = strlen(value);
	if (len >= QUERY_HASH_LEAST && len <= QUERY_HASH && !value[strspn(value, "0123456789abcdef")]) {
		memcpy(r->q->hash, value, len + 1);
		return;
	}
	why_set(r->why, "hash:0f3a91bc: 8 to 64 of its digits, from the first on",
	        "hash:%.100s begins no hash", value);
	r->err = RENDER_EINVAL;
}

enum filter { SESSION, THREAD, TYPE, IN, BY, ROLE, AFTER, BEFORE, LIMIT, STATUS, HASH, NAMED,
	FILTERS = NAMED + QUERY_NAMED };
static const char *const filter_name[FILTERS] = { "session", "thread", "type", "in", "by", "role",
	"after", "before", "limit", "status", "hash", "tag", "player", "item", "flag", "at", "leader" };

const char *const query_named[QUERY_NAMED] = { "tag", "player", "item", "flag", "at", "leader" };

static void filter_take(struct reading *r, enum filter filter, const char *value)
{
	struct query *q = r->q;
	const char *key = filter_name[filter];
	if (filter != IN && filter != STATUS && (r->seen & 1u << filter)) {
		why_set(r->why, "give it once; only in: and status: may be repeated",
		        "%s: is there twice", key);
		r->err = RENDER_EINVAL;
		return;
	}
	r->seen |= 1u << filter;
	switch (filter) {
	case SESSION: take_name(r, key, value, q->session, sizeof q->session); break;
	case THREAD: take_name(r, key, value, q->thread, sizeof q->thread); break;
	case TYPE: take_name(r, key, value, q->type, sizeof q->type); break;
	case BY: take_name(r, key, value, q->by, sizeof q->by); break;
	case IN: take_in(r, value); break;
	case ROLE: take_role(r, value); break;
	case AFTER: take_date(r, key, value, &q->after_us); break;
	case BEFORE: take_date(r, key, value, &q->before_us); break;
	case LIMIT: take_limit(r, value); break;
	case STATUS: take_status(r, value); break;
	case HASH: take_hash(r, value); break;
	default: take_name(r, key, value, q->named[filter - NAMED], sizeof q->named[0]);
	}
}

/* The filter of "key:" with something directly behind it: *value begins behind the colon. */
static enum filter filter_at(const char *at, const char *end, const char **value)
{
	for (enum filter f = SESSION; f < FILTERS; f++) {
		size_t n = strlen(filter_name[f]);
		if ((size_t)(end - at) > n + 1 && memcmp(at, filter_name[f], n) == 0 && at[n] == ':' &&
		    at[n + 1] != ' ') {
			*value = at + n + 1;
			return f;
		}
	}
	return FILTERS;
}

/* ---- reading -------------------------------------------------------------- */

/* From a quote at *at to its partner or the end: what is between; *at moves behind. */
static const char *quoted(const char **at, const char *end, const char **to)
{
	const char *from = *at + 1;
	const char *close = memchr(from, '"', (size_t)(end - from));
	*to = close ? close : end;
	*at = close ? close + 1 : end;
	return from;
}

static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '"')
		at++;
	return at;
}

static void read_filter(struct reading *r, enum filter f, const char *value)
{
	const char *to;
	r->at = value;
	if (*value == '"') {
		value = quoted(&r->at, r->end, &to);
	} else {
		to = word_end(value, r->end);
		r->at = to;
	}
	char *text = tidy(value, to);
	if (!text)
		r->err = RENDER_ENOMEM;
	else if (!*text) /* session:"" */
		wrong(r, "give it a value, or leave it out", "a filter has nothing behind its colon");
	else
		filter_take(r, f, text);
	free(text);
}

static void read_one(struct reading *r)
{
	const char *value = NULL, *to, *from = r->at;
	bool minus = *from == '-' && r->end - from > 1 && from[1] != ' ' && from[1] != '-';
	from += minus;
	if (*from == '"') {
		r->at = from;
		from = quoted(&r->at, r->end, &to);
	} else {
		enum filter f = filter_at(from, r->end, &value);
		if (f != FILTERS && minus)
			wrong(r, "put it in quotes if these are words", "a filter cannot be negated");
		if (f != FILTERS) {
			if (!r->err)
				read_filter(r, f, value);
			return;
		}
		to = word_end(from, r->end);
		r->at = to;
		if (!minus) {
			add_word(r, from, to);
			return;
		}
	}
	if (minus)
		add_to(r, r->q->without, &r->q->without_count, from, to);
	else
		add_to(r, r->q->phrases, &r->q->phrase_count, from, to);
}

int render_query_in(const char *text, size_t len, struct query *out, struct why *why)
{
	struct buf bytes = BUF_INIT;
	memset(out, 0, sizeof *out);
	out->limit = QUERY_HITS;
	if (len > QUERY_LIMIT) {
		why_set(why, "ask with fewer words", "a query is at most %d bytes long", QUERY_LIMIT);
		return RENDER_EFBIG;
	}
	clean(&bytes, text, len);
	struct reading r = { .q = out, .why = why, .at = bytes.data ? bytes.data : "" };
	r.end = r.at + bytes.len;
	while (!r.err && r.at < r.end) {
		if (*r.at == ' ')
			r.at++;
		else
			read_one(&r);
	}
	if (!r.err && out->after_us && out->before_us && out->after_us >= out->before_us)
		wrong(&r, "after: is the beginning, before: the end", "nothing is after: and before: that");
	if (bytes.failed || out->words.failed)
		r.err = RENDER_ENOMEM;
	if (r.err == RENDER_ENOMEM)
		why_set(why, "free some memory", "there is no memory for it");
	buf_release(&bytes);
	return r.err;
}

void query_release(struct query *q)
{
	buf_release(&q->words);
	while (q->phrase_count > 0)
		free(q->phrases[--q->phrase_count]);
	while (q->without_count > 0)
		free(q->without[--q->without_count]);
}
