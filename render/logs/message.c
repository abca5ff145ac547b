/* SPDX-License-Identifier: MIT */
/*
 * An offered line of a log to the body of a tape entry.  On the road of every
 * append.  It must never change a byte of what the client said: members are
 * moved whole or not at all.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/logs/logs.h"
#include "render/logs/offered.h"
#include "render/logs/saying.h"
#include "render/search/search.h"
#include "render/vectors/vectors.h"

enum shape {
	TEXT,       /* string or null */
	TEXTS,      /* array of strings, or null */
	RECORD,     /* object or null */
	YESNO,      /* boolean or null */
	FROM,       /* object or null: when and by whom it was said */
	REFERENCES, /* array of {"type":…,"ref":…}, or null */
	THREAD,     /* string that is a name, or null */
	ROLE,
	CONTENT,
	OWNED       /* the system's: kept under "source" */
};

static const struct rule {
	const char *name;
	enum shape shape;
} rules[] = {
	{ "role", ROLE },           { "content", CONTENT },    { "thread", THREAD },
	{ "owner", TEXT },          { "players", TEXTS },      { "master_player", TEXT },
	{ "hashtags", TEXTS },      { "flag", TEXT },          { "master_item", TEXT },
	{ "items", TEXTS },         { "location", TEXT },      { "attachments", RECORD },
	{ "ambient", RECORD },      { "refs", REFERENCES },    { "pinned", YESNO },
	{ "from", FROM },
	{ "id", OWNED },            { "timestamp", OWNED },    { "author", OWNED },
	{ "token_count", OWNED },   { "source", OWNED },       { "prev_hash", OWNED },
	{ "hash", OWNED },
};

/* What the walk over the members has found. */
struct found {
	uint32_t content; /* 0: none */
	uint32_t owned;   /* how many members are the system's */
	uint32_t proof;   /* … of these hash and prev_hash: both are of a line copied from a log */
	uint32_t others;
};

static const char *type_name(enum json_type type)
{
	static const char *const names[] = {
		[VALUE_NULL] = "null",      [VALUE_FALSE] = "false",   [VALUE_TRUE] = "true",
		[VALUE_INTEGER] = "a number", [VALUE_REAL] = "a number",
		[VALUE_STRING] = "a string",
		[VALUE_ARRAY] = "an array", [VALUE_OBJECT] = "an object",
	};
	return names[type];
}

static const struct rule *rule_of(const struct json *j, struct json_span key)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if ((key.escaped || key.len == strlen(rules[i].name)) &&
		    json_is(j, key, rules[i].name))
			return &rules[i];
	return NULL;
}

static int wrong(const struct json *j, uint32_t n, const char *name, const char *wanted,
                 struct why *why)
{
	char todo[96];
	(void)snprintf(todo, sizeof todo, "give `%s` as %s, or leave it out", name, wanted);
	why_set(why, todo, "member `%s` at byte %u: expected %s, found %s", name,
	        j->nodes[n].value.at + (j->nodes[n].type != VALUE_STRING), wanted,
	        type_name(j->nodes[n].type));
	return RENDER_EINVAL;
}

static int check_texts(const struct json *j, uint32_t at, const char *name, struct why *why)
{
	if (j->nodes[at].type == VALUE_NULL)
		return 0;
	if (j->nodes[at].type != VALUE_ARRAY)
		return wrong(j, at, name, "an array of strings", why);
	for (uint32_t n = at + 1; n < j->nodes[at].next; n = j->nodes[n].next)
		if (j->nodes[n].type != VALUE_STRING)
			return wrong(j, n, name, "an array of strings", why);
	return 0;
}

static int check_ref(const struct json *j, uint32_t at, struct why *why)
{
	static const char todo[] = "write {\"type\":\"context\"|\"accountant\"|\"secretary\","
				   "\"ref\":hash or id}";
	uint32_t type = json_member(j, at, "type"), ref = json_member(j, at, "ref");
	unsigned byte = j->nodes[at].value.at + 1;

	if (!type || j->nodes[type].type != VALUE_STRING ||
	    !(json_is(j, j->nodes[type].value, "context") ||
	      json_is(j, j->nodes[type].value, "accountant") ||
	      json_is(j, j->nodes[type].value, "secretary"))) {
		why_set(why, todo, "member `refs`: the reference at byte %u has no `type` of "
		        "context, accountant, secretary", byte);
		return RENDER_EINVAL;
	}
	if (!ref || (j->nodes[ref].type != VALUE_STRING && j->nodes[ref].type != VALUE_INTEGER)) {
		why_set(why, todo, "member `refs`: the reference at byte %u has no `ref` that is "
		        "a string or an integer", byte);
		return RENDER_EINVAL;
	}
	return 0;
}

