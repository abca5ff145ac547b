/* SPDX-License-Identifier: MIT */
/*
 * cinta search [--json] [-d DB] [-o opt,…] [DB] WORDS…     what search/WORDS.md of a mount says
 *
 * The words are put together with blanks and read as there (cinta.5, "SEARCH").  It works
 * while the memory is mounted, and writes nothing but what the views have to catch up.
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

static void print(void *ctx, const char *bytes, size_t len)
{
	(void)fwrite(bytes, 1, len, ctx); /* finish() sees whether it went out */
}

/* The words, with blanks between; NULL: no memory. */
static char *join(int count, char **words)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		return NULL;
	for (int i = 0; i < count; i++)
		(void)fprintf(f, "%s%s", i ? " " : "", words[i]);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* An option behind the words would be one of them, and another memory would be asked. */
static int check_words(int count, char **words)
{
	for (int i = 0; i < count; i++)
		if (strcmp(words[i], "-d") == 0 || strcmp(words[i], "-o") == 0)
			return usage("search", "search: %s stands behind a word; options come first: cinta "
			             "search %s %s WORDS (`--` before the words: it is one)", words[i],
			             words[i], words[i][1] == 'd' ? "DB" : "opt");
		else if (strcmp(words[i], "--json") == 0)
			return usage("search", "search: --json stands behind a word; options come first: "
			             "cinta search --json WORDS (`--` before the words: it is one)");
	return EXIT_FINE;
}

static int search(const char *path, const struct fs_options *o, const char *dictionary,
                  const char *query, bool json)
{
	struct why why = { 0 };
	struct store *s = database_look(path, NULL);
	if (!s)
		return EXIT_FAULT;
	int err = dictionary ? store_dictionary(s, dictionary, &why) : 0;
	if (err) {
		store_close(s);
		return err == STORE_EINVAL ? usage("search", "%s; %s", why.text, why.todo) :
			EXIT_FAULT;
	}
	int hits = fs_search(s, o, query, strlen(query), json, print, stdout, &why);
	store_close(s);
	if (hits == -EINVAL && why.text[0])
		return usage("search", "%s; %s", why.text, why.todo);
	if (hits >= 0 && why.text[0])
		complain("note: %s; %s", why.text, why.todo);
	if (hits < 0)
		complain("%s: %s", path, strerror(-hits));
	return hits > 0 ? EXIT_FINE : EXIT_FAULT;
}

int cmd_search(int argc, char **argv)
{
	static const struct option longs[] = { { "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 } };
	struct options o = { 0 };
	char *key = embedding_key(), *query = NULL, path[PATH_MAX];
	struct fs_options embedding = { .embedding_key = key };
	int status = EXIT_FINE;
	bool json = false;
	opterr = 0;
	/* The first word ends the options: -word is a word that must not occur. */
	for (int opt; status == EXIT_FINE &&
	              (opt = getopt_long(argc, argv, "+:o:d:", longs, NULL)) != -1;) {
		if (opt == 'o')
			status = database_options("search", OPTIONS_ASK | OPTIONS_SEARCH, &o, optarg);
		else if (opt == 'd')
			o.database = optarg;
		else if (opt != 'j')
			status = usage_option("search", argv, opt);
		json |= opt == 'j';
	}
	if (status == EXIT_FINE)
		status = embedding_options("search", &o, &embedding);
	if (status == EXIT_FINE && strcmp(argv[optind - 1], "--") != 0)
		status = check_words(argc - optind, argv + optind);
	if (!o.database && optind < argc && path_names_database(argv[optind]))
		o.database = argv[optind++];
	while (optind < argc && !argv[optind][strspn(argv[optind], " \t\n")])
		optind++; /* blanks ask nothing */
	if (status == EXIT_FINE && argc == optind)
		status = usage("search", "search: say for what");
	if (status == EXIT_FINE)
		status = database_named(o.database, path);
	if (status == EXIT_FINE)
		query = join(argc - optind, argv + optind);
	if (status == EXIT_FINE)
		status = query ? search(path, &embedding, o.dictionary, query, json) : EXIT_FAULT;
	free(query);
	free(key);
	options_release(&o);
	return finish(status);
}
