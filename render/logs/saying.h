/* SPDX-License-Identifier: MIT */
/* When and by whom a message was said: the member `from` of its line.  Private to render/logs. */
#ifndef CINTA_RENDER_SAYING_H
#define CINTA_RENDER_SAYING_H

#include "render/format/format.h"

/* 0 if this value may be `from`; RENDER_EINVAL with `why`, RENDER_ENOMEM. */
int saying_check(const struct json *j, uint32_t from, struct why *why);
/* As store_said(); `j` is the entry's body, NULL: it has none. */
void saying_read(const struct json *j, const struct entry *e, struct saying *out);

#endif
