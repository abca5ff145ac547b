/* SPDX-License-Identifier: MIT */
/*
 * cinta --completion bash|zsh|fish: a script that completes verbs and options, made of the same
 * table as --help, so that it never lags behind.  Called by main.c; the build keeps its output.
 */
#include <stdio.h>
#include <string.h>

#include "mount/words/flags.h"
#include "mount/words/words.h"

static void print_does(const struct verb *v)
{
	for (const char *c = v->does; *c; c++)
		putchar(flag_plain(*c));
}

/* Prints the names of a verb's options (or of the words of its -o), parted by blanks. */
static void print_names(const struct verb *v, bool words)
{
	struct flag f;
	bool has_words = false;
	for (const char *at = v->options; flag_next(&at, &f);) {
		has_words |= f.word;
		if (f.word == words)
			printf(" %s", f.name);
	}
	if (has_words && !words)
		printf(" -o");
}

static void bash(void)
{
	printf("# bash completion for cinta, made by `cinta --completion bash`\n"
	       "_cinta()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal verbs='");
	for (int i = 0; i < VERBS; i++)
		printf("%s ", verbs[i].name);
	printf("--help --version' flags= words= first=\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (int i = 0; i < VERBS; i++) {
		printf("\t%s) flags='", verbs[i].name);
		print_names(&verbs[i], false);
		printf(" --help' words='");
		print_names(&verbs[i], true);
		printf("' first='%s' ;;\n", verbs[i].first ? verbs[i].first : "");
	}
	printf("\tesac\n"
	       "\tif [ \"$prev\" = -o ]; then\n"
	       "\t\tlocal before=; [[ $cur == *,* ]] && before=${cur%%,*},\n"
	       "\t\tcompopt -o nospace\n"
	       "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
	       "\telif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
	       "\telif [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$first\" ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$first\" -- \"$cur\"))\n"
	       "\telse\n\t\tcompopt -o filenames\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	       "\tfi\n}\ncomplete -F _cinta cinta\n");
}

/* The words of -o as _values has them: comma-separated, with values where they take one. */
static void zsh_words(const struct verb *v)
{
	struct flag f;
	int n = 0;
	for (const char *at = v->options; flag_next(&at, &f);) {
		size_t len = strcspn(f.name, "=");
		if (!f.word)
			continue;
		printf("%s", n++ ? "" : "\t\t\t'*-o[options]: :_values -s , option");
		printf(" \"%.*s[%s]%s\"", (int)len, f.name, f.does, f.value ? ": :" : "");
	}
	if (n)
		printf("' \\\n");
}

static void zsh(void)
{
	printf("#compdef cinta\n# made by `cinta --completion zsh`\n"
	       "_cinta() {\n\tlocal -a verbs=(\n");
	for (int i = 0; i < VERBS; i++) {
		printf("\t\t'%s:", verbs[i].name);
		print_does(&verbs[i]);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
	       "\tlocal verb=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $verb in\n");
	for (int i = 0; i < VERBS; i++) {
		struct flag f;
		printf("\t%s)\n\t\t_arguments \\\n", verbs[i].name);
		for (const char *at = verbs[i].options; flag_next(&at, &f);)
			if (!f.word)
				printf("\t\t\t'%s[%s]%s' \\\n", f.name, f.does, f.value ? ": :_files" : "");
		zsh_words(&verbs[i]);
		if (verbs[i].first)
			printf("\t\t\t'1: :(%s)' \\\n", verbs[i].first);
		printf("\t\t\t'--help[say how it is used]' '*: :_files' ;;\n");
	}
	printf("\tesac\n}\n_cinta \"$@\"\n");
}

static void fish_flag(const char *verb, const struct flag *f)
{
	const char *kind = f->name[1] == '-' ? "-l" : "-s";
	printf("complete -c cinta -n '__fish_seen_subcommand_from %s' %s %s%s -d '%s'\n", verb, kind,
	       f->name + 1 + (f->name[1] == '-'), f->value ? " -r" : "", f->does);
}

static void fish(void)
{
	printf("# fish completion for cinta, made by `cinta --completion fish`\n");
	for (int i = 0; i < VERBS; i++) {
		printf("complete -c cinta -n __fish_use_subcommand -f -a %s -d '", verbs[i].name);
		print_does(&verbs[i]);
		printf("'\n");
	}
	for (int i = 0; i < VERBS; i++) {
		struct flag f;
		for (const char *at = verbs[i].options; flag_next(&at, &f);)
			if (!f.word)
				fish_flag(verbs[i].name, &f);
			else
				printf("complete -c cinta -n '__fish_seen_subcommand_from %s' -s o -x -a '%s' "
				       "-d '%s'\n", verbs[i].name, f.name, f.does);
		if (verbs[i].first)
			printf("complete -c cinta -n '__fish_seen_subcommand_from %s' -a '%s'\n",
			       verbs[i].name, verbs[i].first);
		printf("complete -c cinta -n '__fish_seen_subcommand_from %s' -l help\n", verbs[i].name);
	}
}

int completion(const char *shell)
{
	if (!strcmp(shell, "bash"))
		bash();
	else if (!strcmp(shell, "zsh"))
		zsh();
	else if (!strcmp(shell, "fish"))
		fish();
	else {
		complain("--completion %s: not bash, zsh or fish", shell);
		return EXIT_USAGE;
	}
	return finish(EXIT_FINE);
}
