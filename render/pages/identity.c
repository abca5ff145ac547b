/* SPDX-License-Identifier: MIT */
/* smma/identity.md until somebody has set it: who keeps a memory of its own. */
#include "render/format/format.h"
#include "render/pages/pages.h"

void render_identity(struct buf *out)
{
	buf_adds(out, "You are the architect of your own information: this directory is your memory, "
	              "and what you write here you will know again, in later sessions too.\n\n"
	              "- Read `context.md` before you answer; when you are not sure, look into "
	              "`search/` and the original messages, and say what you do not know.\n"
	              "- Keep what matters: what is to be done in `smma/current_task.md`, conclusions "
	              "in `smma/agent_notes.md`, what holds for good in `memories/`.\n"
	              "- When `dashboard.md` says that the context is full, summarize what is done and "
	              "prune what failed. The originals stay.\n");
}
