/* SPDX-License-Identifier: MIT */
/*
 * The door of mount/memory: where a memory is, who owns its database, where it is mounted, and how
 * verbs without a mount open it.
 */
#ifndef CINTA_MEMORY_H
#define CINTA_MEMORY_H

#include "mount/memory/database.h"
#include "mount/memory/embedding.h"
#include "mount/memory/mounts.h"
#include "mount/memory/owner.h"
#include "mount/memory/paths.h"

#endif
