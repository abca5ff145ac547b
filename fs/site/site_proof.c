/* SPDX-License-Identifier: MIT */
/* proof.html: what is signed and verified, and how anybody checks it. */
#include <stdio.h>

#include "fs/site/site_shared.h"

enum { NOTE_MOST = 4096 };

/* The names on a note's signature lines after the first, which is this memory's own. */
static void witnesses(struct site *s, const char *note)
{
	static const char dash[] = "\n— ";
	struct buf names = BUF_INIT;
	const char *at = strstr(note, "\n\n");
	at = at ? strstr(at, dash) : NULL;
	while (at && (at = strstr(at + 1, dash)) != NULL) {
		const char *name = at + sizeof dash - 1;
		buf_adds(&names, names.len ? ", " : "");
		buf_add(&names, name, strcspn(name, " \n"));
	}
	html_pair(&s->h, "witnesses", names.len && !names.failed ? names.data :
	          "nobody else has signed it: whoever keeps the note elsewhere is one");
	buf_release(&names);
}

void site_signed(struct site *s)
{
	char note[NOTE_MOST], root[64];
	if (store_checkpoint_note(s->fs->store, note, sizeof note))
		return;
	const char *at = strchr(note, '\n'); /* origin, size, root */
	at = at ? strchr(at + 1, '\n') : NULL;
	if (at) {
		(void)snprintf(root, sizeof root, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		html_pair(&s->h, "signed root", root);
	}
	witnesses(s, note);
}

int site_proof(struct site *s)
{
	struct status status;
	char note[NOTE_MOST], vkey[512], command[4 * NAME_LIMIT + sizeof vkey];
	store_status(s->fs->store, &status);
	html_pairs(&s->h);
	html_pair(&s->h, "origin", status.origin);
	html_pair_number(&s->h, "entries", status.entries);
	html_pair_number(&s->h, "signed up to", status.signed_upto);
	html_pair_number(&s->h, "verified up to", status.verified_upto);
	site_signed(s);
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
		(void)snprintf(command, sizeof command, "cinta verify --all --vkey '%s' DB\n"
		               "sh .cinta/verify.sh DB .cinta/pubkey", vkey);
		html_pre(&s->h, command, strlen(command));
	}
	return errno_of_store(err);
}
