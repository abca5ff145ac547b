/* SPDX-License-Identifier: MIT */
/* What the files of fs/ share: the fs, its mounts, and how a request is answered. */
#ifndef CINTA_FS_INTERNAL_H
#define CINTA_FS_INTERNAL_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fs/base/base.h"
#include "fs/documents/active.h"
#include "fs/answers/answers.h"
#include "fs/logs/defaults.h"
#include "fs/save/edit.h"
#include "fs/meaning/embedder.h"
#include "fs/kernel/kernel.h"
#include "fs/meaning/meaning.h"
#include "fs/past/past.h"
#include "fs/search/search.h"
#include "fs/context/shown.h"
#include "fs/tree/tree.h"
#include "store/lock.h"

/*
 * Threads of a mount: more than the cores cost half of the throughput and more.  So the spares
 * serve only while some of the others wait for an embedding endpoint.
 */
enum { WORKERS = 2, SPARES = ASKERS };
enum { HIDDEN_MOST = 64, TIMES = 1024 };
#define IDENTITY_UID ((uid_t)-2) /* who writes for `cinta identity` */

struct client_time {
	int64_t doc, time_us;
};
#define FOREVER 1e6   /* timeout in seconds of what is invalidated by hand */

/* Who is whom: made of components/ply when somebody writes, after one of them was saved. */
struct claim {
	int64_t uid; /* -1: none */
	char program[64];
	char code[NAME_LIMIT + 1];
};

/* Which version of which list of facts a process read last. */
enum { FACT_READS = 128 };
struct fact_reads {
	struct fact_read {
		pid_t pid;
		int domain;
		int64_t save;
	} of[FACT_READS];
	unsigned next;
};

struct claims {
	struct lock lock;
	struct claim *claim; /* guarded by lock */
	size_t count;        /* guarded by lock */
	struct user {        /* guarded by lock: who wrote last: names are asked of the system */
		uid_t uid;
		int64_t until_ms;
		char name[FIELD_MAX + 1];
	} user;
	_Atomic bool stale;
};

struct fs {
	struct store *store;
	const struct kernel_asks *kernel_asks;
	const struct node *tree;      /* the table of all kinds (tree.h), by kind */
	char session[NAME_LIMIT + 1]; /* pinned sessions/current, "" if not */
	char owner[FIELD_MAX + 1];    /* "" : the user's name */
	uid_t uid;                    /* who owns the files */
	gid_t gid;
	int64_t model_limit;          /* tokens */
	int threshold;                /* of memory pressure, per cent; 0: the policy's */
	store_count_fn *count_tokens; /* for all that is written here */
	bool frozen;                  /* the store takes nothing: ROLLBACK, FORK, a file one may read */
	int64_t began_us;             /* time of the first entry: mtime of what never changes */
	struct notifier notifier;
	struct held held;
	struct claims claims;
	struct actives actives;
	struct defaults defaults;
	struct shown shown;
	struct past *past;            /* has its own lock */
	struct searches *searches;    /* have their own lock */
	struct hot hot;
	struct meanings meanings;     /* have their own lock */

	struct lock docs;         /* recursive: paths are asked for inside */
	struct scratches scratches;   /* guarded by docs, with edits, hidden and times */
	struct edit *edits;
	struct hidden hidden[HIDDEN_MOST];
	int hidden_count;
	struct client_time times[TIMES];
	struct fact_reads fact_reads; /* guarded by docs */
	struct answers answers;       /* guarded by docs */
	struct entries entries;
	struct tidy *tidy;
	struct summarizer *summarizer; /* NULL: there is none */
	struct embedder *embedder;     /* the same */

	struct lock lock;
	pthread_cond_t changed;
	struct fs_mount *mounts;      /* guarded by lock */
	int serving;                  /* guarded by lock: mounts whose workers run */
	int lent;                     /* guarded by lock: threads that wait for an embedding endpoint */
	/* Called by a thread that waits for something outside, and when it is back; set by the top. */
	void (*wait_begins)(struct fs *fs);
	void (*wait_ends)(struct fs *fs);
	bool stop;                    /* guarded by lock */

	_Atomic int64_t current;      /* what sessions/current showed last */
	_Atomic int64_t newest_thread; /* highest thread id whose name the kernel was told of */
};

struct fs_mount {
	struct fs *fs;
	struct fs_mount *next;        /* guarded by fs->lock */
	struct fuse_session *session;
	bool read_only, allow_other, mounted_by_us;
	unsigned device;              /* minor number of the mount: its name under /sys/fs/fuse */
	int fd;                       /* connection.h; -1: not of a kernel */
	struct known known;
	pthread_t worker[WORKERS + SPARES];
	struct handle *handles;       /* guarded by fs->docs: open ones with a state of their own */
	int workers;                  /* started */
	int running;                  /* guarded by fs->lock: still in their loop */
	_Atomic int pending;          /* requests answered later, and notices to be sent */
};

/* The last row, all zeros, is for inodes of no kind. */
extern const struct node tree_table[KIND_COUNT + 1];

static inline const struct node *node_of(const struct fs *fs, uint64_t ino)
{
	return &fs->tree[ino_kind(ino)];
}

/* True if what is written to it is staged, and it is read as it was when it was opened. */
static inline bool is_document(const struct fs *fs, uint64_t ino)
{
	return node_of(fs, ino)->flags & NODE_STAGED;
}

static inline struct fs_mount *mount_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static inline struct fs *fs_of(fuse_req_t req)
{
	return mount_of(req)->fs;
}

/* refuse.c: an errno, a line in errors.log, the offered bytes in rejected/; answers `req`. */
struct offer {
	const char *name; /* file name for rejected/ */
	const char *bytes;
	size_t len;
};
void refuse(fuse_req_t req, int err, const char *op, uint64_t ino, const char *child,
            const struct why *why, const struct offer *offer);

/* author.c: who asks, "alice:vim" (docs/format.md) */
void author_of(fuse_req_t req, char author[FIELD_MAX + 1]);
void claims_init(struct claims *c);
void claims_release(struct claims *c);

/* author.c: is the process that asks being ended by a signal? */
bool is_killed(pid_t pid);
/* Is it another process than the one of the thread `opener`, which still runs? */
bool is_child(pid_t pid, pid_t opener);
/* Are these threads of one process? */
bool is_same_process(pid_t a, pid_t b);

/* documents.c: what a commit changed */
void job_saved(struct job *job, const struct saved *saved);

/* tidy.c: what time does to scratch files and hidden documents */
int tidy_start(struct fs *fs);
void tidy_stop(struct fs *fs);

#endif
