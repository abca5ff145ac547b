/* SPDX-License-Identifier: MIT */
/* What a mount does by itself is waited for: copies then say the same, and prove all they can. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/export/export.h"

enum { SETTLE_MS = 20000, SETTLE_STEP_MS = 50 };

/* A number of status.json; -1: it has none. */
static long long number_in(const char *json, const char *name)
{
	char key[64];
	(void)snprintf(key, sizeof key, "\"%s\": ", name);
	const char *at = strstr(json, key);
	return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* True if nothing is to be signed or verified any more, or nobody does it. */
static bool is_settled(const char *json)
{
	long long entries = number_in(json, "entries");
	bool proved = number_in(json, "signed_upto") == entries &&
		number_in(json, "verified_upto") == entries;
	return proved || strstr(json, "\"read_only\": true") || !strstr(json, "\"trouble\": null");
}

/* Waits for it: a mount that others write to may never be, and a copy is made all the same. */
void export_settle(struct files *f)
{
	bool settled = false;
	for (int waited = 0; !settled && waited < SETTLE_MS; waited += SETTLE_STEP_MS) {
		char *json = NULL;
		size_t len;
		if (waited)
			usleep(SETTLE_STEP_MS * 1000);
		settled = files_slurp(f, ".cinta/status.json", &json, &len) != 0 || is_settled(json);
		free(json);
	}
}

int export_settled(const struct files_command *c)
{
	struct files *f = NULL;
	int status = files_start(c, false, &f);
	if (status != EXIT_FINE)
		return status;
	export_settle(f);
	files_end(f);
	return EXIT_FINE;
}
