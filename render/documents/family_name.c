/* SPDX-License-Identifier: MIT */
/*
 * Which names are memory and which are scratch.  Tools that save make files
 * beside the document which nobody lists anywhere; the rule is therefore what a
 * memory's name is, and all else is scratch.  Only notes, whose names are free,
 * need to know what temporary names look like.
 */
#include <string.h>
#include <strings.h>

#include "render/documents/documents.h"
#include "render/documents/family.h"
#include "render/format/format.h"

enum { CODE_MOST = 50, KEY_MOST = 128, VERSION_MOST = 64, ENDING_MOST = 8, RANDOM_LEAST = 6 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(char c)
{
	return is_letter(c) || is_digit(c);
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* How many of the first `len` bytes, counted from the first, are of that class. */
static size_t run_of_class(const char *text, size_t len, bool (*class)(char))
{
	size_t n = 0;
	while (n < len && class(text[n]))
		n++;
	return n;
}

static bool is_listed(const char *text, size_t len, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (len == strlen(list[i]) && strncasecmp(text, list[i], len) == 0)
			return true;
	return false;
}

#define IS_LISTED(text, len, list) is_listed(text, len, list, sizeof(list) / sizeof(list)[0])

bool code_check(const char *text, size_t len, size_t most)
{
	if (len == 0 || len > most || !is_alnum(*text) || text[len - 1] == '.')
		return false;
	for (size_t i = 1; i < len; i++)
		if (!is_alnum(text[i]) && text[i] != '.' && text[i] != '_' && text[i] != '-')
			return false;
	return true;
}

/* What any name of ours keeps: editors' dot and backup names are never memory. */
static bool is_fair(const char *name, size_t len)
{
	if (len == 0 || len > NAME_LIMIT || *name == '.' || *name == '#' || name[len - 1] == '~')
		return false;
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)name[i];
		size_t n = utf8_size(name + i, len - i);
		if (n == 0 || c < 0x20 || c == 0x7F || c == '/')
			return false;
		if (n == 2 && c == 0xC2 && (unsigned char)name[i + 1] < 0xA0) /* C1 */
			return false;
		i += n;
	}
	return true;
}

/* The length of `name` without `ending`, 0 if it does not end so. */
static size_t stem_of(const char *name, const char *ending)
{
	size_t len = strlen(name), tail = strlen(ending);
	if (len <= tail || len > NAME_LIMIT || strcmp(name + len - tail, ending) != 0)
		return 0;
	return len - tail;
}

/* sedXXXXXX, XXxxxxxx (perl), CuXXXXXX (ln), tmpXXXXXX (emacs), tmpxxxxxxxx (python) */
static bool is_temporary(const char *name, size_t len)
{
	if (len == 9 && memcmp(name, "sed", 3) == 0)
		return run_of_class(name + 3, 6, is_alnum) == 6;
	if (len == 8 && memcmp(name, "XX", 2) == 0)
		return run_of_class(name + 2, 6, is_alnum) == 6;
	if (len == 8 && memcmp(name, "Cu", 2) == 0 && run_of_class(name + 2, 6, is_alnum) == 6) {
		/* Customer, Currency: these are words. */
		for (size_t i = 2; i < len; i++)
			if (name[i] < 'a')
				return true;
		return false;
	}
	if ((len == 9 || len == 11) && memcmp(name, "tmp", 3) == 0) {
		size_t n = 3;
		while (n < len && (is_alnum(name[n]) || name[n] == '_'))
			n++;
		return n == len;
	}
	return len == 7 && memcmp(name, "DEADJOE", 7) == 0;
}

/* A name without a dot: README, todo, meeting_2026. */
static bool is_word(const char *name, size_t len)
{
	bool digit = false;
	if (!is_letter(*name) || is_temporary(name, len))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_alnum(name[i]) && name[i] != '_' && name[i] != '-')
			return false;
		digit = digit || is_digit(name[i]);
	}
	/* Hex is some program's; a short one without a digit (cafe, decade) is a word. */
	return run_of_class(name, len, is_hex) < len || (!digit && len < 8);
}

static bool is_scratch_ending(const char *text, size_t len)
{
	static const char *const scratch[] = { "tmp", "temp", "bak", "orig", "rej", "save", "un",
		"part", "partial", "lock", "download" };
	if (len == 3 && strncasecmp(text, "sw", 2) == 0)
		return true; /* swp, swo, swn, swx … */
	return IS_LISTED(text, len, scratch);
}

/* True if it is a text's name with a program's suffix: foo.md.XXiTW8h2, foo.md.oXXXXXX. */
static bool is_sibling(const char *name, const char *last, size_t last_len)
{
	static const char *const endings[] = { "md", "txt", "json", "jsonl", "yaml", "yml", "csv",
		"html", "org", "rst", "tex", "log", "xml", "toml", "ini", "py", "js", "ts", "sh", "c",
		"h", "sql" };
	static const char *const words[] = { "example", "sample", "template", "default" };

	if (last_len < RANDOM_LEAST || IS_LISTED(last, last_len, words))
		return false;
	for (const char *dot = strchr(name, '.'); dot && dot + 1 < last;) {
		const char *next = strchr(dot + 1, '.');
		if (!next)
			return false;
		if (IS_LISTED(dot + 1, (size_t)(next - dot - 1), endings))
			return true;
		dot = next;
	}
	return false;
}

