/* SPDX-License-Identifier: MIT */
/*
 * What one database must have: a readable, writable file, room to grow, a tape
 * that opens, the key that signs it.  Called by cmd_doctor.c.  Reads only.
 */
#include "mount/check.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/owner.h"
#include "store/store.h"

static void check_file(struct doctor *d, const char *path)
{
	struct stat st;
	if (access(path, R_OK) < 0)
		check_say(d, LEVEL_FAIL, "check owner and mode", "%s cannot be read: %s", path,
		          strerror(errno));
	else if (access(path, W_OK) < 0)
		check_say(d, LEVEL_WARN, "check owner, mode and file system, or mount with -o ro",
		          "%s cannot be written: %s", path, strerror(errno));
	else if (stat(path, &st) == 0 && (st.st_mode & 077))
		check_say(d, LEVEL_WARN, "chmod 600 unless that is meant",
		          "%s is open to other users (mode %03o)", path, st.st_mode & 0777);
	else
		check_say(d, LEVEL_OK, "", "%s can be read and written", path);
}

static void check_lock(struct doctor *d, const char *path)
{
	struct owner who;
	char wal[PATH_MAX];
	struct stat st;
	(void)snprintf(wal, sizeof wal, "%s-wal", path);
	enum owner_state state = owner_state(path, &who);
	bool owned = state != OWNER_NONE, pending = stat(wal, &st) == 0 && st.st_size > 0;
	if (state == OWNER_DEAD)
		check_say(d, LEVEL_FAIL, "nothing is lost: `cinta mount` frees it and takes over",
		          "process %ld owns it and is dead, but a thread of it waits in the kernel",
		          (long)who.pid);
	else if (owned && mounts_of(path) == 0)
		check_say(d, LEVEL_WARN, "if it stays, end that process",
		          "process %ld owns it without a mount in sight", (long)who.pid);
	else if (owned)
		check_say(d, LEVEL_OK, "", "owned by process %ld", (long)who.pid);
	else if (pending)
		check_say(d, LEVEL_OK, "nothing is lost: the next mount takes the log in",
		          "not mounted, %lld bytes wait in the write-ahead log",
		          (long long)st.st_size);
	else
		check_say(d, LEVEL_OK, "", "not mounted, nothing pending");
}

static void check_space(struct doctor *d, const char *path)
{
	struct statvfs v;
	if (statvfs(path, &v) < 0)
		return;
	unsigned long long mib = (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	if (mib < 16)
		check_say(d, LEVEL_FAIL, "make room: appends are about to fail with ENOSPC",
		          "%llu MiB free beside the database", mib);
	else
		check_say(d, mib < 256 ? LEVEL_WARN : LEVEL_OK, mib < 256 ? "make room soon" : "",
		          "%llu MiB free beside the database", mib);
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
	char path[PATH_MAX];
	struct stat st;
	if (store_key_file(key_dir, origin, path, sizeof path))
		return;
	FILE *f = fopen(path, "re");
	if (!f || fstat(fileno(f), &st) < 0)
		check_say(d, LEVEL_WARN, "restore it, or name its place with -o key_dir=DIR; without it "
		          "nothing new is signed", "key %s: %s", path, strerror(errno));
	else if (st.st_uid != geteuid() && geteuid() != 0)
		check_say(d, LEVEL_FAIL, "mount as the user who owns it", "key %s is another user's",
		          path);
	else if (st.st_mode & 077)
		check_say(d, LEVEL_FAIL, "chmod 600; if others could read it, start a new tape",
		          "key %s has mode %03o", path, st.st_mode & 0777);
	else if (!key_matches(f, vkey))
		check_say(d, LEVEL_FAIL, "restore the key this tape was made with",
		          "key %s is not the one the tape names", path);
	else
		check_say(d, LEVEL_OK, "", "key %s is private and fits", path);
	if (f)
		fclose(f);
}

/* ---- the tape ---------------------------------------------------------- */

static void check_sidecar(struct doctor *d, const char *path, const struct status *st)
{
	char side[PATH_MAX];
	(void)snprintf(side, sizeof side, "%s.checkpoint", path);
	if (st->trouble[0])
		check_say(d, st->read_only ? LEVEL_FAIL : LEVEL_WARN, "see cinta(1), DIAGNOSTICS",
		          "%s", st->trouble);
	else if (st->signed_upto > 0 && access(side, R_OK) < 0)
		check_say(d, LEVEL_WARN, "the next checkpoint writes it again; restore it if you can",
		          "%s: %s", side, strerror(errno));
	else
		check_say(d, LEVEL_OK, "", "checkpoint at %lld of %lld entries",
		          (long long)st->signed_upto, (long long)st->entries);
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
	int error = store_open(path, &config, &s, &why);
	if (error) {
		check_say(d, LEVEL_FAIL, why.todo, "the tape does not open: %s",
		          why.text[0] ? why.text : store_strerror(error));
		return;
	}
	struct status *st = calloc(1, sizeof *st);
	if (st) {
		store_status(s, st);
		check_sidecar(d, path, st);
		if (store_vkey(s, vkey, sizeof vkey) == 0)
			check_key(d, key_dir, st->origin, vkey);
	}
	free(st);
	store_close(s);
}
