/* SPDX-License-Identifier: MIT */
/* Writes documents' bodies by hand; see doc_fixture.h. */
#include "tests/unit/doc_fixture.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/internal.h"
#include "store/views/view.h"

struct doc_text doc_text_of(const char *body)
{
	return (struct doc_text){ body, strlen(body) };
}

/* {"parent":…,"name":…}, with `folder` if it is one. */
const char *doc_place(char dst[1024], const char *parent, const char *name, bool folder)
{
	(void)snprintf(dst, 1024, "{\"parent\":\"%s\",\"name\":\"%s\",\"path\":\"%s\",\"folder\":%s}", parent, name, name,
	               folder ? "true" : "false");
	return dst;
}

/* A version's body; the caller frees. */
char *doc_version_of(const char *content, const char *fields)
{
	char *body = NULL;
	json_t *json = json_pack("{s:i, s:i, s:[i, i], s:s}", "size", (int)strlen(content), "tokens", 3, "lines", 2, 1,
	                         "text", content);
	assert_non_null(json);
	char *rest = json_dumps(json, JSON_COMPACT);
	assert_true(asprintf(&body, "{\"fields\":%s,%s", fields, rest + 1) > 0);
	json_decref(json);
	free(rest);
	return body;
}

int doc_make(struct store *s, const char *parent, const char *name, const char *content, int64_t *id)
{
	char body[1024], *version = doc_version_of(content, "{}");
	struct doc_text v = doc_text_of(version);
	int err = store_doc_make(s, parent, name, doc_text_of(doc_place(body, parent, name, false)), &v, "ana:vim", id);
	free(version);
	return err;
}

int doc_make_folder(struct store *s, const char *parent, const char *name, int64_t *id)
{
	char body[1024];
	return store_doc_make(s, parent, name, doc_text_of(doc_place(body, parent, name, true)), NULL, "ana:sh", id);
}

int doc_save(struct store *s, int64_t id, const char *content, int64_t expect)
{
	char *version = doc_version_of(content, "{}");
	int err = store_doc_append(s, id, "document", doc_text_of(version), "bea:nano", expect);
	free(version);
	return err;
}

int doc_move(struct store *s, int64_t id, const char *parent, const char *name)
{
	char body[1024];
	return store_doc_append(s, id, "rename", doc_text_of(doc_place(body, parent, name, false)), "ana:mv", -1);
}

void doc_reads(struct store *s, int64_t id, int64_t n, const char *content)
{
	char *bytes = NULL;
	size_t len = 0;
	assert_int_equal(store_doc_content(s, id, n, &bytes, &len), 0);
	assert_int_equal(len, strlen(content));
	assert_string_equal(bytes, content);
	free(bytes);
}

int64_t doc_id_at(struct store *s, const char *parent, const char *name)
{
	struct doc d;
	int err = store_doc_at(s, parent, name, &d);
	return err ? err : d.id;
}

/* Names below `parent` in order of id, with a space after each. */
const char *doc_list(struct store *s, const char *parent, char *dst)
{
	struct doc d;
	int64_t after = 0;
	size_t len = 0;
	dst[0] = '\0';
	for (int err; (err = store_doc_next(s, parent, after, &d)) != STORE_ENOENT; after = d.id) {
		assert_int_equal(err, 0);
		len += (size_t)snprintf(dst + len, 1024 - len, "%s ", d.name);
	}
	return dst;
}

const char *doc_list_at(struct store *s, int64_t time_us, const char *parent, char *dst)
{
	struct doc d;
	int64_t after = 0;
	size_t len = 0;
	dst[0] = '\0';
	for (int err; (err = store_doc_next_at_time(s, time_us, parent, after, &d)) != STORE_ENOENT; after = d.id) {
		assert_int_equal(err, 0);
		len += (size_t)snprintf(dst + len, 1024 - len, "%s:%lld ", d.name, (long long)d.versions);
	}
	return dst;
}

/* The views in the file are those made anew from its tape. */
void views_hold(const struct memory *m)
{
	sqlite3 *db = NULL;
	char detail[256] = "";
	assert_int_equal(store_catch_up(m->s), 0);
	assert_int_equal(db_open(m->path, DB_READ, &db, NULL), 0);
	int err = view_compare(db, &store_views, body_text_size, detail, sizeof detail);
	assert_string_equal(detail, "");
	assert_int_equal(err, 0);
	sqlite3_close(db);
}
