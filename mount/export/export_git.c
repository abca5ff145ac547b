/* SPDX-License-Identifier: MIT */
/*
 * cinta export --git DIR [--since SEQ|DATE]: the tape as commits of a git repository, made by
 * git fast-import.  One that has commits of this tape goes on behind the last of them.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mount/export/export.h"
#include "mount/export/git_stream.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"

enum { NOTE_MOST = 4096 };

/* In a directory that was named is explicit enough, whatever safe.bareRepository says. */
#define GIT_IN "git", "-c", "safe.bareRepository=all", "-C"

/* ---- git --------------------------------------------------------------------- */

/* `quiet`: what git complains of is said by us. */
static int start(char *const argv[], int fd, int end, int other, bool quiet, pid_t *pid)
{
	posix_spawn_file_actions_t a;
	int err = posix_spawn_file_actions_init(&a);
	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&a, end, fd);
	err = err ? err : posix_spawn_file_actions_addclose(&a, other);
	if (!err && quiet)
		err = posix_spawn_file_actions_addopen(&a, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = err ? err : posix_spawnp(pid, "git", &a, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&a);
	return err;
}

/* Begins git with one end of a pipe as its `fd`, and gives the other; NULL after complaining. */
static FILE *begin(char *const argv[], int fd, bool quiet, pid_t *pid)
{
	int ends[2], theirs = fd == STDIN_FILENO ? 0 : 1;
	int err = pipe(ends) == 0 ? start(argv, fd, ends[theirs], ends[!theirs], quiet, pid) : errno;
	if (err) {
		complain("export: git: %s%s", strerror(err), err == ENOENT ? "; install git" : "");
		return NULL;
	}
	close(ends[theirs]);
	return fdopen(ends[!theirs], theirs ? "r" : "w");
}

