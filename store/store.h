/* SPDX-License-Identifier: MIT */
/*
 * The door of the store: the tape, its views, and what proves them.
 *
 * One `struct store` a process and database.  All functions may be called from
 * any thread unless they say otherwise.
 *
 * Callbacks must not call the store: what calls back may hold one of the few reading connections
 * (or the lock of PATH.side), and a call that waits for another one can wait for ever.  Note what
 * is to be asked, and ask when the call has returned.  Only `done` of an append and `on_foreign`
 * are called with nothing held.  The test profiles end the program at the first such call.
 *
 * Functions return 0 or a negative STORE_ code.
 *
 * Who may write: any process may append; exactly one process (the mount, which
 * holds STORE_OWNER) checkpoints the WAL and signs.
 */
#ifndef CINTA_STORE_H
#define CINTA_STORE_H

#include <limits.h>
#include <sys/types.h>

#include "store/salvage/carry.h"
#include "store/context.h"
#include "store/days.h"
#include "store/documents.h"
#include "store/entry.h"
#include "store/facts.h"
#include "store/foreign/foreign.h"
#include "store/library.h"
#include "store/past.h"
#include "store/policy/policy.h"
#include "store/memories.h"
#include "store/rebuild.h"
#include "store/remote.h"
#include "store/search.h"
#include "store/tokens/tokens.h"
#include "store/touched.h"
#include "store/vectors.h"

struct engine;
struct store;

enum {
	STORE_ENOENT = -1, /* no such thing */
	STORE_EIO = -2,    /* SQLite or the disk failed */
	STORE_ENOSPC = -3, /* the disk is full */
	STORE_EROFS = -4,  /* the database cannot be written */
	STORE_EMOVED = -5, /* the stream's head is not where `expect` said */
	STORE_EINVAL = -6, /* a field breaks the format */
	STORE_ENOMEM = -7,
	STORE_ENEWER = -8, /* the file was written by a newer cinta */
	STORE_EFORMAT = -9,/* not a tape */
	STORE_EEXIST = -10,
	STORE_EBUSY = -11, /* another process holds what is needed */
	STORE_EPINNED = -12, /* a message is pinned */
	STORE_EUNPROVED = -13, /* a body is gone that the owner did not sign away */
	STORE_EAWAY = -14, /* the server cannot be reached; nothing was stored */
	STORE_EUNKNOWN = -15, /* the server was asked and did not answer: errors.log tells later */
	STORE_EFBIG = -16 /* more than a server takes at once */
};
const char *store_strerror(int code);

enum {
	STORE_READONLY = 1, /* never write, not even views */
	STORE_OWNER = 2,    /* run the maintenance thread: catch up, sign, checkpoint the WAL */
	STORE_CREATE = 4    /* make the tape if the file is absent or empty */
};

struct store_config {
	unsigned flags;
	const char *origin;   /* for STORE_CREATE; NULL: cinta/<16 random hex> */
	const char *key_dir;  /* NULL: $XDG_CONFIG_HOME/cinta/keys */
	const char *why_reading; /* for STORE_READONLY: trouble in status, as long as it is open */
	/* Size of an entry's part of a transcript; required, pure, any thread. */
	size_t (*text_size)(const struct entry *e);
	/*
	 * Called from the maintenance thread, and by store_fresh(), after another process has
	 * appended: its entries are among those from `seq` on (store_touched()).  -1: errors.log has
	 * grown, or more than the entries tell.  May be NULL.
	 */
	void (*on_foreign)(void *ctx, int64_t seq);
	/*
	 * Called by the owner, no lock held, after bodies have gone: what was made of them must not
	 * be shown, nor stay in memory.  May be NULL.
	 */
	void (*on_redacted)(void *ctx);
	/* Called from the maintenance thread, the owner's, once for each trouble.  May be NULL. */
	void (*on_trouble)(void *ctx, const char *text);
	void *ctx;
	int64_t (*clock)(void); /* NULL: the system's clock; tests set it */
	struct engine *engine; /* NULL: as PATH.server says; tests set it, and it becomes the store's */
	/* TOKENS_UNSET: o200k_base for the owner; for others what the last owner used. */
	enum tokenizer tokenizer;
	/*
	 * A document's text without markup, for the search: *plain is malloc'ed, *plain_len its
	 * bytes; nonzero when there is no memory.  Pure, any thread.  NULL: as it is.
	 */
	int (*plain_text)(const char *text, size_t len, char **plain, size_t *plain_len);
};

