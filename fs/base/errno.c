/* SPDX-License-Identifier: MIT */
/* The wall where the rooms' errors become errno (base.h). */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "fs/base/base.h"
#include "render/render.h"
#include "store/store.h"

int errno_of_store(int code)
{
	switch (code) {
	case 0: return 0;
	case STORE_ENOENT: return -ENOENT;
	case STORE_ENOSPC: return -ENOSPC;
	case STORE_EROFS: return -EROFS;
	case STORE_EINVAL: return -EINVAL;
	case STORE_ENOMEM: return -ENOMEM;
	case STORE_EEXIST: return -EEXIST;
	case STORE_EBUSY: return -EBUSY;
	case STORE_EMOVED: return -ESTALE; /* the kernel looks names up anew, and asks again */
	case STORE_EPINNED: return -EPERM;
	case STORE_EFBIG: return -EFBIG;
	case STORE_EAWAY: return -EHOSTDOWN;
	case STORE_EUNKNOWN: return -EREMOTEIO;
	default: return -EIO;
	}
}

int errno_of_render(int code)
{
	switch (code) {
	case 0: return 0;
	case RENDER_EFBIG: return -EFBIG;
	case RENDER_ENOMEM: return -ENOMEM;
	default: return -EINVAL;
	}
}

void why_no_answer(int err, const char *again, struct why *why)
{
	char todo[128];
	if (why->text[0])
		return;
	if (err == -EHOSTDOWN) {
		(void)snprintf(todo, sizeof todo, "%s when cat .cinta/sync says that it answers", again);
		why_set(why, todo, "not stored: its server cannot be reached");
	} else if (err == -EREMOTEIO) {
		why_set(why, "wait for the line SETTLED here: it says which; only then write it again",
		        "its server did not answer: it may be stored, or not");
	}
}

/* Files may not grow without end here: `ulimit -f`. */
static bool is_limited(void)
{
	struct rlimit most;
	return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
}

void why_not_stored(int err, const char *again, struct why *why)
{
	char todo[128] = "see cinta status DB and cinta doctor DB";
	why_no_answer(err, again, why);
	if (why->text[0])
		return;
	if (err == -ENOSPC)
		(void)snprintf(todo, sizeof todo, "make room on the disk%s and %s",
		               is_limited() ? ", or mount with a higher ulimit -f," : "", again);
	why_set(why, todo, "not stored: %s", strerror(-err));
}
