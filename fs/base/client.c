/* SPDX-License-Identifier: MIT */
/* Which mount a thread works for; see client.h. */
#include "fs/base/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/internal.h"

int client_start(struct fs *fs, const struct fs_options *o)
{
	struct client *a = &fs->usual;
	(void)snprintf(a->session, sizeof a->session, "%s", o->session ? o->session : "");
	(void)snprintf(a->owner, sizeof a->owner, "%s", o->owner ? o->owner : "");
	int err = pthread_key_create(&fs->asking, NULL);
	fs->has_asking = err == 0;
	return -err;
}

void client_stop(struct fs *fs)
{
	if (fs->has_asking)
		(void)pthread_key_delete(fs->asking);
}

void client_is(struct fs *fs, const struct client *a)
{
	(void)pthread_setspecific(fs->asking, a);
}

const struct client *client_of(struct fs *fs)
{
	const struct client *a = pthread_getspecific(fs->asking);
	return a ? a : &fs->usual;
}

static int too_long(const char *word, struct why *why)
{
	why_set(why, "give a shorter one", "%s= is too long", word);
	return -EINVAL;
}

int client_init(struct fs *fs, struct client *a, const struct fs_mount_options *o, struct why *why)
{
	struct {
		const char *word, *value;
		char *dst;
		size_t size;
	} part[] = {
		{ "session", o->session, a->session, sizeof a->session },
		{ "owner", o->owner, a->owner, sizeof a->owner },
		{ "server", o->server, a->server, sizeof a->server },
		{ "agent", o->agent, a->agent, sizeof a->agent },
	};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		const char *value = part[i].value ? part[i].value : "";
		int n = snprintf(part[i].dst, part[i].size, "%s", value);
		if (n < 0 || (size_t)n >= part[i].size)
			return too_long(part[i].word, why);
	}
	a->number = atomic_fetch_add(&fs->clients, 1) + 1;
	bool wrong = *a->session && render_check_name(a->session, strlen(a->session), "session", why);
	return wrong ? -EINVAL : 0;
}
