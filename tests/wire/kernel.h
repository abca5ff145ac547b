/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of a FUSE connection, for tests: one end of a socketpair,
 * requests built by hand, replies checked.  No /dev/fuse is needed, so the whole
 * of fs/ runs under the sanitizers.
 *
 * A `struct wire` belongs to one thread.  It reads only when it waits for a
 * reply or is told to look, so what has arrived at a moment is exact: that is
 * how the order "invalidation before reply" is tested.  A reply nobody asked
 * for, a second reply, a malformed one: the test aborts.
 */
#ifndef CINTA_WIRE_KERNEL_H
#define CINTA_WIRE_KERNEL_H

#include <linux/fuse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fs/fs.h"

enum { WIRE_NOTICES = 4096 };

struct answer {
	uint64_t unique;
	int error; /* 0 or a negative errno */
	char *data;
	size_t len;
	struct answer *next;
};

struct wire {
	int fd;
	size_t most; /* the largest message the socket takes */
	uint64_t unique;
	uint64_t *open; /* requests without their reply */
	size_t open_count, open_room;
	struct answer *early; /* replies that came before they were waited for */
	uint64_t notice[WIRE_NOTICES]; /* inodes the server has invalidated */
	bool pages[WIRE_NOTICES]; /* of these: its pages, too, and not its attributes alone */
	size_t notices;
	struct store_notice {
		uint64_t ino;
		uint64_t end; /* the size that the kernel then has at least */
		char last;
		size_t after; /* how many invalidations had come */
	} stored[WIRE_NOTICES]; /* bytes the server has put into the page cache */
	size_t stores;
	struct fuse_init_out init;
	struct fs_mount *mount;
	uint32_t pid;     /* of who asks; 0: this process */
	uint64_t gone[WIRE_NOTICES]; /* directories of the names the server has taken back */
	size_t gone_count;
};

/* Aborts with a message unless `truth`. */
#define MUST(truth) wire_must((truth), #truth, __FILE__, __LINE__)
void wire_must(bool truth, const char *what, const char *file, int line);

/* A further mount of `fs`; INIT has been answered. */
void wire_mount(struct wire *w, struct fs *fs, bool read_only);
/* The kernel goes away; no request may be open. */
void wire_unmount(struct wire *w);

/* Sends a request with one or two runs of payload. */
uint64_t wire_send(struct wire *w, uint32_t op, uint64_t ino, const void *arg, size_t arg_len,
                   const void *more, size_t more_len);
/* Waits for its reply; returns the error.  `out` may be NULL; out->data is the caller's. */
int wire_wait(struct wire *w, uint64_t unique, struct answer *out);
int wire_call(struct wire *w, uint32_t op, uint64_t ino, const void *arg, size_t arg_len,
              const void *more, size_t more_len, struct answer *out);
/* Takes what has arrived up to now, without waiting. */
void wire_look(struct wire *w);
/* True if this inode was invalidated since the last wire_forget_notices().  Does not look. */
bool wire_noticed(const struct wire *w, uint64_t ino);
/* The same of its pages. */
bool wire_noticed_pages(const struct wire *w, uint64_t ino);
/* True if a name in this directory was taken back (INVAL_ENTRY).  Waits two seconds at most. */
bool wire_name_gone(struct wire *w, uint64_t dir);
void wire_forget_notices(struct wire *w);
/* The last STORE to this inode since then, or NULL. */
const struct store_notice *wire_stored(const struct wire *w, uint64_t ino);

/* Requests; all return 0 or a negative errno. */
int wire_lookup(struct wire *w, uint64_t dir, const char *name, struct fuse_entry_out *out);
/* A path below the root, one lookup a part: its inode, 0 if there is none. */
uint64_t wire_path(struct wire *w, const char *path);
int wire_getattr(struct wire *w, uint64_t ino, struct fuse_attr *out);
int wire_open(struct wire *w, uint64_t ino, uint32_t flags, struct fuse_open_out *out);
/* Once more if it is to look again: for who has its inode from a look just now. */
int wire_open_again(struct wire *w, uint64_t ino, uint32_t flags, struct fuse_open_out *out);
ssize_t wire_read(struct wire *w, uint64_t ino, uint64_t fh, int64_t off, char *dst, size_t size);
ssize_t wire_write(struct wire *w, uint64_t ino, uint64_t fh, int64_t off, uint32_t flags,
                   const void *data, size_t size);
int wire_flush(struct wire *w, uint64_t ino, uint64_t fh);
int wire_release(struct wire *w, uint64_t ino, uint64_t fh);
int wire_fsync(struct wire *w, uint64_t ino, uint64_t fh);
int wire_truncate(struct wire *w, uint64_t ino, uint64_t size);
int wire_mkdir(struct wire *w, uint64_t dir, const char *name, struct fuse_entry_out *out);
/* UNLINK, RMDIR: a directory and a name. */
int wire_remove(struct wire *w, uint32_t op, uint64_t dir, const char *name);
int wire_rename(struct wire *w, uint64_t dir, const char *name, uint64_t to, const char *new_name);
int wire_ioctl(struct wire *w, uint64_t ino, uint32_t cmd, uint32_t *value);
int wire_readlink(struct wire *w, uint64_t ino, char *target, size_t size);
int wire_statfs(struct wire *w, struct fuse_kstatfs *out);
void wire_forget(struct wire *w, uint64_t ino, uint64_t lookups);

typedef void list_fn(void *ctx, const char *name, const struct fuse_dirent *entry,
                     const struct fuse_entry_out *plus);
/* Lists with READDIR or READDIRPLUS, `size` bytes a request. */
int wire_list(struct wire *w, uint64_t dir, uint32_t op, uint32_t size, list_fn *fn, void *ctx);

/* The whole file by OPEN, READs of `chunk` bytes up to a short one, RELEASE; for the caller to free. */
char *wire_slurp(struct wire *w, uint64_t ino, size_t chunk, size_t *len);
/* Appends text with OPEN O_APPEND, WRITE, FLUSH, RELEASE; the first error. */
int wire_append(struct wire *w, uint64_t ino, const char *text);

#endif
