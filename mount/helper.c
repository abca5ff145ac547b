/* SPDX-License-Identifier: MIT */
/*
 * mount.cinta: how mount(8) mounts what /etc/fstab calls a cinta.
 *
 *   mount.cinta DB DIR [-sfnv] [-N namespace] [-t type] [-o options]
 *
 * What every filesystem is given is for mount(8) itself or has no meaning here; the rest are
 * options of `cinta mount`, which it becomes.  Called by main.c, by the name of the program.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/verbs.h"

/*
 * Of these `nosuid` and `nodev` are every mount's of ours, the times are the tape's, and no link
 * leads out of a mount.
 */
static const char *const generic[] = {
	"defaults", "rw", "auto", "noauto", "nofail", "_netdev", "user", "nouser", "users", "owner",
	"group", "dev", "nodev", "suid", "nosuid", "exec", "async", "sync", "dirsync", "atime",
	"noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime", "nostrictatime",
	"lazytime", "nolazytime", "mand", "nomand", "loud", "silent", "iversion", "noiversion",
	"symfollow", "nosymfollow",
};

/* `owner=NAME` is ours, `owner` is not. */
static bool is_generic(const char *word, size_t len)
{
	if (!strncmp(word, "x-", 2) || !strncmp(word, "comment=", 8) || !strncmp(word, "user=", 5))
		return true;
	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		if (strlen(generic[i]) == len && !strncmp(generic[i], word, len))
			return true;
	return false;
}

/* The length of the first option of `words`; a comma behind a backslash is part of it. */
static size_t word_length(const char *words)
{
	size_t len = 0;
	while (words[len] && words[len] != ',')
		len += words[len] == '\\' && words[len + 1] ? 2 : 1;
	return len;
}

/* Adds those of `words` that are ours to `dst`, which has room for them. */
static void keep_ours(const char *words, char *dst)
{
	for (size_t len; *words; words += len + (words[len] == ',')) {
		len = word_length(words);
		if (len == 0 || is_generic(words, len))
			continue;
		size_t at = strlen(dst);
		if (at)
			dst[at++] = ',';
		memcpy(dst + at, words, len);
		dst[at + len] = '\0';
	}
}

static int helper_run(int argc, char **argv, char *options)
{
	bool fake = false;
	opterr = 0;
	for (int opt; (opt = getopt(argc, argv, ":sfnvN:t:o:")) != -1;) {
		if (opt == 'o')
			keep_ours(optarg, options);
		else if (opt == 'f')
			fake = true;
		else if (opt == ':' || opt == '?')
			return usage_option("mount", argv, opt);
	}
	if (argc - optind != 2)
		return usage("mount", "mount.cinta: give DB and DIR, not %d words", argc - optind);
	char *words[] = { "mount", "-o", options, "--", argv[optind], argv[optind + 1], NULL };
	optind = 0; /* another command line */
	return fake ? EXIT_FINE : cmd_mount(6, words);
}

int helper(int argc, char **argv)
{
	size_t room = 1;
	for (int i = 1; i < argc; i++)
		room += strlen(argv[i]) + 1;
	char *options = calloc(1, room);
	int status = options ? helper_run(argc, argv, options) : EXIT_FAULT;
	free(options);
	return status;
}
