/* SPDX-License-Identifier: MIT */
/* Staging, per handle, and what becomes of it. */
#include "fs/save/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/answers/answers.h"
#include "fs/facts/facts.h"
#include "fs/internal.h"

/* The newest version, as fresh bytes. */
static int load(struct fs *fs, int64_t doc, struct buf *bytes, int64_t *version)
{
	struct doc d;
	char *text = NULL;
	size_t len = 0;
	int err = store_doc_by_id(fs->store, doc, &d);
	if (!err)
		err = store_doc_content(fs->store, doc, d.versions, &text, &len);
	if (!err) {
		buf_clear(bytes);
		buf_add(bytes, text, len);
		*version = d.versions;
	}
	free(text);
	return err ? errno_of_store(err) : bytes->failed ? -ENOMEM : 0;
}

/* Of a section that nobody had saved when it was looked up. */
static int section_doc(struct fs *fs, uint64_t ino, int64_t *doc)
{
	struct doc d;
	char name[NAME_LIMIT + 1];
	tree_name(fs, ino, name, sizeof name);
	int err = store_doc_at(fs->store, fs->tree[KIND_SMMA].place.key, name, &d);
	*doc = err ? 0 : d.id;
	return err == STORE_ENOENT ? 0 : errno_of_store(err);
}

int edit_doc(struct fs *fs, uint64_t ino, int64_t *doc)
{
	char key[DOC_KEY_MAX + 1];
	struct doc d;
	*doc = ino_kind(ino) == KIND_FACT_LIST || ino_kind(ino) == KIND_RETRIEVED ? 0 : ino_id(ino);
	if (ino_kind(ino) == KIND_SECTION)
		return section_doc(fs, ino, doc);
	if (ino_kind(ino) != KIND_PAGE)
		return 0;
	(void)snprintf(key, sizeof key, "session:%lld", (long long)ino_id(ino));
	int err = errno_of_store(store_doc_at(fs->store, key, fs->tree[KIND_PAGE].name, &d));
	*doc = err ? 0 : d.id;
	return err == -ENOENT ? 0 : err;
}

int edit_load(struct fs *fs, struct edit *e)
{
	char *text = NULL;
	size_t len = 0;
	int err = 0;
	if (e->loaded)
		return 0;
	if (ino_kind(e->ino) == KIND_FACT_LIST) {
		if (!e->base) { /* what is there now may have been saved since */
			e->base = facts_version(fs, (int)ino_id(e->ino));
			e->base_us = store_time(fs->store);
		}
		err = facts_as_saved(fs, (int)ino_id(e->ino), e->base, e->base_us, &e->bytes);
	} else if (!e->doc && e->over) {
		err = load(fs, e->over, &e->bytes, &e->base);
	} else if (!e->doc) {
		err = tree_page(fs, e->ino, &e->bytes);
	} else {
		err = errno_of_store(store_doc_content(fs->store, e->doc, e->base, &text, &len));
		buf_add(&e->bytes, text, len);
	}
	free(text);
	if (!err && e->bytes.failed)
		err = -ENOMEM;
	if (err)
		buf_release(&e->bytes);
	e->loaded = !err;
	e->kept = e->bytes.len;
	return err;
}

int edit_show(struct fs *fs, struct edit *e, const struct process *opener)
{
	bool own = e->written || e->truncated || e->saved; /* what it has written itself */
	int err = edit_load(fs, e);
	if (err || own || e->shown)
		return err;
	e->shown = true;
	if (ino_kind(e->ino) == KIND_FACT_LIST)
		facts_note_read(fs, (int)ino_id(e->ino), opener, e->base, e->base_us);
	return 0;
}

/* That of bytes which were appended to what cannot be read: rebase(); of facts none go. */
static int64_t unknown_base(uint64_t ino)
{
	return ino_kind(ino) == KIND_FACT_LIST ? 0 : -1;
}

void edit_reload(struct fs *fs, struct edit *e)
{
	struct buf was = e->bytes;
	size_t kept = e->kept;
	memset(&e->bytes, 0, sizeof e->bytes);
	e->loaded = false;
	if (edit_load(fs, e) && e->written) {
		e->base = unknown_base(e->ino);
		e->loaded = true;
	}
	if (e->written && kept < was.len)
		buf_add(&e->bytes, was.data + kept, was.len - kept);
	if (e->bytes.failed) { /* no memory: better what was read before than nothing of it */
		buf_release(&e->bytes);
		e->bytes = was;
		e->kept = kept;
		return;
	}
	buf_release(&was);
}

