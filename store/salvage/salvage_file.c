/* SPDX-License-Identifier: MIT */
/*
 * Names of a rebuild.  What it works on has a name that says so, PATH.rebuilt- and eight hex
 * digits, so that the next one can take away what a killed one left.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/salvage/salvage.h"

static const char mark[] = ".rebuilt-";
enum { DIGITS = 8, TRIES = 16 };

static int refuse(struct why *why, int error, const char *name)
{
	why_set(why, error == ENOSPC || error == EDQUOT ? "make room there, and try again" :
	        "check the directory's owner, mode and disk", "%s cannot be made: %s", name,
	        strerror(error));
	return error == ENOSPC || error == EDQUOT ? STORE_ENOSPC : STORE_EROFS;
}

int salvage_name(const char *path, char name[PATH_MAX], struct why *why)
{
	for (int i = 0; i < TRIES; i++) {
		uint8_t random[DIGITS / 2];
		char hex[DIGITS + 1];
		if (RAND_bytes(random, sizeof random) != 1)
			return STORE_EIO;
		hex_of(random, sizeof random, hex);
		if (snprintf(name, PATH_MAX, "%s%s%s", path, mark, hex) >= PATH_MAX - 8) {
			why_set(why, "use a shorter path", "the path of the database is too long");
			return STORE_EINVAL;
		}
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		if (errno != EEXIST)
			return refuse(why, errno, name);
	}
	return refuse(why, EEXIST, name);
}

void salvage_remove(const char *name)
{
	static const char *const parts[] = { "", "-wal", "-shm", "-journal" };
	char file[PATH_MAX + 16];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		(void)snprintf(file, sizeof file, "%s%s", name, parts[i]);
		(void)unlink(file);
	}
}

/* True for BASE.rebuilt-0123abcd, and not for a name that a person would give. */
static bool is_ours(const char *name, const char *base)
{
	size_t len = strlen(base), digits = 0;
	if (strncmp(name, base, len) != 0 || strncmp(name + len, mark, sizeof mark - 1) != 0)
		return false;
	name += len + sizeof mark - 1;
	while (isdigit((unsigned char)name[digits]) || (name[digits] >= 'a' && name[digits] <= 'f'))
		digits++;
	return digits == DIGITS && name[digits] == '\0';
}

void salvage_sweep(const char *path)
{
	char folder[PATH_MAX], last[PATH_MAX], full[PATH_MAX];
	(void)snprintf(folder, sizeof folder, "%s", path);
	(void)snprintf(last, sizeof last, "%s", path);
	const char *base = basename(last);
	DIR *d = opendir(dirname(folder));
	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		if (!is_ours(e->d_name, base) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
			continue;
		const char *ending = e->d_name + strlen(base);
		if ((size_t)snprintf(full, sizeof full, "%s%s", path, ending) < sizeof full)
			salvage_remove(full);
	}
	if (d)
		closedir(d);
}

int salvage_settle(const char *name, const char *like)
{
	struct stat st;
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return STORE_EIO;
	bool ok = true;
	if (like && stat(like, &st) == 0)
		ok = (geteuid() != 0 || fchown(fd, st.st_uid, st.st_gid) == 0) &&
		     fchmod(fd, st.st_mode & 0777) == 0;
	ok = ok && fsync(fd) == 0;
	int error = errno;
	ok = close(fd) == 0 && ok && disk_sync_name(name);
	return ok ? 0 : error == ENOSPC || error == EDQUOT ? STORE_ENOSPC : STORE_EIO;
}

/* First the whole new file has the name that the old one is to have, then they change places. */
static int exchange(const char *name, const char *path, const char *kept, struct why *why)
{
	if (renameat2(AT_FDCWD, name, AT_FDCWD, kept, RENAME_NOREPLACE) != 0) {
		why_set(why, "move it away, or leave --keep away", "%s: %s", kept, strerror(errno));
		return STORE_EEXIST;
	}
	if (renameat2(AT_FDCWD, kept, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return 0;
	why_set(why, "leave --keep away, and copy the file first",
	        "this file system cannot let two names change places: %s", strerror(errno));
	(void)unlink(kept);
	return STORE_EROFS;
}

int salvage_swap(const char *name, const char *path, const char *kept, struct why *why)
{
	int err = kept ? exchange(name, path, kept, why) : 0;
	if (!kept && rename(name, path) != 0) {
		why_set(why, "check the directory's owner and mode", "%s cannot be replaced: %s", path,
		        strerror(errno));
		err = STORE_EROFS;
	}
	/* Should the directory not reach the disk, either file is there after a power cut, whole. */
	if (!err)
		(void)disk_sync_name(path);
	return err;
}
