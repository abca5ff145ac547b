/* SPDX-License-Identifier: MIT */
/* proof.html: what is signed and verified, and how anybody checks it. */
#include <stdio.h>

#include "fs/site/shown.h"

bool site_signed_root(struct site *s, char root[SITE_ROOT])
{
	char note[4096];
	if (store_checkpoint_note(s->fs->store, note, sizeof note))
		return false;
	const char *at = strchr(note, '\n'); /* origin, size, root */
	at = at ? strchr(at + 1, '\n') : NULL;
	if (!at)
		return false;
	(void)snprintf(root, SITE_ROOT, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
	return true;
}

int site_proof(struct site *s)
{
	struct status status;
	char note[4096], root[SITE_ROOT], vkey[512], command[4 * NAME_LIMIT + sizeof vkey];
	store_status(s->fs->store, &status);
	html_pairs(&s->h);
	html_pair(&s->h, "origin", status.origin);
	html_pair_number(&s->h, "entries", status.entries);
	html_pair_number(&s->h, "signed up to", status.signed_upto);
	html_pair_number(&s->h, "verified up to", status.verified_upto);
	if (site_signed_root(s, root))
		html_pair(&s->h, "signed root", root);
	html_pairs_end(&s->h);
	if (*status.trouble)
		html_alert(&s->h, status.trouble);
	int err = store_checkpoint_note(s->fs->store, note, sizeof note);
	html_section(&s->h, "note", "The newest signed note");
	if (!err)
		html_pre(&s->h, note, strlen(note));
	else
		html_say(&s->h, "Nothing is signed yet.");
	err = err == STORE_ENOENT ? 0 : err;
	html_section(&s->h, "verify", "To check it");
	html_say(&s->h, "Keep the note elsewhere: it proves all entries before it. These check the "
	         "whole tape; the second needs nothing of cinta's but its script.");
	if (!err && store_vkey(s->fs->store, vkey, sizeof vkey) == 0) {
		(void)snprintf(command, sizeof command, "cinta verify --all --vkey '%s'\n"
		               "sh .cinta/verify.sh", vkey);
		html_pre(&s->h, command, strlen(command));
	}
	return errno_of_store(err);
}
