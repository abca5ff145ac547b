/* SPDX-License-Identifier: MIT */
/*
 * cinta rescue [REPLICA] postgresql://…: brings back what the server has lost
 *
 * A machine that had more than its server is read-only.  Its replica is set aside as a memory of
 * its own, a new one is taken from the server, and what that lacks is appended to it anew.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/server/server.h"
#include "store/store.h"

/* 1: this machine's replica has parted from its server; 0: it has not; -1 after complaining. */
static int has_parted(const char *path)
{
	struct sync_state now;
	struct status st;
	struct store *s = database_append(path, NULL);
	if (!s)
		return -1;
	int err = store_catch_up_far(s, &now);
	store_status(s, &st);
	store_close(s);
	if (err && err != STORE_EFORMAT)
		complain("the server cannot be asked: %s",
		         st.trouble[0] ? st.trouble : store_strerror(err));
	return !err ? 0 : err == STORE_EFORMAT ? 1 : -1;
}

/* DIR/lost-20260102T030405Z.db beside the replica. */
static int name_aside(const char *path, char aside[PATH_MAX])
{
	const char *end = strrchr(path, '/');
	char when[32];
	time_t now = time(NULL);
	struct tm tm;
	gmtime_r(&now, &tm);
	strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &tm);
	int n = end ? snprintf(aside, PATH_MAX, "%.*s/lost-%s.db", (int)(end - path), path, when) : 0;
	if (n > 0 && n < PATH_MAX && access(aside, F_OK) != 0)
		return EXIT_FINE;
	complain("%s: there is no name for what is set aside; try again in a second", path);
	return EXIT_FAULT;
}

/* The replica as it is becomes `aside`, a whole memory; then it is taken anew. */
static int set_aside(const char *path, char aside[PATH_MAX])
{
	const struct options none = { 0 };
	struct verify_report report = { 0 };
	struct why why = { 0 };
	int status = name_aside(path, aside);
	struct store *s = status == EXIT_FINE ? database_read(path, NULL) : NULL;
	int err = s ? store_rescue(s, aside, &why) : 0;
	store_close(s);
	if (!s || err) {
		if (err)
			complain_why(aside, &why, store_strerror(err));
		return EXIT_FAULT;
	}
	status = server_verified(aside, &none, &report);
	printf("Set aside: %s, %lld entries\n", aside, (long long)report.entries);
	if (status == EXIT_FINE && store_replica_forget(path, &why)) {
		complain_why("rescue", &why, "the replica cannot be taken anew");
		status = EXIT_FAULT;
	}
	return status;
}

static void lost_tell(void *ctx, const struct entry *e, enum came what, int64_t seq,
                      const char *why)
{
	(void)ctx;
	printf("  %lld %s %s/%lld: ", (long long)e->seq, e->kind, e->stream,
	       (long long)e->stream_seq + 1);
	if (what == CAME_LEFT)
		printf("left out: %s\n", why);
	else if (seq > 0)
		printf("%s entry %lld\n", what == CAME_BACK ? "back as" : "is there as", (long long)seq);
	else
		printf("%s\n", what == CAME_BACK ? "back" : "is there");
}

static int bring(const char *path, const char *url, const char *file)
{
	struct come_back how = { .file = file, .line_again = fs_line_again, .tell = lost_tell };
	const struct options none = { 0 };
	struct why why = { 0 };
	char same[PATH_MAX];
	int status = database_bring_up(url, &none, same);
	struct store *s = status == EXIT_FINE ? database_own(path, NULL) : NULL;
	if (!s)
		return EXIT_FAULT;
	int err = store_bring_back(s, &how, &why);
	store_close(s);
	if (err) {
		complain_why("rescue", &why, store_strerror(err));
		return EXIT_FAULT;
	}
	printf("Of %lld entries that the server has lost, from %lld on: %lld are back, %lld were there,"
	       " %lld were left out\n", (long long)how.lost, (long long)how.first, (long long)how.back,
	       (long long)how.there, (long long)how.left);
	if (how.above > 0)
		printf("%lld documents were saved since: those versions stand above what came back\n",
		       (long long)how.above);
	return how.left > 0 ? EXIT_FAULT : EXIT_FINE;
}

/* `given`: NULL or this machine's own replica: that of the server. */
static int rescue_of(const char *given, const char *url, const char *path)
{
	char file[PATH_MAX], aside[PATH_MAX];
	bool own = !given;
	if (given) {
		struct stat a, b;
		if (database_named(given, file) != EXIT_FINE)
			return EXIT_FAULT;
		own = stat(file, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
			a.st_ino == b.st_ino;
	}
	int parted = has_parted(path);
	if (parted < 0)
		return EXIT_FAULT;
	if (own && !parted) {
		printf("Nothing is lost: the server has all that this machine has\n");
		return EXIT_FINE;
	}
	if (!own && parted) {
		complain("this machine's own replica has parted from the server, too: first cinta rescue"
		         " %s", url);
		return EXIT_FAULT;
	}
	int status = own ? set_aside(path, aside) : EXIT_FINE;
	return status == EXIT_FINE ? bring(path, url, own ? aside : file) : status;
}

int rescue_to_server(const char *given, const char *url)
{
	char path[PATH_MAX];
	int lock = -1, status = database_replica(url, path);
	if (status == EXIT_FINE && access(path, F_OK) != 0)
		status = database_named(url, path);
	if (status == EXIT_FINE)
		status = database_lock(path, &lock);
	if (status == EXIT_FINE)
		status = rescue_of(given, url, path);
	if (lock >= 0)
		close(lock);
	return status;
}