static int check_refs(const struct json *j, uint32_t at, struct why *why)
{
	if (j->nodes[at].type == VALUE_NULL)
		return 0;
	if (j->nodes[at].type != VALUE_ARRAY)
		return wrong(j, at, "refs", "an array of references", why);
	for (uint32_t n = at + 1; n < j->nodes[at].next; n = j->nodes[n].next) {
		if (j->nodes[n].type != VALUE_OBJECT)
			return wrong(j, n, "refs", "an array of references", why);
		int rc = check_ref(j, n, why);
		if (rc)
			return rc;
	}
	return 0;
}

static int check_role(const struct json *j, uint32_t at, struct why *why)
{
	static const char *const roles[] = { "user", "assistant", "system", "tool" };
	const struct json_node *node = &j->nodes[at];

	if (node->type == VALUE_NULL)
		return 0;
	if (node->type != VALUE_STRING)
		return wrong(j, at, "role", "a string", why);
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (json_is(j, node->value, roles[i]))
			return 0;
	struct buf role = BUF_INIT;
	bool word = node->value.len <= 40; /* of a text the byte says enough */
	if (word)
		buf_add_json(&role, json_at(j, node->value), node->value.len);
	why_set(why, "use one of user, assistant, system, tool, or leave `role` out",
	        "member `role` at byte %u: %s is not a role", node->value.at,
	        role.data ? role.data : "this text");
	buf_release(&role);
	return RENDER_EINVAL;
}

static int take_thread(const struct json *j, uint32_t at, char thread[NAME_LIMIT + 1],
                       struct why *why)
{
	const struct json_node *node = &j->nodes[at];
	if (node->type == VALUE_NULL)
		return 0;
	if (node->type != VALUE_STRING)
		return wrong(j, at, "thread", "a string", why);
	struct buf name = BUF_INIT;
	json_unescape(j, node->value, &name);
	int rc = name.failed ? RENDER_ENOMEM
	                     : render_check_name(name.data, name.len, "thread", why);
	if (!rc)
		memcpy(thread, name.data, name.len + 1);
	buf_release(&name);
	return rc;
}

static int check_member(const struct json *j, uint32_t n, const struct rule *rule,
                        char thread[NAME_LIMIT + 1], struct why *why)
{
	enum json_type type = j->nodes[n].type;
	switch (rule->shape) {
	case TEXT:
		return type == VALUE_STRING || type == VALUE_NULL
		               ? 0 : wrong(j, n, rule->name, "a string", why);
	case RECORD:
		return type == VALUE_OBJECT || type == VALUE_NULL
		               ? 0 : wrong(j, n, rule->name, "an object", why);
	case YESNO:
		return type <= VALUE_TRUE ? 0 : wrong(j, n, rule->name, "true or false", why);
	case TEXTS:
		return check_texts(j, n, rule->name, why);
	case REFERENCES:
		return check_refs(j, n, why);
	case FROM:
		return saying_check(j, n, why);
	case THREAD:
		return take_thread(j, n, thread, why);
	case ROLE:
		return check_role(j, n, why);
	case CONTENT:
		if (type == VALUE_STRING)
			return 0;
		why_set(why, "give the message's text as the string `content`; other data may "
		        "go into a member of its own",
		        "member `content` at byte %u: expected a string, found %s",
		        j->nodes[n].value.at + 1, type_name(type));
		return RENDER_EINVAL;
	case OWNED:
		break;
	}
	return 0;
}

static int check_members(const struct json *j, struct found *f, char thread[NAME_LIMIT + 1],
                         struct why *why)
{
	for (uint32_t n = 1; n < j->nodes[0].next; n = j->nodes[n].next) {
		const struct rule *rule = rule_of(j, j->nodes[n].key);
		int rc = rule ? check_member(j, n, rule, thread, why) : 0;
		if (rc)
			return rc;
		if (rule && rule->shape == CONTENT)
			f->content = n;
		if (rule && rule->shape == OWNED) {
			f->owned++;
			f->proof += strcmp(rule->name, "hash") == 0 || strcmp(rule->name, "prev_hash") == 0;
		} else {
			f->others++;
		}
	}
	if (f->content)
		return 0;
	why_set(why, "add the message's text: {\"role\":\"user\",\"content\":\"…\"}",
	        "member `content` is missing");
	return RENDER_EINVAL;
}

static bool is_owned(const struct json *j, struct json_span key)
{
	const struct rule *rule = rule_of(j, key);
	return rule && rule->shape == OWNED;
}

static void add_count(struct buf *out, int64_t count)
{
	char digits[20], *p = digits + sizeof digits;
	uint64_t v = count < 0 ? 0 : (uint64_t)count;
	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	buf_add(out, p, (size_t)(digits + sizeof digits - p));
}