int edit_open(struct fs *fs, uint64_t ino, pid_t pid, struct edit **out)
{
	struct edit *e = calloc(1, sizeof *e);
	struct doc d;
	int err = e ? edit_doc(fs, ino, &e->doc) : -ENOMEM;
	if (!err && e->doc)
		err = document_living(fs, e->doc, &d);
	if (!err && e->doc) {
		e->doc = d.id;
		e->base = d.versions;
	} else if (!err && ino_kind(ino) == KIND_FACT_LIST) {
		e->base = facts_version(fs, (int)ino_id(ino));
		err = store_fact_domain_name((int)ino_id(ino)) ? 0 : -ENOENT;
	}
	if (err) {
		free(e);
		return err;
	}
	e->ino = ino;
	e->base_us = store_time(fs->store);
	if (ino_kind(ino) == KIND_RETRIEVED) {
		e->dir = ino_make(KIND_ANSWERS, 0);
		tree_name(fs, ino, e->name, sizeof e->name);
	} else if (ino_kind(ino) == KIND_SECTION && !e->doc) {
		e->dir = ino_make(KIND_SMMA, 0);
		tree_name(fs, ino, e->name, sizeof e->name);
	}
	e->pid = pid;
	e->appends = true;
	e->next = fs->edits;
	fs->edits = e;
	*out = e;
	if (ino_doc(ino))
		growing_opened(fs, ino);
	return 0;
}

int edit_open_newborn(struct fs *fs, const struct scratch *s, pid_t pid, struct edit **out)
{
	struct edit *e = calloc(1, sizeof *e);
	if (!e)
		return -ENOMEM;
	e->ino = ino_make(KIND_SCRATCH, s->id);
	e->dir = s->dir;
	memcpy(e->name, s->name, sizeof e->name);
	e->pid = pid;
	e->over = ino_doc(scratch_over(s));
	e->loaded = !e->over; /* else it has what all but its maker read */
	e->appends = true;
	e->next = fs->edits;
	fs->edits = e;
	*out = e;
	return 0;
}

void edit_close(struct fs *fs, struct edit *e)
{
	for (struct edit **p = &fs->edits; *p; p = &(*p)->next) {
		if (*p == e) {
			*p = e->next;
			break;
		}
	}
	if (ino_doc(e->ino))
		growing_closed(fs, e->ino);
	buf_release(&e->bytes);
	free(e);
}

int staging_room(struct fs *fs, int64_t size, size_t had)
{
	int64_t all = size - (int64_t)had;
	if (size > SCRATCH_FILE_MOST)
		return -EFBIG;
	for (const struct edit *e = fs->edits; e; e = e->next)
		all += (int64_t)e->bytes.len;
	return all > SCRATCH_MOST ? -ENOSPC : 0;
}

int edit_resize(struct fs *fs, struct edit *e, int64_t size)
{
	if (size > SCRATCH_FILE_MOST)
		return -EFBIG;
	e->torn.err = size ? e->torn.err : 0;
	if (size == 0 && !e->loaded) {
		e->loaded = e->truncated = true;
		e->appends = false;
		return 0;
	}
	int err = edit_load(fs, e);
	if (err)
		return err;
	if (size == (int64_t)e->bytes.len)
		return 0;
	if (!buf_resize(&e->bytes, (size_t)size))
		return -ENOMEM;
	e->appends = false;
	e->truncated = true;
	return 0;
}

int edit_write(struct fs *fs, struct edit *e, const char *data, size_t len, int64_t off,
               bool at_end)
{
	int err = edit_load(fs, e);
	if (err)
		return err;
	int64_t at = at_end ? (int64_t)e->bytes.len : off;
	if (at > SCRATCH_FILE_MOST || at + (int64_t)len > SCRATCH_FILE_MOST)
		return -EFBIG;
	if (at + (int64_t)len > (int64_t)e->bytes.len &&
	    !buf_resize(&e->bytes, (size_t)at + len))
		return -ENOMEM;
	if (len > 0)
		memcpy(e->bytes.data + at, data, len);
	e->appends = e->appends && at_end;
	e->written = true;
	return 0;
}

