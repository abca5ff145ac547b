/* SPDX-License-Identifier: MIT */
/*
 * Who stands for whom: each memory's link is followed to its end, whatever the status on the way.
 *
 *   1. An heir is a row that exists, and the heir of its own heir is itself.
 *   2. A circle, which people can write, has one heir: who was saved last.
 */
#include "store/life/life.h"

#define ON_PATH (NO_KIN - 1) /* being looked for */

size_t kin_find(const struct kin *of, size_t count, int64_t id)
{
	size_t at = array_place(of, count, sizeof *of, id);
	return at < count && of[at].id == id ? at : NO_KIN;
}

/* Of a circle through `at`: who was saved last, of these the one made last. */
static size_t last_of_circle(const struct kin *of, size_t count, size_t at)
{
	size_t best = at;
	for (size_t i = kin_find(of, count, of[at].link); i != at; i = kin_find(of, count, of[i].link))
		if (of[i].saved_us > of[best].saved_us ||
		    (of[i].saved_us == of[best].saved_us && of[i].id > of[best].id))
			best = i;
	return best;
}

/* Walks on from a row to where its chain ends, or is known; then all of the way know it. */
static void follow(struct kin *of, size_t count, size_t from)
{
	size_t at = from, heir = NO_KIN;
	while (heir == NO_KIN) {
		size_t next = of[at].link ? kin_find(of, count, of[at].link) : NO_KIN;
		if (of[at].heir == ON_PATH)
			heir = last_of_circle(of, count, at);
		else if (of[at].heir != NO_KIN)
			heir = of[at].heir;
		else if (next == NO_KIN || next == at)
			heir = at;
		else
			of[at].heir = ON_PATH;
		at = heir == NO_KIN ? next : at;
	}
	if (of[heir].heir != ON_PATH) /* else it is on the way */
		of[heir].heir = heir;
	for (at = from; of[at].heir == ON_PATH; at = kin_find(of, count, of[at].link))
		of[at].heir = heir;
}

void kin_follow(struct kin *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		of[i].heir = NO_KIN;
	for (size_t i = 0; i < count; i++)
		if (of[i].heir == NO_KIN)
			follow(of, count, i);
}
