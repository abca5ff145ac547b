/* SPDX-License-Identifier: MIT */
/* Which pages there are: each once, in the order in which others lead to them.  Private. */
#ifndef CINTA_EXPORT_LINKS_H
#define CINTA_EXPORT_LINKS_H

#include <stdbool.h>
#include <stddef.h>

enum { PAGE_PATH = 8192 };

struct pages {
	char **at; /* below the site's root */
	size_t count, room;
	size_t *slot; /* by hash: 1 + where in `at`, 0: free */
	size_t slots;
};
/* If it is not there yet.  false: no memory. */
bool pages_add(struct pages *p, const char *path);
/* All pages of the site that this one leads to.  false: no memory. */
bool pages_take_links(struct pages *p, const char *path, const char *bytes, size_t len);
void pages_release(struct pages *p);
/*
 * Where `href`, as it stands in the attribute of the page `from`, leads to within the site; false:
 * elsewhere, or nowhere.
 */
bool page_of_link(const char *from, const char *href, size_t len, char to[PAGE_PATH]);

#endif
