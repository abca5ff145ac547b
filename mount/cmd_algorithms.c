/* SPDX-License-Identifier: MIT */
/*
 * cinta algorithms list [DB]                         the versions of all algorithms
 * cinta algorithms compare [-w] … DB CODE [QUESTION…]
 *
 * Compares how two versions of algorithms/CODE choose memories (cinta.1).  It works while the
 * memory is mounted; only with -w does it write, an entry for each version.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

enum { FILE_MOST = 4 << 20 };
static const char verb[] = "algorithms";

struct request {
	struct options o;
	struct fs_compare what;
	bool write;
	const char *file;  /* of -q */
	char *versions;    /* of -v, cut at its comma */
	char *lines;
};

static void print(void *ctx, const char *bytes, size_t len)
{
	(void)fwrite(bytes, 1, len, ctx); /* finish() sees whether it went out */
}

/* ---- list ------------------------------------------------------------------ */

static int list(int argc, char **argv)
{
	char path[PATH_MAX];
	opterr = 0;
	const char *named = NULL;
	for (int opt; (opt = getopt(argc, argv, "+:d:")) != -1; named = optarg)
		if (opt != 'd')
			return usage_option(verb, argv, opt);
	int status = database_operand(verb, named, argc, argv, path);
	struct store *s = status == EXIT_FINE ? database_look(path, NULL) : NULL;
	if (!s)
		return status == EXIT_FINE ? EXIT_FAULT : status;
	int count = fs_algorithms_list(s, print, stdout);
	store_close(s);
	if (count >= 0)
		return EXIT_FINE;
	complain("%s: %s", path, strerror(-count));
	return EXIT_FAULT;
}

/* ---- compare: its options ---------------------------------------------------- */

static int take_versions(struct request *r, const char *given)
{
	free(r->versions);
	r->versions = strdup(given);
	char *comma = r->versions ? strchr(r->versions, ',') : NULL;
	if (!comma || comma == r->versions || !comma[1] || strchr(comma + 1, ','))
		return usage(verb, "-v %s: name two versions, as -v 1.0,2.0", given);
	*comma = '\0';
	r->what.versions[0] = r->versions;
	r->what.versions[1] = comma + 1;
	return EXIT_FINE;
}

static int take_k(struct request *r, const char *given)
{
	char *end;
	errno = 0;
	long k = strtol(given, &end, 10);
	if (errno || end == given || *end || k < 1 || k > COMPARE_K_MOST)
		return usage(verb, "-k %s: a number from 1 to %d", given, COMPARE_K_MOST);
	r->what.k = (size_t)k;
	return EXIT_FINE;
}

static int take_option(struct request *r, char **argv, int opt)
{
	switch (opt) {
	case 'w':
		r->write = true;
		return EXIT_FINE;
	case 'q':
		r->file = optarg;
		return EXIT_FINE;
	case 'v':
		return take_versions(r, optarg);
	case 'k':
		return take_k(r, optarg);
	case 'd':
		r->o.database = optarg;
		return EXIT_FINE;
	case 'o':
		return database_options(verb, OPTIONS_WRITE, &r->o, optarg);
	default:
		return usage_option(verb, argv, opt);
	}
}

/* ---- its questions -------------------------------------------------------------- */

static int read_file(struct request *r)
{
	bool input = strcmp(r->file, "-") == 0;
	FILE *f = input ? stdin : fopen(r->file, "r");
	size_t len = 0;
	r->lines = f ? malloc(FILE_MOST) : NULL;
	if (r->lines)
		len = fread(r->lines, 1, FILE_MOST, f);
	int error = !f || !r->lines || ferror(f) ? errno : 0;
	if (f && !input)
		(void)fclose(f);
	r->what.questions = r->lines;
	r->what.len = len;
	r->what.source = input ? "standard input" : r->file;
	if (!error && len < FILE_MOST)
		return EXIT_FINE;
	complain("%s: %s", r->what.source, error ? strerror(error) : "4 MiB or more of questions; "
	         "give fewer");
	return EXIT_FAULT;
}

/* An argument is a line. */
static int read_arguments(struct request *r, int count, char **words)
{
	FILE *f = open_memstream(&r->lines, &r->what.len);
	for (int i = 0; f && i < count; i++)
		(void)fprintf(f, "%s\n", words[i]);
	r->what.source = "the arguments";
	if (f && fclose(f) == 0) {
		r->what.questions = r->lines;
		return EXIT_FINE;
	}
	complain("%s: %s", verb, strerror(ENOMEM));
	return EXIT_FAULT;
}

/* ---- the comparison ------------------------------------------------------------- */

static int algorithms_run(struct request *r, const char *path)
{
	char author[FIELD_MAX + 1];
	struct why why = { 0 };
	if (r->write && store_is_still(path)) {
		complain("%s: it, or its directory, cannot be written; leave -w out", path);
		return EXIT_FAULT;
	}
	struct store *s = database_look(path, r->o.key_dir);
	if (!s)
		return EXIT_FAULT;
	if (r->write) {
		database_author(&r->o, author);
		r->what.author = author;
	}
	int err = fs_algorithms_compare(s, &r->what, print, stdout, &why);
	store_close(s);
	if (!err)
		return EXIT_FINE;
	if (why.text[0] && why.line)
		complain("%s: line %d: %s; %s", r->what.source, why.line, why.text, why.todo);
	else if (why.text[0])
		complain("%s; %s", why.text, why.todo);
	else
		complain("%s: %s", path, strerror(-err));
	return EXIT_FAULT;
}

static int compare(int argc, char **argv)
{
	char path[PATH_MAX];
	struct request r = { .what = { .k = COMPARE_K } };
	int status = EXIT_FINE;
	opterr = 0;
	for (int opt; status == EXIT_FINE && (opt = getopt(argc, argv, ":wq:v:k:o:d:")) != -1;)
		status = take_option(&r, argv, opt);
	if (!r.o.database && optind < argc && path_names_database(argv[optind]))
		r.o.database = argv[optind++];
	int left = argc - optind;
	if (status == EXIT_FINE && left < 1)
		status = usage(verb, "compare: say which algorithm");
	if (status == EXIT_FINE && left > 1 && r.file)
		status = usage(verb, "compare: questions from -q or as arguments, not both");
	if (status == EXIT_FINE)
		status = database_named(r.o.database, path);
	if (status == EXIT_FINE) {
		r.what.code = argv[optind];
		status = r.file ? read_file(&r) : left > 1 ?
			read_arguments(&r, left - 1, argv + optind + 1) : EXIT_FINE;
	}
	if (status == EXIT_FINE)
		status = algorithms_run(&r, path);
	options_release(&r.o);
	free(r.versions);
	free(r.lines);
	return status;
}

int cmd_algorithms(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	if (strcmp(word, "list") == 0)
		return finish(list(argc - 1, argv + 1));
	if (strcmp(word, "compare") == 0)
		return finish(compare(argc - 1, argv + 1));
	return usage(verb, "%s: say `list` or `compare`%s%s", verb, *word ? ", not " : "", word);
}
