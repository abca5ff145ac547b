/* SPDX-License-Identifier: MIT */
/*
 * The bodies of a document's entries (store/documents.h lists them).  A version's
 * bytes go in as text when they are text, so that a search of the tape finds
 * them, and as base64 when they are not.
 */
#include <string.h>

#include "render/documents/documents.h"
#include "render/format/format.h"

static bool is_text(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = bytes[i] ? utf8_size(bytes + i, len - i) : 0;
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

/* RFC 4648, 4. */
static void add_base64(struct buf *out, const char *bytes, size_t len)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789+/";
	const unsigned char *u = (const unsigned char *)bytes;
	size_t from = out->len;
	if (!buf_resize(out, from + (len + 2) / 3 * 4))
		return;
	char *to = out->data + from;
	for (size_t i = 0; i < len; i += 3, to += 4) {
		size_t left = len - i;
		uint32_t three = (uint32_t)u[i] << 16 | (uint32_t)(left > 1 ? u[i + 1] : 0) << 8 |
		                 (uint32_t)(left > 2 ? u[i + 2] : 0);
		to[0] = digit[three >> 18];
		to[1] = digit[three >> 12 & 63];
		to[2] = '=';
		to[3] = '=';
		if (left > 1)
			to[2] = digit[three >> 6 & 63];
		if (left > 2)
			to[3] = digit[three & 63];
	}
}

void render_talk(struct buf *out, const struct talk *t)
{
	const char *comma = "";
	buf_adds(out, "\"from\":{");
	if (*t->agent) {
		buf_adds(out, "\"agent\":");
		buf_add_json(out, t->agent, strlen(t->agent));
		comma = ",";
	}
	if (*t->session) {
		buf_addf(out, "%s\"session\":", comma);
		buf_add_json(out, t->session, strlen(t->session));
	}
	buf_addc(out, '}');
}

void render_body_of(const char *bytes, size_t len, const char **text, size_t *text_len)
{
	struct front f;
	struct why why;
	size_t at = front_read(&f, bytes, len, &why) == 0 ? f.body : front_skip_mark(bytes, len);
	front_release(&f);
	while (at < len && strchr(" \t\r\n", bytes[at]))
		at++;
	while (len > at && strchr(" \t\r\n", bytes[len - 1]))
		len--;
	*text = bytes + at;
	*text_len = len - at;
}

void render_version_body(struct buf *out, const struct version_text *v)
{
	const char *bytes = v->bytes ? v->bytes : "";
	buf_adds(out, "{\"fields\":");
	buf_adds(out, v->fields);
	buf_addf(out, ",\"size\":%zu,\"tokens\":%lld,\"sha256\":\"%s\",\"lines\":[%lld,%lld],",
	         v->len, (long long)v->tokens, v->sha256, (long long)v->added,
	         (long long)v->removed);
	if (v->talk && (*v->talk->agent || *v->talk->session)) {
		render_talk(out, v->talk);
		buf_addc(out, ',');
	}
	if (is_text(bytes, v->len)) {
		buf_adds(out, "\"text\":");
		buf_add_json(out, bytes, v->len);
	} else {
		buf_adds(out, "\"base64\":\"");
		add_base64(out, bytes, v->len);
		buf_addc(out, '"');
	}
	buf_addc(out, '}');
}

static void add_place(struct buf *out, const char *parent, const char *name, const char *path)
{
	buf_adds(out, "{\"parent\":");
	buf_add_json(out, parent, strlen(parent));
	buf_adds(out, ",\"name\":");
	buf_add_json(out, name, strlen(name));
	buf_adds(out, ",\"path\":");
	buf_add_json(out, path, strlen(path));
}

void render_make_body(struct buf *out, const char *parent, const char *name, const char *path,
                      bool folder)
{
	add_place(out, parent, name, path);
	buf_adds(out, folder ? ",\"folder\":true}" : ",\"folder\":false}");
}

void render_rename_body(struct buf *out, const char *parent, const char *name, const char *path)
{
	add_place(out, parent, name, path);
	buf_addc(out, '}');
}

void render_retire_body(struct buf *out, int64_t into)
{
	buf_addf(out, "{\"into\":%lld}", (long long)into);
}
