/* SPDX-License-Identifier: MIT */
/*
 * From a SOURCE of `cinta import` to the files it stands for, and from these to what reads them:
 * texts (.md) become notes, archives are looked into, databases asked, all else is conversations.
 * In a directory files with other endings are passed by, and so is what has a dot name.
 */
#include "mount/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/words/words.h"
#include "store/store.h"

enum { PIECE = 64 << 10, LEAD = 512 };

/* SQLite's; of its write-ahead log, as a file that changes, the directory is looked at. */
static bool is_database(const char *name)
{
	return import_ends(name, (const char *const[]){ ".db", ".sqlite", ".sqlite3", NULL });
}

enum followed import_takes(const char *name)
{
	static const char *const wal[] = { ".db-wal", NULL };
	return import_is_talk(name) ? FOLLOW_FILE :
		import_is_text(name) || is_database(name) || import_ends(name, wal) ? FOLLOW_ROOT :
		FOLLOW_NOT;
}

/* By its first LEAD bytes, NUL where it is shorter.  No text has the NUL behind a .tar's name. */
static bool is_archive(const char *lead)
{
	return memcmp(lead, "PK\3\4", 4) == 0 || memcmp(lead, "\x1F\x8B", 2) == 0 ||
	       memcmp(lead, "\xFD" "7zXZ", 6) == 0 || memcmp(lead, "\x28\xB5\x2F\xFD", 4) == 0 ||
	       (memcmp(lead, "BZh", 3) == 0 && memcmp(lead + 4, "1AY&SY", 6) == 0) ||
	       (memcmp(lead + 257, "ustar", 5) == 0 && memchr(lead, '\0', 257));
}

/* At least LEAD bytes, as far as there are so many: of a pipe they may come in pieces. */
static ssize_t read_lead(int fd, char *piece)
{
	size_t len = 0;
	ssize_t got = 1;
	while (len < LEAD && (got = read(fd, piece + len, PIECE - len)) > 0)
		len += (size_t)got;
	return got < 0 ? got : (ssize_t)len;
}

/* A descriptor with conversations, to its end. */
static void read_talks(struct import_run *r, int fd, const char *name)
{
	struct why why = { 0 };
	char *piece = calloc(1, PIECE);
	ssize_t got = piece ? read_lead(fd, piece) : 0;
	if (got > 0 && is_archive(piece)) {
		free(piece);
		why_set(&why, "name the file", "is an archive, which can only be read as a file");
		import_told(r, -EINVAL, &why);
		return;
	}
	int err = piece ? import_file_begin(r, name) : -ENOMEM;
	bool begun = err == 0;
	int lost = 0;
	for (; !err && got > 0; got = err ? 0 : read(fd, piece, PIECE))
		err = fs_import_bytes(r->import, piece, (size_t)got);
	if (got < 0)
		lost = errno;
	int ended = begun ? fs_import_end(r->import, &why) : err;
	if (lost) {
		r->failed++;
		complain("%s: %s", r->shown, strerror(lost));
	} else {
		import_told(r, ended, &why);
	}
	free(piece);
}

static void read_note(struct import_run *r, int fd, const char *path)
{
	struct why why = { 0 };
	char *bytes = malloc(IMPORT_NOTE_MOST + 1);
	size_t len = 0;
	ssize_t got = 1;
	while (bytes && got > 0 && len < IMPORT_NOTE_MOST + 1) {
		got = read(fd, bytes + len, IMPORT_NOTE_MOST + 1 - len);
		len += got > 0 ? (size_t)got : 0;
	}
	if (!bytes || got < 0) {
		r->failed++;
		complain("%s: %s", r->shown, strerror(bytes ? errno : ENOMEM));
	} else {
		int err = fs_import_note(r->import, r->shown, r->folder, path, bytes, len, &why);
		import_told(r, err, &why);
	}
	free(bytes);
}

/* ---- files and directories ----------------------------------------------- */

