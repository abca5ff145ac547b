/* SPDX-License-Identifier: MIT */
/* Texts that are to go.  A text that is short is not looked for in others: it would be anywhere. */
#include "mount/redact/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { TEXT_SHORT = 8 };

int match_init(struct match *m, const char *pattern, struct why *why)
{
	int error;
	PCRE2_SIZE at;
	*m = (struct match){ .pattern = pattern };
	if (!pattern)
		return 0;
	if (!*pattern) {
		why_set(why, "name what is to go", "the pattern is empty");
		return -EINVAL;
	}
	m->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	                        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &error,
	                        &at, NULL);
	m->names = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
	                         PCRE2_CASELESS | (m->code ? 0 : PCRE2_LITERAL), &error, &at, NULL);
	/* What is no expression is text: many keys are none. */
	m->data = m->code ? pcre2_match_data_create_from_pattern(m->code, NULL) : NULL;
	if (m->data && pcre2_match(m->code, (PCRE2_SPTR) "", 0, 0, 0, m->data, NULL) >= 0) {
		why_set(why, "name what is to go", "the pattern matches nothing at all");
		return -EINVAL;
	}
	return 0;
}

void match_release(struct match *m)
{
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	pcre2_code_free(m->names);
	for (size_t i = 0; i < m->text_count; i++)
		free(m->text[i]);
	for (size_t i = 0; i < m->found_count; i++)
		free(m->found[i]);
	free(m->text);
}

void match_add_text(struct match *m, const char *text, size_t len)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	if (len < TEXT_SHORT || memchr(text, '\0', len))
		return;
	char **more = realloc(m->text, (m->text_count + 1) * sizeof *more);
	char *copy = more ? strndup(text, len) : NULL;
	m->text = more ? more : m->text;
	if (copy)
		m->text[m->text_count++] = copy;
}

static void keep_found(struct match *m, const char *text, size_t len)
{
	if (len < MATCHED_SHORT || memchr(text, '\0', len))
		return;
	for (size_t i = 0; i < m->found_count; i++)
		if (strlen(m->found[i]) == len && memcmp(m->found[i], text, len) == 0)
			return;
	char *copy = m->found_count < MATCHED_MOST ? strndup(text, len) : NULL;
	if (copy)
		m->found[m->found_count++] = copy;
}

/* Any other end than these two says nothing of the text: the pattern asked too much. */
static bool found(struct match *m, int end)
{
	m->failed = m->failed || (end < 0 && end != PCRE2_ERROR_NOMATCH);
	return end >= 0;
}

static bool find_pattern(struct match *m, const char *text, size_t len)
{
	const char *at = memmem(text, len, m->pattern, strlen(m->pattern));
	if (at) {
		keep_found(m, at, strlen(m->pattern));
		return true;
	}
	if (!m->data || !found(m, pcre2_match(m->code, (PCRE2_SPTR)text, len, 0, 0, m->data, NULL)))
		return false;
	const PCRE2_SIZE *span = pcre2_get_ovector_pointer(m->data);
	keep_found(m, text + span[0], span[1] - span[0]);
	return true;
}

bool match_holds(void *ctx, const char *text, size_t len)
{
	struct match *m = ctx;
	bool holds = m->pattern && find_pattern(m, text, len);
	for (size_t i = 0; !holds && i < m->text_count; i++)
		holds = memmem(text, len, m->text[i], strlen(m->text[i])) != NULL;
	return holds;
}

static bool name_holds(struct match *m, const char *name, size_t len)
{
	const char *at = m->pattern ? strcasestr(name, m->pattern) : NULL;
	size_t size = at ? strlen(m->pattern) : 0;
	pcre2_match_data *data = !at && m->names ?
		pcre2_match_data_create_from_pattern(m->names, NULL) : NULL;
	if (data && found(m, pcre2_match(m->names, (PCRE2_SPTR)name, len, 0, 0, data, NULL))) {
		const PCRE2_SIZE *span = pcre2_get_ovector_pointer(data);
		at = name + span[0];
		size = span[1] - span[0];
	}
	pcre2_match_data_free(data);
	if (at)
		keep_found(m, at, size);
	return at;
}

static bool any_string(struct match *m, const json_t *value, bool names)
{
	bool holds = json_is_string(value) &&
		match_holds(m, json_string_value(value), json_string_length(value));
	if (!holds && names && json_is_string(value))
		holds = name_holds(m, json_string_value(value), json_string_length(value));
	for (size_t i = 0; !holds && i < json_array_size(value); i++)
		holds = any_string(m, json_array_get(value, i), names);
	for (void *i = json_object_iter((json_t *)(uintptr_t)value); !holds && i;
	     i = json_object_iter_next((json_t *)(uintptr_t)value, i)) {
		const char *key = json_object_iter_key(i);
		holds = match_holds(m, key, strlen(key)) ||
			any_string(m, json_object_iter_value(i), names);
	}
	return holds;
}

bool match_body(struct match *m, const char *body, size_t len, bool names)
{
	json_t *json = json_loadb(body, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	bool holds = json && any_string(m, json, names);
	json_decref(json);
	return holds || match_holds(m, body, len);
}

bool match_file(const struct match *m, const char *path)
{
	struct stat st;
	bool holds = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	for (size_t i = 0; bytes != MAP_FAILED && !holds && i < m->found_count; i++)
		holds = memmem(bytes, (size_t)st.st_size, m->found[i], strlen(m->found[i])) != NULL;
	if (bytes != MAP_FAILED)
		munmap(bytes, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return holds;
}
