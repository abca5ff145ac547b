/* SPDX-License-Identifier: MIT */
/*
 * The words all rooms share: an entry of the tape, a refusal's reason, and the
 * small read-only records that views hand to the renderers.  Types only: this
 * header is the one thing of the store that render/ may include.
 *
 * Times are int64_t microseconds since 1970 UTC.  Pointers in these records are
 * borrowed: they live as long as the call that handed them out says.
 */
#ifndef CINTA_ENTRY_H
#define CINTA_ENTRY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	HASH_SIZE = 32,  /* SHA-256 */
	SALT_SIZE = 16,
	FIELD_MAX = 128, /* origin, stream, author: 1..128 bytes of 0x21..0x7E */
	KIND_MAX = 64,   /* kind: 1..64 bytes of 0x21..0x7E */
	NAME_LIMIT = 255 /* a file name, in bytes, without the NUL */
};

/*
 * One row of the tape (docs/format.md).  Redacted: `salt` is NULL, and `body` is what stands in
 * its place.  `body` is NULL when it is missing and no redaction says why.  Damaged: the row is not
 * the one that was hashed; there is no body, and nothing else of it is to be believed.
 */
struct entry {
	int64_t seq;
	const char *stream;
	int64_t stream_seq;
	uint8_t prev[HASH_SIZE];
	int64_t time_us;
	const char *kind;
	const char *author;
	size_t body_len;
	uint8_t body_hash[HASH_SIZE];
	uint8_t leaf_hash[HASH_SIZE];
	const uint8_t *salt; /* SALT_SIZE bytes, or NULL when redacted or missing */
	const char *body;    /* body_len bytes, not NUL-terminated */
	size_t hashed_len;   /* what the header says of the body, if there is no salt */
	bool damaged;
	size_t room; /* if damaged: bytes that its line or part had among the others; 0: any */
	/* The name of its session, of a message shown in a thread (for numbers begin anew in each) or
	   asked for by store_message().  NULL: it is shown in its own log. */
	const char *session;
};

/* In a page, in the place of an entry that is damaged: the others are shown as ever. */
#define DAMAGED_TEXT "[damaged: cinta verify names the entry]"

/* When and by whom a message was said, as its line tells; the tape has its own time and author. */
struct saying {
	int64_t time_us; /* the entry's if the line tells none */
	bool told;       /* the line told a time that counts */
	bool copied;     /* it was a line of a log before: it was heard there */
	char by[FIELD_MAX + 1]; /* UTF-8, "": the line does not tell */
};

/*
 * A conversation that an agent keeps itself, and that something was written in: a claim.  "" is
 * not known; else visible ASCII without quotes and backslashes.
 */
enum { TALK_AGENT = 64, TALK_SESSION = 128 };
struct talk {
	char agent[TALK_AGENT + 1];     /* "claude-code" */
	char session[TALK_SESSION + 1]; /* the agent's own name of it */
};

/* Why something was refused: made where it is known, shown in errors.log. */
struct why {
	int line;       /* line of the offered text, from 1; 0: does not apply */
	char text[256]; /* what is wrong */
	char todo[192]; /* what to do instead */
};

static inline void __attribute__((format(printf, 3, 4)))
why_set(struct why *why, const char *todo, const char *fmt, ...)
{
	if (!why)
		return;
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(why->text, sizeof why->text, fmt, ap);
	va_end(ap);
	(void)snprintf(why->todo, sizeof why->todo, "%s", todo);
}

/* A session or a thread, as the views know it. */
struct group {
	int64_t id;       /* from 1, in order of appearance on the tape */
	char name[NAME_LIMIT + 1];
	int64_t made_us;  /* time of the entry that made it */
	char author[FIELD_MAX + 1];
	int64_t messages; /* how many messages the views have seen */
	int64_t tokens;   /* the sum of their token counts */
	int64_t bytes;    /* size of log.jsonl up to there */
	int64_t text_bytes; /* size of transcript.md up to there */
	int64_t first_us, last_us; /* times of the first and last message, 0: none */
};

