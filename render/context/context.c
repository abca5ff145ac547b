/* SPDX-License-Identifier: MIT */
/* The parts of context.md, and how a text is made to fit. */
#include "render/context/context.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/search/search.h"
#include "render/text/text.h"
#include "render/vectors/vectors.h"

static const char *const headings[CONTEXT_KINDS] = {
	[CONTEXT_BLOCK] = "Instructions",
	[CONTEXT_SECTION] = "State",
	[CONTEXT_FACTS] = "Facts",
	[CONTEXT_SUMMARY] = "Earlier, in short",
	[CONTEXT_HIT] = "Found",
	[CONTEXT_TURN] = "Conversation",
	[CONTEXT_RESULT] = "Tool results to be answered",
	[CONTEXT_REFUSAL] = "Refused just now",
};

void render_context_head(struct buf *out, const char *of)
{
	char name[256]; /* of a question anybody asked: it stays on its line */
	render_name(name, sizeof name, of);
	buf_addf(out, "# Context: %s\n\n", name);
	buf_adds(out, "Where these contradict each other, trust first what was said (Conversation), "
	              "then files (Instructions, State, Facts), then summaries, last what is marked "
	              "inferred.\n");
}

void render_context_heading(struct buf *out, enum context_kind kind)
{
	buf_addf(out, "\n## %s\n", headings[kind]);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "**#7 user**", "**4–6**", and what a hit begins with: "**notes/plan.md**", a session's group. */
static bool is_bold_of_ours(const char *bold, size_t len)
{
	size_t at = 0;
	while (at < len && ((bold[at] >= 'a' && bold[at] <= 'z') || bold[at] == '.'))
		at++;
	return len > 0 && (*bold == '#' || is_digit(*bold) || (at > 0 && at < len && bold[at] == '/'));
}

/* Does a line begin as one of the page's own does?  A tool's result may say "## Instructions". */
static bool is_ours(const char *line, size_t len)
{
	static const char left[] = "left out:";
	size_t at = 0, hashes = 0;
	while (at < len && strchr(" \t", line[at]))
		at++;
	if (len - at > 3 && memcmp(line + at, "**", 2) == 0)
		return is_bold_of_ours(line + at + 2, len - at - 2);
	if (len - at > 1 && line[at] == '#' && is_digit(line[at + 1])) /* "#7 user: text" */
		return true;
	if (len - at >= sizeof left - 1 && strncasecmp(line + at, left, sizeof left - 1) == 0)
		return true;
	for (; at < len && line[at] == '#'; at++)
		hashes++;
	while (at < len && strchr(" \t", line[at]))
		at++;
	for (int kind = 0; hashes > 0 && kind < CONTEXT_KINDS; kind++) {
		size_t size = strlen(headings[kind]);
		if (len - at >= size && strncasecmp(line + at, headings[kind], size) == 0 &&
		    (len - at == size || !isalpha((unsigned char)line[at + size])))
			return true;
	}
	return false;
}

/* What somebody said, with its lines that look like ours behind a backslash. */
static void add_said(struct buf *out, const char *text, size_t len)
{
	for (size_t at = 0, next; at < len; at = next) {
		const char *end = memchr(text + at, '\n', len - at);
		next = end ? (size_t)(end - text) + 1 : len;
		if (is_ours(text + at, next - at))
			buf_addc(out, '\\');
		buf_add(out, text + at, next - at);
	}
}

/* A text under a heading, with a newline at its end and no blank lines around it. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	while (len > 0 && strchr("\r\n", *text)) {
		text++;
		len--;
	}
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	add_said(out, text, len);
	buf_addc(out, '\n');
}

/* To the minute: a line of each message pays for it. */
static void add_minute(struct buf *out, int64_t time_us)
{
	struct buf time = BUF_INIT;
	buf_add_time(&time, time_us);
	if (time.len > 16) /* 2026-11-20T10:00:00.000000Z */
		buf_addf(out, "%.10s %.5s", time.data, time.data + 11);
	buf_release(&time);
}

static void add_rest(struct buf *out, const struct context_part *p, const char *before,
                     const char *after)
{
	if (p->left <= 0)
		return;
	buf_addf(out, "%s[%lld tokens more: cat ", before, (long long)p->left);
	render_shell_word(out, p->where);
	buf_addf(out, "]%s", after);
}

static void add_fact(struct buf *out, const struct context_part *p)
{
	static const char *const marks[] = {
		[CONFIDENCE_LOW] = " *(low)*", [CONFIDENCE_MEDIUM] = " *(medium)*",
		[CONFIDENCE_HIGH] = "" };
	buf_adds(out, "- ");
	for (size_t i = 0; i < p->len; i++) /* one line: an item may have paragraphs */
		buf_addc(out, p->text[i] == '\n' || p->text[i] == '\r' ? ' ' : p->text[i]);
	buf_addf(out, "%s%s (%s)\n", marks[p->confidence], p->inferred ? " *(inferred)*" : "",
	         p->title);
}

/* A text on one line: each run of blanks, line ends and control characters is a blank. */
static void add_on_line(struct buf *out, const char *text, size_t len)
{
	bool blank = false, any = false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c <= ' ' || c == 0x7F) {
			blank = true;
			continue;
		}
		buf_adds(out, blank && any ? " " : "");
		any = true;
		buf_addc(out, (char)c);
		blank = false;
	}
}