bool import_is_memory(const char *path)
{
	char lead[16] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && pread(fd, lead, sizeof lead, 0) == 16 &&
		memcmp(lead, "SQLite format 3", 16) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

/* ---- databases, and tapes ----------------------------------------------------- */

static int give(void *ctx, const char *line, size_t len)
{
	struct import_run *r = ctx;
	return fs_import_bytes(r->import, line, len);
}

/* `read`: how the lines come, or what was wrong with them, as a STORE_ code. */
static void read_lines(struct import_run *r, const char *path, int (*read)(struct import_run *r,
                       const char *path, struct why *why))
{
	struct why lost = { 0 }, why = { 0 };
	int err = import_file_begin(r, path);
	int got = err ? 0 : read(r, path, &lost);
	int ended = err ? err : fs_import_end(r->import, &why);
	if (got && *lost.text)
		import_told(r, -EINVAL, &lost);
	else if (got && !ended) {
		r->failed++;
		complain("%s: %s", path, store_strerror(got));
	} else {
		import_told(r, ended, &why);
	}
}

static int read_foreign(struct import_run *r, const char *path, struct why *why)
{
	return store_foreign(path, give, r, why);
}

static int read_rows(struct import_run *r, const char *path, struct why *why)
{
	struct store_carried all;
	(void)why;
	return store_carry_out(path, give, r, &all);
}

/* Another memory: it is verified first, so that what is taken in was once on a tape. */
static void read_memory(struct import_run *r, const char *path)
{
	struct verify_report said;
	const struct verify_options with = { .key_dir = NULL };
	int err = store_verify(path, &with, &said);
	if (!err && (said.verdict == VERDICT_OK || said.verdict == VERDICT_UNVERIFIABLE)) {
		read_lines(r, path, read_rows);
		return;
	}
	r->failed++;
	complain("%s: %s: %s; nothing of it was taken in", path,
	         err ? store_strerror(err) : verdict_name(said.verdict), said.detail);
}

/* Of another program: while it runs, all that tells may stand in the log beside the file. */
static bool is_foreign(const char *path)
{
	struct why why = { 0 };
	return import_is_memory(path) && store_foreign(path, NULL, NULL, &why) == 0;
}

static void read_database(struct import_run *r, const char *path)
{
	struct why why = { 0 };
	if (!is_foreign(path) && store_look(path, &why) > 0)
		read_memory(r, path);
	else
		read_lines(r, path, read_foreign);
}

/* True if its first line is a tape's. */
static bool is_tape(int fd)
{
	static const char lead[] = "{\"seq\":0,\"stream\":\"tape\",";
	char start[sizeof lead - 1];
	return pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
	       memcmp(start, lead, sizeof start) == 0;
}

/* Each line hashed anew, before the first is taken in; false: told. */
static bool tape_holds(struct import_run *r, const char *path)
{
	struct store_carrier *c = NULL;
	struct store_carried said;
	struct why why = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *f = fopen(path, "re");
	int err = f ? store_carry_new(NULL, &c, &why) : STORE_EIO;
	while (!err && (len = getline(&line, &room, f)) > 0)
		err = store_carry_line(c, line, (size_t)len - (line[len - 1] == '\n'), &why);
	err = err ? err : store_carry_end(c, &said, &why);
	store_carry_free(c);
	free(line);
	if (f)
		(void)fclose(f);
	if (err) {
		r->failed++;
		complain("%s: %s; nothing of it was taken in", path,
		         *why.text ? why.text : store_strerror(err));
	}
	return !err;
}

/* A word that stands for a descriptor somebody gave us: it is open, and waits for nobody. */
static bool is_descriptor(const char *word)
{
	return strcmp(word, "-") == 0 || strcmp(word, "/dev/stdin") == 0 ||
	       strncmp(word, "/dev/fd/", 8) == 0 || strncmp(word, "/proc/self/fd/", 14) == 0;
}

bool import_source_there(const char *source, bool waits, bool memories, struct why *why)
{
	const char *path = strcmp(source, "-") == 0 ? "/dev/stdin" : source;
	bool database = import_ends(source, (const char *const[]){ ".db", NULL });
	struct stat st;
	char todo[sizeof why->todo];
	if (stat(path, &st) < 0) {
		if ((waits && !database && errno == ENOENT) || is_descriptor(source))
			return true;
		why_set(why, database ? "name the memory that is there, or make it with `cinta init`" :
		        !*source ? "the name is empty: is a variable unset?" : "check the path",
		        "%s", strerror(errno));
	} else if (S_ISREG(st.st_mode) && import_is_memory(path) &&
	           (is_descriptor(source) || !(memories || is_foreign(path)))) {
		(void)snprintf(todo, sizeof todo, "the memory comes last, or behind -d, which takes "
		               "another one in; `cinta import --exact %.60s NEW.db` copies it", source);
		why_set(why, todo, "is a database");
	} else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !is_descriptor(source)) {
		why_set(why, "give it on standard input: cinta import - < FILE",
		        "is a device, a pipe or a socket");
	} else {
		return true;
	}
	return false;
}

