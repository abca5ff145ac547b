/* SPDX-License-Identifier: MIT */
/*
 * What a session or thread may be called: what every tool, shell and listing can bear; and
 * names from outside as a page and a shell take them.
 */
#include <string.h>

#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/json_key.h"
#include "render/format/plain.h"
#include "render/format/quote.h"
#include "render/format/utf8.h"

static int refuse(struct why *why, const char *what, const char *reason)
{
	why_set(why, "choose another name: letters, digits, '-', '_', '.', 1 to 255 bytes of UTF-8",
	        "the name of a %s %s", what, reason);
	return RENDER_EINVAL;
}

int render_check_name(const char *name, size_t len, const char *what, struct why *why)
{
	if (len == 0)
		return refuse(why, what, "cannot be empty");
	if (len > NAME_LIMIT)
		return refuse(why, what, "has at most 255 bytes");
	if (name[0] == '.' || name[0] == '#')
		return refuse(why, what, "cannot begin with '.' or '#': such names are scratch");
	if (name[len - 1] == '~')
		return refuse(why, what, "cannot end with '~': such names are backups");
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)name[i];
		size_t n = utf8_size(name + i, len - i);
		if (n == 0)
			return refuse(why, what, "must be UTF-8");
		if (c == '/')
			return refuse(why, what, "cannot hold '/'");
		/* C0, DEL, and C1, which terminals obey as well */
		if (c < 0x20 || c == 0x7F || (c == 0xC2 && (unsigned char)name[i + 1] < 0xA0))
			return refuse(why, what, "cannot hold control characters");
		i += n;
	}
	if (strcmp(what, "session") == 0 && len == 7 && memcmp(name, "current", 7) == 0)
		return refuse(why, what, "cannot be 'current': that is the link to the newest");
	return 0;
}

void render_name(char *dst, size_t size, const char *name)
{
	size_t len = strlen(name), to = 0;
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_size(name + i, len - i);
		if (to + (n ? n : 1) >= size)
			break;
		bool shown = n > 1 && quote_is_control(name + i, n, quote_before(dst, to));
		bool plain = n > 0 && (unsigned char)name[i] >= ' ' && name[i] != 0x7F;
		if (plain)
			memcpy(dst + to, shown ? "??" : name + i, shown ? 1 : n);
		else
			dst[to] = ' ';
		to += plain && !shown ? n : 1;
		n = n ? n : 1;
	}
	dst[to] = '\0';
}

void render_word(char *dst, size_t size, const char *name)
{
	char line[NAME_LIMIT + 1];
	struct buf word = BUF_INIT;
	size_t most = quote_is_word(name, strlen(name)) ? size : size / 4; /* a dot has 8 for 2 */
	render_name(line, most < sizeof line ? most : sizeof line, name);
	quote_word(&word, line, strlen(line));
	render_name(dst, size, word.data ? word.data : "");
	buf_release(&word);
}

void render_seen(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0, from = 0; i <= len; i++) {
		bool ends = i < len && (text[i] == '\t' || text[i] == '\n' || text[i] == '\r');
		if (i < len && !ends)
			continue;
		quote_controls(out, text + from, i - from);
		if (ends)
			quote_control(out, text + i, 1);
		from = i + 1;
	}
}

/* Bytes of a character at `at` that a page may not show as it is; 0: it may. */
static size_t unseen_at(const char *path, size_t at, size_t len)
{
	size_t n = utf8_size(path + at, len - at);
	bool ends = path[at] == '\n' || path[at] == '\t';
	bool unseen = ends || quote_is_control(path + at, n, quote_before(path, at));
	return !unseen ? 0 : n ? n : 1;
}

/* $'a\342\200\256b': as bash and zsh take it, with nothing in it that acts unseen. */
static bool add_octal(struct buf *out, const char *path)
{
	size_t len = strlen(path), at = 0;
	for (size_t n; at < len && unseen_at(path, at, len) == 0; at += n)
		n = utf8_size(path + at, len - at);
	if (at == len)
		return false;
	buf_adds(out, "$'");
	for (size_t i = 0, n; i < len; i += n) {
		n = unseen_at(path, i, len);
		for (size_t k = 0; k < n; k++)
			buf_addf(out, "\\%03o", (unsigned)(unsigned char)path[i + k]);
		if (n > 0)
			continue;
		n = utf8_size(path + i, len - i);
		if (path[i] == '\'' || path[i] == '\\')
			buf_addc(out, '\\');
		buf_add(out, path + i, n);
	}
	buf_addc(out, '\'');
	return true;
}

void render_shell_word(struct buf *out, const char *path)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                           "_-+=:.,@%/";
	if (*path && path[strspn(path, safe)] == '\0') {
		buf_adds(out, path);
		return;
	}
	if (add_octal(out, path))
		return;
	buf_addc(out, '\'');
	for (; *path; path++)
		if (*path == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *path);
	buf_addc(out, '\'');
}
