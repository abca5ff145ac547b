/* SPDX-License-Identifier: MIT */
/*
 * cinta edit [-d DB] PATH: a document in $VISUAL or $EDITOR, on a copy, which is written back if it
 * was changed.  The memory is free meanwhile; what others wrote there is never written over.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mount/files/files.h"

struct text {
	char *bytes;
	size_t len;
};

/* A directory of one's own, and in it the name the file has, for editors go by its ending. */
struct copy {
	char dir[PATH_MAX], path[PATH_MAX];
};

static bool same(const struct text *a, const struct text *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* What PATH holds; a document that is not there yet is an empty one. */
static int fetch(const struct files_command *c, const char *path, struct text *out)
{
	struct files *f = NULL;
	int status = files_start(c, false, &f);
	if (status != EXIT_FINE)
		return status;
	struct stat st;
	if (files_stat(f, path, true, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 0222)) {
		complain("%s is cinta's own page, which nobody writes; `cinta cat` shows it, and `cinta "
		         "identity -d DB < FILE` sets who the agent is", path);
		files_end(f);
		return EXIT_FAULT;
	}
	int err = files_slurp(f, path, &out->bytes, &out->len);
	if (err == -ENOENT) {
		out->bytes = calloc(1, 1);
		err = out->bytes ? 0 : -ENOMEM;
	}
	if (err)
		status = files_complain(f, path, err);
	files_end(f);
	return status;
}

static int make_copy(const char *path, const struct text *text, struct copy *out)
{
	const char *tmp = getenv("TMPDIR"), *slash = strrchr(path, '/');
	(void)snprintf(out->dir, sizeof out->dir, "%.3000s/cinta-edit-XXXXXX",
	               tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(out->dir))
		return -errno;
	(void)snprintf(out->path, sizeof out->path, "%.3500s/%.255s", out->dir,
	               slash ? slash + 1 : path);
	int fd = open(out->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int err = 0;
	for (size_t at = 0; !err && at < text->len;) {
		ssize_t put = write(fd, text->bytes + at, text->len - at);
		if (put < 0)
			err = -errno;
		else
			at += (size_t)put;
	}
	return close(fd) < 0 && !err ? -errno : err;
}

static void drop_copy(const struct copy *c)
{
	(void)unlink(c->path);
	(void)rmdir(c->dir); /* what an editor left there stays */
}

static const char *choose_editor(void)
{
	const char *editor = getenv("VISUAL");
	if (!editor || !*editor)
		editor = getenv("EDITOR");
	return editor && *editor ? editor : "vi";
}

/* ^C is the editor's alone, not the shell's either.  Its end as waitpid(2) tells it, or -1. */
static int run_alone(const char *line, const char *path, const char *word)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	int state = -1;
	(void)sigaction(SIGINT, &ignored, &interrupt);
	(void)sigaction(SIGQUIT, &ignored, &quit);
	pid_t pid = fork();
	if (pid == 0) {
		(void)sigaction(SIGINT, &interrupt, NULL);
		(void)sigaction(SIGQUIT, &quit, NULL);
		(void)signal(SIGXFSZ, SIG_DFL);
		execl("/bin/sh", "sh", "-c", line, "sh", path, word, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
		;
	(void)sigaction(SIGINT, &interrupt, NULL);
	(void)sigaction(SIGQUIT, &quit, NULL);
	return state;
}

/* As a shell runs it, for EDITOR may have options: 0 if it ended well. */
static int run_editor(const char *path)
{
	const char *editor = choose_editor();
	char line[512], word[256];
	/* A plain name is looked for first: what a shell says of one that is none helps nobody. */
	size_t len = strcspn(editor, " \t\n=\"'$~\\`;&|<>(){}*?[]#");
	bool plain = len > 0 && len < sizeof word && (!editor[len] || editor[len] == ' ');
	(void)snprintf(word, sizeof word, "%.*s", (int)(plain ? len : sizeof word - 1), editor);
	size_t need = (size_t)snprintf(line, sizeof line, "trap : INT QUIT; %s%s \"$1\"", plain ?
		"command -v \"$2\" > /dev/null || exit 127; " : "", editor);
	if (need >= sizeof line) {
		complain("edit: EDITOR is too long; nothing was changed; name a script instead");
		return -ENAMETOOLONG;
	}
	int state = run_alone(line, path, word);
	if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
		return 0;
	if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
		complain("edit: no editor `%s`; nothing was changed; set EDITOR to one that is here", word);
	else
		complain("edit: `%s` failed; nothing was changed", editor);
	return -ECANCELED;
}

/* `before` is what the editor was given. */
static int bring_back(const struct files_command *c, const char *path, const struct text *before,
                      const struct text *after)
{
	struct files *f = NULL;
	struct change change;
	int status = files_start(c, true, &f);
	if (status != EXIT_FINE)
		return status;
	int err = files_change_begin(f, path, before->len == 0 ? O_CREAT : 0, &change);
	if (!err) {
		bool as_it_was = same(before, &(struct text){ change.bytes, change.len });
		if (!as_it_was) {
			complain("%s was written by somebody else meanwhile; nothing was changed", path);
			status = EXIT_FAULT;
		}
		err = files_change_end(f, &change, as_it_was ? after->bytes : NULL, after->len);
	}
	if (err)
		status = files_complain(f, path, err);
	files_end(f);
	return status;
}

static int edit_copy(const struct files_command *c, const char *path, const struct text *before,
                     const struct copy *copy)
{
	struct text after = { NULL, 0 };
	int err = run_editor(copy->path);
	if (err) {
		drop_copy(copy);
		return EXIT_FAULT;
	}
	int fd = open(copy->path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : slurp(fd, &after.bytes, &after.len);
	if (fd >= 0)
		close(fd);
	if (err) {
		complain("%s: %s; nothing was changed", copy->path, strerror(-err));
		return EXIT_FAULT;
	}
	int status = same(before, &after) ? EXIT_FINE : bring_back(c, path, before, &after);
	if (status == EXIT_FINE)
		drop_copy(copy);
	else
		complain("your text is in %s", copy->path);
	free(after.bytes);
	return status;
}

static int edit(const struct files_command *c, const char *path)
{
	struct text before = { NULL, 0 };
	struct copy copy = { .dir = "" };
	int status = fetch(c, path, &before);
	int err = status == EXIT_FINE ? make_copy(path, &before, &copy) : 0;
	if (err) {
		complain("edit: %s: %s; set TMPDIR to a directory that takes the copy", copy.dir,
		         strerror(-err));
		drop_copy(&copy);
		status = EXIT_FAULT;
	}
	if (status == EXIT_FINE)
		status = edit_copy(c, path, &before, &copy);
	free(before.bytes);
	return status;
}

int cmd_edit(int argc, char **argv)
{
	struct files_command c = { .makes = false };
	int status = files_parse(argv, argc, "", &c);
	if (status == EXIT_FINE && argc - optind != 1)
		status = usage("edit", "edit: give one PATH, not %d words", argc - optind);
	if (status == EXIT_FINE)
		status = edit(&c, argv[optind]);
	return files_finish(&c, NULL, status);
}