/*
 * What is at `path`, without opening it as a database and without leaving anything: 1 if it
 * says it is a tape, 0 if there is nothing or an empty file; STORE_EIO or STORE_EFORMAT with
 * `why` if it cannot be read, was emptied, or is something else.  Not while this process has it
 * open: closing a file drops the locks SQLite holds on it.
 */
int store_look(const char *path, struct why *why);
/*
 * True if this process may not write the file at `path`, or nothing can be made beside it.  Then
 * it is read without a byte being written: STORE_READONLY and store_verify().
 */
bool store_is_still(const char *path);
/* True if its disk has so little room that SQLite can make nothing beside it. */
bool store_is_full(const char *path);
/*
 * Whether a tape can be made with them, before anything is: STORE_EINVAL with `why` if the origin
 * breaks the format, or key_dir is there and no directory.  NULL: the default, which can.
 */
int store_check_new(const char *origin, const char *key_dir, struct why *why);
/*
 * SQLite's own look at each page of a database of ours, DB or DB.side: 0: sound; 1: damaged,
 * `detail` says in which words; or a STORE_ code, as of one that cannot be opened.
 */
int store_look_at_pages(const char *path, char *detail, size_t size);
/*
 * Takes back a memory that the caller has just made and still owns: the file, what stands beside it
 * but the lock, its key, and what the keys remember of it.  STORE_EBUSY: it holds more than the
 * first entry, and stays.
 */
int store_unmake(const char *path, const char *key_dir);
/* Where the private key of `origin` is; key_dir as in store_config.  0 or a STORE_ code. */
int store_key_file(const char *key_dir, const char *origin, char *dst, size_t size);
int store_open(const char *path, const struct store_config *config, struct store **out,
               struct why *why);
/* Catches up, signs, checkpoints the WAL if it owns it, and frees. */
void store_close(struct store *s);

/* ---- appending ------------------------------------------------------- */

/* A message as its agent knows it: each is taken in once (`from`, cinta.5). */
enum { MESSAGE_ID = 160 };
struct message_key {
	const struct talk *talk;
	const char *id; /* 1..MESSAGE_ID bytes */
	int64_t part;   /* of the message, from 0 */
};

/* What to append; strings are the caller's until `done`. */
struct draft {
	const char *stream;
	const char *kind;
	const char *author;
	const char *body; /* UTF-8, no NUL */
	size_t body_len;
	/* Not NULL: left out if a message of that key is on the tape when this is committed. */
	const struct message_key *key;
};

/* One request: all its drafts are committed or none. */
struct append {
	const struct draft *drafts;
	size_t count;
	/* If >= 0: fail with STORE_EMOVED unless the first draft's stream has this many entries. */
	int64_t expect;
	/*
	 * If not 0: how many entries there were when it was decided.  Fail with STORE_EMOVED if a
	 * document or session was made, renamed or retired since, by whoever: the names it was decided
	 * by may be others'.
	 */
	int64_t seen;
	/* Called exactly once, from whichever thread committed, no lock held. */
	void (*done)(struct append *a);
	void *ctx;
	/* out */
	int error;         /* 0 or STORE_ */
	int64_t first_seq; /* seq of the first draft that was not left out */
	bool *known;       /* NULL, or for each draft: it was left out; the keys differ */
	struct append *next; /* the store's own */
};

/*
 * Queues the request and returns; the calling thread may become the committer
 * for all that is queued (group commit, docs/design.md).  `a` lives until done.
 */
