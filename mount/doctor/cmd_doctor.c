/* SPDX-License-Identifier: MIT */
/*
 * cinta doctor [-o opt,…] [DIR|DB]
 *
 * Looks at everything a mount needs and says what to do about what is missing.
 * It changes nothing.  An embedding endpoint is asked for the vector of one word.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/agents/agents.h"
#include "mount/doctor/doctor.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"
#include "mount/words/words.h"

/* A directory is a mount point, ours or one to be; a mounted one names its database. */
static void check_directory(struct doctor *d, const char *dir)
{
	struct mount_entry e;
	struct stat st;
	if (mounts_at(dir, &e)) {
		check_database(d, e.source, NULL);
		return;
	}
	if (stat(dir, &st) < 0) {
		int error = errno;
		char act[PATH_MAX + 32];
		(void)snprintf(act, sizeof act, "%s %s",
		               error == ENOTCONN ? "fusermount3 -uz" : "ls -ld", dir);
		check_say(d, LEVEL_FAIL, act, "%s: %s", dir, strerror(error));
		return;
	}
	char database[PATH_MAX];
	struct why why = { 0 };
	if (path_database(NULL, false, database))
		database[0] = '\0';
	if (point_check(dir, database, false, &why))
		check_say(d, LEVEL_FAIL, why.todo, "nothing can be mounted on it: %s", why.text);
	else
		check_say(d, LEVEL_OK, "", "%s is an empty directory, nothing is mounted on it", dir);
}

/* Whether it can be asked, and what this machine has of it. */
static void check_server(struct doctor *d, const char *url, const char *key_dir)
{
	char path[PATH_MAX];
	struct why why = { 0 };
	int error = store_server_answers(url, &why);
	if (error)
		check_say(d, LEVEL_FAIL, why.todo, "%s", why.text);
	else
		check_say(d, LEVEL_OK, "", "the server answers");
	if (store_replica(url, path, &why) == 0 && access(path, F_OK) == 0)
		check_database(d, path, key_dir);
}

static void check_operand(struct doctor *d, const char *given, const char *key_dir)
{
	char path[PATH_MAX];
	struct stat st;
	if (given && store_is_server(given)) {
		check_server(d, given, key_dir);
		return;
	}
	int error = given ? path_mount_point(given, path) : -ENOENT;
	if (given && error == 0 && (mounts_at(path, NULL) || (stat(path, &st) < 0 && errno == ENOTCONN)
	                            || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))) {
		check_directory(d, path);
		return;
	}
	error = path_database(given, false, path);
	if (error == 0 && stat(path, &st) < 0)
		error = -errno;
	if (error == 0)
		check_database(d, path, key_dir);
	else if (given)
		check_say(d, LEVEL_FAIL, "name a directory or a database that is there; cinta mount DB DIR "
		          "makes one", "%s: %s", given, strerror(-error));
	else
		check_say(d, LEVEL_OK, "`cinta init` or the first `cinta mount` makes it",
		          "no default database yet");
}

static void check_embedding(struct doctor *d, const struct fs_options *o)
{
	struct why why = { 0 };
	int dims = fs_embedding_try(o, &why);
	if (dims > 0)
		check_say(d, LEVEL_OK, "", "the embedding endpoint gives vectors of %d dimensions", dims);
	else
		check_say(d, LEVEL_FAIL, why.todo, "%s", why.text[0] ? why.text : strerror(-dims));
}

/* What is deleted before it is taken in is gone. */
static void check_agents(struct doctor *d)
{
	enum { YEAR = 365 };
	char file[PATH_MAX], act[PATH_MAX + 128];
	long long days;
	if (!agents_claude_days(file, &days) || days >= YEAR)
		return;
	(void)snprintf(act, sizeof act, "put \"cleanupPeriodDays\": 3650 into %s, and take them in: "
	               "cinta import %.*s/projects", file, (int)(strrchr(file, '/') - file), file);
	check_say(d, LEVEL_WARN, act, "Claude Code deletes its transcripts after %lld days", days);
}

int cmd_doctor(int argc, char **argv)
{
	struct options o = { 0 };
	char *key = embedding_key();
	struct fs_options embedding = { .embedding_key = key };
	struct doctor d = { .failed = false };
	int status = database_words(argc, argv, OPTIONS_KEYS | OPTIONS_ASK, &o);
	if (status == EXIT_FINE)
		status = embedding_options("doctor", &o, &embedding);
	if (status == EXIT_FINE && argc - optind > (o.database ? 0 : 1))
		status = usage("doctor", "doctor: one directory or database at a time");
	if (status == EXIT_FINE) {
		d.asked = optind < argc ? argv[optind] : o.database;
		check_fuse(&d);
		check_mounts(&d);
		check_agents(&d);
		check_operand(&d, d.asked, o.key_dir);
		if (embedding.embedding)
			check_embedding(&d, &embedding);
		status = d.failed ? EXIT_FAULT : EXIT_FINE;
	}
	free(key);
	options_release(&o);
	return finish(status);
}
