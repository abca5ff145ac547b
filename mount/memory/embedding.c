/* SPDX-License-Identifier: MIT */
/* The embedding endpoint on the command line.  It sends nothing: fs/meaning/embedder.h does. */
#include "mount/memory/embedding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mount/words/words.h"

#define KEY "CINTA_EMBEDDING_KEY"

char *embedding_key(void)
{
	char *value = getenv(KEY);
	if (!value)
		return NULL;
	char *key = *value ? strdup(value) : NULL;
	explicit_bzero(value, strlen(value)); /* /proc/PID/environ is this very memory */
	(void)unsetenv(KEY);
	return key;
}

/* Of a header: no line ends, nothing that is not seen. */
static bool is_key(const char *key)
{
	for (const char *c = key; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	return true;
}

int embedding_options(const char *verb, const struct options *o, struct fs_options *out)
{
	struct why why = { 0 };
	char *end = NULL;
	if (!o->embedding) {
		if (o->embedding_model || o->embedding_dims)
			return usage(verb, "embedding_model= and embedding_dims= need embedding=URL");
		return EXIT_FINE;
	}
	if (!o->embedding_model || strlen(o->embedding_model) > VECTOR_MODEL_MOST)
		return usage(verb, "embedding= needs embedding_model=NAME, of at most %d bytes",
		             VECTOR_MODEL_MOST);
	long dims = o->embedding_dims ? strtol(o->embedding_dims, &end, 10) : 0;
	if (o->embedding_dims && (*end || dims < 1 || dims > VECTOR_DIMS_MOST))
		return usage(verb, "embedding_dims=%s: not a number from 1 to %d", o->embedding_dims,
		             VECTOR_DIMS_MOST);
	int error = fs_embedding_check(o->embedding, &why);
	if (error == -EINVAL)
		return usage(verb, "embedding=: %s; %s", why.text, why.todo);
	if (error) {
		complain_why("embedding=", &why, strerror(-error));
		return EXIT_FAULT;
	}
	if (out->embedding_key && !is_key(out->embedding_key)) {
		complain("%s holds a blank or a line end; set it to the key alone", KEY);
		return EXIT_FAULT;
	}
	out->embedding = o->embedding;
	out->embedding_model = o->embedding_model;
	out->embedding_dims = (int)dims;
	return EXIT_FINE;
}
