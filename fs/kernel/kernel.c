/* SPDX-License-Identifier: MIT */
/* The room's own struct: made before the first mount, freed after the last one. */
#include "fs/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/internal.h"

int kernel_start(struct fs *fs, const struct fs_options *o)
{
	fs->kernel = calloc(1, sizeof *fs->kernel);
	if (!fs->kernel)
		return -ENOMEM;
	size_barrier_init(&fs->kernel->barrier);
	fresh_init(&fs->kernel->fresh);
	int err = fs->unmounted ? 0 : notifier_start(&fs->kernel->notifier);
	return err || fs->unmounted ? err : dentry_notify_start(fs, o);
}

void kernel_stop(struct fs *fs)
{
	if (!fs->kernel)
		return;
	fresh_release(&fs->kernel->fresh);
	dentry_notify_stop(fs);
	notifier_stop(&fs->kernel->notifier);
	size_barrier_release(&fs->kernel->barrier);
	free(fs->kernel);
}