static bool ended_well(pid_t pid)
{
	int status = -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What git says, its first `size` - 1 bytes; false: it failed, and has said why or been quiet. */
static bool ask(char *const argv[], bool quiet, char *said, size_t size)
{
	pid_t pid;
	FILE *f = begin(argv, STDOUT_FILENO, quiet, &pid);
	if (!f)
		return false;
	size_t len = fread(said, 1, size - 1, f);
	said[len] = '\0';
	(void)fclose(f);
	return ended_well(pid);
}

/* ---- where to go on ------------------------------------------------------------ */

struct target {
	const char *dir;
	int64_t last;        /* the newest entry that is there, -1: none */
	char hash[2 * HASH_SIZE + 2];
};

/* Git looks at this directory alone: not at one above it, nor at what others have set. */
static void fence(const char *dir)
{
	static const char *const set[] = { "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
		"GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE" };
	char real[PATH_MAX];
	for (size_t i = 0; i < sizeof set / sizeof *set; i++)
		(void)unsetenv(set[i]);
	if (!realpath(dir, real))
		return;
	char *slash = strrchr(real, '/');
	slash[slash == real] = '\0';
	(void)setenv("GIT_CEILING_DIRECTORIES", real, 1);
}

static bool read_last(struct target *t)
{
	static char form[] = "--format=%(trailers:key=Cinta-Seq,valueonly)"
		"%(trailers:key=Cinta-Hash,valueonly)";
	char said[512], *dir = (char *)t->dir, *end;
	if (!ask((char *[]){ GIT_IN, dir, "for-each-ref", GIT_BRANCH, NULL }, false,
	         said, sizeof said))
		return false;
	if (!*said)
		return true;
	if (!ask((char *[]){ GIT_IN, dir, "log", "-1", form, GIT_BRANCH, NULL }, false,
	         said, sizeof said))
		return false;
	t->last = strtoll(said, &end, 10);
	end += strspn(end, "\n");
	if (!isdigit((unsigned char)*said) || strspn(end, "0123456789abcdef") != 2 * HASH_SIZE) {
		complain("%s: its branch main is none that an export made; name another directory", dir);
		return false;
	}
	(void)snprintf(t->hash, sizeof t->hash, "%.*s", 2 * HASH_SIZE, end);
	return true;
}

/* Why git does not work in a directory that holds something. */
static bool not_ours(const char *dir)
{
	struct stat st;
	bool others = stat(dir, &st) == 0 && st.st_uid != geteuid();
	const struct passwd *owner = others ? getpwuid(st.st_uid) : NULL;
	if (others)
		complain("%s belongs to %s, and git works in nobody else's repository; name one of yours, "
		         "or, if you trust it: git config --global --add safe.directory %s", dir,
		         owner ? owner->pw_name : "another user", dir);
	else
		complain("%s holds files; name a git repository, or a directory that is new or empty", dir);
	return false;
}

/*
 * Before anything is waited for: what a directory that holds something is.  It must be a repository
 * without a branch main, or with ours.
 */
static bool check_target(struct target *t)
{
	char said[512], *dir = (char *)t->dir;
	struct stat st;
	t->last = -1;
	fence(dir);
	if (stat(dir, &st) != 0 && errno == ENOENT)
		return true;
	int empty = point_is_empty(dir);
	if (empty < 0)
		complain("%s: %s; name a git repository, or a directory that is new or empty", dir,
		         strerror(-empty));
	if (empty)
		return empty > 0;
	if (!ask((char *[]){ GIT_IN, dir, "rev-parse", "--git-dir", NULL }, true, said,
	         sizeof said))
		return not_ours(dir);
	return read_last(t);
}

/* An empty or new directory becomes a bare repository. */
static bool open_target(struct target *t)
{
	char said[512], *dir = (char *)t->dir;
	int empty = point_is_empty(dir);
	if (empty > 0)
		(void)chmod(dir, 0700); /* as a new one is */
	if (empty > 0 || empty == -ENOENT)
		return ask((char *[]){ "git", "init", "-q", "--bare", "-b", "main", "--", dir, NULL },
		           false, said, sizeof said);
	if (empty < 0)
		complain("%s: %s", dir, strerror(-empty));
	return empty == 0;
}

/* ---- entries --------------------------------------------------------------------- */

struct since {
	int64_t seq, time_us; /* from that entry on; from the first one of that time on */
};

static bool parse_since(const char *text, struct since *out)
{
	struct tm tm = { .tm_mday = 1 };
	*out = (struct since){ 0, 0 };
	if (!text)
		return true;
	if (*text && text[strspn(text, "0123456789")] == '\0') {
		out->seq = strtoll(text, NULL, 10);
		return true;
	}
	const char *rest = strptime(text, "%Y-%m-%d", &tm);
	if (rest && *rest == 'T')
		rest = strptime(rest, "T%H:%M:%SZ", &tm);
	out->time_us = (int64_t)timegm(&tm) * 1000000;
	return rest && !*rest;
}

struct git_run {
	struct git_stream stream;
	struct target target;
	struct since since;
	bool other; /* the repository is of another tape */
	bool gap;   /* it would lack entries for ever */
	int64_t entries;
};

static int git_take(void *ctx, const struct entry *e)
{
	struct git_run *r = ctx;
	r->entries = e->seq + 1;
	if (e->seq == r->target.last)
		for (size_t i = 0; i < HASH_SIZE; i++) {
			char hex[3];
			(void)snprintf(hex, sizeof hex, "%02x", e->leaf_hash[i]);
			r->other |= memcmp(hex, r->target.hash + 2 * i, 2) != 0;
		}
	if (r->stream.from == INT64_MAX && e->seq > r->target.last && e->seq >= r->since.seq &&
	    e->time_us >= r->since.time_us) {
		r->stream.from = e->seq;
		r->gap = r->target.last >= 0 && e->seq > r->target.last + 1;
	}
	if (!r->other && !r->gap)
		git_stream_add(&r->stream, e);
	return r->other || r->gap || r->stream.failed || ferror(r->stream.out);
}

/* All entries into git's hands. */
static int send(struct git_run *r, struct store *s)
{
	char *argv[] = { GIT_IN, (char *)r->target.dir, "fast-import", "--quiet", "--done",
		"--date-format=raw", NULL };
	char note[NOTE_MOST] = "";
	pid_t pid;
	const char *size;
	FILE *out = begin(argv, STDIN_FILENO, false, &pid);
	if (!out)
		return EXIT_FAULT;
	(void)signal(SIGPIPE, SIG_IGN); /* git says why it ends */
	if (store_checkpoint_note(s, note, sizeof note) == 0 && (size = strchr(note, '\n')))
		r->stream.noted = strtoll(size + 1, NULL, 10);
	r->stream.out = out;
	r->stream.store = s;
	r->stream.note = note;
	r->stream.from = INT64_MAX;
	r->stream.goes_on = r->target.last >= 0;
	int err = store_entries_each(s, 0, git_take, r);
	bool bad = err || r->other || r->gap || r->stream.failed || ferror(out);
	/* Of what ends without it nothing counts, also where this process is killed. */
	if (!bad || r->stream.written == 0)
		fputs("done\n", out);
	bad |= fclose(out) != 0;
	if (r->other || r->entries <= r->target.last)
		complain("%s holds another memory: its entry %lld is not here", r->target.dir,
		         (long long)r->target.last);
	else if (r->gap)
		complain("%s ends with entry %lld: what comes between it and --since would never be there; "
		         "leave --since out", r->target.dir, (long long)r->target.last);
	else if (err || r->stream.failed)
		complain("export: %s", err ? store_strerror(err) : "out of memory");
	return ended_well(pid) && !bad && r->entries > r->target.last ? EXIT_FINE : EXIT_FAULT;
}

static int git_run(struct git_run *r, const char *path, const char *key_dir)
{
	struct store *s = database_read(path, key_dir);
	if (!s)
		return EXIT_FAULT;
	int status = open_target(&r->target) ? send(r, s) : EXIT_FAULT;
	if (status == EXIT_FINE)
		printf("%s: %lld commits, up to entry %lld\n", r->target.dir,
		       (long long)r->stream.written, (long long)r->entries - 1);
	store_close(s);
	git_names_release(&r->stream.names);
	return status;
}

int export_git(const struct files_command *c, const struct export_order *o)
{
	struct git_run r = { .target = { .dir = o->to } };
	char path[PATH_MAX];
	if (!parse_since(o->since, &r.since))
		return usage("export", "export: --since %s: a number of an entry, or a date as 2026-11-25 "
		             "or 2026-11-25T10:00:00Z", o->since);
	int status = database_named(c->options.database, path);
	if (status == EXIT_FINE && !check_target(&r.target))
		status = EXIT_FAULT;
	if (status == EXIT_FINE)
		status = export_settled(c);
	if (status != EXIT_FINE)
		return status;
	(void)umask(077); /* as the memory, it is its owner's */
	return git_run(&r, path, c->options.key_dir);
}
