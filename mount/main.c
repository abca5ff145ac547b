/* SPDX-License-Identifier: MIT */
/*
 * cinta: the process.  This file holds main() and the table of verbs.
 *
 * A map of the rooms, by the road a run takes:
 *
 *   the command line      mount/main.c  say.c  near.c  options.c (-o)  paths.c (names on disk)
 *                         helper.c (as mount.cinta)  completion.c (for shells)
 *   cinta mount           cmd_mount.c -> owner.c (who owns the database: DB.lock)
 *     first mount           -> daemon.c (fork, ready signal) -> serve.c -> signals.c
 *     one more              -> wire.c ~~ socket ~~> control.c -> serve.c of the owner
 *     who started it       manager.c (systemd's sd_notify)
 *     may it               ready.c (/dev/fuse, fusermount3)
 *     mount point           point.c  mounts.c (/proc/self/mountinfo)  unmount.c
 *     if the daemon dies    supervisor.c (a process beside it); dead.c (the next mount)
 *   cinta umount          cmd_umount.c -> mounts.c  unmount.c  owner.c  namespace.c
 *   init                  cmd_init.c -> database.c  owner.c -> store/
 *   rebuild               cmd_rebuild.c -> database.c  owner.c -> store/salvage/
 *   identity              cmd_identity.c -> database.c -> fs/ (the rules) -> store/
 *   verify                cmd_verify.c -> database.c -> store/verify*.c
 *   redact                cmd_redact.c -> redact_find.c  redact_path.c  redact_match.c -> store/
 *   rescue                cmd_rescue.c ~~ socket (sockets.c) ~~> control.c -> serve.c -> store/
 *   import                cmd_import.c -> import_walk.c  archive.c -> fs/ (import) -> store/
 *                         import_exact.c -> store/
 *   search                cmd_search.c -> database.c -> fs/ (the tree's paths) -> store/
 *   algorithms            cmd_algorithms.c -> database.c -> fs/ (algorithms, compare) -> store/
 *   status, pubkey        cmd_status.c -> database.c -> store/; wire.c ~~ the owner
 *   doctor                cmd_doctor.c -> check_fuse.c  check_database.c  check_trouble.c
 *   -o embedding          embedding.c -> fs/
 *
 *   a request             fs/    FUSE operations; the tree: which file is this, what may
 *                                be done with it; door fs/fs.h
 *   bytes of a page       render/  records to pages, offered lines to records; pure;
 *                                door render/render.h
 *   an entry              store/  the tape, its chain, tree and checkpoints; views;
 *                                SQLite; doors store/store.h, store/entry.h
 *
 * Each file's head says what it is for; tests/layers.sh keeps the walls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/near.h"
#include "mount/verbs.h"

static const struct verb verbs[] = {
	{ "mount", cmd_mount, "[-f] [-d DB] [-o opt,...] [DB] DIR", "mount a memory on DIR",
	  "  -f                stay in front\n"
	  "  -d DB             the database; the same as DB in front of DIR\n"
	  "  -o debug          print each request on stderr; implies -f\n"
	  "  -o ro             mount read-only, tuned for reading\n"
	  "  -o session=NAME   sessions/current of this mount points at NAME\n"
	  "  -o owner=NAME     author of what is written through it\n"
	  "  -o server=CODE    its contexts show blocks of that server, too\n"
	  "  -o agent=CODE     and of that agent\n"
	  "  -o allow_other    let other users read\n"
	  "  -o group=NAME     let that group read and write\n"
	  "  -o uid=NAME       let that user, whose the files then are\n"
	  "  -o umask=MASK     what group and others may not, in octal\n"
	  "  -o nonempty       cover a directory that holds files\n"
	  "  -o noexec         run no program of it\n"
	  "  -o secrets=WHAT   keys that are written: warn (default), refuse or off\n"
	  "  -o tokens=NAME    count with o200k_base (default), cl100k_base or estimate\n"
	  "  -o limit=N        tokens the model takes (200000)\n"
	  "  -o threshold=N    memory pressure above which to act, per cent (50)\n"
	  "  -o summarizer=COMMAND  summarise what leaves the window\n"
	  "  -o embedding=URL  search by meaning, too: an OpenAI-compatible endpoint\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n"
	  "  -o origin=NAME    identity of a new tape\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "umount", cmd_umount, "[-l] DIR", "unmount, and wait until all is put away",
	  "  -l                also when it is in use\n" },
	{ "init", cmd_init, "[-d DB] [-o opt,...] [DB]",
	  "make a tape and its key; print the verifier key",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o origin=NAME    its identity (default cinta/ and 16 random hex digits)\n"
	  "  -o key_dir=DIR    where to put the signing key\n" },
	{ "identity", cmd_identity, "[-d DB] [-o opt,...] [DB] < FILE",
	  "set who the agent is: smma/identity.md",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o owner=NAME     author of it, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "search", cmd_search, "[--json] [-d DB] [-o opt,...] [DB] WORDS...",
	  "what search/WORDS.md of a mount says",
	  "  --json            a JSON object a hit\n"
	  "  -d DB             the database; the same as DB in front of the words\n"
	  "  -o embedding=URL  by meaning, too, as the mount does\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n" },
	{ "algorithms", cmd_algorithms,
	  "list [-d DB] [DB] | compare [-w] [-k N] [-v A,B] [-d DB] [-o opt,...] [DB] CODE "
	  "[-q FILE | QUESTION...]",
	  "compare how two versions of an algorithm choose memories",
	  "  -d DB             the database; the same as DB in front of CODE\n"
	  "  -w                write the results to `metrics` of both versions\n"
	  "  -k N              look at the first N of each ranking (10)\n"
	  "  -v A,B            these versions, not the active one and the experiment\n"
	  "  -q FILE           a question a line; behind a tab, the memories expected\n"
	  "  -o owner=NAME     author of the metrics, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "verify", cmd_verify, "[--all] [--vkey KEY] [--note FILE]... [-d DB] [-o key_dir=DIR] [DB]",
	  "prove that nothing on the tape was changed",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --all             also check the database file and compare all views\n"
	  "  --vkey KEY        the verifier key to trust\n"
	  "  --note FILE       a signed note kept elsewhere\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "redact", cmd_redact,
	  "[--yes] [-d DB] --reason TEXT [-o opt,...] SEQ|PATH[@N]|--match PATTERN [DB]",
	  "take a text out for good; without --yes say where it is",
	  "  --match PATTERN   all that holds it: a regular expression, or the text itself\n"
	  "  --reason TEXT     one line, shown in its place\n"
	  "  --yes             do it; it cannot be undone\n"
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o owner=NAME     who does it, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "import", cmd_import,
	  "[-n] [--tools names|full|none] [--session NAME] [-d DB] [-o opt,...] SOURCE... [DB|DIR] "
	  "| --exact OTHER.db NEW.db",
	  "take in conversations and notes that other programs keep",
	  "  -n                say what there is to take in, and write nothing\n"
	  "  --exact           of OTHER.db make NEW.db: the same entries and hashes\n"
	  "  --tools HOW       of tools' calls: names (default), full or none\n"
	  "  --session NAME    name of the first session that is made\n"
	  "  -d DB             the database; the same as DB behind the sources\n"
	  "  -o owner=NAME     who takes it in, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "rescue", cmd_rescue, "DIR NEW.db",
	  "write what a mount holds to a new file: its database was deleted or replaced", "" },
	{ "status", cmd_status, "[--json] [-d DB] [DB]", "what is on the tape, and where it is mounted",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --json            one JSON object\n" },
	{ "rebuild", cmd_rebuild,
	  "[-q] [--keep] [--compact] [--salvage NEW.db] [-d DB] [-o key_dir=DIR] [DB]",
	  "make the file anew from the entries of its tape",
	  "  --keep            keep the old file as DB.before-rebuild\n"
	  "  --compact         as small as can be; say how many bytes it was and is\n"
	  "  --salvage NEW.db  leave DB as it is, write to NEW.db what can be read of it\n"
	  "  -q                show no progress\n"
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o key_dir=DIR    where the signing key is\n" },
	{ "doctor", cmd_doctor, "[-d DB] [-o opt,...] [DIR|DB]",
	  "find what keeps a mount from working, and say what to do",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o key_dir=DIR    where the signing key is\n"
	  "  -o embedding=URL  try an embedding endpoint, too\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n" },
	{ "pubkey", cmd_pubkey, "[--pem] [-d DB] [DB]", "print the tape's verifier key",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --pem             as a PEM public key, for openssl\n" },
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int help(void)
{
	printf("usage: cinta VERB ...\n\n");
	for (int i = 0; i < VERBS; i++)
		printf("  cinta %s %s\n      %s\n", verbs[i].name, verbs[i].synopsis, verbs[i].does);
	printf("\n  cinta --help | --version | help VERB | VERB --help | --completion bash|zsh|fish\n\n"
	       "DB defaults to $XDG_DATA_HOME/cinta/memory.db (~/.local/share/cinta/memory.db).\n"
	       "Exit status: 0 fine, 1 failed or a fault was found, 2 usage, 3 unverifiable.\n"
	       "Manual: cinta(1); the tree: cinta(5).\n");
	return finish(EXIT_FINE);
}

static int help_verb(const struct verb *v)
{
	printf("usage: cinta %s %s\n\n%s.\n\n%s", v->name, v->synopsis, v->does, v->options);
	return finish(EXIT_FINE);
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return help_verb(v);
	return v->run(argc, argv);
}

const struct verb *verb_named(const char *name)
{
	for (int i = 0; i < VERBS; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* The verb, or the option in place of one, that was meant; NULL: who knows. */
