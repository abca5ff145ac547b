/* SPDX-License-Identifier: MIT */
/*
 * Parses -o.  Called by the verbs; the words are a table.  An unknown word is
 * refused with the list of known ones: nothing is passed on unseen to libfuse.
 */
#include "mount/words/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/near.h"

struct word {
	const char *name;
	unsigned where;
	bool value;    /* takes =VALUE */
	bool again;    /* given again, its values are joined by `:` */
	size_t offset; /* of the bool or char * in struct options */
};

static const struct word words_known[] = {
	{ "ro", OPTIONS_MOUNT | OPTIONS_SERVE, false, false, offsetof(struct options, ro) },
	{ "allow_other", OPTIONS_MOUNT, false, false, offsetof(struct options, allow_other) },
	{ "group", OPTIONS_MOUNT, true, false, offsetof(struct options, group) },
	{ "uid", OPTIONS_MOUNT, true, false, offsetof(struct options, uid) },
	{ "umask", OPTIONS_MOUNT, true, false, offsetof(struct options, umask) },
	{ "nonempty", OPTIONS_MOUNT, false, false, offsetof(struct options, nonempty) },
	{ "noexec", OPTIONS_MOUNT, false, false, offsetof(struct options, noexec) },
	{ "debug", OPTIONS_MOUNT, false, false, offsetof(struct options, debug) },
	{ "session", OPTIONS_MOUNT | OPTIONS_SERVE, true, false, offsetof(struct options, session) },
	{ "owner", OPTIONS_MOUNT | OPTIONS_WRITE | OPTIONS_SERVE, true, false,
	  offsetof(struct options, owner) },
	{ "server", OPTIONS_MOUNT, true, false, offsetof(struct options, server) },
	{ "agent", OPTIONS_MOUNT, true, false, offsetof(struct options, agent) },
	{ "as", OPTIONS_MOUNT, true, false, offsetof(struct options, as) },
	{ "only", OPTIONS_MOUNT, true, true, offsetof(struct options, only) },
	{ "ro", OPTIONS_MOUNT, true, true, offsetof(struct options, ro_below) },
	{ "hide", OPTIONS_MOUNT, true, true, offsetof(struct options, hide) },
	{ "rm", OPTIONS_MOUNT, true, false, offsetof(struct options, rm) },
	{ "fresh", OPTIONS_MOUNT, true, false, offsetof(struct options, fresh) },
	{ "secrets", OPTIONS_MOUNT, true, false, offsetof(struct options, secrets) },
	{ "tokens", OPTIONS_MOUNT, true, false, offsetof(struct options, tokens) },
	{ "limit", OPTIONS_MOUNT, true, false, offsetof(struct options, limit) },
	{ "threshold", OPTIONS_MOUNT, true, false, offsetof(struct options, threshold) },
	{ "summarizer", OPTIONS_MOUNT, true, false, offsetof(struct options, summarizer) },
	{ "embedding", OPTIONS_MOUNT | OPTIONS_ASK, true, false, offsetof(struct options, embedding) },
	{ "embedding_model", OPTIONS_MOUNT | OPTIONS_ASK, true, false,
	  offsetof(struct options, embedding_model) },
	{ "embedding_dims", OPTIONS_MOUNT | OPTIONS_ASK, true, false,
	  offsetof(struct options, embedding_dims) },
	{ "dictionary", OPTIONS_MOUNT | OPTIONS_SEARCH, true, false,
	  offsetof(struct options, dictionary) },
	{ "follow", OPTIONS_MOUNT, true, false, offsetof(struct options, follow) },
	{ "origin", OPTIONS_MOUNT | OPTIONS_INIT, true, false, offsetof(struct options, origin) },
	{ "key_dir", OPTIONS_MOUNT | OPTIONS_INIT | OPTIONS_KEYS | OPTIONS_WRITE | OPTIONS_SERVE,
	  true, false, offsetof(struct options, key_dir) },
};
enum { WORDS = sizeof words_known / sizeof words_known[0] };

/* The word that was meant; NULL: who knows. */
static const struct word *nearest(unsigned where, const char *typed, size_t len)
{
	const struct word *found = NULL;
	size_t best = NEAR_NOT;
	for (int i = 0; i < WORDS; i++) {
		const struct word *w = &words_known[i];
		size_t slips = w->where & where ? near_slips(typed, len, w->name) : NEAR_NOT;
		if (slips < best) {
			best = slips;
			found = w;
		}
	}
	return found;
}

/* "known here: ro session= …" for a refusal's todo; what has no room is left out whole. */
static void list_known(unsigned where, char *dst, size_t size)
{
	static const char more[] = " and more";
	size_t at = (size_t)snprintf(dst, size, "known here:");
	for (int i = 0; i < WORDS; i++) {
		const struct word *w = &words_known[i];
		if (!(w->where & where))
			continue;
		if (at + strlen(w->name) + 2 + sizeof more > size) {
			memcpy(dst + at, more, sizeof more);
			return;
		}
		at += (size_t)snprintf(dst + at, size - at, " %s%s", w->name, w->value ? "=" : "");
	}
}