void store_append(struct store *s, struct append *a);
/* The same, waiting; returns a->error.  `done` is not used. */
int store_append_wait(struct store *s, struct append *a);
/* How many entries are known here; those of another process count when they are noticed. */
int64_t store_entries(const struct store *s);
/* Microseconds of the clock that entries are dated by. */
int64_t store_time(const struct store *s);
/* Makes everything committed so far survive power loss (fdatasync of the WAL). */
int store_sync(struct store *s);
/*
 * When it returns 0 the views have seen every entry that was committed when it was called, or
 * all they can: where nothing can be written (STORE_READONLY, a full disk) they stay as they are.
 */
int store_catch_up(struct store *s);

/* ---- reading --------------------------------------------------------- */

enum log_kind { LOG_TAPE, LOG_SESSION, LOG_THREAD, LOG_RECORD };
enum { RECORD_ACCOUNTANT = 1, RECORD_SECRETARY = 2 };
/* A log file: `id` is 0 for the tape, a RECORD_ number for LOG_RECORD, else a group's id. */
struct log_id {
	enum log_kind kind;
	int64_t id;
};

struct log_stat {
	int64_t bytes;   /* size of the log file now */
	int64_t last_us; /* time of its last entry, 0: none */
};
/* Cheap for sessions and records: no view is needed. */
int store_log_stat(struct store *s, struct log_id log, struct log_stat *out);
/* Bytes read, 0 at the end, or a STORE_ code. */
ssize_t store_log_read(struct store *s, struct log_id log, int64_t offset, char *dst, size_t size);

/*
 * Calls `fn` for each entry whose part of the transcript ends after `offset`;
 * `start` is where that part begins.  `fn` returns nonzero to stop.
 */
typedef int text_fn(void *ctx, const struct entry *e, int64_t start);
int store_text_each(struct store *s, struct log_id log, int64_t offset, text_fn *fn, void *ctx);

typedef void entry_fn(void *ctx, const struct entry *e);
/* The entry of message `n` (from 1) of a session. */
int store_message_seq(struct store *s, int64_t session, int64_t n, int64_t *seq);
/* That entry with its session's name, NULL: it has none; both live for the call of `fn`. */
int store_message(struct store *s, int64_t seq, entry_fn *fn, void *ctx);

/* The stream of a session's messages: "s17". */
void store_session_stream(int64_t id, char stream[24]);
/* The session whose messages this stream holds, 0: none. */
int64_t store_stream_session(const char *stream);
/* N of the stream "sN" for first 's'; 0: it is another's. */
int64_t store_stream_number(const char *stream, char first);
/* The stream of a log one can append to, "s17" or "r1"; and back: false when it is another's. */
void store_log_stream(struct log_id log, char stream[24]);
bool store_stream_log(const char *stream, struct log_id *log);
/* Returns nonzero to stop. */
typedef int each_entry_fn(void *ctx, const struct entry *e);
/*
 * Each message among the entries [from, stop), in one read; it lives for the call of `fn`, which
 * must not call the store.
 */
int store_said_each(struct store *s, int64_t from, int64_t stop, each_entry_fn *fn, void *ctx);
/* Entry `seq` of the tape. */
int store_entry(struct store *s, int64_t seq, entry_fn *fn, void *ctx);
/*
 * Several, in this order, which is cheaper than one by one; `fn` is told which, as `i`, with its
 * entry, or with what went wrong.
 */
typedef void entries_fn(void *ctx, size_t i, const struct entry *e, int err);
int store_entries_at(struct store *s, const int64_t *seqs, size_t count, entries_fn *fn, void *ctx);
/*
 * The entry whose hash begins with `prefix`, HASH_PREFIX to 64 small hex digits, STORE_EINVAL.
 * STORE_ENOENT: none does; STORE_EEXIST: several do.
 */
enum { HASH_PREFIX = 8 };
int store_entry_by_hash(struct store *s, const char *prefix, int64_t *seq);
/* When and by whom a message was said (cinta.5, "from").  Pure. */
void store_said(const struct entry *e, struct saying *out);

