/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/files: the files of a memory for programs that have no mount, by the names they
 * have in one.  There are two roads, and on both the same code makes the bytes:
 *
 *   a daemon serves the memory   the files of its mount, below whose root a path stays
 *   none does                    the tree in this process, as its owner for that long (fs_visit_…)
 *
 * Where a daemon's mount cannot be seen (another mount namespace) or does not answer, and while an
 * import owns the memory, reading goes by the tree of this process beside it.  Errors are negative
 * errno values; files_reason() knows the sentence.
 */
#ifndef CINTA_FILES_H
#define CINTA_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "fs/fs.h"
#include "mount/words/words.h"

struct files;
struct file {
	int fd;                      /* of a mount's file */
	struct fs_visit_file visit;  /* else */
};

/*
 * `database` as mount/memory/paths.h makes it.  Waits up to `patience_ms` while another owner comes
 * or goes, and for a mount to answer.  0, or -errno with `why`.
 */
int files_begin(const char *database, const struct options *o, bool writes, int patience_ms,
                struct files **out, struct why *why);
void files_end(struct files *f);

int files_stat(struct files *f, const char *path, bool follow, struct stat *st);
int files_link(struct files *f, const char *path, char *target, size_t size);
int files_list(struct files *f, const char *path, fs_visit_name_fn *fn, void *ctx);
int files_mkdir(struct files *f, const char *path);
/* Directories that a path needs before its last part. */
int files_make_parents(struct files *f, const char *path);
/* As open(2), for one way only; then the caller calls files_close(), which stores a document. */
int files_open(struct files *f, const char *path, int flags, struct file *out);
ssize_t files_read(struct files *f, struct file *file, char *dst, size_t size);
ssize_t files_write(struct files *f, struct file *file, const char *src, size_t size);
int files_close(struct files *f, struct file *file);

/* The bytes of a file, malloc'ed, with a NUL behind them. */
int files_slurp(struct files *f, const char *path, char **bytes, size_t *len);
/* The names of a directory in the order of their bytes; released also after an error. */
struct names {
	char **name;
	size_t count, room;
};
int files_names(struct files *f, const char *path, struct names *out);
void names_release(struct names *n);

/* What a file of the system holds, or standard input. */
int slurp(int fd, char **bytes, size_t *len);
/*
 * Opens with these flags and O_WRONLY, writes, closes.  `stored` lines of a log were, of those
 * before the refused one.
 */
int files_put(struct files *f, const char *path, int flags, const char *bytes, size_t len,
              int64_t *stored);

/*
 * A document that is to become another because of what it is now.  Between both no other cinta
 * saves it; what another program saves is a conflict, which errors.log tells (cinta.5).
 *
 * Opens it for writing and reads it; `flags`: O_CREAT, for one that may not be there.  After 0
 * comes files_change_end(), which saves `text`, NULL: nothing, and frees what was read.
 */
struct change {
	struct file held, file;
	char *bytes;
	size_t len;
};
int files_change_begin(struct files *f, const char *path, int flags, struct change *out);
int files_change_end(struct files *f, struct change *c, const char *text, size_t len);

/*
 * Why the last operation on `path` failed so, as a line of errors.log has it: for the caller to
 * free; NULL: none says it.  Before the next operation.
 */
char *files_reason(struct files *f, const char *path, int error);
/* complain() in those words; EXIT_FAULT. */
int files_complain(struct files *f, const char *path, int error);

/* What the verbs share: -d and -o, and files_begin() with words.  An exit status. */
struct files_command {
	struct options options;
	bool lengthy, makes, recursive; /* -l, -p, -r */
	char found[PATH_MAX];           /* the database whose mount the words name */
	char mount[PATH_MAX];           /* and that mount */
};
/* `own`: the letters of its own that the verb takes.  All ends with files_finish(). */
int files_parse(char **argv, int argc, const char *own, struct files_command *c);
/*
 * Makes each word a path from the memory's root: `:PATH` is one, and what leads into a mount is one
 * of that mount's database, which is the verb's then.  Any other stays as it is.
 */
int files_words(struct files_command *c, char **word, int count);
int files_start(const struct files_command *c, bool writes, struct files **out);
int files_finish(struct files_command *c, struct files *f, int status);

verb_fn cmd_ls, cmd_cat, cmd_append, cmd_write, cmd_edit, cmd_cp;

#endif