/* One line of refs.jsonl; strings are hex or plain ASCII, "" for none. */
struct ref {
	int64_t id;
	int64_t message; /* id of the message in its session */
	char message_hash[2 * HASH_SIZE + 1];
	char ref_hash[2 * HASH_SIZE + 1];
	char ref_type[16];
	int64_t position;
	char thread_hash[2 * HASH_SIZE + 1];
	int64_t added_us; /* when it was added to the message; 0: it came with it */
};

/* As long as its line of refs.jsonl can be: three hashes, a type in which each byte is escaped. */
enum { REF_LINE_MOST = 512 };

/* One refusal, as errors.log shows it. */
struct refusal {
	int64_t time_us;
	const char *code;   /* "EPERM" */
	const char *op;     /* "write", "unlink", … */
	const char *path;   /* below the mount point */
	const char *author;
	const char *reason; /* one line */
	const char *todo;   /* one line, may be "" */
	const char *kept;   /* name below rejected/, "" if nothing was offered */
};

/* One version of a document. */
struct doc_version {
	int64_t n;         /* from 1 */
	int64_t seq, time_us;
	int64_t size, tokens;
	int64_t added, removed; /* lines against the version before */
	char author[FIELD_MAX + 1];
	char sha256[2 * HASH_SIZE + 1]; /* of its bytes */
	char hash[2 * HASH_SIZE + 1];   /* of its entry */
	struct talk talk;               /* in which it was written */
	int64_t doc;                    /* of which document */
};

/* How sure a fact is; the order is the strength. */
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* One line of a fact list: markdown without its bullet and without its *(low)*. */
struct fact_item {
	const char *text; /* not NUL-terminated */
	size_t len;       /* never 0 */
	enum confidence confidence;
	bool stale;       /* below "## Stale" */
	bool inferred;    /* said by nobody */
};

/* A fact as the store knows it.  Strings live for the call that hands it out. */
struct fact {
	int64_t id;
	int domain;
	const char *text; /* NUL-terminated; "": it was redacted */
	size_t len;
	enum confidence confidence;
	bool explicit_;         /* said by somebody; else inferred */
	int64_t entry;          /* seq of the message it came from, 0: none */
	int64_t supersedes, superseded_by; /* 0: none */
	int64_t added_us;
	int64_t confirmed_us;   /* when it was confirmed last, at first when it was added */
	int64_t retracted_us;   /* 0: live */
	int64_t confirmations;
	char author[FIELD_MAX + 1]; /* who added it */
	struct talk talk;       /* in which that was */
};

/* Whether a thing is still to be shown by itself (policy_life()): all but the first are retired. */
enum life {
	LIFE_LIVE,
	LIFE_AGED,       /* a fact nobody confirmed in time: for those who ask */
	LIFE_STALE,      /* the same, long ago */
	LIFE_EXPIRED,    /* past its `expires_at` */
	LIFE_SUPERSEDED, /* another stands for it */
	LIFE_DELETED, LIFE_DEPRECATED, LIFE_INACTIVE,
	LIFE_PRUNED,     /* a message its session took out of its window */
	LIFE_COUNT
};
static inline const char *life_name(enum life life)
{
	static const char *const names[LIFE_COUNT] = {
		[LIFE_LIVE] = "live", [LIFE_AGED] = "aged", [LIFE_STALE] = "stale",
		[LIFE_EXPIRED] = "expired", [LIFE_SUPERSEDED] = "superseded",
		[LIFE_DELETED] = "deleted", [LIFE_DEPRECATED] = "deprecated",
		[LIFE_INACTIVE] = "inactive", [LIFE_PRUNED] = "pruned" };
	return names[life];
}

/* One save of a list of facts. */
struct fact_save {
	int domain;
	int64_t n;
	int64_t seq;          /* its last entry */
	int64_t time_us;
	int64_t added, retracted, confirmed, weighed;
	bool text;            /* the free text changed */
	char author[FIELD_MAX + 1];
	char hash[2 * HASH_SIZE + 1]; /* of its last entry */
	struct talk talk;     /* in which it was written */
};

