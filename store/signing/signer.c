/* SPDX-License-Identifier: MIT */
/*
 * Signed checkpoints.  The invariants:
 *  1. `signed_at` is a checkpoint that was signed, and the largest one known.
 *  2. A checkpoint is signed only after the rows reproduced signed_at.root at
 *     signed_at.size, in the same transaction.
 *  3. A note reaches the sidecar only after its transaction is durable, and the
 *     sidecar never goes back to a smaller one.
 *  4. Nothing is signed while a body is gone that the owner did not sign away: a note over
 *     it would make a forged redaction look like one of ours.
 *  5. No row is signed that is not what its hashes say, whoever appended it.
 * Locks: `lock` protects what two threads read and write (signed_at, note, time_us,
 * published, broken); `publishing` is held across the sidecar's I/O, so that an older note
 * cannot overtake a newer.  Order: publishing, then lock.  The hasher and the
 * key belong to whoever holds the store's commit lock.
 */
#include "store/signing/signer.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/db/db.h"
#include "store/proof/proof.h"
#include "store/store.h"
#include "store/lock.h"
#include "store/signing/note_file.h"

struct signer {
	char path[PATH_MAX]; /* of the sidecar; "" : none */
	struct note_key key; /* the tape's public key */
	bool trusted;        /* `key` means something */
	EVP_PKEY *pkey;      /* its private half, or NULL */
	bool read_only;
	struct hasher hasher;
	struct lock publishing; /* one thread at a time writes the sidecar */
	struct lock lock;
	/* All below is guarded by lock. */
	struct checkpoint signed_at;
	char note[NOTE_OWN_SIZE]; /* of signed_at when we must publish it, else "" */
	int64_t time_us;
	int64_t published; /* size in the sidecar */
	int unpublished;   /* errno of the last try to write it, 0: it went well */
	bool broken;       /* invariant 2 failed once */
	char trouble[256]; /* why nothing is signed: an invariant does not hold */
	struct gone gone;  /* the commit lock's */
};

/* ---- the newest note, wherever it is ------------------------------------ */

/* One that stands at another size than it is over was put there by somebody. */
int signer_note(sqlite3 *db, char *note, size_t size)
{
	sqlite3_stmt *q =
		db_prepare(db, "SELECT note, size FROM tape_checkpoint ORDER BY size DESC LIMIT 1");
	if (!q)
		return STORE_EIO;
	int rc = sqlite3_step(q);
	int err = rc == SQLITE_DONE ? STORE_ENOENT : db_error(rc);
	if (rc == SQLITE_ROW) {
		struct checkpoint c;
		const void *text = sqlite3_column_blob(q, 0);
		size_t len = (size_t)sqlite3_column_bytes(q, 0);
		if (!text || len >= size || note_claims(text, len, &c) != NOTE_OK ||
		    c.size != sqlite3_column_int64(q, 1)) {
			err = STORE_EFORMAT;
		} else {
			memcpy(note, text, len);
			note[len] = '\0';
		}
	}
	sqlite3_finalize(q);
	return err;
}

/* ---- opening ------------------------------------------------------------ */

struct finding {
	bool read_only;
	char *text;
	size_t size;
};

static void __attribute__((format(printf, 3, 4)))
found(struct finding *f, bool fatal, const char *fmt, ...)
{
	va_list ap;
	/* The first fatal finding stands; a lesser one gives way to it. */
	if (f->read_only || (!fatal && f->text[0]))
		return;
	f->read_only = fatal;
	va_start(ap, fmt);
	(void)vsnprintf(f->text, f->size, fmt, ap);
	va_end(ap);
}

static void load_key(struct signer *s, const char *origin, const char *vkey, const char *key_dir,
                     struct finding *f)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct note_key ours;
	int err = 0;
	s->trusted = vkey && note_key_parse(&s->key, vkey) && strcmp(s->key.name, origin) == 0;
	if (!key_dir) {
		err = key_dir_default(dir, sizeof dir);
		key_dir = dir;
	}
	if (!err)
		err = key_load(key_dir, origin, &s->pkey, &ours);
	if (err == STORE_ENOENT)
		found(f, false, "no key for %s: nothing is signed", origin);
	else if (err == STORE_EINVAL && key_path(key_dir, origin, path, sizeof path) == 0)
		found(f, false, "key open to others: nothing is signed; type: chmod 600 '%.150s'"
		      " (as its owner)", path);
	else if (err)
		found(f, false, "the key of %s cannot be used: nothing is signed", origin);
	else if (!s->trusted) {
		s->key = ours;
		s->trusted = true;
	} else if (memcmp(s->key.pub, ours.pub, NOTE_KEY_SIZE) != 0) {
		found(f, false, "the key of %s is not the one its genesis names: nothing is signed",
			  origin);
		EVP_PKEY_free(s->pkey);
		s->pkey = NULL;
	}
}