struct edit *edit_of(struct fs *fs, uint64_t ino, pid_t pid)
{
	struct edit *e = pid > 0 ? fs->edits : NULL; /* 0: a process of another container, unknown */
	while (e && (e->ino != ino || e->pid != pid || e->written))
		e = e->next;
	return e;
}

bool edit_size(struct fs *fs, uint64_t ino, pid_t pid, int64_t *size)
{
	for (struct edit *e = fs->edits; e; e = e->next) {
		if (e->ino == ino && (e->written || e->truncated) && is_same_process(e->pid, pid)) {
			*size = (int64_t)e->bytes.len;
			return true;
		}
	}
	return false;
}

bool edit_staged(struct fs *fs, uint64_t ino)
{
	const struct edit *e = fs->edits;
	while (e && (e->ino != ino || !(e->written || e->truncated)))
		e = e->next;
	return e != NULL;
}

/*
 * Invariant 4: what was only appended, the bytes from *kept on, goes behind the
 * newest version, if another was faster.
 */
static int rebase(struct fs *fs, int64_t *doc, struct buf *bytes, size_t *kept, int64_t *base)
{
	struct doc d;
	struct buf fresh = BUF_INIT;
	int err = document_living(fs, *doc, &d);
	if (err || (d.id == *doc && d.versions == *base) || *kept > bytes->len)
		return err;
	err = load(fs, d.id, &fresh, base);
	size_t newest = fresh.len;
	if (!err)
		buf_add(&fresh, bytes->data + *kept, bytes->len - *kept);
	if (!err && fresh.failed)
		err = -ENOMEM;
	if (err) {
		buf_release(&fresh);
		return err;
	}
	buf_release(bytes);
	*bytes = fresh;
	*kept = newest;
	*doc = d.id;
	return 0;
}

/* The document of a name where there was none at open; 0: nor is there now. */
static int made_by_now(struct fs *fs, const struct edit *e, int64_t *doc)
{
	struct place p;
	struct doc d;
	if (!e->name[0])
		return edit_doc(fs, e->ino, doc);
	int err = place_of(fs, e->dir, &p);
	if (!err)
		err = place_doc(fs, &p, e->name, &d);
	*doc = err || (is_hidden(fs, d.id) && !e->appends) ? 0 : d.id; /* who appends goes behind it */
	return err == -ENOENT ? 0 : err;
}

/* Where the staged bytes go: its name may belong to another document by now. */
static int target(struct fs *fs, struct edit *e, struct save *save, struct doc *d)
{
	if (ino_kind(e->ino) == KIND_FACT_LIST) {
		tree_name(fs, e->ino, d->name, sizeof d->name);
		save->dir = ino_make(KIND_FACTS, 0);
		save->name = d->name;
		save->base = e->base;
		save->made_us = e->base_us;
		save->appends = e->appends;
		save->shown = e->shown;
		return 0;
	}
	bool retrieved = ino_kind(e->ino) == KIND_RETRIEVED; /* what its name had before is over */
	int err = e->doc || retrieved ? 0 : made_by_now(fs, e, &e->doc);
	if (!err && !e->doc) {
		save->dir = e->name[0] ? e->dir : ino_make(KIND_SESSION, ino_id(e->ino));
		save->name = e->name[0] ? e->name : fs->tree[KIND_PAGE].name;
		save->base = -1;
		return 0;
	}
	if (!err && e->appends)
		err = rebase(fs, &e->doc, &e->bytes, &e->kept, &e->base);
	if (!err)
		err = document_living(fs, e->doc, d);
	save->dir = place_ino(fs, d->parent);
	save->name = d->name;
	save->base = e->doc == d->id ? e->base : -1;
	return err;
}

/* Its name is the document's now; who is making it yet saves over it. */
static void join_newborn(struct fs *fs, struct edit *e, struct saved *saved)
{
	struct scratch *s = e->name[0] ? scratch_find(fs, e->dir, e->name) : NULL;
	if (s && s->newborn) {
		scratch_join(fs, s, saved->ino, saved->version);
		saved->listed = true;
	}
	memset(e->name, 0, sizeof e->name);
}

