/* SPDX-License-Identifier: MIT */
/* What the formats share.  Private to render/import. */
#ifndef CINTA_IMPORT_PARTS_H
#define CINTA_IMPORT_PARTS_H

#include <jansson.h>

#include "render/import/cut.h"
#include "render/import/import.h"

/* A format: a file each, listed in import.c. */
struct import_format {
	/* True if such a text stands in files of this format, and in no other's before it. */
	bool (*knows)(const json_t *item);
	void (*item)(struct import *i, const json_t *item);
	void (*end)(struct import *i); /* may be NULL */
};
extern const struct import_format import_claude_code, import_codex, import_gemini, import_chatgpt,
	import_claude_ai, import_claude_kept, import_messages, import_entities, import_tape,
	import_opencode, import_agentfs, import_letta, import_cursor;

enum { IMPORT_CALLS = 64, MESSAGE_NAME = 128 };

struct import_turn {
	int64_t id;
	bool begins;
};

struct import {
	const char *name; /* as given; owned */
	enum import_tools tools;
	const struct import_sink *sink;
	const struct import_format *format;
	struct cut cut;
	int64_t at;       /* the line or element that is being read */
	int64_t items;    /* that were understood */
	bool failed;      /* no memory */
	/* The conversation as told last; a change of it is told again. */
	struct talk talk;
	char title[1024], cwd[512], branch[128]; /* of the title no secret is cut that is shown */
	int64_t began_us;
	bool told;
	/* Calls whose results are still to come, the newest over the oldest. */
	struct { char id[MESSAGE_NAME], tool[MESSAGE_NAME]; } call[IMPORT_CALLS];
	unsigned calls;
	int64_t count;    /* a format's own */
	char model[64];
	/* codex.c: where turns of a person began, and the numbers of all messages. */
	struct buf turns; /* of struct import_turn; gemini.c: ids, each ended by a NUL; branches.c */
	struct buf ids;   /* branches.c: of the conversation's lines, each ended by a NUL */
	uint64_t branched; /* claude_code.c: the conversation whose lines those are */
	json_t *kept;     /* entities.c: all; gemini.c: the newest message; messages.c: the first */
	int64_t kept_at;  /* gemini.c: its line */
};

/* A member's string, "" if it is none. */
const char *import_text(const json_t *object, const char *member);
/* Tells what has been set in i->talk and beside it, once, and when another conversation begins. */
void import_begin(struct import *i, const char *agent, const char *session);
/* A time as text (RFC 3339) or as seconds; 0: it is none. */
int64_t import_time(const json_t *value);
void import_copy(char *dst, size_t size, const char *text);

/* A text to keep as a note; slashes in the folder (which may be "") and the name part nothing. */
void import_keep(struct import *i, const char *folder, const char *name, const char *text);
/* A message told; nothing if it has no text but blanks. */
void import_say(struct import *i, struct import_said *s, const char *text);
/* A call of a tool, whose arguments are JSON or a string. */
void import_call(struct import *i, struct import_said *s, const char *tool, const char *call,
                 const json_t *arguments);
/* What came of it. */
void import_result(struct import *i, struct import_said *s, const char *call, const char *text,
                   bool error);
/* The text of a content: a string, or blocks of type text (input_text, output_text). */
void import_content(struct buf *out, const json_t *content);
/* Content blocks of Anthropic's messages, each a part of the message `s`; strings, too. */
void import_blocks(struct import *i, const struct import_said *s, const json_t *content);
/* A user's text that is none: it begins with what a program writes, and nobody else. */
bool import_is_machine(const char *text);

/* Lines that follow one another by name, and fork: branches.c. */
enum branch_kind {
	BRANCH_PROGRAM, /* no part of the conversation, but others may follow it */
	BRANCH_WORDS,   /* what a person said */
	BRANCH_COMMAND, /* what a person had the program do */
	BRANCH_OTHER    /* answers, calls, results */
};
uint64_t branch_hash(const char *name);
/* `parent`: "" for none.  Names may come in any order, and again. */
void branch_note(struct import *i, const char *id, const char *parent, enum branch_kind kind);
/* Tells what was given up, in the conversation told last, and forgets the lines. */
void branch_tell(struct import *i);

#endif