/*
 * Sessions and threads: `kind` is LOG_SESSION or LOG_THREAD (records answer to their id alone,
 * once they have an entry).  The counts and
 * sizes in `out` are as the views know them: store_catch_up() first if they matter.
 * `out` may be NULL.
 */
int store_group_by_name(struct store *s, enum log_kind kind, const char *name, struct group *out);
int store_group_by_id(struct store *s, enum log_kind kind, int64_t id, struct group *out);
/* Whether a message of that key is on the tape. */
int store_message_known(struct store *s, const struct message_key *k, bool *known);
/* The session that holds a conversation of an agent's ("": of any); STORE_ENOENT. */
int store_talk_session(struct store *s, const struct talk *t, int64_t *session);
/* The conversations that a session holds. */
typedef void talk_fn(void *ctx, const struct talk *t);
int store_talks(struct store *s, int64_t session, talk_fn *fn, void *ctx);
/* The messages taken from a conversation into that session: the agent's id, and the message's. */
typedef void taken_fn(void *ctx, const char *id, int64_t n);
int store_taken(struct store *s, const struct talk *t, int64_t session, taken_fn *fn, void *ctx);
/* The first group with an id greater than `after`. */
int store_group_next(struct store *s, enum log_kind kind, int64_t after, struct group *out);
/* The group made last, which tells when the set of names changed.  STORE_ENOENT: there is none. */
int store_group_newest(struct store *s, enum log_kind kind, struct group *out);
/* A session, when its first and last messages were said (0: it has none), and by which agent. */
struct session_span {
	struct group group;
	int64_t from_us, to_us;
	char agent[TALK_AGENT + 1]; /* "": not known */
};
typedef void session_fn(void *ctx, const struct session_span *span);
/* At most so many sessions with an id below `before` (0: from the newest on), the newer first. */
int store_sessions_back(struct store *s, int64_t before, int most, session_fn *fn, void *ctx);
/* At most so many messages of a thread from its line `from` (from 1) on: session and number. */
typedef void line_fn(void *ctx, int64_t session, int64_t n);
int store_thread_lines(struct store *s, int64_t thread, int64_t from, int most, line_fn *fn,
                       void *ctx);
/* The session last written to; STORE_ENOENT when there is none. */
int store_group_current(struct store *s, struct group *out);
/* Makes a session; `name` has been checked.  `body` is the entry's body. */
int store_session_make(struct store *s, const char *name, const char *body, size_t body_len,
                       const char *author, int64_t *id);

typedef void ref_fn(void *ctx, const struct ref *r);
int store_refs(struct store *s, int64_t session, ref_fn *fn, void *ctx);
/*
 * The session's refs.jsonl: its size, and what of it stands from `offset` on, in as many bytes as
 * there are up to `size`.  Both cost what they hand out, however many there are before.
 */
int store_refs_size(struct store *s, int64_t session, int64_t *bytes);
ssize_t store_refs_read(struct store *s, int64_t session, int64_t offset, char *dst, size_t size);
/* A line of it, with its newline and no NUL; returns its size. */
size_t store_ref_line(const struct ref *ref, char dst[REF_LINE_MOST]);

/* A reference, seen from one of its ends; strings live for the call, "" for none. */
struct ref_end {
	int64_t n;          /* the message it is seen from */
	bool back;          /* the other end refers to it; else it refers to the other end */
	const char *type, *hash; /* as refs.jsonl has them */
	const char *label;  /* of a component, session or thread with that hash */
	const char *stream; /* of the entry at the other end, … */
	int64_t seq, stream_seq; /* … -1: none of this tape */
};
typedef void ref_end_fn(void *ctx, const struct ref_end *end);
/* At most so many of each message `first` to `last` of a session. */
struct ref_ends {
	int64_t session, first, last;
	int most_from, most_to;
};
/*
 * For each of these messages what it refers to, as it is said there, and then what refers to it,
 * the newest first.  Costs what it gives.  `fn` must not call the store.
 */
int store_ref_ends(struct store *s, const struct ref_ends *which, ref_end_fn *fn, void *ctx);

/*
 * True if it takes no entries at all: opened for reading, ROLLBACK, FORK, or the database was
 * deleted or replaced since.  Once true it stays so.
 */
