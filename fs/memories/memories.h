/* SPDX-License-Identifier: MIT */
/* The door of memories: their pages by score, memories/top.md, memories/search/QUERY.md,
 * and memories/TYPE/KEY.md@score. */
#ifndef CINTA_FS_MEMORIES_H
#define CINTA_FS_MEMORIES_H

#include "fs/tree/tree.h"

node_page_fn page_memory_top, page_memory_score;
node_find_fn find_memories;

#endif
