/* SPDX-License-Identifier: MIT */
/*
 * cinta mount [-f] [-d] [-o opt,…] [DB] DIR
 *
 * Starts the process that owns DB, or asks the one that does already to mount
 * it on DIR as well.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/control.h"
#include "mount/daemon.h"
#include "mount/dead.h"
#include "mount/embedding.h"
#include "mount/options.h"
#include "mount/owner.h"
#include "mount/paths.h"
#include "mount/point.h"
#include "mount/serve.h"
#include "mount/verbs.h"

enum { PATIENCE_MS = 10000, STEP_MS = 50 };

struct mount_command {
	struct options options;
	enum tokenizer tokenizer;
	int64_t model_limit, threshold;
	struct fs_options embedding; /* its endpoint alone */
	char *key;            /* for it, or NULL */
	bool front, debug;
	char database[PATH_MAX], dir[PATH_MAX];
	int lock;
};

/* A whole number from 1 to `most`, or what was there when none is given. */
static bool number(const char *text, int64_t most, int64_t *out)
{
	char *end;
	if (!text)
		return true;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	if (errno || *end || n < 1 || n > most)
		return false;
	*out = n;
	return true;
}

static int parse(int argc, char **argv, struct mount_command *c)
{
	struct why why = { 0 };
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":fdo:")) != -1;) {
		switch (opt) {
		case 'f':
			c->front = true;
			break;
		case 'd':
			c->front = c->debug = true;
			break;
		case 'o':
			if (options_parse(&c->options, OPTIONS_MOUNT, optarg, &why))
				return usage("mount", "%s; %s", why.text, why.todo);
			break;
		default:
			return usage_option("mount", argv, opt);
		}
	}
	const char *tokens = c->options.tokens;
	if (tokens && !store_tokenizer_by_name(tokens, &c->tokenizer))
		return usage("mount", "tokens=%s: not o200k_base, cl100k_base or estimate", tokens);
	if (!number(c->options.limit, 1000000000, &c->model_limit))
		return usage("mount", "limit=%s: not a number of tokens", c->options.limit);
	if (!number(c->options.threshold, 100, &c->threshold))
		return usage("mount", "threshold=%s: not 1 to 100 per cent", c->options.threshold);
	c->embedding.embedding_key = c->key;
	int status = embedding_options("mount", &c->options, &c->embedding);
	if (status != EXIT_FINE)
		return status;
	int left = argc - optind;
	if (left < 1 || left > 2)
		return usage("mount", "mount: needs [DB] DIR");
	const char *given = left == 2 ? argv[optind] : NULL, *dir = argv[argc - 1];
	int error = path_mount_point(dir, c->dir);
	if (error) {
		complain("%s: %s%s", dir, strerror(-error),
		         error == -ENOENT ? "; make it with mkdir" : "");
		return EXIT_FAULT;
	}
	error = path_database(given, true, c->database);
	if (error) {
		complain("%s: %s", given ? given : "the default database", strerror(-error));
		return EXIT_FAULT;
	}
	error = c->options.key_dir ? path_absolute(&c->options.key_dir) : 0;
	if (error) {
		complain("key_dir: %s", strerror(-error));
		return EXIT_FAULT;
	}
	return EXIT_FINE;
}

static int run_child(void *ctx, int peer)
{
	struct mount_command *c = ctx;
	struct serve plan = { c->database, c->dir, &c->options, c->tokenizer, c->model_limit,
	                      (int)c->threshold, &c->embedding, c->debug, c->lock, peer };
	return serve(&plan);
}

static int start(struct mount_command *c)
{
	int status = c->front ? run_child(c, -1) : daemon_start(c->dir, run_child, c);
	if (c->lock >= 0)
		close(c->lock);
	return status;
}

/* The owner runs with its own settings; say so rather than drop ours. */
static int check_askable(const struct mount_command *c, const struct owner *who)
{
	const struct options *o = &c->options;
	const char *word = o->session ? "session=" : o->owner ? "owner=" : o->origin ? "origin="
	                 : o->key_dir ? "key_dir=" : o->tokens ? "tokens=" : o->limit ? "limit="
	                 : o->threshold ? "threshold=" : o->summarizer ? "summarizer="
	                 : o->embedding ? "embedding=" : NULL;
	if (word) {
		complain("%s is served by process %ld already and %s is set when it starts; "
		         "leave it out, or unmount first", c->database, (long)who->pid, word);
		return EXIT_FAULT;
	}
	if (c->front) {
		complain("%s is served by process %ld already; leave out -f to let it mount %s",
		         c->database, (long)who->pid, c->dir);
		return EXIT_FAULT;
	}
	return EXIT_FINE;
}

/* EXIT_FINE, EXIT_FAULT, or -1: nobody listened, try again. */
static int ask_owner(const struct mount_command *c, const struct owner *who, struct why *why)
{
	const struct options *o = &c->options;
	struct control_mount request = { c->dir, o->ro, o->allow_other, o->nonempty, c->debug };
	int status = check_askable(c, who);
	if (status != EXIT_FINE)
		return status;
	int error = control_ask(who->socket, &request, why);
	if (error == -ENOENT || error == -ECONNREFUSED || error == -ECONNRESET || error == -EPIPE)
		return -1;
	if (error == 0)
		error = daemon_probe(c->dir, PROBE_MS);
	if (error) {
		complain_why(c->database, why, strerror(-error));
		return EXIT_FAULT;
	}
	return EXIT_FINE;
}

/* Owner or guest?  Another may be starting or stopping just now: look again. */
static int mount_somehow(struct mount_command *c)
{
	struct owner who = { 0 };
	for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
		int error = owner_take(c->database, &c->lock);
		/* On a read-only place nobody can own anything, and reading needs no owner. */
		if ((error == -EROFS || error == -EACCES) && c->options.ro) {
			c->lock = -1;
			error = 0;
		}
		if (error == 0)
			return start(c);
		if (error != -EWOULDBLOCK) {
			complain("%s.lock: %s", c->database, strerror(-error));
			return EXIT_FAULT;
		}
		struct why why = { 0 };
		enum owner_state state = owner_state(c->database, &who);
		error = state == OWNER_DEAD ? dead_free(c->database, &why) : 0;
		if (error) {
			complain_why(c->database, &why, strerror(-error));
			return EXIT_FAULT;
		}
		int status = state == OWNER_LIVE && who.pid ? ask_owner(c, &who, &why) : -1;
		if (status >= 0)
			return status;
		usleep(STEP_MS * 1000);
	}
	complain("%s is held by process %ld, which does not answer; see `cinta doctor`",
	         c->database, (long)who.pid);
	return EXIT_FAULT;
}

int cmd_mount(int argc, char **argv)
{
	struct mount_command *c = calloc(1, sizeof *c);
	if (!c)
		return EXIT_FAULT;
	c->lock = -1;
	c->key = embedding_key();
	int status = parse(argc, argv, c);
	if (status == EXIT_FINE) {
		struct why why = { 0 };
		/* A daemon must not keep its caller's pipes open. */
		if (!c->front && close_range(STDERR_FILENO + 1, ~0U, 0) < 0)
			complain("note: inherited descriptors stay open: %s", strerror(errno));
		int error = point_clear(c->dir, &why);
		if (error == 0)
			error = point_check(c->dir, c->database, c->options.nonempty, &why);
		if (error) {
			complain_why("mount", &why, strerror(-error));
			status = EXIT_FAULT;
		} else {
			status = mount_somehow(c);
		}
	}
	options_release(&c->options);
	if (c->key)
		explicit_bzero(c->key, strlen(c->key));
	free(c->key);
	free(c);
	return status;
}
