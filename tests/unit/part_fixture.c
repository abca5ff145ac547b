/* SPDX-License-Identifier: MIT */
/* Parts of a context (part_fixture.h). */
#include "tests/unit/part_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "render/render.h"

void part_is(struct context_part p, const char *text, const char *expected)
{
	struct buf out = BUF_INIT;
	p.text = text;
	p.len = strlen(text);
	p.title = p.title ? p.title : "";
	p.where = p.where ? p.where : "";
	p.role = p.role ? p.role : "";
	render_context_part(&out, &p);
	assert_string_equal(out.data, expected);
	buf_release(&out);
}
