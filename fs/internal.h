/* SPDX-License-Identifier: MIT */
/* What the files of fs/ share: the fs, its mounts, and how a request is answered. */
#ifndef CINTA_FS_INTERNAL_H
#define CINTA_FS_INTERNAL_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fs/base/base.h"
#include "fs/kernel/kernel.h"
#include "fs/tree/tree.h"
#include "store/array.h"
#include "store/lock.h"

#define IDENTITY_UID ((uid_t)-2) /* who writes for `cinta identity` */

/*
 * What all rooms read, then each room's own struct, which only that room looks into.  The top
 * (fs.c) makes and wires them in this order and ends them in the other.
 */
struct fs {
	struct store *store;
	char *database;               /* its path, as commands are told with it; NULL: not known */
	const struct node *tree;      /* the table of all kinds (tree.h), by kind */
	const struct kernel_asks *kernel_asks;
	on_saved_fn *const *on_saved; /* who is told of a save (documents.h); the last one is NULL */
	struct client usual;           /* of who asks through no mount, or one without its own */
	pthread_key_t asking;         /* client.h: the mount a thread works for */
	bool has_asking;
	_Atomic int64_t clients;      /* how many had something of their own */
	uid_t uid;                    /* who owns the files */
	gid_t gid;
	int64_t model_limit;          /* tokens */
	enum secrets secrets;
	int threshold;                /* of memory pressure, per cent; 0: the policy's */
	store_count_fn *count_tokens; /* for all that is written here */
	bool unmounted;               /* for one question: no threads, nothing that editors keep */
	int64_t began_us;             /* time of the first entry: mtime of what never changes */

	struct lock docs;         /* recursive: paths are asked for inside */
	struct lock lock;
	struct fs_mount *mounts;      /* guarded by lock */

	struct kernel *kernel;
	struct numbers *numbers;
	struct talks *talks;          /* base/talk.h */
	struct scratches *scratches;
	struct meanings *meanings;
	struct embedder *embedder;    /* NULL: there is none */
	struct documents *documents;
	struct fact_reads *fact_reads;
	struct undecided *undecided;
	struct kept_facts *kept_facts;
	struct answers *answers;
	struct searches *searches;
	struct context_cache *context_cache;
	struct exposure *exposure;
	struct edit *edits;           /* guarded by docs */
	struct missing *missing;
	struct session_defaults *session_defaults;
	struct past *past;
	struct tidy *tidy;
	struct summarizer *summarizer; /* NULL: there is none */
	struct service *service;
	struct vacants *vacants;
	struct flocks *flocks;

	/*
	 * A thread is about to wait for something outside: meanwhile the spares of each mount serve.
	 * And: it is back.  `lock` is not held.
	 */
	void (*wait_begins)(struct fs *fs);
	void (*wait_ends)(struct fs *fs);

	_Atomic int64_t current;      /* what sessions/current showed last; 0: .new */
	_Atomic int64_t first_ms;     /* now_ms() when that became a session */
	_Atomic int64_t newest_thread; /* highest thread id whose name the kernel was told of */
};

/* What of a mount all read; its threads are in request/serve.c. */
struct fs_mount {
	struct fs *fs;
	struct fs_mount *next;        /* guarded by fs->lock */
	struct fuse_session *session;
	bool read_only, retires;
	enum fs_fresh fresh;          /* but FRESH_TOLD: its kernel keeps no name and no attributes */
	struct fs_access access;
	struct client client;
	int fd;                       /* connection.h; -1: not of a kernel */
	struct ledger *ledger;        /* ledger.h; NULL: none is needed */
	int ledger_fd;
	struct kcache kcache;
	struct handle *handles;       /* guarded by fs->docs: open ones with a state of their own */
	_Atomic bool over;            /* its workers are to end, or have */
	/* Of `fresh`: what it does when it has looked. */
	void (*lookup)(fuse_req_t req, fuse_ino_t parent, const char *name);
	void (*open)(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
	_Atomic int pending;          /* requests answered later, and notices to be sent */
};

/* As fs_new(), without a thread and without what editors keep: for one question, by verbs.c. */
int fs_make(struct store *store, const struct fs_options *o, struct fs **out);
/* The same, with what the last mount was told to do with secrets. */
int fs_make_as_mounted(struct store *store, struct fs **out);

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

/*
 * True if the workers of the mount are to end, or have.  fuse_session_exit() will not do to tell
 * them: after it libfuse drops, unanswered, the request that a worker has just read.  libfuse
 * itself calls it when the kernel has ended the connection.
 */
static inline bool mount_is_over(const struct fs_mount *m)
{
	return atomic_load(&m->over) || fuse_session_exited(m->session);
}

static inline struct fs_mount *mount_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static inline struct fs *fs_of(fuse_req_t req)
{
	return mount_of(req)->fs;
}

#endif
