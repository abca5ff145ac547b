/* SPDX-License-Identifier: MIT */
/*
 * cinta backup [-d DB] FILE [DB]: a copy in one file, consistent and verified, mounted or not
 *
 * It reads as any program may, so nobody waits for it; the copy has the same entries and hashes,
 * and is verified before it is called one.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
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
static int check(const char *to, const char *key_dir)
{
	const struct verify_options with = { .key_dir = key_dir, .text_size = fs_text_size,
		.plain_text = fs_plain_text };
	struct verify_report r;
	int err = store_verify(to, &with, &r);
	if (!err && (r.verdict == VERDICT_OK || r.verdict == VERDICT_UNVERIFIABLE)) {
		printf("%s: %s: %lld entries, signed up to %lld\n", to, verdict_name(r.verdict),
		       (long long)r.entries, (long long)r.signed_upto);
		if (r.verdict == VERDICT_UNVERIFIABLE)
			complain("%s: %s", to, r.detail);
		return r.verdict == VERDICT_OK ? EXIT_FINE : EXIT_UNVERIFIABLE;
	}
	complain("%s: %s: %s", to, err ? store_strerror(err) : verdict_name(r.verdict), r.detail);
	return EXIT_FAULT;
}

/*
 * The copy is one file: what editors keep beside a memory is no part of it, and reading it has left
 * an empty log, which nobody else has open.
 */
static void tidy(const char *to)
{
	static const char *const beside[] = { ".side", "-wal", "-shm" };
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
		if ((size_t)snprintf(path, sizeof path, "%s%s", to, beside[i]) < sizeof path)
			(void)unlink(path);
}

static int backup(const char *from, const char *to, const char *key_dir)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		complain("%s: %s; a backup makes a new file, and changes none", to, strerror(errno));
		return EXIT_FAULT;
	}
	close(fd);
	(void)unlink(to); /* it can be made */
	if (!database_is_alone(to))
		return EXIT_FAULT;
	int status = copy(from, to, key_dir);
	if (status == EXIT_FINE) {
		status = check(to, key_dir);
		tidy(to);
	}
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
