/* SPDX-License-Identifier: MIT */
/*
 * cinta mount [-f] [-d DB] [-o opt,…] [DB] DIR
 *
 * Starts the process that owns DB, or asks the one that does already to mount
 * it on DIR as well.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/agents/agents.h"
#include "mount/daemon/daemon.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"
#include "mount/verbs.h"
#include "store/store.h"

enum { PATIENCE_MS = 10000, STEP_MS = 50 };

struct mount_command {
	struct options options;
	struct fs_access access;
	enum tokenizer tokenizer;
	int64_t model_limit, threshold;
	struct fs_options embedding; /* its endpoint alone */
	char *key;            /* for it, or NULL */
	bool front, debug;
	bool made_dir, made_database, made_file; /* by this command: taken back if it fails; told */
	char database[PATH_MAX], dir[PATH_MAX];
	char *followed[AGENTS_FOLLOWED]; /* directories of -o follow= */
	int follows;
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

/* The words look like something else was meant.  EXIT_FINE or EXIT_USAGE. */
static int check_words(int count, char **words, const char *named)
{
	if (count < 1 || count > (named ? 1 : 2))
		return usage("mount", "mount: give %s, not %d words", named ? "DIR alone beside -d DB" :
		             "[DB] DIR", count);
	for (int i = 0; i < count; i++)
		if (!*words[i])
			return usage("mount", "mount: a word is empty; give [DB] DIR: is a variable unset?");
	if (named && !*named)
		return usage("mount", "mount: the name behind -d is empty; is a variable unset?");
	struct stat first, last;
	char dir[PATH_MAX];
	/* What is mounted is not looked into: its daemon may be dead. */
	bool mounted = path_mount_point(words[count - 1], dir) == 0 && mounts_at(dir, NULL);
	if (mounted)
		return EXIT_FINE;
	bool found = stat(words[count - 1], &last) == 0;
	size_t len = strlen(words[count - 1]);
	bool file = found ? S_ISREG(last.st_mode) :
		len > 3 && !strcmp(words[count - 1] + len - 3, ".db");
	if (count == 2 && file && stat(words[0], &first) == 0 && S_ISDIR(first.st_mode))
		return usage("mount", "mount: the database comes first: cinta mount %s %s", words[1],
		             words[0]);
	if (file)
		return usage("mount", "mount: %s %s; say where, too: cinta mount %s DIR",
		             words[count - 1], found ? "is a file, not a directory" :
		             "is named like a database", words[count == 2 ? 0 : count - 1]);
	return EXIT_FINE;
}

/* Before anything is made: no lock beside a foreign file, no memory that cannot be mounted. */
static int check_memory(const struct mount_command *c, bool none, struct why *why)
{
	int error = ready_check(c->access.others, why);
	if (error)
		return error;
	if (c->options.fresh && !database_is_replica(c->database)) {
		why_set(why, "leave fresh= out: all its mounts are this machine's, and show at once what "
		        "any of them stores", "fresh=: %s is on no server that could have more",
		        c->database);
		return -EINVAL;
	}
	if (none && c->options.ro) {
		why_set(why, "leave -o ro out the first time", "%s is no memory yet, and a read-only "
		        "mount makes none", c->database);
		return -ENOENT;
	}
	return 0;
}

/* The database's and the mount point's path; the latter's last component is made if missing. */
static int parse_places(int count, char **words, struct mount_command *c)
{
	struct why why = { 0 };
	const char *named = c->options.database, *dir = words[count > 0 ? count - 1 : 0];
	int status = check_words(count, words, named);
	if (status != EXIT_FINE)
		return status;
	const char *given = count == 2 ? words[0] : named;
	bool server = given && store_is_server(given);
	if (server && database_replica(given, c->database) != EXIT_FINE)
		return EXIT_FAULT;
	int error = server ? 0 : path_database(given, true, c->database);
	if (error) {
		complain("%s: %s; %s", given ? given : "the default database", strerror(-error),
		         given && strstr(given, "://") ? "a server's name begins with postgresql://" :
		         error == -ENOENT && given ? "make its directory with mkdir -p" :
		         error == -EISDIR ? "name a file in it" :
		         "name a database with -d DB");
		return EXIT_FAULT;
	}
	int kind = store_look(c->database, &why);
	error = kind < 0 ? -EINVAL : check_memory(c, kind == 0, &why);
	if (error == 0)
		error = path_make_point(dir, &c->made_dir, &why);
	if (error) {
		complain("%s; %s", why.text, why.todo);
		return EXIT_FAULT;
	}
	c->made_database = kind == 0 && !server; /* a replica is a copy: its key is older than it */
	c->made_file = c->made_database && access(c->database, F_OK) < 0;
	error = path_mount_point(dir, c->dir);
	if (error) {
		complain("%s: %s; choose another directory", dir, strerror(-error));
		return EXIT_FAULT;
	}
	error = c->options.key_dir ? path_absolute(&c->options.key_dir) : 0;
	if (error)
		complain("key_dir: %s; name it by an absolute path", strerror(-error));
	return error ? EXIT_FAULT : EXIT_FINE;
}

