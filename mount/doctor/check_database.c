/* SPDX-License-Identifier: MIT */
/*
 * What one database must have: a readable, writable file, room to grow, a tape
 * that opens, the key that signs it.  Called by cmd_doctor.c.  Reads only.
 */
#include "mount/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "store/store.h"

static void check_file(struct doctor *d, const char *path)
{
	char act[PATH_MAX + 128];
	struct stat st;
	if (access(path, R_OK) < 0) {
		int error = errno;
		(void)snprintf(act, sizeof act, "as its owner: chmod u+r %s", path);
		check_say(d, LEVEL_FAIL, act, "%s cannot be read: %s", path, strerror(error));
	} else if (access(path, W_OK) < 0) {
		int error = errno;
		(void)snprintf(act, sizeof act, error == EROFS ? "to read it: cinta mount -o ro %s DIR" :
		               "as its owner: chmod u+w %s", path);
		check_say(d, LEVEL_WARN, act, "%s cannot be written: %s", path, strerror(error));
	} else if (store_is_still(path)) {
		(void)snprintf(act, sizeof act, "check its directory's owner and mode; to read it: "
		               "cinta mount -o ro %s DIR", path);
		check_say(d, LEVEL_WARN, act, "%s can be read; beside it nothing can be made", path);
	} else if (stat(path, &st) == 0 && (st.st_mode & 077)) {
		(void)snprintf(act, sizeof act, "if that is not meant: chmod 600 %s", path);
		check_say(d, LEVEL_WARN, act, "%s is open to other users (mode %03o)", path,
		          st.st_mode & 0777);
	} else {
		check_say(d, LEVEL_OK, "", "%s can be read and written", path);
	}
}

static void check_lock(struct doctor *d, const char *path)
{
	struct owner who;
	char wal[PATH_MAX], act[PATH_MAX + 128];
	struct stat st;
	(void)snprintf(wal, sizeof wal, "%s-wal", path);
	enum owner_state state = owner_state(path, &who);
	bool owned = state != OWNER_NONE, pending = stat(wal, &st) == 0 && st.st_size > 0;
	if (state == OWNER_DEAD) {
		(void)snprintf(act, sizeof act, "nothing is lost; this frees it: cinta mount %s DIR", path);
		check_say(d, LEVEL_FAIL, act,
		          "process %ld owns it and is dead, but a thread of it waits in the kernel",
		          (long)who.pid);
	} else if (owned && mounts_of(path) == 0) {
		(void)snprintf(act, sizeof act, "if it stays: kill %ld", (long)who.pid);
		check_say(d, LEVEL_WARN, act, "process %ld owns it without a mount in sight",
		          (long)who.pid);
	} else if (owned) {
		check_say(d, LEVEL_OK, "", "owned by process %ld", (long)who.pid);
	} else if (pending) {
		check_say(d, LEVEL_OK, "nothing is lost: the next mount takes the log in",
		          "not mounted, %lld bytes wait in the write-ahead log",
		          (long long)st.st_size);
	} else {
		check_say(d, LEVEL_OK, "", "not mounted, nothing pending");
	}
}

