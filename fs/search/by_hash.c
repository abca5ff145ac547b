/* SPDX-License-Identifier: MIT */
/* .cinta/by-hash/HASH: the entry that a hash, or its beginning, names, and where it stands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/documents/documents.h"
#include "fs/internal.h"
#include "fs/search/search.h"

struct named {
	char stream[FIELD_MAX + 1], hash[2 * HASH_SIZE + 1];
	int64_t seq, n;     /* n: which of its stream, from 1 */
	bool damaged;
	int64_t version;    /* of a document */
	char file[PATH_LIMIT + 1], log[PATH_LIMIT + 1]; /* below the mount point */
};

static void take_entry(void *ctx, const struct entry *e)
{
	struct named *n = ctx;
	struct buf hex = BUF_INIT;
	buf_add_hex(&hex, e->leaf_hash, HASH_SIZE);
	(void)snprintf(n->hash, sizeof n->hash, "%s", hex.data ? hex.data : "");
	(void)snprintf(n->stream, sizeof n->stream, "%s", e->stream);
	n->seq = e->seq;
	n->n = e->stream_seq + 1;
	n->damaged = e->damaged;
	buf_release(&hex);
}

static void take_version(void *ctx, const struct doc_version *v)
{
	struct named *n = ctx;
	if (strcmp(v->hash, n->hash) == 0)
		n->version = v->n;
}

/* Of a document: that version, or its history, which tells of its names. */
static int place_document(struct fs *fs, struct named *n, int64_t doc)
{
	struct doc d;
	char suffix[32] = "@log";
	int err = document_living(fs, doc, &d);
	if (!err)
		err = errno_of_store(store_doc_history(fs->store, doc, take_version, n));
	if (err)
		return err;
	if (n->version > 0)
		(void)snprintf(suffix, sizeof suffix, "@%lld", (long long)n->version);
	tree_path(fs, ino_make(KIND_DOC, doc), NULL, n->file, sizeof n->file - sizeof suffix);
	(void)strncat(n->file, suffix, sizeof n->file - strlen(n->file) - 1);
	return 0;
}

/* Of a session or of records. */
static void place_line(struct fs *fs, struct named *n, struct log_id log)
{
	char name[32];
	enum kind kind = log.kind == LOG_SESSION ? KIND_LOG : KIND_RECORD;
	tree_path(fs, ino_make(kind, log.id), NULL, n->log, sizeof n->log);
	(void)snprintf(n->file, sizeof n->file, "%s", n->log);
	(void)snprintf(name, sizeof name, "%06lld.md", (long long)n->n);
	if (log.kind == LOG_SESSION)
		tree_path(fs, ino_make(KIND_MESSAGES, log.id), name, n->file, sizeof n->file);
}

/* Streams: docs/format.md. */
static int place_entry(struct fs *fs, struct named *n)
{
	struct log_id log;
	char *end;
	long long number = n->stream[0] ? strtoll(n->stream + 1, &end, 10) : 0;
	bool numbered = number > 0 && !*end;
	if (store_stream_log(n->stream, &log)) {
		place_line(fs, n, log);
	} else if (numbered && n->stream[0] == 'd') {
		return place_document(fs, n, number);
	} else if (numbered && n->stream[0] == 'c') {
		tree_path(fs, ino_make(KIND_CTL, number), NULL, n->file, sizeof n->file);
	} else if (numbered && n->stream[0] == 'f') {
		tree_path(fs, ino_make(KIND_FACTS_ALL, 0), NULL, n->file, sizeof n->file);
	} else { /* the tape's own, and the making of sessions and documents */
		tree_path(fs, ino_make(KIND_TAPE, 0), NULL, n->file, sizeof n->file);
		(void)snprintf(n->log, sizeof n->log, "%s", n->file);
		n->n = n->seq + 1;
	}
	return 0;
}

struct showing {
	struct buf *out;
	const struct entry_place *at;
};

static void show(void *ctx, const struct entry *e)
{
	const struct showing *s = ctx;
	render_entry_page(s->out, e, s->at);
}

int page_by_hash(struct fs *fs, int64_t seq, struct buf *out)
{
	struct named n = { .version = 0 };
	/* Where it stands first: the store must not be asked while it shows the entry. */
	int err = errno_of_store(store_entry(fs->store, seq, take_entry, &n));
	if (!err)
		err = n.damaged ? -EIO : place_entry(fs, &n);
	const struct entry_place at = { .file = n.file, .log = n.log, .line = *n.log ? n.n : 0 };
	struct showing showing = { out, &at };
	return err ? err : errno_of_store(store_entry(fs->store, seq, show, &showing));
}

int find_by_hash(struct fs *fs, uint64_t dir, const char *name, uint64_t *ino)
{
	int64_t seq;
	(void)dir;
	/* What several begin with names none of them. */
	if (store_entry_by_hash(fs->store, name, &seq))
		return -ENOENT;
	*ino = ino_make(KIND_HASH, seq);
	return 0;
}

void by_hash_name(struct fs *fs, uint64_t ino, char *dst, size_t size)
{
	struct named n = { .hash = "?" };
	(void)store_entry(fs->store, ino_id(ino), take_entry, &n);
	(void)snprintf(dst, size, "%s", n.hash);
}
