/* SPDX-License-Identifier: MIT */
/*
 * The door of render/import: conversations that other programs keep, as bytes, to messages.  The
 * bytes of one file go in, in pieces of any size; what was understood comes out by calls.  Which
 * format it is, is told by what stands in it.  Pure: no files, no clock.  Part of the room's door.
 */
#ifndef CINTA_RENDER_IMPORT_H
#define CINTA_RENDER_IMPORT_H

#include "render/format/plain.h"

/* What is taken of calls of tools and of their results. */
enum import_tools {
	IMPORT_TOOLS_NAMES, /* which tool, and the ends of what went in and came out */
	IMPORT_TOOLS_FULL,
	IMPORT_TOOLS_NONE
};

/* The conversation that what follows belongs to.  Strings live for the call; "": not known. */
struct import_talk {
	struct talk name;
	const char *title, *cwd, *branch;
	int64_t began_us; /* 0: not known */
};

/* A message, or a part of one.  Strings live for the call; NULL where there is none. */
struct import_said {
	const char *role; /* user, assistant, system, tool */
	const char *text;
	size_t len;       /* never 0 */
	const char *tool, *call, *model, *author;
	const char *thread;  /* NULL: the conversation's */
	const char *members; /* more of them, JSON behind commas: ,"players":["ana"] */
	bool error;       /* the tool failed */
	int64_t at_us;    /* 0: not known */
	const char *id;   /* the agent's; never "" */
	int64_t part;
	int64_t at;       /* the line or element of the file, from 1; set by import_say() */
};

struct import_sink {
	void *ctx;
	void (*talk)(void *ctx, const struct import_talk *t);
	void (*said)(void *ctx, const struct import_said *s);
	/* That message was taken back, in the conversation told last. */
	void (*gone)(void *ctx, const char *id);
	/* A text to keep as a note, below the source's own folder. */
	void (*note)(void *ctx, const char *path, const char *bytes, size_t len);
	/* Line or element `at` (from 1) was left out: it is not what belongs there. */
	void (*skipped)(void *ctx, int64_t at, const char *reason);
	/* Whether entry `seq` of the memory that takes in has this hash; NULL: no entry has. */
	bool (*here)(void *ctx, int64_t seq, const char *hash);
	/* A message or text of such an entry is passed by. */
	void (*known)(void *ctx);
};

struct import;
/* `name`: the file's, without folders and ending.  NULL: no memory.  The sink outlives it. */
struct import *render_import_new(const char *name, enum import_tools tools,
                                 const struct import_sink *sink);
/* 0 or RENDER_ENOMEM. */
int render_import_bytes(struct import *i, const char *bytes, size_t len);
/*
 * The file ends: a last line that is half written is not told.  RENDER_EINVAL with `why`: nothing
 * in it was understood, or its JSON ends too early; RENDER_ENOMEM.
 */
int render_import_end(struct import *i, struct why *why);
void render_import_free(struct import *i);

#endif
