/* SPDX-License-Identifier: MIT */
/* The store's index: opened when it is first needed, made anew where it is damaged. */
#include "store/internal.h"
#include "store/tape/tape.h"
#include "store/views/views.h"
#include "store/search/search.h"

/* What can be written is; else what can be read; else a file for as long as the store is open. */
static int open_index(struct store *s)
{
	plain_text_fn *plain = s->config.plain_text;
	int err = STORE_EROFS;
	if (moved_look(s))
		return STORE_EIO; /* the tape at this name is another */
	if (!s->read_only)
		err = search_open(s->path, SEARCH_WRITE, plain, &s->index->search);
	if (err == STORE_EFORMAT) { /* damaged: it is worth nothing */
		search_remove(s->path);
		err = search_open(s->path, SEARCH_WRITE, plain, &s->index->search);
	}
	/* Only one process copies the WAL back, as with the memory's own (docs/design.md). */
	if (!err && !(s->config.flags & STORE_OWNER))
		err = db_exec(s->index->search->db, "PRAGMA wal_autocheckpoint=0");
	if (err == STORE_EROFS || err == STORE_ENOSPC) {
		int64_t left = 0;
		err = s->index->without ? STORE_ENOENT :
			search_open(s->path, SEARCH_READ, plain, &s->index->search);
		if (!err && (err = search_catch_up(s->index->search, 0, &left)) == 0 && left > 0)
			err = STORE_EROFS;
		if (err) {
			search_close(s->index->search);
			s->index->search = NULL;
			err = search_open(s->path, SEARCH_PRIVATE, plain, &s->index->search);
		}
	}
	if (!err)
		s->index->search->check.damage = &s->damage;
	return err;
}

int search_renew(struct store *s)
{
	s->index->without = s->index->without || (s->index->search && s->index->search->fixed);
	search_close(s->index->search);
	s->index->search = NULL;
	if (!s->read_only && !s->index->without)
		search_remove(s->path);
	return open_index(s);
}

int search_keep_up(struct store *s, int64_t most, int64_t *left)
{
	*left = 0;
	int err = s->index->search ? 0 : open_index(s);
	if (!err)
		err = search_catch_up(s->index->search, most, left);
	if (err == STORE_EFORMAT) {
		err = search_renew(s);
		if (!err)
			err = search_catch_up(s->index->search, most, left);
	}
	if (!err)
		atomic_store(&s->index->searched, s->index->search->upto);
	return err;
}
