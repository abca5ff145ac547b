/* SPDX-License-Identifier: MIT */
/*
 * cinta: the process.  This file holds main() and what each verb (verbs.c) runs.
 *
 * A map of the rooms, by the road a run takes:
 *
 *   the command line      main.c -> words/: verbs.c  say.c  options.c (-o)
 *                           completion.c (for shells); helper.c (as mount.cinta)
 *   which memory          memory/: paths.c (names on disk)  database.c (opens it)
 *                           owner.c (DB.lock)  mounts.c (/proc/self/mountinfo)
 *   cinta mount           cmd_mount.c -> memory/owner.c
 *     first mount           -> daemon/: daemon.c (fork, ready signal) -> serve.c -> signals.c
 *     one more              -> wire.c ~~ socket ~~> control.c -> serve.c of the owner
 *     who started it        manager.c (systemd's sd_notify)
 *     may it                point/: ready.c (/dev/fuse, fusermount3)  access.c (-o allow_other)
 *     mount point             point.c  probe.c (does it answer)  unmount.c
 *     if the daemon dies    daemon/supervisor.c (beside it); point/dead.c (the next mount)
 *   cinta umount          cmd_umount.c -> memory/mounts.c  point/: unmount.c  namespace.c
 *   init                  cmd_init.c -> store/
 *   rebuild               cmd_rebuild.c -> store/salvage/
 *   identity              cmd_identity.c -> fs/ (the rules) -> store/
 *   verify                cmd_verify.c -> store/verify/
 *   redact                redact/: cmd_redact.c -> redact_find.c  redact_path.c
 *                           redact_match.c -> store/
 *   hook                  agents/: cmd_hook.c -> files/, import/
 *   agent-setup             cmd_setup.c -> setup.c  settings.c  settings_file.c
 *   backup                cmd_backup.c -> store/
 *   copy sync             server/ -> store/ (a tape on a server)
 *   rescue                cmd_rescue.c ~~ socket ~~> daemon/control.c -> serve.c -> store/
 *   import                import/: cmd_import.c -> import_walk.c  archive.c -> fs/import/
 *                           import_exact.c -> store/
 *   search                cmd_search.c -> fs/ (the tree's paths) -> store/
 *   ls cat append write   files/: cmd_ls.c  cmd_cat.c  cmd_put.c  cmd_edit.c  cmd_cp.c
 *   edit cp                 road.c: road_mount.c (a mount's files)
 *                                   road_visit.c -> fs/ (a tree of its own)
 *   export                export/: cmd_export.c (its table of forms) -> files/
 *     --site                export_site.c  links.c
 *   mcp                   mcp/: cmd_mcp.c -> answer.c -> tools.c  resource.c -> files/
 *   algorithms            cmd_algorithms.c -> fs/ (algorithms, compare) -> store/
 *   plot                  cmd_plot.c -> fs/ (plots) -> store/, render/plot/
 *   status, pubkey        cmd_status.c -> store/; daemon/wire.c ~~ the owner
 *   doctor                doctor/: cmd_doctor.c -> check_fuse.c  check_database.c
 *                           check_trouble.c  check_say.c
 *   -o embedding          memory/embedding.c -> fs/
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
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/agents/agents.h"
#include "mount/doctor/doctor.h"
#include "mount/export/export.h"
#include "mount/files/files.h"
#include "mount/import/import.h"
#include "mount/mcp/mcp.h"
#include "mount/redact/redact.h"
#include "mount/server/server.h"
#include "mount/verbs.h"

static verb_fn *const runs[VERBS] = {
	[VERB_MOUNT] = cmd_mount,
	[VERB_UMOUNT] = cmd_umount,
	[VERB_INIT] = cmd_init,
	[VERB_IDENTITY] = cmd_identity,
	[VERB_SEARCH] = cmd_search,
	[VERB_LS] = cmd_ls,
	[VERB_CAT] = cmd_cat,
	[VERB_APPEND] = cmd_append,
	[VERB_WRITE] = cmd_write,
	[VERB_EDIT] = cmd_edit,
	[VERB_CP] = cmd_cp,
	[VERB_ALGORITHMS] = cmd_algorithms,
	[VERB_PLOT] = cmd_plot,
	[VERB_VERIFY] = cmd_verify,
	[VERB_REDACT] = cmd_redact,
	[VERB_IMPORT] = cmd_import,
	[VERB_MCP] = cmd_mcp,
	[VERB_HOOK] = cmd_hook,
	[VERB_AGENT_SETUP] = cmd_agent_setup,
	[VERB_EXPORT] = cmd_export,
	[VERB_BACKUP] = cmd_backup,
	[VERB_COPY] = cmd_copy,
	[VERB_SYNC] = cmd_sync,
	[VERB_RESCUE] = cmd_rescue,
	[VERB_STATUS] = cmd_status,
	[VERB_REBUILD] = cmd_rebuild,
	[VERB_DOCTOR] = cmd_doctor,
	[VERB_PUBKEY] = cmd_pubkey,
};

static int help(void)
{
	printf("usage: cinta VERB ...\n\n");
	for (int i = 0; i < VERBS; i++)
		printf("  cinta %s %s\n      %s\n", verbs[i].name, verbs[i].synopsis, verbs[i].does);
	printf("\n  cinta --help | --version | help VERB | VERB --help | --completion bash|zsh|fish\n\n"
	       "DB defaults to $XDG_DATA_HOME/cinta/memory.db (~/.local/share/cinta/memory.db).\n"
	       "Exit status: 0 fine, 1 failed or a fault was found, 2 usage, 3 unverifiable,\n"
	       "4 (verify) no signed note.\n"
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
	bool searched = false; /* behind a word of a search -h is one to be without */
	for (int i = 1; i < argc && strcmp(argv[i], "--") && !searched; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return help_verb(v);
		searched = v == &verbs[VERB_SEARCH] && argv[i][0] != '-' && strcmp(argv[i - 1], "-d") &&
			strcmp(argv[i - 1], "-o");
	}
	return runs[v - verbs](argc, argv);
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

/*
 * A standard descriptor that the caller closed would become the next file's, the lock's or the
 * database's.  What is opened there instead is of no more use than a closed one.
 */
static bool hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	if (!hold_standard())
		return EXIT_FAULT;
	(void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow (ulimit -f) is an error, told */
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
		return completion(argv[2]);
	if (!strcmp(word, "--version")) {
		printf("cinta %s\n", CINTA_VERSION);
		return finish(EXIT_FINE);
	}
	return verb ? run_verb(verb, argc - 1, argv + 1) : unknown(word);
}
