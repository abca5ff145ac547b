/* SPDX-License-Identifier: MIT */
/* The pages of a site by the links between them; see links.h. */
#include "mount/export/links.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/array.h"
#include "store/base/hash.h"

/* Where it is, or could be. */
static size_t *slot_of(const struct pages *p, const char *path)
{
	size_t i = (size_t)hash_text(HASH_NONE, path) & (p->slots - 1);
	while (p->slot[i] && strcmp(p->at[p->slot[i] - 1], path) != 0)
		i = (i + 1) & (p->slots - 1);
	return &p->slot[i];
}

/* At most half of the slots are taken. */
static bool make_slots(struct pages *p)
{
	if (p->slots > 2 * p->count)
		return true;
	struct pages more = { .at = p->at, .slots = p->slots ? 2 * p->slots : 1024 };
	more.slot = calloc(more.slots, sizeof *more.slot);
	if (!more.slot)
		return false;
	for (size_t i = 0; i < p->count; i++)
		*slot_of(&more, p->at[i]) = i + 1;
	free(p->slot);
	p->slot = more.slot;
	p->slots = more.slots;
	return true;
}

bool pages_add(struct pages *p, const char *path)
{
	if (!make_slots(p))
		return false;
	size_t *slot = slot_of(p, path);
	if (*slot)
		return true;
	char *copy = ARRAY_ROOM(p->at, p->room, p->count) ? strdup(path) : NULL;
	if (!copy)
		return false;
	p->at[p->count++] = copy;
	*slot = p->count;
	return true;
}

void pages_release(struct pages *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->at[i]);
	free(p->at);
	free(p->slot);
	*p = (struct pages){ .count = 0 };
}

static int digit(char c)
{
	const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* One character of an address: what %XX says is a byte. */
static int next_byte(const char *href, size_t len, size_t *i)
{
	if (href[*i] != '%')
		return (unsigned char)href[(*i)++];
	int high = *i + 2 < len ? digit(href[*i + 1]) : -1, low = high < 0 ? -1 : digit(href[*i + 2]);
	*i += 3;
	return low < 0 ? 0 : high * 16 + low;
}

bool page_of_link(const char *from, const char *href, size_t len, char to[PAGE_PATH])
{
	const char *slash = strrchr(from, '/'), *anchor = memchr(href, '#', len);
	size_t at = slash ? (size_t)(slash - from) + 1 : 0;
	len = anchor ? (size_t)(anchor - href) : len;
	if (len == 0 || memchr(href, ':', len) || *href == '/' || at >= PAGE_PATH)
		return false;
	memcpy(to, from, at);
	size_t i = 0;
	for (; len - i >= 3 && strncmp(href + i, "../", 3) == 0; i += 3) {
		if (at == 0)
			return false;
		for (at--; at > 0 && to[at - 1] != '/'; at--)
			;
	}
	while (i < len) {
		int c = next_byte(href, len, &i);
		if (c == 0 || at + 1 == PAGE_PATH)
			return false;
		to[at++] = (char)c;
	}
	to[at] = '\0';
	return !strstr(to, "../") && !strstr(to, "//") && *to != '/' && at > 0;
}

bool pages_take_links(struct pages *p, const char *path, const char *bytes, size_t len)
{
	static const char attribute[] = " href=\"";
	const char *end = bytes + len, *at = bytes;
	char to[PAGE_PATH];
	while ((at = memmem(at, (size_t)(end - at), attribute, sizeof attribute - 1))) {
		at += sizeof attribute - 1;
		const char *quote = memchr(at, '"', (size_t)(end - at));
		if (!quote)
			break;
		if (page_of_link(path, at, (size_t)(quote - at), to) && !pages_add(p, to))
			return false;
	}
	return true;
}