/* What becomes of secrets; NULL: they are told. */
static bool secrets_option(const char *word, struct fs_options *o)
{
	static const char *const known[] = { [SECRETS_WARN] = "warn", [SECRETS_REFUSE] = "refuse",
		                                 [SECRETS_OFF] = "off" };
	o->secrets = SECRETS_WARN;
	while (word && o->secrets <= SECRETS_OFF && strcmp(known[o->secrets], word) != 0)
		o->secrets++;
	return o->secrets <= SECRETS_OFF;
}

/* What -o gives, before anything is made.  EXIT_FINE or EXIT_USAGE. */
static int check_values(struct mount_command *c)
{
	struct why why = { 0 };
	enum fs_fresh fresh;
	const char *tokens = c->options.tokens;
	if (tokens && strstr(tokens, ".tiktoken")) {
		if (store_tokenizer_load(tokens, &why))
			return usage("mount", "tokens=: %s; %s", why.text, why.todo);
		c->tokenizer = TOKENS_FILE;
	} else if (tokens && !store_tokenizer_by_name(tokens, &c->tokenizer)) {
		return usage("mount", "tokens=%s: not o200k_base, cl100k_base, estimate or FILE.tiktoken",
		             tokens);
	}
	if (!number(c->options.limit, 1000000000, &c->model_limit))
		return usage("mount", "limit=%s: not a number of tokens; write it in digits: "
		             "limit=200000", c->options.limit);
	if (!number(c->options.threshold, 100, &c->threshold))
		return usage("mount", "threshold=%s: not 1 to 100 per cent", c->options.threshold);
	if (!secrets_option(c->options.secrets, &c->embedding))
		return usage("mount", "secrets=%s: not warn, refuse or off", c->options.secrets);
	if (c->options.rm && strcmp(c->options.rm, "retire") != 0 &&
	    strcmp(c->options.rm, "refuse") != 0)
		return usage("mount", "rm=%s: not refuse or retire", c->options.rm);
	if (!options_fresh(&c->options, &fresh))
		return usage("mount", "fresh=%s: not told, open or write", c->options.fresh);
	if (!options_agree(&c->options, &why))
		return usage("mount", "%s; %s", why.text, why.todo);
	const struct fs_mount_options bounds = { .session = c->options.session,
		.only = c->options.only, .ro = c->options.ro_below, .hide = c->options.hide };
	if (fs_check_bounds(&bounds, &why))
		return usage("mount", "%s; %s", why.text, why.todo);
	if (c->options.session && fs_check_session(c->options.session, &why))
		return usage("mount", "session=%s: %s; %s", c->options.session, why.text, why.todo);
	if (c->options.dictionary && store_dictionary(NULL, c->options.dictionary, &why))
		return usage("mount", "%s; %s", why.text, why.todo);
	if (store_check_new(c->options.origin, c->options.key_dir, &why))
		return usage("mount", "%s; %s", why.text, why.todo);
	if (access_options(&c->options, &c->access, &why))
		return usage("mount", "%s; %s", why.text, why.todo);
	c->follows = c->options.follow ? agents_follow(c->options.follow, c->followed, &why) : 0;
	if (c->follows < 0)
		return usage("mount", "%s; %s", why.text, why.todo);
	return EXIT_FINE;
}

static int parse(int argc, char **argv, struct mount_command *c)
{
	struct why why = { 0 };
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":fd:o:")) != -1;) {
		switch (opt) {
		case 'f':
			c->front = true;
			break;
		case 'd':
			c->options.database = optarg;
			break;
		case 'o':
			if (options_parse(&c->options, OPTIONS_MOUNT, optarg, &why))
				return usage("mount", "%s; %s", why.text, why.todo);
			break;
		default:
			return usage_option("mount", argv, opt);
		}
	}
	int status = check_values(c);
	if (status != EXIT_FINE)
		return status;
	c->embedding.embedding_key = c->key;
	status = embedding_options("mount", &c->options, &c->embedding);
	if (status != EXIT_FINE)
		return status;
	c->debug = c->options.debug;
	c->front |= c->debug;
	return parse_places(argc - optind, argv + optind, c);
}

