/* SPDX-License-Identifier: MIT */
/*
 * elsewhere DB VERB…: another process that changes a memory by the store's door, beside whoever
 * has it mounted.  Built by elsewhere.bats.
 *
 *   say STREAM COUNT PAUSE_MS         lines of a log
 *   make NAME TEXT                    a document in notes/; prints its number
 *   save ID TEXT   move ID NAME       a version; another name in notes/
 *   moves FROM TO COUNT               FROM0.md is renamed to TO0.md, FROM1.md to TO1.md, …: prints
 *                                     how many could be
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

static size_t text_size(const struct entry *e)
{
	(void)e;
	return 0; /* nobody reads a transcript of this process's */
}

static struct doc_text text_of(const char *text)
{
	return (struct doc_text){ text, strlen(text) };
}

static const char *place(char dst[256], const char *name)
{
	(void)snprintf(dst, 256, "{\"parent\":\"notes\",\"name\":\"%s\",\"path\":\"notes/%s\"}", name,
	               name);
	return dst;
}

static const char *version(char dst[256], const char *text)
{
	(void)snprintf(dst, 256, "{\"fields\":{},\"size\":%zu,\"tokens\":1,\"lines\":[1,0],"
	               "\"text\":\"%s\"}", strlen(text), text);
	return dst;
}

static int say(struct store *s, const char *stream, int count, int pause_ms)
{
	int err = 0;
	for (int i = 0; !err && i < count; i++) {
		char body[128];
		int len = snprintf(body, sizeof body,
		                   "{\"role\":\"user\",\"content\":\"far %d\",\"token_count\":2}", i);
		struct draft d = { .stream = stream, .kind = "message", .author = "far:away",
			.body = body, .body_len = (size_t)len };
		struct append a = { .drafts = &d, .count = 1, .expect = -1 };
		err = store_append_wait(s, &a);
		(void)usleep((useconds_t)pause_ms * 1000);
	}
	return err;
}

static int make(struct store *s, const char *name, const char *text)
{
	char where[256], what[256];
	struct doc_text v = text_of(version(what, text));
	int64_t id = 0;
	int err = store_doc_make(s, "notes", name, text_of(place(where, name)), &v, "far:away", &id);
	if (!err)
		printf("%lld\n", (long long)id);
	return err;
}

static int move(struct store *s, int64_t id, const char *name)
{
	char where[256];
	return store_doc_append(s, id, "rename", text_of(place(where, name)), "far:away", -1);
}

static int moves(struct store *s, const char *from, const char *to, int count)
{
	int done = 0, err = 0;
	for (int i = 0; !err && i < count; i++) {
		char name[64];
		struct doc d;
		(void)snprintf(name, sizeof name, "%s%d.md", from, i);
		err = store_doc_at(s, "notes", name, &d);
		(void)snprintf(name, sizeof name, "%s%d.md", to, i);
		err = err ? err : move(s, d.id, name);
		done += !err;
		err = err == STORE_EEXIST ? 0 : err;
	}
	printf("%d\n", done);
	return err;
}

int main(int argc, char **argv)
{
	struct store *s = NULL;
	struct why why = { 0 };
	struct store_config config = { .text_size = text_size };
	if (argc < 5)
		return 2;
	int err = store_open(argv[1], &config, &s, &why);
	if (!err && strcmp(argv[2], "say") == 0 && argc == 6)
		err = say(s, argv[3], atoi(argv[4]), atoi(argv[5]));
	else if (!err && strcmp(argv[2], "make") == 0)
		err = make(s, argv[3], argv[4]);
	else if (!err && strcmp(argv[2], "move") == 0)
		err = move(s, atoll(argv[3]), argv[4]);
	else if (!err && strcmp(argv[2], "save") == 0) {
		char what[256];
		err = store_doc_append(s, atoll(argv[3]), "document", text_of(version(what, argv[4])),
		                       "far:away", -1);
	} else if (!err && strcmp(argv[2], "moves") == 0 && argc == 6) {
		err = moves(s, argv[3], argv[4], atoi(argv[5]));
	}
	if (err)
		(void)fprintf(stderr, "elsewhere: %s %s\n", store_strerror(err), why.text);
	fflush(NULL);
	_Exit(err ? 1 : 0); /* as a process that is gone at once: it is no owner */
}
