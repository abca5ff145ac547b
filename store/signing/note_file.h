/* SPDX-License-Identifier: MIT */
/* Notes in files: the sidecar that stands beside a database, and notes that a person kept. */
#ifndef CINTA_NOTE_FILE_H
#define CINTA_NOTE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The sidecar of a database: PATH.checkpoint.  False if that is too long. */
bool note_file_name(const char *path, char *dst, size_t size);
/* A note's file whole, NUL-terminated, for the caller to free; STORE_ENOENT: no file. */
int note_file_read(const char *path, char **note, size_t *len);
/* The same for a file a person named, which may be a pipe. */
int note_file_read_given(const char *path, char **note, size_t *len);
/* Puts `note` in the file's place, durably: a reader finds the old one or the new one, whole. */
int note_file_replace(const char *path, const char *note);

#endif
