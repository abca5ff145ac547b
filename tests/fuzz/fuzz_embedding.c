/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the answer of an embedding endpoint: what is taken has as many vectors as were
 * asked for, all finite; what is not says why.  The same bytes as texts to be sent: a request
 * is JSON whatever they are.  The first byte says how many vectors there are to be.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "render/render.h"
#include "tests/fuzz/fuzz.h"

static void check_answer(const char *bytes, size_t len, size_t count)
{
	struct embeddings e;
	struct why why = { 0 };
	char said[40];
	int rc = render_embeddings_in(bytes, len, count, &e, &why);
	MUST(rc == 0 || (why.text[0] && why.todo[0]));
	if (rc == 0) {
		MUST(e.count == count && e.dims > 0 && e.dims <= EMBEDDING_DIMS_MOST);
		for (size_t i = 0; i < count * (size_t)e.dims; i++)
			MUST(isfinite(e.values[i]));
	}
	embeddings_release(&e);
	render_embedding_error(said, sizeof said, bytes, len, "key");
	MUST(strlen(said) < sizeof said && !strstr(said, "key"));
	for (const char *c = said; *c; c++)
		MUST((unsigned char)*c >= ' ');
}

static void check_request(const char *bytes, size_t len)
{
	const struct embedding_text texts[] = { { bytes, len }, { bytes, len / 2 } };
	struct buf out = BUF_INIT;
	render_embedding_request(&out, "model", len % 3 ? 0 : 8, texts, 2);
	MUST(!out.failed);
	json_t *root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	MUST(root && json_array_size(json_object_get(root, "input")) == 2);
	json_decref(root);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = size ? 1 + data[0] % 4 : 1, len = size ? size - 1 : 0;
	char *bytes = malloc(len + !len); /* exact, so that reading past the end is seen */
	MUST(bytes);
	memcpy(bytes, data + (size > 0), len);
	check_answer(bytes, len, count);
	check_request(bytes, len);
	free(bytes);
	return 0;
}
