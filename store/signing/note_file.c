/* SPDX-License-Identifier: MIT */
/* Notes in files (note_file.h). */
#include "store/signing/note_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/base.h"
#include "store/proof/proof.h"
#include "store/store.h"

bool note_file_name(const char *path, char *dst, size_t size)
{
	int n = snprintf(dst, size, "%s.checkpoint", path);
	return n > 0 && (size_t)n < size;
}

/* A FIFO that somebody put in a note's place must not hold us for ever. */
static FILE *open_regular(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		FILE *file = fdopen(fd, "r");
		if (file)
			return file;
	} else if (fd >= 0) {
		errno = EINVAL;
	}
	if (fd >= 0) {
		int error = errno;
		close(fd);
		errno = error;
	}
	return NULL;
}

/* Reads and closes `file`; NULL: errno says why it was not opened. */
static int read_note(FILE *file, char **note, size_t *len)
{
	if (!file)
		return errno == ENOENT || errno == ENOTDIR ? STORE_ENOENT : STORE_EIO;
	/* One byte more than a note may have: a longer file is then seen to be none. */
	char *text = malloc(NOTE_LIMIT + 2);
	int err = text ? 0 : STORE_ENOMEM;
	if (text) {
		*len = fread(text, 1, NOTE_LIMIT + 1, file);
		text[*len] = '\0';
		if (ferror(file))
			err = STORE_EIO;
	}
	(void)fclose(file);
	if (err)
		free(text);
	else
		*note = text;
	return err;
}

int note_file_read(const char *path, char **note, size_t *len)
{
	return read_note(open_regular(path), note, len);
}

int note_file_read_given(const char *path, char **note, size_t *len)
{
	return read_note(fopen(path, "re"), note, len);
}

static int write_synced(const char *tmp, const char *note)
{
	/* What is left of a run that died goes; a link put there meanwhile is not followed. */
	(void)unlink(tmp);
	int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
	size_t len = strlen(note);
	/* A note is far below what a file system would split. */
	int err = write(fd, note, len) == (ssize_t)len && fsync(fd) == 0 ? 0 : STORE_EIO;
	if (close(fd) != 0 && !err)
		err = STORE_EIO;
	return err;
}

int note_file_replace(const char *path, const char *note)
{
	char tmp[PATH_MAX + 8];
	(void)snprintf(tmp, sizeof tmp, "%s.tmp", path);
	int err = write_synced(tmp, note);
	if (!err && rename(tmp, path) != 0)
		err = STORE_EIO;
	if (err)
		(void)unlink(tmp);
	else if (!disk_sync_name(path))
		err = STORE_EIO;
	return err;
}