static void add_day(struct buf *out, int64_t time_us)
{
	struct buf time = BUF_INIT;
	buf_add_time(&time, time_us);
	if (time.len > 10)
		buf_addf(out, "%.10s", time.data);
	buf_release(&time);
}

/* "#12 Caroline: text", below its session and day; "**notes/plan.md** 2026-11-20: text". */
static void add_hit(struct buf *out, const struct context_part *p)
{
	char name[NAME_LIMIT + 1];
	if (p->first > 0) {
		render_name(name, sizeof name, p->role);
		buf_addf(out, "#%lld %s:", (long long)p->first, name);
	} else {
		render_name(name, sizeof name, p->title);
		buf_addf(out, "**%s** ", name);
		add_day(out, p->time_us);
		buf_addc(out, ':');
	}
	buf_adds(out, p->within ? " \xE2\x80\xA6 " : " ");
	add_on_line(out, p->text, p->len);
	add_rest(out, p, " \xE2\x80\xA6 ", "");
	buf_addc(out, '\n');
}

bool render_context_together(const struct context_part *a, const struct context_part *b)
{
	const int64_t day = INT64_C(86400000000);
	if (a->first <= 0 || b->first <= 0)
		return a->first <= 0 && b->first <= 0;
	return a->time_us / day == b->time_us / day && strcmp(a->title, b->title) == 0;
}

void render_context_group(struct buf *out, const struct context_part *first)
{
	char name[NAME_LIMIT + 1];
	buf_addc(out, '\n');
	if (first->first <= 0)
		return;
	render_name(name, sizeof name, first->title);
	buf_addf(out, "**sessions/%s** ", name);
	add_day(out, first->time_us);
	buf_addc(out, '\n');
}

void render_context_part(struct buf *out, const struct context_part *p)
{
	char title[NAME_LIMIT + 1];
	switch (p->kind) {
	case CONTEXT_REFUSAL:
		buf_addc(out, '\n');
		break;
	case CONTEXT_FACTS:
		add_fact(out, p);
		return;
	case CONTEXT_SUMMARY:
		buf_addf(out, "\n**%lld–%lld**%s\n", (long long)p->first, (long long)p->last,
		         p->inferred ? " (by rule)" : p->by_command ? " (by command)" : "");
		break;
	case CONTEXT_TURN:
	case CONTEXT_RESULT:
		render_name(title, sizeof title, p->title);
		buf_addf(out, "\n**#%lld %s%s%s**%s ", (long long)p->first, p->role,
		         *title ? " " : "", title, p->pinned ? " (pinned)" : "");
		add_minute(out, p->time_us);
		buf_addc(out, '\n');
		break;
	case CONTEXT_HIT:
		add_hit(out, p);
		return;
	default:
		render_name(title, sizeof title, p->title);
		buf_addf(out, "\n### %s\n", title);
	}
	add_text(out, p->text, p->len);
	add_rest(out, p, "", "\n");
}