/* A note that is ours and a prefix of the rows may become signed_at. */
static int take_note(struct signer *s, sqlite3 *db, int64_t rows, const char *note, size_t len,
                     const char *where, struct finding *f)
{
	struct checkpoint c;
	uint8_t root[HASH_SIZE];
	/* It may be torn, and no fork at all. */
	const char *todo = strcmp(where, "the sidecar") ? "" :
		"; if nobody forged it, move DB.checkpoint away and mount anew: it is written again";
	enum note_error bad = note_checkpoint(note, len, &s->key, &c);
	if (bad != NOTE_OK) {
		found(f, true, "FORK: %s is not a checkpoint signed by this tape's key%s", where, todo);
		return 0;
	}
	if (c.size > rows) {
		found(f, true, "ROLLBACK: %s covers %lld entries, the tape has %lld", where,
		      (long long)c.size, (long long)rows);
		return 0;
	}
	int err = merkle_root(db, &s->hasher, c.size, root);
	if (err == STORE_EFORMAT || (!err && memcmp(root, c.root, HASH_SIZE) != 0)) {
		found(f, true, "FORK: the first %lld entries are not those that %s signed",
		      (long long)c.size, where);
		return 0;
	}
	if (!err && c.size >= s->signed_at.size)
		s->signed_at = c;
	return err;
}

static int64_t row_count(sqlite3 *db)
{
	return db_int(db, "SELECT max(seq) + 1 FROM tape", 0);
}

/* Invariant 4. */
static int check_gone(struct signer *s, sqlite3 *db)
{
	int64_t seq;
	int err = gone_check(&s->gone, db, &s->key, &seq);
	lock_take(&s->lock);
	s->trouble[0] = '\0';
	if (!err && seq >= 0)
		(void)snprintf(s->trouble, sizeof s->trouble,
		               "REDACTED-UNPROVED: the body of entry %lld is gone without the owner's"
		               " signature: nothing is signed (cinta verify DB)",
		               (long long)seq);
	lock_give(&s->lock);
	return err ? err : seq >= 0 ? STORE_EUNPROVED : 0;
}

/* `side` is what the sidecar held before `db` was looked at, or NULL. */
static int load_notes(struct signer *s, sqlite3 *db, const char *side, size_t side_len,
                      struct finding *f)
{
	char note[NOTE_OWN_SIZE];
	int err = signer_note(db, note, sizeof note);
	/* After the notes: another process may append, and sign, in between. */
	int64_t rows = row_count(db);
	if (err == STORE_EFORMAT) {
		found(f, true, "FORK: the newest checkpoint is not one of ours");
		err = 0;
	} else if (!err) {
		err = take_note(s, db, rows, note, strlen(note), "the newest checkpoint", f);
		if (!err)
			memcpy(s->note, note, sizeof note);
	} else if (err == STORE_ENOENT) {
		err = 0;
	}
	int64_t inside = s->signed_at.size;
	if (err || !side)
		return err;
	err = take_note(s, db, rows, side, side_len, "the sidecar", f);
	struct checkpoint c;
	if (note_checkpoint(side, side_len, &s->key, &c) == NOTE_OK)
		s->published = c.size;
	/* The sidecar is ahead of the database's own notes: nothing to publish. */
	if (s->signed_at.size > inside)
		s->note[0] = '\0';
	return err;
}