static bool is_note(const char *name)
{
	size_t len = strlen(name);
	if (!is_fair(name, len))
		return false;
	const char *dot = strrchr(name, '.');
	if (!dot)
		return is_word(name, len);
	const char *ending = dot + 1;
	size_t ending_len = len - (size_t)(ending - name);
	return ending_len >= 1 && ending_len <= ENDING_MOST && is_letter(*ending) &&
	       run_of_class(ending, ending_len, is_alnum) == ending_len &&
	       !is_scratch_ending(ending, ending_len) && !is_sibling(name, ending, ending_len);
}

/* A memory's key is free text as far as a file name can be. */
static bool is_key(const char *name)
{
	size_t stem = stem_of(name, ".md");
	return stem >= 1 && stem <= KEY_MOST && is_fair(name, stem) && name[0] != ' ' &&
	       name[stem - 1] != ' ' && name[stem - 1] != '.';
}

/* As is_temporary(), but for what may be a word: sedentary. */
static bool is_surely_temporary(const char *name, size_t len)
{
	if (!is_temporary(name, len))
		return false;
	if (*name == 't' || *name == 'D')
		return true;
	for (size_t i = 3; i < len; i++)
		if (name[i] < 'a' || name[i] > 'z')
			return true;
	return false;
}

/* An ending that programs give: x.tmp, x.md.save.1, x.md.tmp-0123456789abcdef, x.md.kate-swp */
static bool is_program_ending(const char *name, const char *ending)
{
	size_t len = strlen(ending);
	if (is_scratch_ending(ending, len) || strncmp(ending, "tmp-", 4) == 0 ||
	    (len > 4 && strcmp(ending + len - 4, "-swp") == 0))
		return true;
	const char *before = ending - 1;
	while (before > name && before[-1] != '.')
		before--;
	return before > name && run_of_class(ending, len, is_digit) == len &&
	       is_scratch_ending(before, (size_t)(ending - 1 - before));
}

bool render_is_temporary(const char *name)
{
	size_t len = strlen(name);
	const char *body = name + (*name == '.');
	if (len == 0 || name[len - 1] == '~' || *body == '#' || (*name == '.' && *body == '~') ||
	    strncmp(name, ".goutputstream-", 15) == 0 || strncmp(name, "flycheck_", 9) == 0)
		return true;
	const char *dot = strrchr(body, '.');
	size_t stem = dot ? (size_t)(dot - body) : len - (size_t)(body - name);
	if (is_surely_temporary(body, stem) && (!dot || *body == 't'))
		return true;
	return dot && dot > body &&
	       (is_program_ending(body, dot + 1) || is_sibling(body, dot + 1, strlen(dot + 1)));
}

bool render_is_meant(const char *name)
{
	static const char *const endings[] = { "md", "txt", "json", "jsonl" };
	const char *dot = strrchr(name, '.');
	return dot && dot > name && *name != '.' && IS_LISTED(dot + 1, strlen(dot + 1), endings) &&
	       !render_is_temporary(name);
}

bool render_may_rest(const char *name)
{
	return is_fair(name, strlen(name)) && !is_note(name) && !render_is_temporary(name);
}

/* Any key, but for the names of what is generated there. */
static bool is_section(const char *name)
{
	static const char *const others[] = { "identity.md", "dashboard.md", "action_log.md" };
	return is_key(name) && !render_is_temporary(name) && !IS_LISTED(name, strlen(name), others);
}

bool render_is_document(enum family family, const char *name)
{
	switch (family) {
	case FAMILY_FACTS: /* the domains are the store's to know */
		return false;
	case FAMILY_SECTION:
		return is_section(name);
	case FAMILY_IDENTITY:
		return strcmp(name, "identity.md") == 0;
	case FAMILY_BLOCK:
	case FAMILY_COMPONENT:
		return code_check(name, stem_of(name, ".md"), CODE_MOST);
	case FAMILY_MEMORY:
		return is_key(name);
	case FAMILY_ALGORITHM:
		return code_check(name, stem_of(name, ".json"), VERSION_MOST);
	case FAMILY_SESSION:
		return strcmp(name, "session.md") == 0;
	case FAMILY_NOTE:
		return is_note(name);
	case FAMILY_ANSWER: /* a question is any text */
		return is_fair(name, stem_of(name, ".md"));
	}
	return false;
}

bool render_is_folder(enum family family, const char *name)
{
	size_t len = strlen(name);
	if (family == FAMILY_ALGORITHM)
		return code_check(name, len, CODE_MOST) && !render_is_temporary(name);
	if (family != FAMILY_NOTE || !is_fair(name, len) || is_temporary(name, len))
		return false;
	const char *dot = strrchr(name, '.');
	return !dot || !is_scratch_ending(dot + 1, strlen(dot + 1));
}
