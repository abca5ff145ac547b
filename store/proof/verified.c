/* SPDX-License-Identifier: MIT */
/* How far the tape was verified, signed.  See verified.h. */
#include "store/proof/verified.h"

#include <stdio.h>
#include <string.h>

static const char title[] = "cinta-verified/1\n";
enum { TITLE = sizeof title - 1 };

bool verified_make(const struct checkpoint *c, EVP_PKEY *pkey, char text[VERIFIED_SIZE])
{
	unsigned char root[2 * HASH_SIZE];
	char sig[NOTE_SIG_TEXT + 1];
	EVP_EncodeBlock(root, c->root, HASH_SIZE);
	int n = snprintf(text, VERIFIED_SIZE, "%s%s\n%lld\n%s\n", title, c->origin, (long long)c->size,
	                 (const char *)root);
	if (n < 0 || n + NOTE_SIG_TEXT + 2 > VERIFIED_SIZE ||
	    note_sign_text(pkey, text, (size_t)n, sig) != NOTE_OK)
		return false;
	(void)snprintf(text + n, VERIFIED_SIZE - (size_t)n, "%s\n", sig);
	return true;
}

bool verified_read(const char *text, const struct note_key *key, struct checkpoint *out)
{
	size_t len = strlen(text);
	if (len < TITLE + NOTE_SIG_TEXT + 1 || memcmp(text, title, TITLE) != 0)
		return false;
	size_t signed_len = len - NOTE_SIG_TEXT - 1;
	return text[len - 1] == '\n' && text[signed_len - 1] == '\n' &&
	       note_check_text(key, text, signed_len, text + signed_len) == NOTE_OK &&
	       checkpoint_parse(text + TITLE, signed_len - TITLE, out) == NOTE_OK &&
	       strcmp(out->origin, key->name) == 0;
}
