/* SPDX-License-Identifier: MIT */
/* What was left out of a source is told and counted. */
#include "fs/import/import.h"
#include "fs/save/save.h"

void import_skip(struct fs_import *im, int64_t at, const char *reason)
{
	im->counts.skipped++;
	if (im->o.tell)
		im->o.tell(im->o.ctx, im->shown, at, reason);
}

bool import_refuses(struct fs_import *im, int64_t at, const char *note, const char *bytes,
                    size_t len)
{
	struct why why = { 0 };
	char reason[1024], where[256] = "";
	if (secrets_refuse(im->fs, bytes, len, &why) == 0)
		return false;
	if (note)
		(void)snprintf(where, sizeof where, "%.200s: line %d: ", note, why.line);
	(void)snprintf(reason, sizeof reason, "%s%s; take it out of there, and import again", where,
	               why.text);
	import_skip(im, at, reason);
	return true;
}