/* The members of `defaults` that the line does not have; they were checked when they were saved. */
static void add_defaults(struct buf *out, const struct json *j, const struct buf *defaults,
                         char thread[NAME_LIMIT + 1])
{
	struct json d;
	struct why why;
	int rc = json_read(&d, defaults->data, defaults->len, DEPTH_LIMIT, &why);
	for (uint32_t n = 1; !rc && n < d.nodes[0].next; n = d.nodes[n].next) {
		const struct json_node *node = &d.nodes[n];
		char name[32];
		(void)snprintf(name, sizeof name, "%.*s", (int)node->key.len, json_at(&d, node->key));
		if (json_member(j, 0, name))
			continue;
		bool text = node->type == VALUE_STRING;
		buf_addf(out, ",\"%s\":%s", name, text ? "\"" : "");
		buf_add(out, json_at(&d, node->value), node->value.len);
		buf_adds(out, text ? "\"" : "");
		if (strcmp(name, "thread") == 0)
			(void)take_thread(&d, n, thread, &why);
	}
	json_release(&d);
	if (rc == RENDER_ENOMEM)
		out->failed = true;
}

static bool is_assistant(const struct json *j, uint32_t role)
{
	return role && json_is(j, j->nodes[role].value, "assistant");
}

/* The role the defaults give, if the line has none. */
static bool defaults_to_assistant(const struct buf *defaults)
{
	struct json d;
	struct why why;
	bool is = false;
	if (!defaults || defaults->len == 0)
		return false;
	if (json_read(&d, defaults->data, defaults->len, DEPTH_LIMIT, &why) == 0)
		is = is_assistant(&d, json_member(&d, 0, "role"));
	json_release(&d);
	return is;
}

/* What the assistant was shown before it said this, unless the line tells. */
static void add_shown(struct buf *out, const struct json *j, const struct buf *defaults,
                      struct buf *shown)
{
	uint32_t role = json_member(j, 0, "role");
	if (!shown || shown->len == 0 || json_member(j, 0, "refs"))
		return;
	if (role ? !is_assistant(j, role) : !defaults_to_assistant(defaults))
		return;
	buf_adds(out, ",\"refs\":");
	buf_add(out, shown->data, shown->len);
	buf_clear(shown);
}

static void make_body(struct buf *out, const struct json *j, const struct found *f,
                      const struct buf *defaults, struct buf *shown, int64_t count,
                      char thread[NAME_LIMIT + 1])
{
	size_t start = out->len;
	buf_addc(out, '{');
	if (f->owned == 0) {
		offered_inner(out, j);
	} else {
		offered_members(out, j, is_owned, false);
		buf_adds(out, ",\"source\":{");
		offered_members(out, j, is_owned, true);
		buf_addc(out, '}');
	}
	bool copied = f->proof == 2; /* it had all that once: nothing is added */
	if (!copied && defaults && defaults->len > 0)
		add_defaults(out, j, defaults, thread);
	if (!copied)
		add_shown(out, j, defaults, shown);
	/* A line never shrinks (docs/format.md): whitespace left out above is made up for. */
	if (j->len > 16)
		offered_pad(out, start + j->len - 16);
	buf_adds(out, ",\"token_count\":");
	add_count(out, count);
	buf_addc(out, '}');
}

static int count_content(const struct json *j, uint32_t content, count_tokens_fn *count,
                         int64_t *tokens)
{
	struct json_span text = j->nodes[content].value;
	if (!text.escaped) {
		*tokens = count(json_at(j, text), text.len);
		return *tokens < 0 ? RENDER_ENOMEM : 0;
	}
	struct buf plain = BUF_INIT;
	if (buf_reserve(&plain, text.len))
		json_unescape(j, text, &plain);
	bool failed = plain.failed;
	if (!failed)
		*tokens = count(plain.data, plain.len);
	buf_release(&plain);
	return failed || *tokens < 0 ? RENDER_ENOMEM : 0;
}

int render_message_in(const char *line, size_t len, const struct buf *defaults,
                      struct buf *shown, count_tokens_fn *count, struct buf *body,
                      char thread[NAME_LIMIT + 1], struct why *why)
{
	static const char todo[] = "append one JSON object a line: "
				   "{\"role\":\"user\",\"content\":\"…\"}";
	struct json j;
	struct found f = { 0, 0, 0, 0 };
	int64_t tokens = 0;

	thread[0] = '\0';
	int rc = offered_check(line, len, todo, why);
	if (rc)
		return rc;
	rc = json_read(&j, line, len, DEPTH_LIMIT, why);
	if (!rc)
		rc = check_members(&j, &f, thread, why);
	if (!rc)
		rc = count_content(&j, f.content, count, &tokens);
	if (!rc)
		make_body(body, &j, &f, defaults, shown, tokens, thread);
	json_release(&j);
	if (!rc && body->failed)
		rc = RENDER_ENOMEM;
	if (rc == RENDER_ENOMEM)
		why_set(why, "try again", "out of memory");
	if (rc)
		thread[0] = '\0';
	return rc;
}
