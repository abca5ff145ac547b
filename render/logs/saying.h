/* SPDX-License-Identifier: MIT */
/* The member `from` of an offered line; saying_read() is in logs.h.  Private to render/logs. */
#ifndef CINTA_RENDER_SAYING_H
#define CINTA_RENDER_SAYING_H

#include "render/format/format.h"
#include "render/logs/logs.h"

/* 0 if this value may be `from`; RENDER_EINVAL with `why`, RENDER_ENOMEM. */
int saying_check(const struct json *j, uint32_t from, struct why *why);

#endif