static void check_space(struct doctor *d, const char *path)
{
	struct statvfs v;
	char act[PATH_MAX + 64];
	if (statvfs(path, &v) < 0)
		return;
	unsigned long long mib = (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	bool full = mib < 16;
	(void)snprintf(act, sizeof act, "%s: remove files on the disk that df %s names",
	               full ? "appends are about to fail with ENOSPC" : "soon", path);
	check_say(d, full ? LEVEL_FAIL : mib < 256 ? LEVEL_WARN : LEVEL_OK, mib < 256 ? act : "",
	          "%llu MiB free beside the database", mib);
}

/* What a rebuild left that was killed, and the old file that one kept. */
static void check_left(struct doctor *d, const char *path)
{
	char kept[PATH_MAX + 16], pattern[2 * PATH_MAX], act[PATH_MAX + 64];
	glob_t found = { 0 };
	struct stat st;
	size_t used = 0;
	(void)snprintf(kept, sizeof kept, "%s.before-rebuild", path);
	(void)snprintf(act, sizeof act, "if the memory is as it should be: rm %s.before-rebuild", path);
	if (stat(kept, &st) == 0)
		check_say(d, LEVEL_OK, act, "the file before the last rebuild is kept, %lld bytes",
		          (long long)st.st_size);
	for (const char *p = path; *p && used < sizeof pattern - 64; p++) {
		if (strchr("*?[\\", *p))
			pattern[used++] = '\\';
		pattern[used++] = *p;
	}
	(void)snprintf(pattern + used, sizeof pattern - used, ".rebuilt-"
	               "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]");
	if (glob(pattern, 0, NULL, &found) == 0 && owner_state(path, NULL) == OWNER_NONE) {
		(void)snprintf(act, sizeof act, "rm %s.rebuilt-*", path);
		check_say(d, LEVEL_WARN, act, "%zu file%s of a rebuild that was killed", found.gl_pathc,
		          found.gl_pathc == 1 ? "" : "s");
	}
	globfree(&found);
}

/* ---- the key ----------------------------------------------------------- */

/* True if the private key in `f` belongs to the public one at the end of `vkey`. */
static bool key_matches(FILE *f, const char *vkey)
{
	uint8_t ours[32], raw[64];
	size_t size = sizeof ours;
	/* '+' may also be a base64 digit: the key's text is the last 44 characters. */
	const char *text = strlen(vkey) > 44 ? vkey + strlen(vkey) - 44 : NULL;
	char no_passphrase[] = "";
	EVP_PKEY *key = PEM_read_PrivateKey(f, NULL, NULL, no_passphrase);
	bool same = key && text && EVP_PKEY_get_raw_public_key(key, ours, &size) == 1 &&
	            EVP_DecodeBlock(raw, (const unsigned char *)text, 44) == 33 &&
	            !memcmp(raw + 1, ours, sizeof ours);
	EVP_PKEY_free(key);
	return same;
}

static void check_key(struct doctor *d, const char *key_dir, const char *origin, const char *vkey)
{
	char path[PATH_MAX], act[PATH_MAX + 16];
	struct stat st;
	if (store_key_file(key_dir, origin, path, sizeof path))
		return;
	FILE *f = fopen(path, "re");
	(void)snprintf(act, sizeof act, "chmod 600 %s", path);
	if (!f || fstat(fileno(f), &st) < 0)
		check_say(d, LEVEL_WARN, "nothing new is signed; copy the key back, or name its directory: "
		          "-o key_dir=DIR", "key %s: %s", path, strerror(errno));
	else if (st.st_uid != geteuid() && geteuid() != 0)
		check_say(d, LEVEL_FAIL, "mount as the user who owns it", "key %s is another user's",
		          path);
	else if (st.st_mode & 077)
		check_say(d, LEVEL_FAIL, act, "key %s has mode %03o, so others could have signed", path,
		          st.st_mode & 0777);
	else if (!key_matches(f, vkey))
		check_say(d, LEVEL_FAIL, "copy back the key that this tape was made with",
		          "key %s is not the one the tape names", path);
	else
		check_say(d, LEVEL_OK, "", "key %s is private and fits", path);
	if (f)
		fclose(f);
}

/* ---- the tape ---------------------------------------------------------- */

static void check_trouble(struct doctor *d, const char *path, const char *key_dir,
                          const struct status *st)
{
	char side[PATH_MAX], key[PATH_MAX] = "", act[2 * PATH_MAX];
	(void)store_key_file(key_dir, st->origin, key, sizeof key);
	(void)snprintf(side, sizeof side, "%s.checkpoint", path);
	enum level level = check_remedy(st->trouble, path, key, act, sizeof act);
	if (st->trouble[0])
		check_say(d, level, act, "%s", st->trouble);
	else if (st->signed_upto > 0 && access(side, R_OK) < 0)
		check_say(d, LEVEL_WARN, "copy it back if you can; else the next mount writes it anew",
		          "%s: %s", side, strerror(errno));
	else
		check_say(d, LEVEL_OK, "", "checkpoint at %lld of %lld entries",
		          (long long)st->signed_upto, (long long)st->entries);
}

/* Of a database that opens: some page may be damaged all the same. */
static void check_pages(struct doctor *d, const char *path)
{
	char detail[160], act[PATH_MAX + 128];
	int error = store_look_at_pages(path, detail, sizeof detail);
	(void)snprintf(act, sizeof act, "cinta umount its mounts, then: cinta rebuild %s", path);
	if (error == 1)
		check_say(d, LEVEL_FAIL, act, "the file is damaged: %s", detail);
	else if (error)
		check_say(d, LEVEL_WARN, "look at the disk: dmesg", "the file cannot be looked through: %s",
		          store_strerror(error));
	else
		check_say(d, LEVEL_OK, "", "no page of the file is damaged");
}

/* Of the file beside it, which is no memory: said only where it is damaged. */
static void check_side(struct doctor *d, const char *path)
{
	char side[PATH_MAX + 8], detail[160], act[2 * PATH_MAX + 128];
	(void)snprintf(side, sizeof side, "%s.side", path);
	struct stat st;
	int failed = stat(side, &st);
	if (failed && errno == ENOENT)
		return;
	bool is_file = !failed && S_ISREG(st.st_mode);
	if (is_file && access(side, R_OK) != 0) {
		(void)snprintf(act, sizeof act, "chmod u+rw %s, as who owns it", side);
		check_say(d, LEVEL_WARN, act, "%s: %s", side, strerror(errno));
		return;
	}
	int error = is_file ? store_look_at_pages(side, detail, sizeof detail) : 0;
	(void)snprintf(act, sizeof act, "nothing of the memory is in it, and it is made anew:"
	               " mv %s %s.bad", side, side);
	if (!is_file)
		check_say(d, LEVEL_WARN, act, "%s is no file: errors.log, rejected/ and files off the tape"
		          " have no place", side);
	else if (error == 1)
		check_say(d, LEVEL_WARN, act, "%s is damaged (%s): errors.log, rejected/ and files off the"
		          " tape are in it", side, detail);
	else if (error)
		check_say(d, LEVEL_WARN, "look at the disk: dmesg", "%s cannot be looked through: %s",
		          side, store_strerror(error));
}

void check_database(struct doctor *d, const char *path, const char *key_dir)
{
	struct store_config config = {
		.flags = STORE_READONLY, .key_dir = key_dir, .text_size = fs_text_size,
		.plain_text = fs_plain_text,
	};
	struct why why = { 0 };
	struct store *s = NULL;
	char vkey[512];
	check_file(d, path);
	check_lock(d, path);
	check_space(d, path);
	check_left(d, path);
	int error = store_open(path, &config, &s, &why);
	if (error) {
		check_say(d, LEVEL_FAIL, why.todo, "the tape does not open: %s",
		          why.text[0] ? why.text : store_strerror(error));
		return;
	}
	struct status *st = calloc(1, sizeof *st);
	if (st) {
		store_status(s, st);
		check_trouble(d, path, key_dir, st);
		if (store_vkey(s, vkey, sizeof vkey) == 0)
			check_key(d, key_dir, st->origin, vkey);
	}
	free(st);
	store_close(s);
	check_pages(d, path);
	check_side(d, path);
}
