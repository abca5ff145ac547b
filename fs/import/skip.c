/* SPDX-License-Identifier: MIT */
/* What was left out of a source is told and counted. */
#include "fs/import/import.h"

void import_skip(struct fs_import *im, int64_t at, const char *reason)
{
	im->counts.skipped++;
	if (im->o.tell)
		im->o.tell(im->o.ctx, im->shown, at, reason);
}