int signer_open(sqlite3 *db, const char *path, const char *origin, const char *vkey,
                const char *key_dir, struct signer **out, bool *read_only, char *trouble,
                size_t trouble_size)
{
	struct finding f = { false, trouble, trouble_size };
	char *side = NULL;
	size_t side_len = 0;
	struct signer *s = calloc(1, sizeof *s);
	trouble[0] = '\0';
	if (!s)
		return STORE_ENOMEM;
	lock_init(&s->lock, RANK_SIGNER);
	lock_init(&s->publishing, RANK_PUBLISHING);
	int err = hasher_init(&s->hasher);
	if (err)
		goto out;
	/* The sidecar first: what is in it was in the database before. */
	if (!note_file_name(path, s->path, sizeof s->path)) {
		err = STORE_EINVAL;
		goto out;
	}
	err = note_file_read(s->path, &side, &side_len);
	if (err == STORE_ENOENT || err == STORE_EIO) {
		if (err == STORE_EIO)
			s->unpublished = errno; /* it is written anew as soon as it can be */
		err = 0;
	}
	if (err)
		goto out;
	load_key(s, origin, vkey, key_dir, &f);
	if (s->trusted)
		err = load_notes(s, db, side, side_len, &f);
	else
		found(&f, false, "no usable vkey in the genesis entry: checkpoints cannot be checked");
	if (!err && s->trusted && check_gone(s, db) == STORE_EUNPROVED)
		found(&f, false, "%s", s->trouble);
	s->read_only = f.read_only;
out:
	free(side);
	*read_only = f.read_only;
	if (err)
		signer_close(s);
	else
		*out = s;
	return err;
}

void signer_close(struct signer *s)
{
	if (!s)
		return;
	hasher_release(&s->hasher);
	EVP_PKEY_free(s->pkey);
	lock_destroy(&s->publishing);
	lock_destroy(&s->lock);
	gone_release(&s->gone);
	free(s);
}

/* The mutex is the one part of a const signer that changes. */
static struct lock *lock_of(const struct signer *s)
{
	return (struct lock *)&s->lock;
}

int64_t signer_size(const struct signer *s)
{
	lock_take(lock_of(s));
	int64_t size = s->signed_at.size;
	lock_give(lock_of(s));
	return size;
}

int64_t signer_time(const struct signer *s)
{
	lock_take(lock_of(s));
	int64_t time_us = s->time_us;
	lock_give(lock_of(s));
	return time_us;
}

EVP_PKEY *signer_key(const struct signer *s)
{
	return s->pkey;
}

void signer_newest(const struct signer *s, struct checkpoint *out)
{
	lock_take(lock_of(s));
	*out = s->signed_at;
	lock_give(lock_of(s));
}

const struct note_key *signer_trusts(const struct signer *s)
{
	return s->trusted ? &s->key : NULL;
}

void signer_stop(struct signer *s, const char *text)
{
	lock_take(&s->lock);
	s->broken = true;
	(void)snprintf(s->trouble, sizeof s->trouble, "%s: nothing is signed (cinta verify DB)", text);
	lock_give(&s->lock);
}

void signer_trouble(const struct signer *s, char *dst, size_t size)
{
	lock_take(lock_of(s));
	(void)snprintf(dst, size, "%s", s->trouble);
	lock_give(lock_of(s));
}

int signer_unpublished(const struct signer *s)
{
	lock_take(lock_of(s));
	int error = s->unpublished;
	lock_give(lock_of(s));
	return error;
}

/* ---- signing ------------------------------------------------------------ */

/* The last signed checkpoint, or a later one that another signer left in the database. */
static int base_of(struct signer *s, sqlite3 *db, const struct checkpoint *last,
                   struct checkpoint *base)
{
	char note[NOTE_OWN_SIZE];
	*base = *last;
	if (db_int(db, "SELECT max(size) FROM tape_checkpoint", 0) <= last->size)
		return 0;
	int err = signer_note(db, note, sizeof note);
	if (!err && note_checkpoint(note, strlen(note), &s->key, base) != NOTE_OK)
		err = STORE_EFORMAT;
	return err;
}

static int insert_note(sqlite3 *db, int64_t size, const char *note)
{
	sqlite3_stmt *put = db_prepare(db, "INSERT INTO tape_checkpoint (size, note) VALUES (?1, ?2)");
	if (!put)
		return STORE_EIO;
	sqlite3_bind_int64(put, 1, size);
	sqlite3_bind_text(put, 2, note, -1, SQLITE_STATIC);
	int err = db_error(sqlite3_step(put));
	sqlite3_finalize(put);
	return err;
}