static const char *nearest(const char *word)
{
	static const char *const others[] = { "--help", "--version", "--completion" };
	const char *found = NULL;
	size_t best = NEAR_NOT;
	for (size_t i = 0; i < VERBS + sizeof others / sizeof *others; i++) {
		const char *known = i < VERBS ? verbs[i].name : others[i - VERBS];
		size_t slips = near_slips(word, strlen(word), known);
		if (slips < best) {
			best = slips;
			found = known;
		}
	}
	return found;
}

static int unknown(const char *word)
{
	const char *near = nearest(word);
	if (!strcmp(word, "--completion"))
		complain("say for which shell: cinta --completion bash, zsh or fish");
	else if (near)
		complain("unknown verb `%s`; did you mean `cinta %s`?", word, near);
	else if (strchr(word, '/'))
		complain("unknown verb `%s`; to mount there: cinta mount %s", word, word);
	else if (*word)
		complain("unknown verb `%s`; `cinta --help` lists them", word);
	else
		complain("say what to do: `cinta --help` lists the verbs, `cinta mount DIR` begins");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "", *program = argc > 0 ? strrchr(argv[0], '/') : NULL;
	program = program ? program + 1 : argc > 0 ? argv[0] : "";
	if (!strcmp(program, "mount.cinta"))
		return helper(argc, argv);
	const struct verb *verb = verb_named(!strcmp(word, "help") && argc == 3 ? argv[2] : word);
	if (verb && !strcmp(word, "help"))
		return help_verb(verb);
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return help();
	if (!strcmp(word, "--completion") && argc == 3)
		return completion(argv[2], verbs, VERBS);
	if (!strcmp(word, "--version")) {
		printf("cinta %s\n", CINTA_VERSION);
		return finish(EXIT_FINE);
	}
	return verb ? run_verb(verb, argc - 1, argv + 1) : unknown(word);
}
