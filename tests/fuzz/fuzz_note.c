/* SPDX-License-Identifier: MIT */
/*
 * Offers any bytes as a signed note, a checkpoint's text and a verifier key.  What is accepted as a
 * key prints as it was read; nothing but the one true note is OK under a key nobody can sign for.
 */
#include <stdlib.h>
#include <string.h>

#include "store/proof/note.h"
#include "tests/fuzz/fuzz.h"

#define VKEY "tape.example/5f3c9a1e7b2d4c60+eac6cf46+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"

static void read_key(const char *text)
{
	struct note_key key;
	char again[VKEY_SIZE];
	if (!note_key_parse(&key, text))
		return;
	note_key_print(&key, again);
	MUST(strcmp(again, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct note_key key;
	struct checkpoint c;
	size_t text_len = 0;
	MUST(note_key_parse(&key, VKEY));
	char *exact = malloc(size ? size : 1), *text = malloc(size + 1);
	MUST(exact && text);
	memcpy(exact, data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	enum note_error opened = note_open(exact, size, &key, &text_len);
	enum note_error whole = note_checkpoint(exact, size, &key, &c);
	MUST(opened != NOTE_OK || text_len < size);
	MUST(whole != NOTE_OK || (opened == NOTE_OK && c.size >= 0));
	if (checkpoint_parse(exact, size, &c) == NOTE_OK)
		MUST(c.size >= 0 && strlen(c.origin) <= FIELD_MAX);
	read_key(text);
	free(exact);
	free(text);
	return 0;
}
