/* SPDX-License-Identifier: MIT */
/*
 * The door of the filesystem: memory as files, on one or more mounts.
 *
 * A `struct fs` belongs to one store; each `struct fs_mount` is one FUSE
 * session with threads of its own.  All mounts of a process show the same
 * memory, and a write through one is answered only when none of the others
 * can show old bytes.  Errors are negative errno values.
 */
#ifndef CINTA_FS_H
#define CINTA_FS_H

#include <sys/stat.h>

#include "store/entry.h"
#include "store/store.h"

struct fs;
struct fs_mount;

struct fs_options {
	/* Where a mount says nothing else: */
	const char *session; /* what sessions/current points at; NULL: the one last written to */
	const char *owner;   /* author of what is written, instead of the user's name; or NULL */
	int64_t model_limit; /* tokens a model takes; 0: 200,000 */
	int threshold;       /* of memory pressure, per cent; 0: 50 */
	/* What becomes of writes that hold a secret: stored and told, refused, or nobody looks. */
	enum secrets { SECRETS_WARN, SECRETS_REFUSE, SECRETS_OFF } secrets;
	const char *summarizer; /* a command for /bin/sh (fs/learn/summarizer.h), or NULL */
	int summarizer_ms;   /* how long it may take; 0: 10 seconds */
	int summarizer_rest_ms; /* how long a session rests first; 0: 2 seconds */
	const char *embedding;  /* URL of an endpoint (fs/meaning/embedder.h), or NULL */
	const char *embedding_key;   /* for it, or NULL */
	const char *embedding_model; /* 1..VECTOR_MODEL_MOST bytes; with `embedding` */
	int embedding_dims;     /* dimensions to ask for, 0: what the model has */
	bool embedding_ask;     /* for questions alone: no text is sent by itself */
	int embedding_rest_ms;  /* between looks at the tape, and after a first failure; 0: 1 second */
	/* How long a kernel may still ask by a name that it was told is gone, and how soon who was told
	   to look again is back (fs/kernel/dentry_notify.h); 0: 20 and 50 ms. */
	int name_sent_ms, name_back_ms;
};

/* Who may use a mount beside its user and root; the kernel enforces what the files show. */
struct fs_access {
	bool others; /* false: nobody, and the rest does not count */
	uid_t uid;   /* whose the files are shown as */
	gid_t gid;
	mode_t umask; /* what group and others lack of the owner's permissions; of 077 */
};

/* What a mount shows of what other machines write. */
enum fs_fresh {
	FRESH_TOLD,  /* what it has been told */
	FRESH_OPEN,  /* who opens looks first at the server */
	FRESH_WRITE  /* what mounts of this kind have stored: they wait for one another */
};

struct fs_mount_options {
	const char *dir;
	/* Of this mount alone (cinta.1); NULL: as in fs_options, none. */
	const char *session, *owner, *server, *agent, *as;
	const char *only, *ro, *hide; /* paths with : between: what is shown, and can be written */
	bool read_only;        /* profile R: no OPEN, no FLUSH; for agents that mostly grep */
	bool retires;          /* unlink of a document retires it; else it is refused */
	enum fs_fresh fresh;   /* of a memory on a server */
	struct fs_access access;
	const char *fuse_opts; /* further mount options for libfuse, comma-separated, or NULL */
	bool debug;            /* libfuse prints each request to stderr */
};

/* -EINVAL with `why`: sessions/ can hold no such name. */
int fs_check_session(const char *name, struct why *why);
/* -EINVAL with `why`: what only=, ro= and hide= of a mount say is no bounds of one.  -ENOMEM. */
int fs_check_bounds(const struct fs_mount_options *o, struct why *why);
/* The strings of `o` are copied; the store stays the caller's and outlives the fs. */
int fs_new(struct store *store, const struct fs_options *o, struct fs **out);
/* After the last fs_unmount(). */
void fs_free(struct fs *fs);

/* Mounts and starts serving; on failure `why` says what to do. */
int fs_mount(struct fs *fs, const struct fs_mount_options *o, struct fs_mount **out,
             struct why *why);
/* Serves a connection that is already there (tests: a socketpair); `fd` becomes the mount's. */
int fs_mount_fd(struct fs *fs, const struct fs_mount_options *o, int fd, struct fs_mount **out);
/* False once it was unmounted from outside, or stopped. */
bool fs_mounted(const struct fs_mount *m);
/*
 * Unmounts if need be, waits for requests under way, frees.  -EBUSY: some request has not ended
 * within UNMOUNT_MS, though its program waits no more; nothing is freed, and it can be tried again.
 */
enum { UNMOUNT_MS = 8000 };
int fs_unmount(struct fs_mount *m);
/* The kernel's number of its connection, for fs_abort(); 0: unknown. */
unsigned fs_device(const struct fs_mount *m);

