/* SPDX-License-Identifier: MIT */
/* Names of what is taken in: made of others' words, and legal here. */
#include <string.h>
#include <time.h>

#include "fs/import/import.h"

enum { SLUG_MOST = 48, ID_SHOWN = 6 };

/* Words of a title, joined by hyphens: letters of any script stay, all else parts words. */
static void add_slug(char *dst, size_t size, const char *title)
{
	size_t len = strlen(dst), begin = len;
	bool gap = true; /* a hyphen stands before the first word, too */
	for (const unsigned char *p = (const unsigned char *)title; *p && len + 3 < size; p++) {
		bool word = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
			(*p >= 'A' && *p <= 'Z') || *p >= 0x80;
		if (strncmp((const char *)p, "\xEF\xBF\xBD", 3) == 0) {
			p += 2; /* what was no character */
			gap = true;
			continue;
		}
		if (word && len - begin >= SLUG_MOST && (*p & 0xC0) != 0x80)
			break;
		if (word && gap)
			dst[len++] = '-';
		if (word)
			dst[len++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
		gap = !word;
	}
	dst[len] = '\0';
}

void import_session_name(char name[NAME_LIMIT + 1], const struct conversation *c, int attempt)
{
	char day[16] = "undated", slug[SLUG_MOST + 8] = "";
	const char *id = c->name.session;
	size_t len = strlen(id);
	time_t when = (time_t)(c->began_us / 1000000);
	struct tm tm;
	if (c->began_us > 0 && gmtime_r(&when, &tm))
		(void)strftime(day, sizeof day, "%Y-%m-%d", &tm);
	add_slug(slug, sizeof slug, c->title);
	(void)snprintf(name, NAME_LIMIT + 1, "%s-%s%s", *c->name.agent ? c->name.agent : "agent", day,
	               slug);
	if (!*slug || attempt > 0) {
		char clean[SLUG_MOST + 8] = "";
		add_slug(clean, sizeof clean, attempt < 2 && len > ID_SHOWN ? id + len - ID_SHOWN : id);
		size_t used = strlen(name);
		(void)snprintf(name + used, NAME_LIMIT + 1 - used, "%s", clean);
	}
	if (attempt > 2) {
		size_t used = strlen(name);
		(void)snprintf(name + used, NAME_LIMIT + 1 - used, "-%d", attempt - 1);
	}
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '-';
	if (render_check_name(name, strlen(name), "session", NULL))
		(void)snprintf(name, NAME_LIMIT + 1, "import-%s-%d", day, attempt);
}

void import_thread_name(char name[NAME_LIMIT + 1], const char *cwd)
{
	size_t len = strlen(cwd);
	while (len > 1 && (cwd[len - 1] == '/' || cwd[len - 1] == '\\'))
		len--;
	size_t from = len;
	while (from > 0 && cwd[from - 1] != '/' && cwd[from - 1] != '\\')
		from--;
	(void)snprintf(name, NAME_LIMIT + 1, "%.*s", (int)(len - from), cwd + from);
	if (len == from || render_check_name(name, strlen(name), "thread", NULL))
		name[0] = '\0';
}

void import_note_name(char name[NAME_LIMIT + 1], const char *part, size_t len, bool folder)
{
	size_t most = utf8_fit(part, len, 200), used = 0;
	for (size_t i = 0; i < most; i++) {
		unsigned char c = (unsigned char)part[i];
		name[used++] = c < 0x20 || c == 0x7F || strchr("@/\\#~", c) ? '_' : (char)c;
	}
	name[used] = '\0';
	if (name[0] == '.')
		name[0] = '_';
	if (folder ? !render_is_folder(FAMILY_NOTE, name) : !render_is_document(FAMILY_NOTE, name)) {
		if (!folder && used > 0)
			(void)snprintf(name + used, NAME_LIMIT + 1 - used, ".md");
		if (folder || !render_is_document(FAMILY_NOTE, name))
			name[0] = '\0';
	}
}
