/* SPDX-License-Identifier: MIT */
/* Secrets in what is written.  See secrets.h. */
#include "fs/save/secrets.h"

#include <errno.h>
#include <string.h>

#include "fs/internal.h"

/* What `cinta redact` takes where the place cannot be named without the secret. */
#define BY_PATTERN "--match PATTERN"

/* The first of a text, and how many there are. */
struct first {
	struct secret s;
	size_t count;
};

static void take_first(void *ctx, const struct secret *s)
{
	struct first *f = ctx;
	if (f->count++ == 0)
		f->s = *s;
}

static bool look(const char *bytes, size_t len, struct first *f)
{
	*f = (struct first){ .count = 0 };
	return len > 0 && render_secrets(bytes, len, take_first, f) > 0;
}

int secrets_refuse(const struct fs *fs, const char *bytes, size_t len, struct why *why)
{
	struct first f;
	if (fs->secrets != SECRETS_REFUSE || !look(bytes, len, &f))
		return 0;
	why_set(why, fs->unmounted ? "leave it out, and name where it is kept" :
	        "leave it out, and name where it is kept; what was offered is kept without it",
	        "this looks like %s", f.s.kind);
	why->line = f.s.line;
	return -EINVAL;
}

int secrets_refuse_name(struct fs *fs, const struct place *p, const char *name, struct why *why)
{
	struct first f;
	struct doc d;
	if (fs->secrets != SECRETS_REFUSE || !look(name, strlen(name), &f))
		return 0;
	if (p && place_doc(fs, p, name, &d) == 0)
		return 0;
	why_set(why, "leave it out, and name where it is kept", "in the name: this looks like %s",
	        f.s.kind);
	return -EINVAL;
}

static void secrets_write(struct fs *fs, const char *op, const char *path, const char *author,
                          const char *reason, const char *redact)
{
	enum { WORDS = 128 }; /* those around both */
	char on[TOLD_TODO];
	struct buf todo = BUF_INIT;
	size_t used = strlen(redact) + WORDS;
	told_database(fs, on, used < sizeof on - WORDS ? sizeof on - used : WORDS);
	buf_addf(&todo, "it is stored; if it is one, type: cinta redact%s %s --reason TEXT, and change"
	         " it where it is used", on, redact);
	const struct refusal r = { .time_us = now_us(), .code = "SECRET", .op = op, .path = path,
		.author = author, .reason = reason, .todo = todo.failed ? "" : todo.data };
	told_line(fs, &r);
	buf_release(&todo);
}

bool secrets_tell_name(struct fs *fs, const char *op, uint64_t dir, const char *name,
                       const char *author)
{
	struct first f;
	char path[PATH_LIMIT + 1], reason[160];
	if (fs->secrets != SECRETS_WARN || !look(name, strlen(name), &f))
		return false;
	tree_path(fs, dir, name, path, sizeof path);
	(void)snprintf(reason, sizeof reason, "in the name: this looks like %s", f.s.kind);
	secrets_write(fs, op, path, author, reason, BY_PATTERN);
	return true;
}

bool secrets_tell(struct fs *fs, const char *path, const char *author, const char *bytes,
                  size_t len, const char *redact)
{
	struct first f;
	char reason[160];
	if (fs->secrets != SECRETS_WARN || !look(bytes, len, &f))
		return false;
	if (f.count > 1)
		(void)snprintf(reason, sizeof reason, "line %d: this looks like %s, and %zu more as well",
		               f.s.line, f.s.kind, f.count - 1);
	else
		(void)snprintf(reason, sizeof reason, "line %d: this looks like %s", f.s.line, f.s.kind);
	secrets_write(fs, "write", path, author, reason, redact);
	return true;
}

void secrets_tell_saved(struct fs *fs, const struct save *s, struct saved *saved)
{
	char path[PATH_LIMIT + 1], version[PATH_LIMIT + 32];
	struct buf redact = BUF_INIT;
	if (fs->secrets != SECRETS_WARN || !saved->ino)
		return;
	tree_path(fs, s->dir, s->name, path, sizeof path);
	(void)snprintf(version, sizeof version, "%s@%lld", path, (long long)saved->version);
	if (ino_kind(saved->ino) == KIND_DOC && render_secrets(path, strlen(path), NULL, NULL) == 0)
		render_shell_word(&redact, version);
	bool named = redact.len > 0 && !redact.failed;
	saved->noted |= secrets_tell(fs, path, s->author, s->bytes, s->len,
	                             named ? redact.data : BY_PATTERN);
	buf_release(&redact);
}

struct masking {
	struct buf *out;
	const char *bytes;
	size_t upto;
};

static void mask(void *ctx, const struct secret *s)
{
	struct masking *m = ctx;
	buf_add(m->out, m->bytes + m->upto, s->at - m->upto);
	buf_addf(m->out, "[not kept: %s]", s->kind);
	m->upto = s->at + s->len;
}

void secrets_mask(const struct fs *fs, const char *bytes, size_t len, struct buf *out)
{
	struct masking m = { out, bytes, 0 };
	if (fs->secrets == SECRETS_REFUSE)
		(void)render_secrets(bytes, len, mask, &m);
	buf_add(out, bytes + m.upto, len - m.upto);
}
