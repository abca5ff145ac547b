/* SPDX-License-Identifier: MIT */
/* The room's own struct: made before the first mount, freed after the last one. */
#include "fs/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

int kernel_start(struct fs *fs, const struct fs_options *o)
{
	(void)o;
	fs->kernel = calloc(1, sizeof *fs->kernel);
	if (!fs->kernel)
		return -ENOMEM;
	held_init(&fs->kernel->held);
	int err = fs->unmounted ? 0 : notifier_start(&fs->kernel->notifier);
	return err || fs->unmounted ? err : entries_start(fs);
}

void kernel_stop(struct fs *fs)
{
	if (!fs->kernel)
		return;
	entries_stop(fs);
	notifier_stop(&fs->kernel->notifier);
	held_release(&fs->kernel->held);
	free(fs->kernel);
}