/*
 * Cuts the connection of a FUSE mount by its number, which is the minor number in mountinfo:
 * each of its requests fails, and the mount is dead.  For whoever mounted it, where fusectl is
 * mounted, and for root.  0 or -errno.
 */
int fs_abort(unsigned device);
/* The same in two steps: writing a byte to this descriptor cuts it, whoever has its number then. */
int fs_abort_open(unsigned device);

/* Returns when no mount is served any more, or after fs_stop(). */
void fs_wait(struct fs *fs);
/* Makes fs_wait() return; any thread, not from a signal handler. */
void fs_stop(struct fs *fs);

/*
 * Where who mounts may not abort: true, and the descriptors, which stay the mount's, for a process
 * that calls fs_refuse() again and again when this one is dead: all requests are answered with an
 * error.  While that process holds them the connection stays open.
 */
bool fs_shares(const struct fs_mount *m, int fds[2]);
void fs_refuse(int device, int ledger);

/*
 * Sets smma/identity.md, which the mount only shows.  `author` is who does it.
 * Of secrets it does what the last mount did.  On error `why` says what is wrong with the bytes;
 * else it is empty, or says that what is stored holds a secret.
 */
int fs_identity(struct store *store, const char *bytes, size_t len, const char *author,
                struct why *why);

/*
 * Answers a query as search/ does (cinta.5, "SEARCH"): the page, or with `json` a line a
 * hit, is given to `emit`.  Returns how many hits there are; -EINVAL with `why` when the
 * query is none.  Of `o` the embedding endpoint counts; if that had no answer, `why` says
 * so beside the hits.
 */
typedef void fs_text_fn(void *ctx, const char *bytes, size_t len);
int fs_search(struct store *store, const struct fs_options *o, const char *query, size_t len,
              bool json, fs_text_fn *emit, void *ctx, struct why *why);

/*
 * A plot of the memory (cinta.1, "plot") as an SVG file, or as text of at most `width` characters;
 * it is given to `emit`.  -ENOMEM, or what the store says.
 */
enum fs_plot { FS_PLOT_GROWTH, FS_PLOT_FACTS, FS_PLOT_PRESSURE, FS_PLOT_SESSIONS, FS_PLOT_DAYS,
	FS_PLOT_WEEKS, FS_PLOTS };
/* "growth"; NULL: there is no such plot. */
const char *fs_plot_name(enum fs_plot which);
int fs_plot(struct store *store, enum fs_plot which, bool svg, int width, fs_text_fn *emit,
            void *ctx);

/* 0 if it is a URL of an embedding endpoint, -EINVAL, -ENOSYS or -ENOMEM, with `why`. */
int fs_embedding_check(const char *url, struct why *why);
/*
 * Asks the endpoint of `o` for one vector: its dimensions, or -EAGAIN with `why` if there is
 * none within 10 seconds, or what fs_embedding_check() says.
 */
int fs_embedding_try(const struct fs_options *o, struct why *why);

/*
 * Two versions of algorithms/CODE on the same questions, each choosing memories by its own
 * numbers as the store would; counts no use.  The page is given to `emit`.  With an author the
 * results are also written to `metrics` of both versions, an entry each.  -ENOENT (no such code,
 * version, or memory), -EINVAL (what is asked), others, with `why`.
 */
enum { COMPARE_K = 10, COMPARE_K_MOST = MEMORIES_REORDERED };
struct fs_compare {
	const char *code;
	const char *versions[2];  /* NULL, NULL: the active one and the experiment */
	const char *questions;    /* lines (render/pages/compare.h); NULL: what the memory holds */
	size_t len;
	const char *source;       /* where the lines are from */
	size_t k;                 /* looked at of each ranking, 1..COMPARE_K_MOST */
	const char *author;       /* NULL: nothing is written */
};
int fs_algorithms_compare(struct store *store, const struct fs_compare *what, fs_text_fn *emit,
                          void *ctx, struct why *why);
/* A line a version; returns how many there are. */
int fs_algorithms_list(struct store *store, fs_text_fn *emit, void *ctx);

/*
 * Taking in what other programs keep (cinta.1, "import"): files of conversations, in pieces, and
 * notes.  For one thread.  Nothing that is on the tape is taken in twice.  Of secrets it does what
 * the last mount did.
 */
