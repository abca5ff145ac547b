/* SPDX-License-Identifier: MIT */
/* Small files KEY_DIR/HASH-OF-PATH.origin: origin LF path LF.  See mine.h. */
#include "store/proof/mine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/base.h"
#include "store/proof/key.h"
#include "store/store.h"

enum { DIGITS = 16 };

static int file_of(const char *key_dir, const char *path, char *full, char *file, size_t size)
{
	char dir[PATH_MAX], hex[HEX_SIZE];
	struct hasher h;
	uint8_t hash[HASH_SIZE];
	if (!realpath(path, full))
		return STORE_ENOENT;
	int err = key_dir ? 0 : key_dir_default(dir, sizeof dir);
	if (!err)
		err = hasher_init(&h);
	if (err)
		return err;
	hasher_sha256(&h, full, strlen(full), hash);
	hasher_release(&h);
	hex_of(hash, HASH_SIZE, hex);
	int n = snprintf(file, size, "%s/%.*s.origin", key_dir ? key_dir : dir, DIGITS, hex);
	return n > 0 && (size_t)n < size ? 0 : STORE_EINVAL;
}

int mine_get(const char *key_dir, const char *path, char origin[FIELD_MAX + 1], char *file,
             size_t size)
{
	char full[PATH_MAX], line[FIELD_MAX + 2] = "";
	int err = file_of(key_dir, path, full, file, size);
	FILE *f = err ? NULL : fopen(file, "re");
	if (!f)
		return err ? err : STORE_ENOENT;
	bool read = fgets(line, sizeof line, f) != NULL;
	(void)fclose(f);
	size_t len = strcspn(line, "\n");
	if (!read || !field_ok(line, len, FIELD_MAX))
		return STORE_ENOENT;
	memcpy(origin, line, len);
	origin[len] = '\0';
	return 0;
}

int mine_set(const char *key_dir, const char *path, const char *origin)
{
	char full[PATH_MAX], file[PATH_MAX + 32], tmp[PATH_MAX + 48];
	int err = file_of(key_dir, path, full, file, sizeof file);
	if (err)
		return err;
	(void)snprintf(tmp, sizeof tmp, "%s.XXXXXX", file);
	int fd = mkostemp(tmp, O_CLOEXEC); /* mode 0600; fails where there are no keys */
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return STORE_EROFS;
	bool good = fprintf(f, "%s\n%s\n", origin, full) > 0;
	good = fclose(f) == 0 && good;
	if (good && rename(tmp, file) == 0)
		return 0;
	(void)unlink(tmp);
	return STORE_EROFS;
}
