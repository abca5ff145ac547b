/* SPDX-License-Identifier: MIT */
/*
 * Entries as the search index sees them.  Any program may have written them: what is not there or
 * is of another type is simply not found.
 */
#include "store/search/search_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/base/hash.h"
#include "store/documents/documents.h"
#include "store/store.h"
#include "store/words/words.h"

#define DAY_US INT64_C(86400000000)

static const char *const roles[ROLES] = { "", "user", "assistant", "system", "tool" };

int search_role(const char *word)
{
	for (int i = 1; word && i < ROLES; i++)
		if (strcmp(word, roles[i]) == 0)
			return i;
	return ROLE_NONE;
}

const char *search_role_name(int role)
{
	return role > 0 && role < ROLES ? roles[role] : "";
}

/* It ends in a digit, which the stemmer leaves alone; all are of the same length. */
void search_scope(char what, const char *value, size_t len, char out[SCOPE_SIZE])
{
	uint64_t h = HASH_NONE ^ (unsigned char)what;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)value[i];
		h = hash_byte(h, c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c);
	}
	(void)snprintf(out, SCOPE_SIZE, "zq%c%015" PRIx64 "0", what, h >> 4);
}

static void add_scope(struct search_text *t, char what, const char *value, size_t len)
{
	char word[SCOPE_SIZE];
	if (!value || len == 0 || t->scopes == SCOPES_MOST)
		return;
	search_scope(what, value, len, word);
	if (t->scopes && strstr(t->scope, word))
		return;
	if (!array_room(&t->scope, &t->scope_room, t->scopes, SCOPE_SIZE)) {
		t->failed = true;
		return;
	}
	if (t->scopes)
		t->scope[SCOPE_SIZE * t->scopes - 1] = ' ';
	memcpy(t->scope + SCOPE_SIZE * t->scopes++, word, SCOPE_SIZE);
}

static void add_scopes(struct search_text *t, char what, const char *value)
{
	if (value)
		add_scope(t, what, value, strlen(value));
}

const char search_named[SEARCH_NAMED] = { [SEARCH_TAG] = 'g', [SEARCH_PLAYER] = 'p',
	[SEARCH_ITEM] = 'i', [SEARCH_FLAG] = 'f', [SEARCH_AT] = 'l', [SEARCH_LEADER] = 'm' };

/* A component: as it was named, and by its code alone ("hsu:urgente", "hsu/urgente"). */
static void add_component(struct search_text *t, int named, const json_t *value)
{
	const char *text = json_string_value(value), *code = text ? strpbrk(text, ":/") : NULL;
	add_scopes(t, search_named[named], text);
	if (code && code[1])
		add_scopes(t, search_named[named], code + 1);
	for (size_t i = 0; i < json_array_size(value); i++)
		if (json_is_string(json_array_get(value, i)))
			add_component(t, named, json_array_get(value, i));
}

static void add_components(struct search_text *t, const json_t *body)
{
	static const struct {
		const char *member;
		int named;
	} of[] = { { "hashtags", SEARCH_TAG }, { "players", SEARCH_PLAYER },
		{ "items", SEARCH_ITEM }, { "master_item", SEARCH_ITEM }, { "flag", SEARCH_FLAG },
		{ "location", SEARCH_AT }, { "master_player", SEARCH_LEADER } };
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		add_component(t, of[i].named, json_object_get(body, of[i].member));
}

