/* SPDX-License-Identifier: MIT */
/* The wall where the rooms' errors become errno (base.h). */
#include <errno.h>

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
