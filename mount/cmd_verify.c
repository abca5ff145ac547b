/* SPDX-License-Identifier: MIT */
/*
 * cinta verify [--all] [--vkey KEY] [--note FILE]… [-o key_dir=DIR] [DB]
 *
 * Reads only, and works beside a running daemon.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs/fs.h"
#include "mount/memory/memory.h"
#include "mount/verbs.h"
#include "store/store.h"

struct verify_command {
	struct options options;
	struct verify_options what;
	const char **notes; /* argc + 1 pointers are always enough */
	size_t count;
	FILE *gone; /* lines about bodies that went since the notes; told after the verdict */
};

static int parse(int argc, char **argv, struct verify_command *c)
{
	static const struct option longs[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "vkey", required_argument, NULL, 'k' },
		{ "note", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	opterr = 0;
	for (int opt, status; (opt = getopt_long(argc, argv, ":o:d:", longs, NULL)) != -1;) {
		switch (opt) {
		case 'a':
			c->what.all = true;
			break;
		case 'k':
			c->what.vkey = optarg;
			break;
		case 'n':
			c->notes[c->count++] = optarg;
			break;
		case 'd':
			c->options.database = optarg;
			break;
		case 'o':
			status = database_options("verify", OPTIONS_KEYS, &c->options, optarg);
			if (status != EXIT_FINE)
				return status;
			break;
		default:
			return usage_option("verify", argv, opt);
		}
	}
	return EXIT_FINE;
}

static void print_string(FILE *out, const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x20 && *text != 0x7F)
			fputc(*text, out);
}

static void add_gone(void *ctx, const struct verify_redaction *r)
{
	const struct verify_command *c = ctx;
	char time[40] = "";
	time_t second = (time_t)(r->time_us / 1000000);
	struct tm tm;
	if (gmtime_r(&second, &tm))
		(void)strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(c->gone, "gone entry %" PRId64 " by entry %" PRId64 " %s ", r->seq, r->by, time);
	print_string(c->gone, r->author);
	fputs(": ", c->gone);
	print_string(c->gone, r->reason);
	fputc('\n', c->gone);
}

static int print(const struct verify_report *r)
{
	printf("%s", verdict_name(r->verdict));
	if (r->seq >= 0)
		printf(" at entry %" PRId64, r->seq);
	/* The detail may name the entry once more. */
	char again[40];
	int n = snprintf(again, sizeof again, "entry %" PRId64 ": ", r->seq);
	const char *detail = n > 0 && !strncmp(r->detail, again, (size_t)n) ? r->detail + n : r->detail;
	printf("%s%s\n", detail[0] ? ": " : "", detail);
	printf("entries %" PRId64 "\nsigned_upto %" PRId64 "\nanchored_upto %" PRId64 "\nroot ",
	       r->entries, r->signed_upto, r->anchored_upto);
	for (int i = 0; i < HASH_SIZE; i++)
		printf("%02x", r->root[i]);
	printf("\nredacted %" PRId64 " (%" PRId64 " of them beyond signed_upto)\n", r->redacted,
	       r->redacted_unsigned);
	if (r->verdict == VERDICT_OK)
		return EXIT_FINE;
	return r->verdict == VERDICT_UNVERIFIABLE ? EXIT_UNVERIFIABLE : EXIT_FAULT;
}

static int verify_path(const char *path, struct verify_command *c)
{
	struct verify_report report = { .seq = -1 };
	char *gone = NULL;
	size_t size;
	c->gone = open_memstream(&gone, &size);
	if (!c->gone)
		return EXIT_FAULT;
	c->what.on_gone = add_gone;
	c->what.ctx = c;
	c->what.key_dir = c->options.key_dir;
	c->what.notes = c->count ? (const char *const *)c->notes : NULL;
	c->what.text_size = fs_text_size;
	c->what.plain_text = fs_plain_text;
	int error = store_verify(path, &c->what, &report), status = EXIT_FAULT;
	bool whole = fclose(c->gone) == 0;
	if (error == 0 && whole) {
		status = print(&report);
		fputs(gone, stdout);
	} else if (error == STORE_EINVAL && report.no_note) {
		complain("--note: %s; give a copy of DB.checkpoint that you kept, or of .cinta/checkpoint",
		         report.detail);
		status = EXIT_NO_NOTE;
	} else if (error == STORE_EINVAL && c->what.vkey && report.detail[0]) {
		complain("--vkey: %s; give it as `cinta pubkey` prints it", report.detail);
	} else {
		complain("%s: %s%s%s", path, store_strerror(error), report.detail[0] ? ": " : "",
		         report.detail);
	}
	free(gone);
	return status;
}

int verify_new(const char *path)
{
	struct verify_command c = { 0 };
	return verify_path(path, &c);
}

int cmd_verify(int argc, char **argv)
{
	char path[PATH_MAX];
	struct verify_command c = { .notes = calloc((size_t)argc + 1, sizeof *c.notes) };
	if (!c.notes)
		return EXIT_FAULT;
	int status = parse(argc, argv, &c);
	if (status == EXIT_FINE)
		status = database_operand("verify", c.options.database, argc, argv, path);
	if (status == EXIT_FINE)
		status = verify_path(path, &c);
	options_release(&c.options);
	free(c.notes);
	return finish(status);
}
