/* SPDX-License-Identifier: MIT */
/*
 * The words of -o: `word` or `word=value`, parted by commas; a comma inside a
 * value is written `\,` and a backslash `\\`, as mount(8) and libfuse have it.
 */
#ifndef CINTA_OPTIONS_H
#define CINTA_OPTIONS_H

#include "fs/fs.h"
#include "store/entry.h"

/* Strings are owned by the struct; NULL: not given. */
struct options {
	const char *database; /* of -d or the operand; not owned */
	const char *through;  /* the mount by which it was named; not owned */
	bool ro, allow_other, nonempty, noexec, debug;
	char *session, *owner, *server, *agent, *as, *only, *ro_below, *hide, *origin, *key_dir,
		*secrets, *tokens, *limit,
		*threshold, *summarizer, *embedding, *embedding_model, *embedding_dims, *group, *umask,
		*uid, *follow, *rm, *fresh, *dictionary;
};

enum { /* where a word is allowed */
	OPTIONS_MOUNT = 1,
	OPTIONS_INIT = 2,
	OPTIONS_KEYS = 4, /* verbs that only look for a key */
	OPTIONS_WRITE = 8, /* verbs that append */
	OPTIONS_ASK = 16, /* verbs that ask an embedding endpoint, as the mount does */
	OPTIONS_SERVE = 32, /* verbs that serve for as long as somebody asks */
	OPTIONS_SEARCH = 64
};

/*
 * Adds `words` to `o` (zeroed by the caller before the first call).  0, or
 * -EINVAL or -ENOMEM with `why` filled; `o` must be released either way.
 */
int options_parse(struct options *o, unsigned where, const char *words, struct why *why);
void options_release(struct options *o);
/* False, with `why`: words for which there is more than one meaning are both given. */
bool options_agree(const struct options *o, struct why *why);
/* True for rm=retire. */
bool options_retire(const struct options *o);
/* What fresh= says; false: none of its words. */
bool options_fresh(const struct options *o, enum fs_fresh *out);
/* Appends ",word=value" (no comma at the start) with `value` escaped; false: no room. */
bool options_add(char *dst, size_t size, const char *word, const char *value);

#endif