/* "3 facts", after a comma if it is not the first. */
static void add_left(struct buf *out, bool *any, int64_t n, const char *one, const char *more)
{
	if (n <= 0)
		return;
	buf_addf(out, "%s%lld %s", *any ? ", " : "", (long long)n, n == 1 ? one : more);
	*any = true;
}

void render_context_left(struct buf *out, const struct context_left *l)
{
	bool any = false;
	buf_adds(out, "\nLeft out: ");
	add_left(out, &any, l->messages, "message", "messages");
	add_left(out, &any, l->pinned, "pinned message", "pinned messages");
	add_left(out, &any, l->results, "tool result", "tool results");
	add_left(out, &any, l->summaries, "summary", "summaries");
	add_left(out, &any, l->facts, "fact", "facts");
	if (l->repeated || l->stale)
		buf_addf(out, " (%lld said just now, %lld stale)", (long long)l->repeated,
		         (long long)l->stale);
	add_left(out, &any, l->sections, "section", "sections");
	add_left(out, &any, l->blocks, "block", "blocks");
	add_left(out, &any, l->known, "block of what is known by now",
	         "blocks of what is known by now");
	if (l->unsearched)
		buf_addf(out, "%swhat a search would find (it failed)", any ? ", " : "");
	any = any || l->unsearched;
	if (!any)
		buf_adds(out, "nothing");
	else if (*l->session)
		buf_addf(out, ". All of it: sessions/%s/transcript.md, facts/, blocks/", l->session);
	buf_adds(out, ".\n");
}

bool render_retired(const char *bytes, size_t len)
{
	struct front f;
	struct json j;
	struct why why;
	bool retired = false;
	if (front_read(&f, bytes, len, &why) == 0) {
		if (json_read(&j, f.json.data, f.json.len, FRONT_DEPTH, &why) == 0) {
			uint32_t at = json_member(&j, 0, "status");
			retired = at && j.nodes[at].type == VALUE_STRING && j.nodes[at].value.len > 0 &&
			          !json_is(&j, j.nodes[at].value, "active");
		}
		json_release(&j);
	}
	front_release(&f);
	return retired;
}

void render_body_of(const char *bytes, size_t len, const char **text, size_t *text_len)
{
	struct front f;
	struct why why;
	size_t at = front_read(&f, bytes, len, &why) == 0 ? f.body : front_skip_mark(bytes, len);
	front_release(&f);
	while (at < len && strchr(" \t\r\n", bytes[at]))
		at++;
	while (len > at && strchr(" \t\r\n", bytes[len - 1]))
		len--;
	*text = bytes + at;
	*text_len = len - at;
}

static size_t cut_at_character(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80)
		at--;
	return at;
}

/* Back to the end of a line or word, if that leaves half of it. */
static size_t cut_at_end(const char *text, size_t at)
{
	static const char *const ends[] = { "\n", " \t\n" };
	for (int i = 0; i < 2; i++)
		for (size_t to = at; to > at / 2; to--)
			if (strchr(ends[i], text[to]))
				return to;
	return at;
}

size_t render_fit(const char *text, size_t len, int64_t most,
                  int64_t (*count)(const char *text, size_t len))
{
	if (most <= 0)
		return 0;
	/* No token has more bytes than this, so what is beyond cannot fit. */
	size_t high = (size_t)most * 128 < len ? (size_t)most * 128 : len, low = 0;
	if (high == len && count(text, len) <= most)
		return len;
	while (high - low > 1) {
		size_t middle = cut_at_character(text, low + (high - low) / 2);
		if (middle <= low)
			break;
		if (count(text, middle) <= most)
			low = middle;
		else
			high = middle;
	}
	/* Most cuts at a blank cost no token more, but a vocabulary promises nothing. */
	size_t end = low < len ? cut_at_end(text, low) : low;
	return end == low || count(text, end) <= most ? end : low;
}

void render_said(struct buf *said, const char *text, size_t len)
{
	fold_text(said, text, len);
}

bool render_says(const struct buf *said, const char *text, size_t len)
{
	struct buf folded = BUF_INIT;
	fold_text(&folded, text, len);
	bool says = said->len > 0 && folded.len > 2 && !folded.failed &&
	            strstr(said->data, folded.data);
	buf_release(&folded);
	return says;
}
