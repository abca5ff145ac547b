/* SPDX-License-Identifier: MIT */
/*
 * cinta status [--json] [DB]      what is on the tape, who owns it, where it is mounted
 * cinta pubkey [--pem] [DB]       the key that proves it
 *
 * Both read the file itself, whether a daemon runs or not; whether it can be written and what
 * troubles it, a daemon that runs knows better.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/daemon/daemon.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

struct mount_list {
	const char *database;
	json_t *mounts; /* directories */
};

static int collect(void *ctx, const struct mount_entry *e)
{
	struct mount_list *p = ctx;
	if (!strcmp(e->source, p->database))
		(void)json_array_append_new(p->mounts, json_string(e->dir));
	return 0;
}

/* The owner's key directory, sync and mode are not ours: what it says of itself holds. */
static void ask_owner(const struct owner *who, struct status *st)
{
	struct why why = { 0 };
	if (who->socket[0] && control_status(who->socket, st, &why) == -ETIMEDOUT)
		complain("note: process %ld, which serves this, does not answer; what follows is what its "
		         "file says", (long)who->pid);
}

static json_t *describe(struct status *st, const char *path)
{
	struct owner who;
	struct mount_list list = { path, json_array() };
	(void)mounts_each(collect, &list);
	enum owner_state state = owner_state(path, &who);
	if (state == OWNER_LIVE)
		ask_owner(&who, st);
	bool owned = state == OWNER_LIVE;
	if (state == OWNER_DEAD)
		complain("note: process %ld, which served this, is dead, and a thread of it waits in the "
		         "kernel; `cinta mount` takes over", (long)who.pid);
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
	                 " s:s, s:s, s:b, s:s, s:o, s:o}",
	                 "version", st->version, "origin", st->origin, "database", path,
	                 "entries", (json_int_t)st->entries,
	                 "viewed_upto", (json_int_t)st->viewed_upto,
	                 "signed_upto", (json_int_t)st->signed_upto,
	                 "verified_upto", (json_int_t)st->verified_upto,
	                 "sessions", (json_int_t)st->sessions,
	                 "threads", (json_int_t)st->threads,
	                 "messages", (json_int_t)st->messages,
	                 "database_bytes", (json_int_t)st->database_bytes,
	                 "wal_bytes", (json_int_t)st->wal_bytes,
	                 "tokenizer", st->tokenizer, "server", st->server,
	                 "read_only", st->read_only, "trouble", st->trouble,
	                 "daemon", owned ? json_integer(who.pid) : json_null(),
	                 "mounts", list.mounts);
}

static void print_value(const json_t *v)
{
	if (json_is_integer(v))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_boolean(v))
		printf("%s", json_is_true(v) ? "yes" : "no");
	else
		printf("%s", json_is_string(v) && json_string_length(v) ? json_string_value(v) : "none");
}

/* One `name value` a line; a list has a line each. */
static void print_text(json_t *all)
{
	const char *name;
	json_t *v, *item;
	size_t i;
	json_object_foreach(all, name, v) {
		if (json_is_array(v) && json_array_size(v) > 0) {
			json_array_foreach(v, i, item)
				printf("%-15s %s\n", name, json_string_value(item));
			continue;
		}
		printf("%-15s ", name);
		print_value(v);
		putchar('\n');
	}
}

static int show(const char *path, bool json)
{
	struct status *st = calloc(1, sizeof *st);
	struct store *s = st ? database_read(path, NULL) : NULL;
	json_t *all = NULL;
	if (s) {
		store_status(s, st);
		st->read_only = *st->trouble || store_is_still(path); /* this handle only reads */
		all = describe(st, path);
		store_close(s);
	}
	free(st);
	if (!s)
		return EXIT_FAULT;
	if (!all) {
		complain("%s: its name is not UTF-8", path);
		return EXIT_FAULT;
	}
	if (json)
		(void)json_dumpf(all, stdout, JSON_COMPACT);
	else
		print_text(all);
	if (json)
		putchar('\n');
	json_decref(all);
	return EXIT_FINE;
}

/* One long switch, then the operand. */
static int parse(int argc, char **argv, const char *name, bool *on, char path[PATH_MAX])
{
	const struct option longs[] = { { name, no_argument, NULL, 's' }, { NULL, 0, NULL, 0 } };
	const char *named = NULL;
	opterr = 0;
	for (int opt; (opt = getopt_long(argc, argv, ":d:", longs, NULL)) != -1;) {
		if (opt == 'd') {
			named = optarg;
			continue;
		}
		if (opt != 's')
			return usage_option(argv[0], argv, opt);
		*on = true;
	}
	return database_operand(argv[0], named, argc, argv, path);
}

int cmd_status(int argc, char **argv)
{
	char path[PATH_MAX];
	bool json = false;
	int status = parse(argc, argv, "json", &json, path);
	return finish(status == EXIT_FINE ? show(path, json) : status);
}

/*
 * A C2SP verifier key is name+hash+base64(0x01 || key).  RFC 8410 puts the same
 * 32 bytes behind 12 fixed ones: SEQUENCE { SEQUENCE { OID Ed25519 }, BIT STRING }.
 */
static bool print_pem(const char *vkey)
{
	static const uint8_t prefix[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
	                                  0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };
	const char *plus = strchr(vkey, '+');
	plus = plus ? strchr(plus + 1, '+') : NULL;
	uint8_t raw[64], der[44], text[64];
	if (!plus || strlen(plus + 1) != 44 ||
	    EVP_DecodeBlock(raw, (const unsigned char *)plus + 1, 44) != 33 || raw[0] != 1)
		return false;
	memcpy(der, prefix, sizeof prefix);
	memcpy(der + sizeof prefix, raw + 1, 32);
	(void)EVP_EncodeBlock(text, der, sizeof der);
	printf("-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n", (char *)text);
	return true;
}

int cmd_pubkey(int argc, char **argv)
{
	char path[PATH_MAX], vkey[512];
	bool pem = false;
	int status = parse(argc, argv, "pem", &pem, path);
	if (status != EXIT_FINE)
		return status;
	struct store *s = database_read(path, NULL);
	if (!s)
		return EXIT_FAULT;
	int error = store_vkey(s, vkey, sizeof vkey);
	store_close(s);
	if (error) {
		complain("%s: %s", path, store_strerror(error));
		return EXIT_FAULT;
	}
	if (!pem)
		printf("%s\n", vkey);
	else if (!print_pem(vkey)) {
		complain("%s: its key is not an Ed25519 verifier key: %s", path, vkey);
		status = EXIT_FAULT;
	}
	return finish(status);
}