struct fs_import;
struct fs_import_options {
	const char *author;
	const char *session;  /* of a conversation that is new: the first name tried; NULL: none */
	const char *directory; /* of conversations that do not say where they were held; NULL: none */
	/* Of calls of tools: which, and the ends of what went in and out; all of it; nothing. */
	enum fs_tools { FS_TOOLS_NAMES, FS_TOOLS_FULL, FS_TOOLS_NONE } tools;
	bool dry;             /* count, write nothing */
	/* Something was left out, at a line or element of a file (0: not known). */
	void (*tell)(void *ctx, const char *file, int64_t at, const char *reason);
	void *ctx;
};
struct fs_import_counts {
	int64_t sessions; /* conversations met */
	int64_t messages, notes; /* taken in */
	int64_t known;    /* messages and notes that were here */
	int64_t pruned, skipped, secrets;
};
int fs_import_new(struct store *store, const struct fs_import_options *o, struct fs_import **out);
/*
 * A file of conversations: `shown` is how it is named to people, `name` its own without ending,
 * `folder` of notes that are in it.  Then its bytes, then its end, in every case.
 */
int fs_import_begin(struct fs_import *im, const char *shown, const char *name, const char *folder);
int fs_import_bytes(struct fs_import *im, const char *bytes, size_t len);
/* -EINVAL: nothing in it is known here, or it ends in the middle; others: nothing can be stored. */
int fs_import_end(struct fs_import *im, struct why *why);
/* A note at notes/FOLDER/PATH; what cannot be one is told. */
int fs_import_note(struct fs_import *im, const char *shown, const char *folder, const char *path,
                   const char *bytes, size_t len, struct why *why);
/* The thread that conversations held in this directory join; "": its name cannot be one. */
void fs_thread_of(const char *directory, char name[NAME_LIMIT + 1]);
const struct fs_import_counts *fs_import_counts(const struct fs_import *im);
void fs_import_free(struct fs_import *im);

/*
 * The tree without a kernel (fs/visit/visit.h): files by their paths below the root, links
 * followed, `..` of the root being the root.  For one thread.  `fs` has no other mount; of `o` the
 * words of a mount count, and read_only: then no file is opened for writing.
 */
struct fs_visit;
struct fs_visit_file {
	uint64_t ino, fh;
	int64_t at;      /* where it is read and written next */
	int flags;
	bool stateless;
};
int fs_visit_begin(struct fs *fs, const struct fs_mount_options *o, struct fs_visit **out);
void fs_visit_end(struct fs_visit *v);
/* `follow`: of what a link leads to. */
int fs_visit_stat(struct fs_visit *v, const char *path, bool follow, struct stat *st);
int fs_visit_link(struct fs_visit *v, const char *path, char *target, size_t size);
/* O_RDONLY or O_WRONLY, with O_APPEND, O_TRUNC, O_CREAT, O_EXCL.  Then the caller closes it. */
int fs_visit_open(struct fs_visit *v, const char *path, int flags, struct fs_visit_file *out);
/* Up to `size` bytes, often fewer; 0: the end. */
ssize_t fs_visit_read(struct fs_visit *v, struct fs_visit_file *f, char *dst, size_t size);
/* Takes up to `size` bytes, 128 KiB at most: lines of one call are stored together or not. */
ssize_t fs_visit_write(struct fs_visit *v, struct fs_visit_file *f, const char *src, size_t size);
/* A document is stored when this returns 0. */
int fs_visit_close(struct fs_visit *v, struct fs_visit_file *f);
/* What a file that is open for writing holds goes; it is written from its beginning then. */
int fs_visit_empty(struct fs_visit *v, struct fs_visit_file *f);
int fs_visit_mkdir(struct fs_visit *v, const char *path);
/* Names in the tree's order, with the type bits of their mode; nonzero from `fn` ends it. */
typedef int fs_visit_name_fn(void *ctx, const char *name, mode_t type);
int fs_visit_list(struct fs_visit *v, const char *path, fs_visit_name_fn *fn, void *ctx);

/*
 * What scratch files hold is beside the memory when it returns, for a copy of that.  How many are
 * not, for there is no room.
 */
size_t fs_keep(struct fs *fs);
/*
 * For store_config.on_foreign: what the kernel holds of what the entries from `seq` on are about
 * may be old; -1: everything.
 */
void fs_on_foreign(void *fs, int64_t seq);
/*
 * For store_config.on_redacted: forgets all texts that were made of the memory, in open files
 * too, and what the kernel holds of them.  Any thread, no lock held.
 */
void fs_on_redacted(void *fs);
/* For store_config.text_size: how long an entry's part of a transcript is. */
size_t fs_text_size(const struct entry *e);
/*
 * A name or sentence as a terminal may be sent it: controls, bidirectional marks and what else acts
 * unseen are shown, on one line.  malloc'ed; NULL: no memory.
 */
char *fs_seen(const char *text);
/* For store_config.plain_text: a document's text without markup. */
int fs_plain_text(const char *text, size_t len, char **plain, size_t *plain_len);
/* For store_bring_back(): what a log stores of a line that is copied from one. */
int fs_line_again(const char *line, size_t len, bool record, store_count_fn *count, char **body,
                  size_t *body_len);

#endif
