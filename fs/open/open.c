/* SPDX-License-Identifier: MIT */
/* Which sort of handle an open file gets (save/handle.h). */
#include "fs/open/open.h"

#include <errno.h>

#include "fs/internal.h"
#include "fs/logs/logs.h"
#include "fs/search/search.h"

int handle_open(fuse_req_t req, uint64_t ino, bool writing, struct handle **out)
{
	struct fs *fs = fs_of(req);
	int err = 0;
	lock_take(&fs->docs); /* it may become a document at any time */
	ino = scratch_ino_now(fs, ino);
	const struct scratch *s = writing || ino_kind(ino) != KIND_SCRATCH ? NULL :
		scratch_by_id(fs, ino_id(ino));
	if (s && !newborn_is_of(s, fuse_req_ctx(req)->pid))
		ino = scratch_over(s);
	bool scratch = ino_kind(ino) == KIND_SCRATCH;
	if (scratch)
		err = scratch_handle(req, ino_id(ino), writing, out);
	lock_give(&fs->docs);
	if (scratch)
		return err;
	if (!writing)
		return snapshot_handle(req, ino, out);
	if (is_ask(ino))
		return ask_handle(req, ino, out);
	if (is_document(fs, ino))
		return edit_handle(req, ino, out);
	if (ino_kind(ino) == KIND_CTL)
		return ctl_handle(req, out);
	if (node_of(fs_of(req), ino)->flags & NODE_GROWS)
		return append_handle(req, ino, out);
	return -EPERM; /* it became a summary since it was looked at */
}