/*
 * What the bytes just saved are made from.  Who wrote a whole list, into which others' facts were
 * merged, has not read these: else the next save would take them away (facts_save()).
 */
static int64_t base_after(const struct saved *out, bool appended, int64_t before)
{
	return out->merged && !appended ? before : out->version;
}

int edit_commit(struct fs *fs, struct edit *e, const struct writer *by, struct saved *out,
                struct why *why)
{
	struct doc d = { 0 };
	struct save save = { .author = by->author, .talk = &by->talk, .uid = by->uid,
		.process = &by->process };
	int err = target(fs, e, &save, &d);
	if (err) {
		why_set(why, "save again under another name", "the document cannot be found");
		return err;
	}
	save.bytes = e->bytes.data; /* after target(): what was appended may have moved */
	save.len = e->bytes.len;
	err = save_document(fs, &save, out, why);
	if (err)
		return err;
	join_newborn(fs, e, out);
	if (ino_kind(e->ino) == KIND_RETRIEVED)
		answers_saved(fs, e->ino, ino_doc(out->ino));
	if (e->time_us && ino_doc(out->ino)) /* cp -p sets the time before it closes */
		times_set(fs, ino_doc(out->ino), e->time_us);
	e->time_us = 0;
	e->doc = ino_doc(out->ino);
	e->base = base_after(out, e->appends, e->base);
	e->kept = e->bytes.len;
	bool again = out->merged && e->appends;
	e->appends = e->saved = true;
	e->written = e->truncated = e->shown = false;
	if (again) /* what others have added is not in its bytes */
		edit_reload(fs, e);
	return 0;
}

void edit_times(struct fs *fs, int64_t doc, int64_t time_us)
{
	times_set(fs, doc, time_us);
	for (struct edit *e = fs->edits; e; e = e->next)
		if (e->doc == doc && e->written)
			e->time_us = time_us;
}

void scratch_reload(struct fs *fs, struct scratch *s)
{
	struct edit e = { .ino = s->promoted_to, .doc = ino_doc(s->promoted_to), .base = s->base,
		.base_us = s->made_us, .bytes = s->bytes, .kept = s->kept, .written = s->written };
	int64_t before = (int64_t)s->bytes.len;
	edit_reload(fs, &e);
	s->bytes = e.bytes;
	s->base = e.loaded ? e.base : unknown_base(e.ino);
	s->kept = e.kept;
	scratch_count_bytes(fs, s, (int64_t)s->bytes.len - before);
}

int scratch_commit(struct fs *fs, struct scratch *s, const struct writer *by, struct saved *out,
                   struct why *why)
{
	char name[NAME_LIMIT + 1];
	int64_t doc = ino_doc(s->promoted_to), before = (int64_t)s->bytes.len;
	int err = doc && s->appends ? rebase(fs, &doc, &s->bytes, &s->kept, &s->base) : 0;
	struct doc d;
	scratch_count_bytes(fs, s, (int64_t)s->bytes.len - before);
	if (doc)
		s->promoted_to = ino_make(KIND_DOC, doc);
	if (doc && !err)
		err = document_living(fs, doc, &d);
	if (err)
		return err;
	struct save save = { .dir = s->dir, .name = s->name, .bytes = s->bytes.data,
		.len = s->bytes.len, .author = by->author, .talk = &by->talk, .uid = by->uid,
		.process = &by->process, .base = s->promoted_to ? s->base : -1,
		.appends = s->promoted_to && s->appends, .made_us = s->made_us };
	if (doc) {
		save.dir = place_ino(fs, d.parent);
		save.name = d.name;
	} else if (s->promoted_to) {
		tree_name(fs, s->promoted_to, name, sizeof name);
		save.dir = tree_parent(fs, s->promoted_to);
		save.name = name;
	}
	err = save_document(fs, &save, out, why);
	if (err)
		return err;
	if (s->timed && ino_doc(out->ino))
		times_set(fs, ino_doc(out->ino), s->changed_us);
	s->timed = s->refused = false;
	out->listed |= s->name[0] != '\0';
	bool again = out->merged && s->appends;
	int64_t base = base_after(out, s->appends, s->promoted_to ? s->base : 0);
	scratch_promote(fs, s, out->ino, base, out->made);
	if (again)
		scratch_reload(fs, s);
	return 0;
}

