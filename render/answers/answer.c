/* SPDX-License-Identifier: MIT */
/* An answer to another wording of a question: whoever reads it must know that. */
#include "render/answers/answers.h"
#include "render/format/format.h"

void render_retrieved(struct buf *out, const char *bytes, size_t len)
{
	buf_adds(out, "[Retrieved from an earlier conversation]\n");
	buf_add(out, bytes, len);
}
