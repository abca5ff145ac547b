/* SPDX-License-Identifier: MIT */
/* Private to render/answers. */
#ifndef CINTA_RENDER_WORDING_H
#define CINTA_RENDER_WORDING_H

#include "render/format/plain.h"

/* Adds the question in the order and with the beginning by which it is compared with others. */
void question_wording(struct buf *out, const char *text, size_t len);

#endif