static int run_child(void *ctx, int peer)
{
	struct mount_command *c = ctx;
	char *companion[AGENTS_FOLLOWED + 6] = { "cinta", "import", "--follow", "-d", c->database };
	for (int i = 0; i < c->follows; i++)
		companion[5 + i] = c->followed[i];
	struct serve plan = { c->database, c->dir, &c->options, c->access, c->tokenizer, c->model_limit,
	                      (int)c->threshold, &c->embedding, c->debug, c->made_file,
	                      c->follows > 0 ? companion : NULL, c->lock, peer };
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
	const char *word = o->origin ? "origin="
	                 : o->key_dir ? "key_dir=" : o->secrets ? "secrets="
	                 : o->tokens ? "tokens=" : o->limit ? "limit="
	                 : o->threshold ? "threshold=" : o->summarizer ? "summarizer="
	                 : o->follow ? "follow=" : o->dictionary ? "dictionary="
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
	enum fs_fresh fresh;
	(void)options_fresh(o, &fresh);
	struct control_mount request = { c->dir, o->session, o->owner, o->server, o->agent, o->as,
	                                 o->only, o->ro_below, o->hide, o->ro, options_retire(o),
	                                 o->nonempty, o->noexec, c->debug, fresh,
	                                 c->access };
	int status = check_askable(c, who);
	if (status != EXIT_FINE)
		return status;
	if (namespace_differs(who->pid)) {
		complain("%s is owned by process %ld in another mount namespace, whose mounts are not "
		         "seen here; end it with `kill %ld`", c->database, (long)who->pid,
		         (long)who->pid);
		return EXIT_FAULT;
	}
	int error = control_ask(who->socket, &request, why);
	if (error == -ENOENT || error == -ECONNREFUSED || error == -ECONNRESET || error == -EPIPE)
		return -1;
	if (error == 0)
		error = mount_probe(c->dir, PROBE_MS);
	if (error) {
		complain_why(c->database, why, strerror(-error));
		return EXIT_FAULT;
	}
	return EXIT_FINE;
}

/* On a read-only place nobody can own anything, and reading needs no owner. */
static int take_lock(struct mount_command *c)
{
	c->lock = -1;
	if (c->options.ro && store_is_still(c->database))
		return 0;
	int error = owner_take(c->database, &c->lock);
	return (error == -EROFS || error == -EACCES) && c->options.ro ? 0 : error;
}

/* Owner or guest: another may be starting or stopping just now, so it looks again. */
static int mount_somehow(struct mount_command *c)
{
	struct owner who = { 0 };
	for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
		int error = take_lock(c);
		if (error == 0)
			return start(c);
		if (error != -EWOULDBLOCK) {
			complain("%s.lock cannot be used: %s; %s", c->database, strerror(-error),
			         error == -EINVAL || error == -ELOOP ? "remove it: it is no plain file" :
			         c->made_database ? "check the directory's owner and mode, or name a database "
			         "elsewhere" : "check the directory's owner and mode, or mount with -o ro");
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

static void mount_tell(const char *before, const char *word, const char *behind)
{
	(void)fputs(before, stdout);
	print_shown(stdout, word);
	(void)fputs(behind, stdout);
}

/* The first time: where all that matters is, while the person looks. */
static void tell_places(const struct mount_command *c)
{
	char key[PATH_MAX];
	struct status *st = calloc(1, sizeof *st);
	struct store *s = st ? database_read(c->database, c->options.key_dir) : NULL;
	if (s) {
		store_status(s, st);
		store_close(s);
		mount_tell("A new memory, mounted at ", c->dir, "\n");
		mount_tell("  database     ", c->database, "\n");
		if (store_key_file(c->options.key_dir, st->origin, key, sizeof key) == 0)
			mount_tell("  signing key  ", key, "\n");
		mount_tell("Back up both: `cinta backup COPY.db ", c->database,
		           "` any time, and a copy of the key;\nwithout the key nothing new is signed.  "
		           "What to do with it: ");
		mount_tell("", c->dir, "/README.md\n");
	}
	free(st);
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
	if (status == EXIT_FINE && c->made_database && !c->front)
		tell_places(c);
	/* An empty directory that was made for nothing. */
	if (status != EXIT_FINE && c->made_dir)
		(void)rmdir(c->dir);
	options_release(&c->options);
	while (c->follows > 0)
		free(c->followed[--c->follows]);
	if (c->key)
		explicit_bzero(c->key, strlen(c->key));
	free(c->key);
	free(c);
	(void)finish(status);
	return status; /* it is mounted, whether or not anybody could be told where all is */
}
