/* SPDX-License-Identifier: MIT */
/* What the files of fs/ share: the fs, its mounts, and how a request is answered. */
#ifndef CINTA_FS_INTERNAL_H
#define CINTA_FS_INTERNAL_H

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fs/active.h"
#include "fs/answers.h"
#include "fs/defaults.h"
#include "fs/edit.h"
#include "fs/embedder.h"
#include "fs/entries.h"
#include "fs/held.h"
#include "fs/hot.h"
#include "fs/known.h"
#include "fs/meaning.h"
#include "fs/notify.h"
#include "fs/past.h"
#include "fs/search.h"
#include "fs/shown.h"
#include "fs/tree.h"

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
	pthread_mutex_t lock;
	struct claim *claim; /* lock */
	size_t count;        /* lock */
	struct user {        /* lock: who wrote last, for a while: the system is asked for each name */
		uid_t uid;
		int64_t until_ms;
		char name[FIELD_MAX + 1];
	} user;
	_Atomic bool stale;
};

struct fs {
	struct store *store;
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
	struct searches *searches;    /* its own, too */
	struct hot hot;
	struct meanings meanings;     /* its own */

	pthread_mutex_t docs;         /* recursive: paths are asked for inside.  Before `lock` */
	struct scratches scratches;   /* docs, as all until times */
	struct edit *edits;
	struct hidden hidden[HIDDEN_MOST];
	int hidden_count;
	struct client_time times[TIMES];
	struct fact_reads fact_reads; /* docs */
	struct answers answers;       /* docs */
	struct entries entries;
	struct tidy *tidy;
	struct summarizer *summarizer; /* NULL: there is none */
	struct embedder *embedder;     /* the same */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct fs_mount *mounts;      /* lock */
	int serving;                  /* lock: mounts whose workers run */
	int lent;                     /* lock: threads that wait for an embedding endpoint */
	bool stop;                    /* lock */

	_Atomic int64_t current;      /* what sessions/current showed last */
	_Atomic int64_t newest_thread; /* highest thread id whose name the kernel was told of */
};

struct fs_mount {
	struct fs *fs;
	struct fs_mount *next;        /* fs->lock */
	struct fuse_session *session;
	bool read_only, allow_other, mounted_by_us;
	unsigned device;              /* minor number of the mount: its name under /sys/fs/fuse */
	struct known known;
	pthread_t worker[WORKERS + SPARES];
	struct handle *handles;       /* fs->docs: open ones with a state of their own */
	int workers;                  /* started */
	int running;                  /* fs->lock: still in their loop */
	_Atomic int pending;          /* requests answered later, and notices to be sent */
};

extern const struct fuse_lowlevel_ops fs_ops;

static inline struct fs_mount *mount_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static inline struct fs *fs_of(fuse_req_t req)
{
	return mount_of(req)->fs;
}

/* In a page, in the place of one document that is damaged: the others are shown as ever. */
#define DAMAGED_TEXT "[damaged: cinta verify names the entry]\n"

/* STORE_ and RENDER_ codes to negative errno: the one place. */
int errno_of_store(int code);
int errno_of_render(int code);

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

/* lookup.c */
int fill_entry(fuse_req_t req, uint64_t ino, struct fuse_entry_param *e);
double attr_timeout(const struct fs_mount *m, uint64_t ino);
void open_modes(fuse_req_t req, struct stat *st);
/* What to tell of a file to who asks: of what it has staged, the staged size. */
int stat_for(fuse_req_t req, uint64_t ino, const struct fuse_file_info *fi, struct stat *st);
/* Would an entry tell a size out of turn? (notify.h) */
bool entry_must_wait(fuse_req_t req, uint64_t ino);

/* Milliseconds of a clock that only goes forward; microseconds of the calendar's. */
int64_t now_ms(void);
int64_t now_us(void);

/* documents.c: what a commit changed */
void job_saved(struct job *job, const struct saved *saved);

/* tidy.c: what time does to scratch files and hidden documents */
int tidy_start(struct fs *fs);
void tidy_stop(struct fs *fs);

/* rename.c: of what stands in a place */
void rename_place(fuse_req_t req, uint64_t ino, uint64_t parent, const char *name,
                  uint64_t new_parent, const char *new_name, unsigned flags);

/* file.c: a scratch file made and opened in one */
void reply_created(fuse_req_t req, struct scratch *s, struct fuse_file_info *fi);
struct handle;
/* A mount has ended without closing them: nothing is committed. */
void handles_drop(struct fs_mount *m);
bool handle_size(struct fs *fs, const struct fuse_file_info *fi, int64_t *size);
bool handle_edits(const struct fuse_file_info *fi);
/* The inode, or that of the document a scratch file became. */
uint64_t became(struct fs *fs, uint64_t ino);
int handle_resize(struct fs *fs, struct fuse_file_info *fi, int64_t size);

/* setattr.c: may what is neither document nor scratch be opened with O_TRUNC?  Answers if not. */
bool may_truncate(fuse_req_t req, uint64_t ino);

/* append.c: handles of logs opened for writing */
struct appender;
struct appender *appender_new(struct fs *fs, uint64_t ino, int64_t size);
void appender_free(struct fs *fs, struct appender *a);
void append_write(fuse_req_t req, struct appender *a, const char *data, size_t size, off_t off,
                  bool at_end);
void append_flush(fuse_req_t req, struct appender *a);

/* The ops, by file. */
void op_init(void *userdata, struct fuse_conn_info *conn);
void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int set,
                struct fuse_file_info *fi);
void op_readlink(fuse_req_t req, fuse_ino_t ino);
void op_statfs(fuse_req_t req, fuse_ino_t ino);
void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned cmd, void *arg, struct fuse_file_info *fi,
              unsigned flags, const void *in, size_t in_size, size_t out_size);
void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
                    struct fuse_file_info *fi);
void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off,
              struct fuse_file_info *fi);
void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t dev);
void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
               struct fuse_file_info *fi);
void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
               const char *new_name, unsigned flags);

#endif
