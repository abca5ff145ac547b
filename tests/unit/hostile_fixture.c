/* SPDX-License-Identifier: MIT */
/* Offers the files of tests/hostile (hostile_fixture.h). */
#include "tests/unit/hostile_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "tests/unit/exact.h"

static struct buf slurp(const char *dir, const char *name, const char *ext)
{
	struct buf b = BUF_INIT;
	char path[512], chunk[4096];
	(void)snprintf(path, sizeof path, "%s/%s%s", dir, name, ext);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("cannot open %s", path);
	for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		buf_add(&b, chunk, n);
	(void)fclose(f);
	return b;
}

static void refuse(const char *dir, const char *name, offer_fn *offer, why_fn *words)
{
	struct buf in = slurp(dir, name, ".in"), expected = slurp(dir, name, ".why");
	struct buf said = BUF_INIT;
	struct why why = { .line = 0 };
	char *exact = exact_copy(in.data ? in.data : "", in.len);
	int rc = offer(name, exact, in.len, &why);
	buf_addf(&said, "%s\n", rc == RENDER_EINVAL ? "EINVAL" :
	         rc == RENDER_EFBIG ? "EFBIG" : "taken");
	words(&said, &why);
	if (!expected.data || strcmp(said.data, expected.data) != 0)
		fail_msg("%s: got\n%s", name, said.data);
	free(exact);
	buf_release(&in);
	buf_release(&expected);
	buf_release(&said);
}

void refuse_all(const char *dir, int least, offer_fn *offer, why_fn *words)
{
	int seen = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char *dot = strrchr(e->d_name, '.');
		if (!dot || strcmp(dot, ".in") != 0)
			continue;
		*dot = '\0';
		refuse(dir, e->d_name, offer, words);
		seen++;
	}
	closedir(d);
	assert_true(seen >= least);
}