static void add_session(struct search_text *t, int64_t session)
{
	char number[24];
	(void)snprintf(number, sizeof number, "%lld", (long long)session);
	add_scopes(t, 's', number);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

void search_author(const char *field, char out[FIELD_MAX + 1])
{
	size_t n = 0;
	for (; *field && n < FIELD_MAX; n++) {
		int high = *field == '%' ? hex_digit(field[1]) : -1;
		int low = high >= 0 ? hex_digit(field[2]) : -1;
		bool coded = low >= 0 && high + low > 0;
		out[n] = coded ? (char)(16 * high + low) : *field;
		field += coded ? 3 : 1;
	}
	out[n] = '\0';
}

/*
 * Found by the whole name, by the part before ':' and each word of that, and an owner "ply:alice"
 * also by the part behind.
 */
static void add_names(struct search_text *t, const char *author, const char *owner)
{
	char who[FIELD_MAX + 1];
	search_author(author, who);
	size_t user = strcspn(who, ":");
	add_scope(t, 'b', who, user);
	add_scopes(t, 'b', who);
	for (size_t at = 0, len; at < user; at += len + 1) {
		len = strcspn(who + at, " .-_:");
		add_scope(t, 'b', who + at, len);
	}
	if (owner && *owner) {
		add_scope(t, 'b', owner, strcspn(owner, ":"));
		add_scopes(t, 'b', owner);
		add_scopes(t, 'b', owner + strcspn(owner, ":/") + (owner[strcspn(owner, ":/")] != '\0'));
	}
}

static void begin(struct search_text *t, enum hit_kind kind, const struct entry *e)
{
	*t = (struct search_text){ .kind = kind, .seq = e->seq, .time_us = e->time_us,
		.day = e->time_us / DAY_US };
}

void search_text_said(struct search_text *t, int64_t time_us)
{
	t->told = true;
	t->time_us = time_us;
	t->day = time_us / DAY_US;
}

/* The body is the text's from here on. */
static int finish(struct search_text *t, char *body, size_t len)
{
	t->body = body;
	t->len = len;
	t->words = search_word_count(body, len);
	t->timed = search_timed(body, len);
	t->asks = search_asks(body, len);
	return t->failed ? STORE_ENOMEM : 0;
}

void search_text_release(struct search_text *t)
{
	free(t->body);
	free(t->scope);
	t->body = t->scope = NULL;
}

/* What is said beside the content, of which there is some. */
static void add_said(struct search_text *t, const struct entry *e, const json_t *body)
{
	const char *owner = json_string_value(json_object_get(body, "owner"));
	struct saying said;
	t->role = search_role(json_string_value(json_object_get(body, "role")));
	(void)snprintf(t->owner, sizeof t->owner, "%s", owner ? owner : "");
	log_said(body, e, &said);
	if (said.time_us < e->time_us)
		search_text_said(t, said.time_us);
	(void)snprintf(t->by, sizeof t->by, "%s", said.by);
	add_session(t, t->session);
	add_scopes(t, 'r', search_role_name(t->role));
	add_names(t, e->author, owner);
	add_names(t, said.by, NULL);
	add_scopes(t, 't', json_string_value(json_object_get(body, "thread")));
	add_components(t, body);
}

int search_text_message(const struct entry *e, int64_t session, struct search_text *t)
{
	begin(t, HIT_MESSAGE, e);
	t->session = session;
	t->n = e->stream_seq + 1;
	if (!e->body)
		return 0;
	struct json_body body;
	char *text = malloc(e->body_len + 1);
	if (!text)
		return STORE_ENOMEM;
	json_body_read(e->body, e->body_len, text, &body);
	const json_t *content = json_object_get(body.json, "content");
	size_t len = body.apart ? body.len : json_string_length(content);
	if (!body.apart && len > 0) /* never longer than the body */
		memcpy(text, json_string_value(content), len + 1);
	int err = 0;
	if (len > 0) {
		add_said(t, e, body.json);
		err = finish(t, text, len);
	} else {
		free(text);
	}
	json_decref(body.json);
	return err;
}

int search_text_fact(const struct entry *e, int domain, struct search_text *t)
{
	begin(t, HIT_FACT, e);
	json_t *body = e->body ? json_loadb(e->body, e->body_len, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
	const json_t *content = json_object_get(body, "text");
	size_t len = json_string_length(content);
	char *text = len > 0 ? bytes_copy(json_string_value(content), len) : NULL;
	int err = text || len == 0 ? 0 : STORE_ENOMEM;
	if (text) {
		add_names(t, e->author, NULL);
		add_scope(t, 'k', "fact", 4);
		add_scope(t, 'y', "fact", 4);
		add_scopes(t, 'y', store_fact_domain_name(domain));
		err = finish(t, text, len);
	}
	json_decref(body);
	return err;
}

/* ---- documents --------------------------------------------------------- */

/* What is found of a family, by its word and by the directory's. */
static const struct {
	const char *root, *word;
} families[] = {
	{ "blocks", "block" }, { "memories", "memory" }, { "notes", "note" },
	{ "components", "component" }, { "smma", "section" },
};

static void add_types(struct search_text *t, const char *root)
{
	size_t first = strcspn(root, "/:");
	add_scope(t, 'k', "document", 8);
	add_scope(t, 'y', "document", 8);
	add_scope(t, 'y', root, first);
	if (root[first] == '/')
		add_scopes(t, 'y', root + first + 1);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (strlen(families[i].root) == first && memcmp(root, families[i].root, first) == 0)
			add_scopes(t, 'y', families[i].word);
}

struct text {
	char *data;
	size_t len;
	bool failed;
};

static void append(struct text *t, const char *more, size_t len)
{
	char *grown = t->failed ? NULL : realloc(t->data, t->len + len + 2);
	if (!grown) {
		t->failed = true;
		return;
	}
	memcpy(grown + t->len, more, len);
	t->data = grown;
	t->len += len;
	t->data[t->len++] = '\n';
	t->data[t->len] = '\0';
}

static void append_value(struct text *t, const json_t *value)
{
	if (json_is_string(value))
		append(t, json_string_value(value), json_string_length(value));
	for (size_t i = 0; i < json_array_size(value); i++)
		if (json_is_string(json_array_get(value, i)))
			append_value(t, json_array_get(value, i));
}

/* The name without its ending, and the fields that say what it is about; then the plain text. */
static int document_body(const struct doc_body *b, const char *name, plain_text_fn *plain,
                         struct text *out)
{
	static const char *const members[] = { "name", "title", "summary", "description", "tags" };
	const json_t *fields = json_object_get(b->json, "fields");
	const char *dot = strrchr(name, '.');
	append(out, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		append_value(out, json_object_get(fields, members[i]));
	size_t from = doc_body_start(b->bytes, b->len), len = 0;
	char *stripped = NULL;
	int err = plain ? plain(b->bytes + from, b->len - from, &stripped, &len) : 0;
	if (!err)
		append(out, stripped ? stripped : b->bytes + from, stripped ? len : b->len - from);
	free(stripped);
	return err ? STORE_ENOMEM : out->failed ? STORE_ENOMEM : 0;
}

int search_text_document(const struct entry *e, int64_t doc, const char *root, const char *name,
                         plain_text_fn *plain, struct search_text *t)
{
	struct doc_body b;
	struct text text = { 0 };
	begin(t, HIT_DOCUMENT, e);
	t->doc = doc;
	if (!e->body || strncmp(root, "algorithms", 10) == 0) /* settings are not memory */
		return 0;
	int err = doc_body_read(e->body, e->body_len, &b);
	if (err)
		return err;
	if (b.len > 0 && !json_object_get(b.json, "base64"))
		err = document_body(&b, name, plain, &text);
	if (err || !text.data) {
		free(text.data);
		goto out;
	}
	if (strncmp(root, "session:", 8) == 0)
		add_session(t, t->session = strtoll(root + 8, NULL, 10));
	add_names(t, e->author,
	          json_string_value(json_object_get(json_object_get(b.json, "fields"), "owner_id")));
	add_types(t, root);
	err = finish(t, text.data, text.len);
out:
	doc_body_release(&b);
	return err;
}

/* ---- questions --------------------------------------------------------- */

bool search_asks(const char *text, size_t len)
{
	while (len > 0 && (strchr(" \t\r\n\"')]*_", text[len - 1])))
		len--;
	return (len > 0 && text[len - 1] == '?') ||
	       (len >= 3 && memcmp(text + len - 3, "\xEF\xBC\x9F", 3) == 0); /* ？ */
}

/* ---- time -------------------------------------------------------------- */

bool search_timed(const char *text, size_t len)
{
	static const char words[] =
		" yesterday today tomorrow tonight week weekend month year ago last next weeks months "
		"years monday tuesday wednesday thursday friday saturday sunday january february march "
		"april june july august september october november december "
		"ayer hoy anoche semana mes lunes martes miércoles jueves viernes sábado domingo enero "
		"febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre ";
	char word[20] = " ";
	size_t n = 1;
	for (size_t i = 0; i <= len; i++) {
		unsigned char c = i < len ? (unsigned char)text[i] : ' ';
		c = c >= 'A' && c <= 'Z' ? (unsigned char)(c | 32) : c;
		if ((c >= 'a' && c <= 'z') || c >= 0x80) {
			if (n < sizeof word)
				word[n++] = (char)c;
			continue;
		}
		if (n > 3 && n < sizeof word - 1) {
			word[n] = ' ';
			word[n + 1] = '\0';
			if (strstr(words, word))
				return true;
		}
		n = 1;
	}
	return false;
}