/* ---- what is done to a session's window (store/context.h) ---- */

enum context_verb {
	CONTEXT_PRUNE, CONTEXT_RESTORE, CONTEXT_PIN, CONTEXT_UNPIN, CONTEXT_SUMMARIZE,
	CONTEXT_RESET, CONTEXT_WINDOW, CONTEXT_DIGEST,
	CONTEXT_REFER
};
enum {
	CONTEXT_WINDOW_MOST = 64,     /* turns of a fixed window */
	CONTEXT_TEXT_MOST = 4096,     /* bytes of a summary */
	CONTEXT_RANGES_MOST = 1024,   /* ranges of one operation */
	CONTEXT_REFS_MOST = 64,       /* references of one operation … */
	CONTEXT_REF_MOST = 512,       /* … and bytes of one */
	CONTEXT_OPS_MOST = 1000       /* operations of one write */
};

/* Messages `first` to `last` of a session, both included. */
struct context_range {
	int64_t first, last;
};

/* One operation.  What a verb does not use is 0. */
struct context_op {
	enum context_verb verb;
	const struct context_range *range; /* ascending, apart from each other; one for a text */
	size_t count;
	const char *text; /* SUMMARIZE, DIGEST: UTF-8 without NUL, not blank.  REFER: a JSON array
	                     of {"type":T,"ref":STRING or NUMBER}, as in a message */
	size_t len;
	int window;       /* WINDOW: turns, 0: as the system sees fit */
	const char *agent; /* PIN, UNPIN: whose program says so; NULL or "": a person's */
	int line;         /* of what was written, for refusals */
};

/* How a session's window stands.  Every message is active, pruned or summarized. */
struct context_state {
	int window;        /* turns, 0: as the system sees fit */
	int64_t messages, active, pruned, summarized;
	int64_t pinned;    /* of the active ones */
	int64_t summaries;
	int64_t last_seq, last_us; /* of the last operation that had its effect, 0: none */
};

/* A message as the window has it.  Strings live for the call that hands it out. */
struct turn {
	int64_t n, seq, time_us; /* n: in its session, from 1; when it was said */
	const char *author;
	const char *by;          /* who said it, as the line tells; "": it does not */
	const char *role, *tool; /* "": none was said */
	bool error;              /* its member `error` says something */
	bool active, pinned, pruned;
	bool kept;               /* a person has pinned it: no agent unpins it */
	int64_t summary;         /* first message of the summary that covers it, 0: none */
	int64_t tokens;
	const char *content;     /* NUL-terminated; "" when it was redacted */
	size_t len;
};

struct summary {
	int64_t seq, time_us;
	int64_t first, last; /* messages it stands for */
	const char *author, *text; /* text: NUL-terminated */
	size_t len;
};

/* What `cinta status` and .cinta/status.json tell. */
struct status {
	char version[32];
	char origin[FIELD_MAX + 1];
	char database[4096];
	int64_t entries;      /* rows on the tape */
	int64_t viewed_upto;  /* rows the views have seen */
	int64_t signed_upto;  /* size of the newest signed checkpoint, 0: none */
	int64_t signed_us;    /* when it was signed, 0: unknown */
	int64_t verified_upto; /* rows known to hold: walked since the opening, or before it */
	int64_t unsigned_at_start; /* rows beyond the newest note when the store was opened */
	int64_t foreign_entries, foreign_last; /* of other processes since then, and the last one */
	int64_t sessions, threads, messages;
	int64_t database_bytes, wal_bytes;
	int64_t refusals;     /* since this process started */
	char tokenizer[16];   /* counts the tokens of what is written */
	bool read_only;
	char server[256];     /* where the tape lives, "": in the database itself */
	int64_t away_us;      /* since when that cannot be asked, 0: it can */
	char trouble[256];    /* "" when all is well: ROLLBACK, FORK, no key, … */
};

#endif
