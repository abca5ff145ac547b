/* SPDX-License-Identifier: MIT */
/* Names that are refused when a file is made, so that nobody takes for kept what is not. */
#include "fs/tree/naming.h"

#include <errno.h>

/* What has a place there, for who brings something else. */
const char *naming_place(const struct place *p)
{
	if (p->lines)
		return "append to accountant.jsonl or secretary.jsonl, or write it into notes/";
	if (p->summaries)
		return "name it FIRST-LAST.md, as in 3-9.md, or write it into notes/";
	switch (p->family) {
	case FAMILY_FACTS:
		return "add a line to work.md preferences.md decisions.md personal.md or projects.md, "
		       "or write it into notes/";
	case FAMILY_SECTION:
		return "name it NAME.md, or write it into notes/ or smma/workspace/";
	case FAMILY_SESSION:
		return "append to log.jsonl, save session.md, or write it into notes/";
	case FAMILY_BLOCK:
	case FAMILY_COMPONENT:
		return "name it CODE.md (at most 50 letters, digits, . _ -), or write it into notes/";
	case FAMILY_MEMORY:
		return "name it KEY.md (at most 128 bytes), or write it into notes/";
	case FAMILY_ALGORITHM:
		return p->files ? "name it VERSION.json, or write it into notes/" :
			"mkdir algorithms/CODE, and write CODE/VERSION.json";
	case FAMILY_ANSWER:
		return "name it QUESTION.md, or write it into notes/";
	default:
		return "write it into notes/";
	}
}

/* True if a file of that name would be taken for memory, and is none. */
static bool has_no_place(const struct place *p, const char *name)
{
	if (p->lines)
		return name[0] != '.' && !render_is_temporary(name);
	bool any = !p->files ? !p->folders : p->family == FAMILY_NOTE && !p->summaries;
	return !any && !place_is_memory(p, name) && render_is_meant(name);
}

int name_check(const struct place *p, const char *name, struct why *why)
{
	if (place_is_past(p, name)) {
		why_set(why, "save the document itself: that makes its next version",
		        "NAME@N, NAME@TIME and NAME@log are what a document was, and never written");
		return -EPERM;
	}
	if (p->files && p->family == FAMILY_NOTE && !p->summaries && name[0] != '.' &&
	    !place_is_memory(p, name) && !render_may_rest(name) && !render_is_temporary(name)) {
		why_set(why, "use letters, digits, blanks and signs of UTF-8",
		        "a name has no control characters, and is UTF-8");
		return -EPERM;
	}
	if (has_no_place(p, name)) {
		why_set(why, naming_place(p), "a file of this name would not be kept here");
		return -EPERM;
	}
	return 0;
}

bool name_is_memory(struct fs *fs, const struct place *p, const char *name)
{
	struct doc d;
	return place_is_memory(p, name) ||
	       (place_rests(p, name) && place_doc(fs, p, name, &d) == 0 && !d.folder);
}
