/* SPDX-License-Identifier: MIT */
/* The verbs that stand at the top of mount/, a file each: cmd_VERB.c.  Called by main.c. */
#ifndef CINTA_VERBS_H
#define CINTA_VERBS_H

#include "mount/words/words.h"

verb_fn cmd_mount, cmd_umount, cmd_init, cmd_verify, cmd_status, cmd_rebuild, cmd_pubkey,
	cmd_identity, cmd_search, cmd_algorithms, cmd_backup, cmd_rescue, cmd_plot;
/* helper.c: mount.cinta; argv[0] is its own name. */
int helper(int argc, char **argv);
/* `cinta verify` of a file that was just made: prints what it found; its exit status. */
int verify_new(const char *path);

#endif
