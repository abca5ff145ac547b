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

bool client_sees_all(struct fs *fs)
{
	return bounds_whole(client_of(fs)->bounds, "");
}

bool client_sees(struct fs *fs, const char *path)
{
	return client_sees_all(fs) || bounds_path(client_of(fs)->bounds, path) > REACH_NONE;
}

static int too_long(const char *word, struct why *why)
{
	why_set(why, "give a shorter one", "%s= is too long", word);
	return -EINVAL;
}

/*
 * A rule that is about nothing shows what it was to hide.  Answers have the names of their
 * questions, in more than one spelling, and threads are made of the messages of sessions.
 */
static int check_rule(const struct node *tree, const char *path, struct why *why)
{
	char first[NAME_LIMIT + 1];
	size_t len = strcspn(path, "/");
	(void)snprintf(first, sizeof first, "%.*s", len <= NAME_LIMIT ? (int)len : 0, path);
	bool known = false, deeper = path[len];
	for (enum kind k = KIND_ROOT + 1; k < KIND_COUNT; k++)
		known = known || (tree[k].parent == KIND_ROOT && tree[k].name &&
		                  strcmp(tree[k].name, first) == 0);
	if (known && !(deeper && (strcmp(first, "answers") == 0 || strcmp(first, "threads") == 0)))
		return 0;
	if (!known)
		why_set(why, "name it from the root of the mount: notes/private",
		        "only=, ro=, hide=: there is no %.150s", path);
	else if (*first == 'a')
		why_set(why, "name answers whole", "only=, ro=, hide=: %.150s has several names", path);
	else
		why_set(why, "name sessions/NAME, or threads whole",
		        "only=, ro=, hide=: what %.150s holds stands in sessions, too", path);
	return -EINVAL;
}

/* The first line that somebody appends would make it. */
static int check_session(const struct bounds *b, const char *session, struct why *why)
{
	char path[NAME_LIMIT + 16];
	(void)snprintf(path, sizeof path, "sessions/%s", session ? session : "");
	if (!session || bounds_path(b, path) >= REACH_READ)
		return 0;
	why_set(why, "add it to only=, or take it out of hide=", "session=: %.150s is not shown", path);
	return -EINVAL;
}

int client_bounds(const struct node *tree, const struct fs_mount_options *o, struct bounds **out,
                  struct why *why)
{
	int err = bounds_make(o->only, o->ro, o->hide, out, why);
	for (size_t i = 0; !err && i < bounds_rules(*out); i++)
		err = check_rule(tree, bounds_rule(*out, i), why);
	return err ? err : check_session(*out, o->session, why);
}

void client_release(struct client *a)
{
	bounds_free(a->bounds);
	a->bounds = NULL;
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
		{ "as", o->as, a->as, sizeof a->as },
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
	return wrong ? -EINVAL : client_bounds(fs->tree, o, &a->bounds, why);
}