static void tell_known(unsigned where, const char *typed, size_t len, char *dst, size_t size)
{
	const struct word *meant = nearest(where, typed, len);
	if (meant)
		(void)snprintf(dst, size, "try `%s%s`", meant->name, meant->value ? "=" : "");
	else
		list_known(where, dst, size);
}

/* The row of a word: `ro` and `ro=` are two.  NULL: unknown here. */
static const struct word *find_word(unsigned where, const char *name, size_t len, bool value)
{
	const struct word *found = NULL;
	for (int i = 0; i < WORDS; i++) {
		const struct word *w = &words_known[i];
		bool named = w->where & where && strlen(w->name) == len && !strncmp(w->name, name, len);
		if (named && (!found || w->value == value))
			found = w;
	}
	return found;
}

static int set_value(char **string, const struct word *w, const char *value)
{
	char *text = NULL;
	if (!w->again || !*string)
		text = strdup(value);
	else if (asprintf(&text, "%s:%s", *string, value) < 0)
		text = NULL;
	free(*string);
	*string = text;
	return text ? 0 : -ENOMEM;
}

static int set_word(struct options *o, unsigned where, const char *text, struct why *why)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);
	char todo[sizeof why->todo];
	const struct word *w = find_word(where, text, len, equals && equals[1]);
	if (w && w->value != (equals && equals[1])) {
		(void)snprintf(todo, sizeof todo, w->value ? "write %s=VALUE" : "write %s alone", w->name);
		why_set(why, todo, "option `%s` %s", w->name,
		        w->value ? "needs a value" : "takes no value");
		return -EINVAL;
	}
	if (w && !w->value)
		*(bool *)((char *)o + w->offset) = true;
	if (w)
		return w->value ? set_value((char **)((char *)o + w->offset), w, equals + 1) : 0;
	tell_known(where, text, len, todo, sizeof todo);
	why_set(why, todo, "unknown option `%.*s`", (int)len, text);
	return -EINVAL;
}

int options_parse(struct options *o, unsigned where, const char *words, struct why *why)
{
	char *text = malloc(strlen(words) + 1);
	int error = text ? 0 : -ENOMEM;
	while (text && error == 0 && *words) {
		size_t len = 0;
		for (; *words && *words != ','; words++) {
			if (words[0] == '\\' && words[1])
				words++;
			text[len++] = *words;
		}
		text[len] = '\0';
		words += *words == ',';
		if (len > 0)
			error = set_word(o, where, text, why);
	}
	free(text);
	return error;
}

void options_release(struct options *o)
{
	free(o->session);
	free(o->owner);
	free(o->server);
	free(o->agent);
	free(o->as);
	free(o->only);
	free(o->ro_below);
	free(o->hide);
	free(o->origin);
	free(o->key_dir);
	free(o->rm);
	free(o->fresh);
	free(o->secrets);
	free(o->tokens);
	free(o->limit);
	free(o->threshold);
	free(o->summarizer);
	free(o->embedding);
	free(o->embedding_model);
	free(o->embedding_dims);
	free(o->group);
	free(o->uid);
	free(o->follow);
	free(o->dictionary);
	free(o->umask);
	*o = (struct options){ 0 };
}

bool options_agree(const struct options *o, struct why *why)
{
	if (o->as && o->owner)
		why_set(why, "leave owner= out", "as= and owner= both say who writes");
	else if (o->ro && o->ro_below)
		why_set(why, "leave ro= out", "a mount with `ro` is read-only everywhere");
	else
		return true;
	return false;
}

bool options_retire(const struct options *o)
{
	return o->rm && strcmp(o->rm, "retire") == 0;
}

bool options_fresh(const struct options *o, enum fs_fresh *out)
{
	static const char *const words[] = { [FRESH_TOLD] = "told", [FRESH_OPEN] = "open",
		[FRESH_WRITE] = "write" };
	*out = FRESH_TOLD;
	for (int i = FRESH_TOLD; o->fresh && i <= FRESH_WRITE; i++)
		if (strcmp(o->fresh, words[i]) == 0)
			*out = (enum fs_fresh)i;
	return !o->fresh || strcmp(o->fresh, words[*out]) == 0;
}

bool options_add(char *dst, size_t size, const char *word, const char *value)
{
	size_t at = strlen(dst);
	int n = snprintf(dst + at, size - at, "%s%s=", at ? "," : "", word);
	if (n < 0 || (size_t)n >= size - at)
		return false;
	at += (size_t)n;
	for (; *value; value++) {
		if (at + 3 > size)
			return false;
		if (*value == ',' || *value == '\\')
			dst[at++] = '\\';
		dst[at++] = *value;
	}
	dst[at] = '\0';
	return true;
}
