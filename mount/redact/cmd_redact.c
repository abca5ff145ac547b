/* SPDX-License-Identifier: MIT */
/*
 * cinta redact [--yes] [-d DB] --reason TEXT [-o opt,…] SEQ|PATH[@N]|--match PATTERN [DB]
 *
 * The one way to take a text out, and it is the owner's: it needs the signing key, and
 * there is no file in the mount for it.  The transaction is this process's, so that no
 * socket takes the order; a daemon that serves the database notices it within a tick,
 * forgets what it has shown, and cleans the files, which only it may do.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/memory/memory.h"
#include "mount/redact/redact.h"
#include "mount/words/words.h"

enum { WAIT_SECONDS = 300, MACHINE_SECONDS = 10 };

struct redact_command {
	struct options options;
	const char *pattern, *reason, *target;
	bool yes;
	char path[PATH_MAX];
	char author[FIELD_MAX + 1];
};

/* In the place of what is to go; the path of a document names no file of ours here. */
static bool is_database(const char *word)
{
	struct why why = { 0 };
	return access(word, F_OK) == 0 && store_look(word, &why) == 1;
}

static int parse(int argc, char **argv, struct redact_command *c)
{
	static const struct option longs[] = { { "match", required_argument, NULL, 'm' },
		{ "reason", required_argument, NULL, 'r' }, { "yes", no_argument, NULL, 'y' },
		{ NULL, 0, NULL, 0 } };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, ":o:d:", longs, NULL)) != -1;) {
		if (opt == 'm')
			c->pattern = optarg;
		else if (opt == 'r')
			c->reason = optarg;
		else if (opt == 'y')
			c->yes = true;
		else if (opt == 'd')
			c->options.database = optarg;
		else if (opt == 'o')
			status = database_options("redact", OPTIONS_WRITE, &c->options, optarg);
		else
			status = usage_option("redact", argv, opt);
	}
	if (status == EXIT_FINE && !c->pattern)
		c->target = optind < argc ? argv[optind++] : NULL;
	if (status == EXIT_FINE && !c->pattern && !c->target)
		status = usage("redact", "redact: say what: an entry's seq, a path, or --match PATTERN");
	if (status == EXIT_FINE && c->target && is_database(c->target))
		status = usage("redact", "redact: %s is a database; it comes last: cinta redact %s %s",
		               c->target, optind < argc ? argv[optind] : "WHAT", c->target);
	if (status == EXIT_FINE && c->yes && !c->reason)
		status = usage("redact", "redact: say why, in one line: --reason TEXT");
	if (status != EXIT_FINE)
		return status;
	return database_operand("redact", c->options.database, argc, argv, c->path);
}

struct places {
	const char *path; /* of the database: a heading is due before the first */
	int64_t count;
};

static void tell_place(void *ctx, const char *what)
{
	struct places *p = ctx;
	if (p->count++ == 0 && p->path)
		printf("To be taken out of %s:\n", p->path);
	printf("  %s\n", what);
}

static void pass_by(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
}

/* What is beside the memory; on --yes it goes, and has been told before.  `path`: of a heading. */
static int64_t look_beside(struct store *s, struct match *m, bool forget, const char *path)
{
	struct places p = { path, 0 };
	if (store_side_forget(s, match_holds, m, forget, forget ? pass_by : tell_place, &p))
		complain("what is beside the memory (rejected/, scratch, logs/) cannot be read");
	return p.count;
}

/* The files again, for what the pattern had found: nobody should have to believe us. */
static int look_again(const char *path, const struct match *m)
{
	static const char *const beside[] = { "", "-wal", ".side", ".side-wal", ".search",
		".search-wal", ".vectors", ".vectors-wal", ".log" };
	int status = EXIT_FINE;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		char name[PATH_MAX + 16];
		(void)snprintf(name, sizeof name, "%s%s", path, beside[i]);
		if (match_file(m, name)) {
			complain("%s still holds it; run this again, or look with grep -a", name);
			status = EXIT_FAULT;
		}
	}
	return status;
}