bool store_frozen(const struct store *s);
/* What is wrong, the worst first, in words that begin with a kind and a colon; "": nothing is. */
void store_trouble(const struct store *s, char *text, size_t size);
/* True if what is written will be refused: it is frozen, or the disk is full. */
bool store_refuses(const struct store *s);
void store_status(struct store *s, struct status *out);
/* How tokens are counted here; never TOKENS_UNSET, never changes. */
enum tokenizer store_tokenizer(const struct store *s);

/* ---- refusals and what was offered ------------------------------------ */

/* Stores a refusal and, if `offered` is not NULL, its bytes; fills kept[] with the name below
 * rejected/. */
int store_refuse(struct store *s, const struct refusal *r, const char *name, const char *offered,
                 size_t offered_len, char kept[NAME_LIMIT + 1]);
/* A line of errors.log about what is no refusal: nothing was offered, r->kept is not looked at. */
void store_tell(struct store *s, const struct refusal *r);
typedef void refusal_fn(void *ctx, const struct refusal *r);
/* The last `most` refusals, oldest first. */
int store_refusals(struct store *s, int most, refusal_fn *fn, void *ctx);
/* How many there were since this process opened the store. */
int64_t store_refusal_count(struct store *s);
/*
 * For who tries again: the last refusal of this author ("alice:vim"; "alice": by any
 * program), if nothing of theirs was stored since.  STORE_ENOENT: there is none, or they
 * went on, or 1,000 entries of others ago.
 */
int store_last_refusal(struct store *s, const char *author, refusal_fn *fn, void *ctx);

/* A file below rejected/: id is stable while it exists. */
enum { REJECTED_REASON = 6 << 10 }; /* a path is at most 4,095 bytes of it */
struct rejected {
	int64_t id;
	char name[NAME_LIMIT + 1];
	int64_t time_us;
	int64_t size;
	char reason[REJECTED_REASON]; /* what was wrong, and what to do instead */
};
int store_rejected_by_name(struct store *s, const char *name, struct rejected *out);
int store_rejected_by_id(struct store *s, int64_t id, struct rejected *out);
int store_rejected_next(struct store *s, int64_t after, struct rejected *out);
ssize_t store_rejected_read(struct store *s, int64_t id, int64_t offset, char *dst, size_t size);
int store_rejected_drop(struct store *s, int64_t id);

/* A number kept under a name in PATH.side: STORE_ENOENT when it is not (any more). */
int store_mark_get(struct store *s, const char *name, int64_t *value);
int store_mark_set(struct store *s, const char *name, int64_t value);

/* ---- taking out --------------------------------------------------------- */

/* True if a text must not stay. */
typedef bool secret_fn(void *ctx, const char *text, size_t len);

/* What to take out, and what to say of it. */
struct redact {
	const int64_t *seqs;  /* entries, each once; not of the stream `tape` */
	size_t count;
	const char *reason;   /* one line of 1 to 200 bytes of UTF-8, shown in their place */
	const char *author;
	secret_fn *secret;    /* for the names that would stay: threads, folders; may be NULL */
	void *ctx;
};
/*
 * In one transaction: an entry for each, signed with the owner's key, bodies and salts away, all
 * views made anew.  As the owner (STORE_OWNER) it returns when nothing of them is left in memory
 * or files either; else the owner notices by itself: store_redact_wait().  An entry whose body is
 * gone without a signature gets one.  STORE_ENOENT: no such entry, or no key (`why` says which).
 */
int store_redact(struct store *s, const struct redact *r, struct why *why);
/* Waits until the owner has settled what was redacted; STORE_EBUSY after so many seconds. */
int store_redact_wait(struct store *s, int seconds);
/* Each entry from `from` on; `fn` returns nonzero to stop.  The entry lives for the call. */
int store_entries_each(struct store *s, int64_t from, each_entry_fn *fn, void *ctx);
/*
 * Refusals, what was refused, scratch files and files of logs/ that hold a secret: each is told
 * to `fn` ("rejected/…"), and taken out if `forget`.
 */