static int check_root(struct signer *s, sqlite3 *db, const struct checkpoint *c)
{
	uint8_t root[HASH_SIZE];
	int err = c->size > 0 ? merkle_root(db, &s->hasher, c->size, root) : 0;
	return err || c->size == 0 || memcmp(root, c->root, HASH_SIZE) == 0 ? err : STORE_EFORMAT;
}

/* Invariant 2, also where another signer has gone on.  1: there is nothing new. */
static int sign_rows(struct signer *s, sqlite3 *db, int64_t checked, struct checkpoint *c,
                     char *note)
{
	struct checkpoint last, base;
	char wrong[160];
	int64_t rows = row_count(db);
	signer_newest(s, &last);
	int err = base_of(s, db, &last, &base);
	if (err)
		return err;
	if (base.size > rows)
		return STORE_EFORMAT;
	if (base.size == rows)
		return 1;
	if ((err = check_gone(s, db)))
		return err;
	err = walk_holds(db, s->key.name, checked > base.size ? checked : base.size, rows, wrong);
	if (err == STORE_EFORMAT)
		signer_stop(s, wrong);
	if (err)
		return err;
	if ((err = check_root(s, db, &last)) ||
	    (base.size > last.size && (err = check_root(s, db, &base))) ||
	    (err = merkle_extend(db, &s->hasher, rows)) ||
	    (err = merkle_root(db, &s->hasher, rows, c->root)))
		return err;
	(void)snprintf(c->origin, sizeof c->origin, "%s", s->key.name);
	c->size = rows;
	if (note_sign(c, &s->key, s->pkey, note) != NOTE_OK)
		return STORE_EIO;
	return insert_note(db, rows, note);
}

static int sign_durably(struct signer *s, sqlite3 *db, int64_t checked, struct checkpoint *c,
                        char *note)
{
	int err = db_exec(db, "PRAGMA synchronous=FULL");
	if (!err)
		err = db_begin(db);
	if (!err) {
		err = sign_rows(s, db, checked, c, note);
		if (err)
			db_rollback(db);
		else
			err = db_commit(db);
	}
	int again = db_exec(db, "PRAGMA synchronous=NORMAL");
	return err ? err : again;
}

int signer_sign(struct signer *s, sqlite3 *db, int64_t time_us, int64_t checked)
{
	struct checkpoint c;
	char note[NOTE_OWN_SIZE];
	if (s->read_only)
		return STORE_EROFS;
	if (!s->pkey)
		return STORE_ENOENT;
	lock_take(&s->lock);
	bool broken = s->broken;
	lock_give(&s->lock);
	if (broken)
		return STORE_EFORMAT;
	int err = sign_durably(s, db, checked, &c, note);
	lock_take(&s->lock);
	if (!err) {
		s->signed_at = c;
		s->time_us = time_us;
		memcpy(s->note, note, sizeof note);
	}
	broken = s->broken; /* by a row that does not hold */
	lock_give(&s->lock);
	if (err == STORE_EFORMAT && !broken)
		signer_stop(s, "FORK: the entries are not those that were signed");
	return err == 1 ? 0 : err;
}

void signer_learn(struct signer *s, const struct checkpoint *c, const char *note)
{
	lock_take(&s->lock);
	if (c->size > s->signed_at.size) {
		s->signed_at = *c;
		(void)snprintf(s->note, sizeof s->note, "%s", note);
	}
	lock_give(&s->lock);
}

/* ---- publishing --------------------------------------------------------- */

int signer_publish(struct signer *s)
{
	char note[NOTE_OWN_SIZE];
	int err = 0;
	if (s->read_only)
		return 0;
	lock_take(&s->publishing);
	lock_take(&s->lock);
	int64_t size = s->signed_at.size;
	bool news = s->note[0] && size > s->published;
	memcpy(note, s->note, sizeof note);
	lock_give(&s->lock);
	if (news) {
		err = note_file_replace(s->path, note);
		int error = errno;
		lock_take(&s->lock);
		if (!err)
			s->published = size;
		s->unpublished = err ? error : 0;
		lock_give(&s->lock);
	}
	lock_give(&s->publishing);
	return err;
}