static int redact(struct redact_command *c, struct store *s, struct finding *f, bool served)
{
	struct why why = { 0 };
	const struct redact r = { f->seqs, f->count, c->reason, c->author, match_holds, f->match };
	int err = f->count > 0 ? store_redact(s, &r, &why) : 0;
	if (!err && (served || f->count == 0)) /* none: the rest of one that did not come to its end */
		err = store_redact_wait(s, WAIT_SECONDS);
	if (err == STORE_EBUSY)
		complain("the bodies are gone, but not yet all that was made of them: a reader holds on, or"
		         " the disk does not take it. End the reader or make room, and run this again; a"
		         " daemon, or the next mount, goes on with it, too");
	else if (err)
		complain_why("redact", &why, store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

struct machines {
	int clean, all, waited; /* waited: seen a moment ago, and not clean yet */
	bool tell;
};

static void count_machine(void *ctx, const struct machine *m)
{
	struct machines *n = ctx;
	n->all++;
	n->clean += m->clean;
	n->waited += m->here && !m->clean;
	if (n->tell && !m->clean)
		printf("  not yet on %s, %s: last seen %s\n", m->host, m->place, m->seen);
}

/* On a server: each machine takes it out of its replica as it hears of it. */
static void tell_machines(struct store *s)
{
	struct machines n = { .tell = false };
	int err = store_machines(s, count_machine, &n);
	for (int i = 0; !err && n.waited > 0 && i < MACHINE_SECONDS; i++) {
		sleep(1);
		n = (struct machines){ .tell = false };
		err = store_machines(s, count_machine, &n);
	}
	if (err || n.all == 0)
		return;
	printf("Done on %d of %d machines\n", n.clean, n.all);
	n.tell = true;
	(void)store_machines(s, count_machine, &n);
}

/* A file that is its owner's to remove. */
static void tell_kept(const struct redact_command *c, const struct match *m)
{
	char kept[PATH_MAX + 16];
	(void)snprintf(kept, sizeof kept, "%s.before-rebuild", c->path);
	if (access(kept, F_OK) == 0 && (!c->pattern || match_file(m, kept)))
		complain("%s is from before a rebuild, and is not reached: remove it", kept);
}

/* As the owner, or beside the daemon that is. */
static int take_out(struct redact_command *c, struct finding *f)
{
	int lock = -1, error = owner_take(c->path, &lock), status = EXIT_FAULT;
	bool served = error == -EWOULDBLOCK;
	if (error && !served) {
		complain("%s.lock: %s", c->path, strerror(-error));
		return EXIT_FAULT;
	}
	struct store *s = served ? database_append(c->path, c->options.key_dir) :
		database_own(c->path, c->options.key_dir);
	if (s) {
		(void)look_beside(s, f->match, true, NULL);
		status = redact(c, s, f, served);
		if (status == EXIT_FINE && f->count > 0)
			tell_machines(s);
		store_close(s);
	}
	if (lock >= 0)
		close(lock);
	if (status == EXIT_FINE)
		status = look_again(c->path, f->match);
	tell_kept(c, f->match);
	if (status == EXIT_FINE && f->unfinished && f->count == 0)
		printf("What a redaction before had left is gone now.\n");
	if (status == EXIT_FINE)
		printf("Taken out: %zu entries.  Backups, snapshots of the disk, and who has read it, are"
		       " not reached: change the secret.\n", f->count);
	return status;
}

static int find(struct redact_command *c, struct finding *f)
{
	struct named named;
	struct why why = { 0 };
	char *end = NULL;
	long long seq = c->target ? strtoll(c->target, &end, 10) : -1;
	f->seq = c->target && end != c->target && !*end ? seq : -1;
	if (c->target && f->seq < 0) {
		if (redact_path(f->store, c->target, &named, &why)) {
			complain_why("redact", &why, "not found");
			return EXIT_FAULT;
		}
		f->named = &named;
	}
	int err = redact_find(f);
	f->named = NULL;
	if (err)
		complain("%s: %s", c->path, store_strerror(err));
	return err ? EXIT_FAULT : EXIT_FINE;
}

static void tell_nothing(const struct redact_command *c, const struct finding *f)
{
	if (f->unfinished)
		complain("no entry holds it any more, but a redaction did not come to its end: its text may"
		         " still be in the files; with --yes and --reason TEXT it goes on");
	else if (c->pattern)
		complain("nothing holds it; give another pattern, or a part of the text as it stands");
	else if (f->seq >= 0)
		complain("there is no entry %lld that holds a text; name what is to go by its path, or by "
		         "--match PATTERN", (long long)f->seq);
	else
		complain("%s holds no text now; NAME@log lists its versions", c->target);
}

static int redact_run(struct redact_command *c, struct match *m)
{
	struct finding f = { .match = m, .out = stdout, .path = c->path };
	/* Within a second a daemon puts beside the memory what editors hold, and draws facts. */
	if (c->yes && owner_peek(c->path, NULL))
		sleep(2);
	f.store = database_read(c->path, c->options.key_dir);
	if (!f.store)
		return EXIT_FAULT;
	int status = find(c, &f);
	int64_t beside = status == EXIT_FINE ?
		look_beside(f.store, m, false, f.count > 0 ? NULL : c->path) : 0;
	f.unfinished = store_redact_wait(f.store, 0) != 0;
	store_close(f.store);
	if (f.headers > 0)
		complain("the author of %lld entries holds it: headers are in every hash and stay",
		         (long long)f.headers);
	if (status == EXIT_FINE && m->failed) {
		complain("the pattern takes too long on some of the texts: nothing is taken out; give a"
		         " simpler one, or the text as it stands");
		status = EXIT_FAULT;
	} else if (status == EXIT_FINE && c->reason &&
	           match_holds(m, c->reason, strlen(c->reason))) {
		complain("the reason holds what is to go, and a reason stays for good; give other words");
		status = EXIT_FAULT;
	} else if (status == EXIT_FINE && f.count == 0 && beside == 0 &&
	           !(c->yes && f.unfinished)) {
		tell_nothing(c, &f);
		status = EXIT_FAULT;
	} else if (status == EXIT_FINE && !c->yes) {
		printf("Nothing was changed: %zu entries, and %lld beside the memory.  With --yes and"
		       " --reason TEXT they go for good.\n", f.count, (long long)beside);
	} else if (status == EXIT_FINE) {
		status = take_out(c, &f);
	}
	free(f.seqs);
	return status;
}

int cmd_redact(int argc, char **argv)
{
	struct redact_command c = { .yes = false };
	struct match m = { .pattern = NULL };
	struct why why = { 0 };
	int status = parse(argc, argv, &c);
	if (status == EXIT_FINE && match_init(&m, c.pattern, &why))
		status = usage("redact", "%s; %s", why.text, why.todo);
	if (status == EXIT_FINE && m.pattern && !m.code)
		complain("note: %s is no regular expression, and is looked for as it stands", m.pattern);
	if (status == EXIT_FINE) {
		database_author(&c.options, c.author);
		status = redact_run(&c, &m);
	}
	match_release(&m);
	options_release(&c.options);
	return finish(status);
}