typedef void side_found_fn(void *ctx, const char *what);
int store_side_forget(struct store *s, secret_fn *secret, void *ctx, bool forget,
                      side_found_fn *fn, void *fn_ctx);

/* ---- proof ------------------------------------------------------------ */

/* The newest signed note, NUL-terminated; STORE_ENOENT if there is none. */
int store_checkpoint_note(struct store *s, char *note, size_t size);
/* The C2SP verifier key of this tape, NUL-terminated, as its genesis says. */
int store_vkey(struct store *s, char *vkey, size_t size);
/* Signs now if there is something new.  Owner only. */
int store_sign(struct store *s);

enum verdict {
	VERDICT_OK,
	VERDICT_LINK,     /* seq, stream_seq or prev does not follow */
	VERDICT_CONTENT,  /* a header, body or leaf hash does not recompute */
	VERDICT_MISSING,  /* a body is gone and no redaction says so */
	VERDICT_ROLLBACK, /* a signed checkpoint is ahead of the rows */
	VERDICT_FORK,     /* the root differs from a signed one, or a signature fails */
	VERDICT_DERIVED,  /* the tape holds, but a view, index or schema differs from it */
	VERDICT_UNVERIFIABLE, /* nothing to check against: no rows, no checkpoint, no key */
	VERDICT_FORMAT,   /* not a tape/1 database, or a field breaks the format */
	VERDICT_UNPROVED  /* a body is gone, and who says so has not the owner's signature */
};
const char *verdict_name(enum verdict v);

/* A body that is gone, with the owner's signature.  Lives for the call. */
struct verify_redaction {
	int64_t seq;        /* of the entry … */
	int64_t by;         /* … and of the tape.redact entry that says so */
	int64_t time_us;    /* of that one */
	const char *author; /* of that one */
	const char *reason;
};

struct verify_options {
	const char *vkey;      /* trusted verifier key; NULL: look in key_dir */
	const char *key_dir;   /* NULL: $XDG_CONFIG_HOME/cinta/keys */
	const char *const
		*notes;            /* paths of further signed notes (anchors), NULL-terminated, or NULL */
	bool all;              /* also integrity_check, schema text and rebuild-and-compare of views */
	size_t (*text_size)(const struct entry *e); /* as in store_config; needed for `all` */
	int (*plain_text)(const char *text, size_t len, char **plain, size_t *plain_len);
	/* Called at the end, by `by`, for each body that went since the oldest of `notes`; or NULL. */
	void (*on_gone)(void *ctx, const struct verify_redaction *r);
	void *ctx;
};
struct verify_report {
	enum verdict verdict;
	int64_t entries;     /* rows read */
	int64_t seq;         /* first bad entry, -1: none or does not apply */
	char detail[512];    /* one line for people */
	int64_t signed_upto; /* newest checkpoint whose signature holds, 0: none */
	int64_t anchored_upto; /* newest of `notes`; the sidecar lies beside it; 0: none */
	int64_t redacted;    /* bodies that are gone with the owner's signature, as far as it came */
	int64_t redacted_unsigned; /* of these, said by entries at or beyond signed_upto */
	const char *no_note; /* after STORE_EINVAL: that of `notes` which is no note; or NULL */
	int64_t since;       /* size of the oldest of `notes` that holds, -1: none */
	uint8_t root[HASH_SIZE];
};
/*
 * Reads only; opens the file itself.  0 if a verdict was reached.  STORE_EINVAL: `vkey` is none, or
 * a file of `notes` holds no note; `detail` says so, and nothing was read.
 */
int store_verify(const char *path, const struct verify_options *o, struct verify_report *out);

/*
 * Writes all that is held to the new file `to`, and what is beside the memory (scratch files, what
 * was refused, uses) to TO.side: also when the store's own file has no name any more.  Nothing is
 * committed meanwhile.  0 when both are on the disk, STORE_EEXIST or another code with `why`.
 */
int store_rescue(struct store *s, const char *to, struct why *why);

#endif