static bool is_plain(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* `below`: its path as a note. */
static void read_one(struct import_run *r, const char *path, const char *below)
{
	char lead[LEAD] = { 0 };
	/* A FIFO would have to be waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | (r->plain ? O_NONBLOCK : 0));
	(void)snprintf(r->shown, sizeof r->shown, "%s", path);
	if (fd < 0 || (r->plain && !is_plain(fd))) {
		r->failed++;
		complain("%s: %s", path, fd < 0 ? strerror(errno) : "is no plain file");
		if (fd >= 0)
			close(fd);
		return;
	}
	if (pread(fd, lead, sizeof lead, 0) > 0 && is_archive(lead))
		import_archive(r, path);
	else if (import_is_text(path))
		read_note(r, fd, below);
	else if (import_is_memory(path))
		read_database(r, path);
	else if (!is_tape(fd) || tape_holds(r, path))
		read_talks(r, fd, path);
	close(fd);
	import_tell_progress(r);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void visit(struct import_run *r, FTS *walk, FTSENT *e, size_t root)
{
	bool hidden = e->fts_level > 0 && (e->fts_name[0] == '.' ||
	                                   strcmp(e->fts_name, "node_modules") == 0);
	const char *below = e->fts_path + root;
	below += strspn(below, "/");
	if (e->fts_info == FTS_D && hidden)
		(void)fts_set(walk, e, FTS_SKIP);
	if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS) {
		r->failed++;
		complain("%s: %s", e->fts_path, strerror(e->fts_errno));
	}
	if (e->fts_info != FTS_F || hidden || e->fts_statp->st_size == 0)
		return;
	if (import_is_text(e->fts_name) || import_is_talk(e->fts_name) ||
	    (is_database(e->fts_name) && is_foreign(e->fts_path)) || /* a memory is to be named */
	    import_ends(e->fts_name, (const char *const[]){ ".zip", NULL }))
		read_one(r, e->fts_path, below);
}

static void read_directory(struct import_run *r, const char *path)
{
	char *const roots[] = { (char *)path, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (!walk) {
		r->failed++;
		complain("%s: %s", path, strerror(errno));
		return;
	}
	r->named = false;
	for (FTSENT *e; !r->error && (e = fts_read(walk));)
		visit(r, walk, e, strlen(path));
	fts_close(walk);
}

/* The notes' folder: what the directory is called, that of a file is that it stands in. */
static void name_folder(struct import_run *r, const char *source, bool directory)
{
	char real[PATH_MAX];
	if (!realpath(source, real))
		(void)snprintf(real, sizeof real, "%s", source);
	char *slash = directory ? NULL : strrchr(real, '/');
	if (slash)
		*slash = '\0';
	const char *name = import_last_part(real);
	(void)snprintf(r->folder, sizeof r->folder, "%s", *name ? name + (*name == '.') : "imported");
	if (!*r->folder)
		(void)snprintf(r->folder, sizeof r->folder, "imported");
}

void import_source(struct import_run *r, const char *source)
{
	struct stat st;
	r->named = true;
	if (strcmp(source, "-") == 0) {
		(void)snprintf(r->shown, sizeof r->shown, "standard input");
		(void)snprintf(r->folder, sizeof r->folder, "imported");
		read_talks(r, STDIN_FILENO, "stdin");
		import_tell_progress(r);
	} else if (stat(source, &st)) {
		r->failed++;
		complain("%s: %s", source, strerror(errno));
	} else {
		name_folder(r, source, S_ISDIR(st.st_mode));
		if (S_ISDIR(st.st_mode))
			read_directory(r, source);
		else
			read_one(r, source, import_last_part(source));
	}
}
