/* SPDX-License-Identifier: MIT */
/*
 * foreign DB STREAM NAME COUNT: another process that appends to a database by
 * the store's door, beside whoever has it mounted.  Built by two_mounts.bats.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static size_t text_size(const struct entry *e)
{
	return e->body_len; /* it makes no views */
}

int main(int argc, char **argv)
{
	struct store *s = NULL;
	struct why why = { 0 };
	struct store_config config = { .text_size = text_size };
	if (argc != 5)
		return 2;
	int err = store_open(argv[1], &config, &s, &why);
	for (int i = 0; !err && i < atoi(argv[4]); i++) {
		char body[256];
		int len = snprintf(body, sizeof body,
		                   "{\"role\":\"user\",\"content\":\"%s %d\",\"thread\":\"far\",\"token_count\":2}",
		                   argv[3], i);
		struct draft d = { .stream = argv[2], .kind = "message", .author = "far:away", .body = body,
			.body_len = (size_t)len };
		struct append a = { .drafts = &d, .count = 1, .expect = -1 };
		err = store_append_wait(s, &a);
	}
	if (err)
		(void)fprintf(stderr, "foreign: %s %s\n", store_strerror(err), why.text);
	_Exit(err ? 1 : 0); /* as a process that is gone at once: it is no owner */
}
