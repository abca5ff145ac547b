/* SPDX-License-Identifier: MIT */
/*
 * What to do about each trouble that status tells (store_trouble()), with the names that it
 * concerns.  Called by check_database.c.  A table, so that none is forgotten.
 */
#include "mount/doctor/doctor.h"

#include <stdio.h>
#include <string.h>

/* The first that fits counts. */
static const struct {
	const char *begins, *holds; /* how the words begin, and what they hold */
	enum {
		ROLLBACK, TORN, NOTE, FORK, ROW, GONE, /* these are faults */
		NO_KEY, KEY_MODE, KEY_OTHER, OTHER, FULL, SIDE, SIDECAR, CLOCK, MOVED
	} what;
} troubles[] = {
	{ "ROLLBACK", "", ROLLBACK },
	{ "FORK: the newest checkpoint is not", "", NOTE },
	{ "FORK", "not a checkpoint", TORN },
	{ "FORK", "", FORK },
	{ "REDACTED-UNPROVED", "", GONE },
	{ "no key", "", NO_KEY },
	{ "key open", "", KEY_MODE },
	{ "the key of", "", KEY_OTHER },
	{ "no usable vkey", "", FORK },
	{ "OTHER", "", OTHER },
	{ "disk full", "", FULL },
	{ "side:", "", SIDE },
	{ "sidecar:", "", SIDECAR },
	{ "clock:", "", CLOCK },
	{ "DATABASE", "", MOVED },
};
enum { TROUBLES = sizeof troubles / sizeof *troubles };

static int find(const char *trouble)
{
	for (int i = 0; i < TROUBLES; i++)
		if (!strncmp(trouble, troubles[i].begins, strlen(troubles[i].begins)) &&
		    strstr(trouble, troubles[i].holds))
			return (int)troubles[i].what;
	return ROW; /* "entry 17 is damaged", and what a later version tells */
}

enum level check_remedy(const char *trouble, const char *path, const char *key, char *act,
                        size_t size)
{
#define SAY(...) (void)snprintf(act, size, __VA_ARGS__)
	switch (find(trouble)) {
	case ROLLBACK:
		SAY("put the newer file back; if the older one is meant: "
		    "mv %s.checkpoint %s.checkpoint.old", path, path);
		break;
	case TORN:
		SAY("if nobody forged it: mv %s.checkpoint %s.checkpoint.bad, and mount anew", path, path);
		break;
	case NOTE:
		SAY("restore a copy of %s, or leave that note out: cinta rebuild --salvage NEW.db %s", path,
		    path);
		break;
	case FORK: case ROW:
		SAY("restore a copy of %s", path);
		break;
	case GONE:
		SAY("restore a copy, or sign that it went: cinta redact --reason TEXT ENTRY %s", path);
		break;
	case NO_KEY: case KEY_OTHER:
		SAY("copy back the key that this tape was made with: %s", key);
		break;
	case KEY_MODE:
		SAY("chmod 600 %s", key);
		break;
	case OTHER:
		SAY("put the tape that was here back; if this one is meant, remove the file that "
		    "cinta verify %s names", path);
		break;
	case FULL:
		SAY("remove files on the disk that df %s names", path);
		break;
	case SIDE:
		SAY("mv %s.side %s.side.bad", path, path);
		break;
	case SIDECAR:
		SAY("move away what stands there: mv %s.checkpoint %s.checkpoint.bad", path, path);
		break;
	case CLOCK:
		SAY("set the clock: timedatectl set-ntp true");
		break;
	default:
		SAY("before anything else: cinta rescue DIR NEW.db");
	}
#undef SAY
	return find(trouble) <= GONE ? LEVEL_FAIL : LEVEL_WARN;
}
