/* SPDX-License-Identifier: MIT */
/*
 * cinta backup [-d DB] FILE [DB]: a copy in one file, consistent and verified, mounted or not
 *
 * It reads as any program may, so nobody waits for it; the copy has the same entries and hashes,
 * and is verified before it is called one.  It is made in a directory beside FILE and moved to that
 * name whole; what a killed one left there, the next one takes away.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

static int copy(const char *from, const char *to, const char *key_dir)
{
	struct why why = { 0 };
	struct store *s = database_read(from, key_dir);
	if (!s)
		return EXIT_FAULT;
	int err = store_rescue(s, to, &why);
	store_close(s);
	if (err)
		complain_why(to, &why, store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

/* The copy proves by itself what the memory does. */
static int tell(const char *to, int err, const struct verify_report *r)
{
	if (!err && (r->verdict == VERDICT_OK || r->verdict == VERDICT_UNVERIFIABLE)) {
		printf("%s: %s: %lld entries, signed up to %lld\n", to, verdict_name(r->verdict),
		       (long long)r->entries, (long long)r->signed_upto);
		if (r->verdict == VERDICT_UNVERIFIABLE)
			complain("%s: %s", to, r->detail);
		return r->verdict == VERDICT_OK ? EXIT_FINE : EXIT_UNVERIFIABLE;
	}
	complain("%s: %s: %s", to, err ? store_strerror(err) : verdict_name(r->verdict), r->detail);
	return EXIT_FAULT;
}

/* ---- the directory in which it is made ---------------------------------------- */

/*
 * FILE.unfinished, beside FILE: so that FILE is there when it is whole.  The copy is one file: what
 * editors keep beside a memory, and the empty log that reading it left, go with the directory.  So
 * does what a backup left that was killed: whoever has the lock is alone.
 */
static void empty(int dir)
{
	static const char *const names[] = { "copy.db", "copy.db-journal", "copy.db-wal", "copy.db-shm",
		"copy.db.side", "copy.db.side-journal", "copy.db.side-wal", "copy.db.side-shm" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		(void)unlinkat(dir, names[i], 0);
}

static struct {
	char path[PATH_MAX];
	int dir;
} work;

/* Nothing stays of one that is stopped: calls that a handler may make (signal-safety(7)). */
static void stopped(int sig)
{
	empty(work.dir);
	(void)rmdir(work.path);
	(void)raise(sig); /* SA_RESETHAND: ends this, when we return */
}

static void heed_stops(void)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now, heed = { .sa_handler = stopped, .sa_flags = (int)SA_RESETHAND };
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			(void)sigaction(stops[i], &heed, NULL);
}

static bool work_take(const char *to)
{
	work.dir = mkdir(work.path, 0700) < 0 && errno != EEXIST ? -1 :
		open(work.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (work.dir < 0) {
		complain("%s: %s; name a file that can be made", errno == ENOTDIR ? work.path : to,
		         strerror(errno));
		return false;
	}
	if (flock(work.dir, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		complain("%s: another backup is making this file; wait for it, or name another", to);
		close(work.dir);
		return false;
	}
	empty(work.dir);
	heed_stops();
	return true;
}

static void work_leave(void)
{
	empty(work.dir);
	(void)rmdir(work.path);
}

/* Into its place, in one step, and for good. */
static bool put(const char *to)
{
	int up = openat(work.dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = renameat2(work.dir, "copy.db", AT_FDCWD, to, RENAME_NOREPLACE) == 0;
	if (!ok && errno == EINVAL && access(to, F_OK) < 0) /* a disk that does not know the flag */
		ok = renameat(work.dir, "copy.db", AT_FDCWD, to) == 0;
	ok = ok && (up < 0 || fsync(up) == 0 || errno == EINVAL);
	if (!ok)
		complain("%s: %s; a backup makes a new file, and changes none", to, strerror(errno));
	if (up >= 0)
		close(up);
	return ok;
}

static int make(const char *from, const char *to, const char *key_dir)
{
	const struct verify_options with = { .key_dir = key_dir, .text_size = fs_text_size,
		.plain_text = fs_plain_text };
	struct verify_report r;
	char path[PATH_MAX + 32];
	(void)snprintf(path, sizeof path, "%s/copy.db", work.path);
	int status = copy(from, path, key_dir);
	if (status != EXIT_FINE)
		return status;
	int err = store_verify(path, &with, &r);
	return put(to) ? tell(to, err, &r) : EXIT_FAULT;
}

static int backup(const char *from, const char *to, const char *key_dir)
{
	struct stat st;
	int error = lstat(to, &st) == 0 ? EEXIST : errno;
	if (error != ENOENT) {
		complain("%s: %s; a backup makes a new file, and changes none", to, strerror(error));
		return EXIT_FAULT;
	}
	if (!database_is_alone(to))
		return EXIT_FAULT;
	if ((size_t)snprintf(work.path, sizeof work.path, "%s.unfinished", to) >= sizeof work.path) {
		complain("%s: %s", to, strerror(ENAMETOOLONG));
		return EXIT_FAULT;
	}
	if (!work_take(to))
		return EXIT_FAULT;
	int status = make(from, to, key_dir);
	work_leave();
	return status;
}

int cmd_backup(int argc, char **argv)
{
	char path[PATH_MAX];
	struct options o = { 0 };
	int status = database_words(argc, argv, OPTIONS_KEYS, &o);
	if (status == EXIT_FINE && (optind == argc || !*argv[optind]))
		status = usage("backup", "backup: name the file to make");
	const char *to = argv[optind++];
	if (status == EXIT_FINE)
		status = database_operand("backup", o.database, argc, argv, path);
	if (status == EXIT_FINE)
		status = backup(path, to, o.key_dir);
	options_release(&o);
	return finish(status);
}
