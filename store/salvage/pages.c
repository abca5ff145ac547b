/* SPDX-License-Identifier: MIT */
/*
 * Pages of SQLite's file format (sqlite.org/fileformat2.html), as far as rows of the tape need it:
 * leaves of tables, their cells, records, overflow chains; and which pages a log's frames hold.
 * All of it may be damaged, or made to deceive: each number is held against what there is.
 */
#include "store/salvage/pages.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAF = 0x0d,          /* the first byte of a table's leaf */
	LOG_HEAD = 32, FRAME_HEAD = 24,
	BLOB_32 = 12 + 2 * HASH_SIZE, BLOB_SALT = 12 + 2 * SALT_SIZE, /* serial types */
	BLOB_FIRST = 12, TEXT_FIRST = 13,
	HEADER_MOST = 64,     /* bytes of a record's header: ours have some twenty */
	PAGE_MOST = 65536
};

struct bytes {
	const uint8_t *at;
	size_t len;
};

struct found {
	int64_t seq, page; /* page: where it begins, as page_at() has it */
	uint32_t cell;     /* where in the page */
	bool bare;         /* without a body */
};

struct frame {
	uint32_t page;
	int64_t at;
};

struct pages {
	sqlite3_file *file, *log; /* log: NULL if there is none */
	int64_t file_size, log_size;
	uint32_t size, usable;    /* bytes of a page */
	int64_t end;
	uint8_t *page;            /* one page */
	struct hasher hasher;
	char origin[FIELD_MAX + 1];
	sqlite3_stmt *row;        /* its values as a row, and the body as it was hashed */
	struct found *items;
	size_t count, room;
	struct frame *frames;     /* in the order of pages, the newest first */
	size_t frame_count, frame_room;
};

/* ---- bytes -------------------------------------------------------------------- */

static uint32_t big(const uint8_t *b, int count)
{
	uint32_t value = 0;
	for (int i = 0; i < count; i++)
		value = value << 8 | b[i];
	return value;
}

/* The next number of 1 to 9 bytes; false: there is none. */
static bool next_varint(struct bytes *b, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < 9 && i < b->len; i++) {
		bool last = i == 8 || !(b->at[i] & 0x80);
		*out = i == 8 ? *out << 8 | b->at[i] : *out << 7 | (b->at[i] & 0x7f);
		if (last) {
			b->at += i + 1;
			b->len -= i + 1;
			return true;
		}
	}
	return false;
}

static size_t size_of_serial(uint64_t type)
{
	static const uint8_t ints[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
	if (type < sizeof ints)
		return ints[type];
	return type < 12 ? 0 : (size_t)((type - 12) / 2);
}

static bool is_int(uint64_t type)
{
	return (type >= 1 && type <= 6) || type == 8 || type == 9;
}

static bool is_text(uint64_t type)
{
	return type >= TEXT_FIRST && type % 2 == 1;
}

/* ---- a record ------------------------------------------------------------------- */

struct record {
	uint64_t type[TAPE_COLUMN_COUNT];
	size_t head;         /* bytes before the values */
	uint64_t bytes;      /* of all of it, as its types say */
};

/* True if that is the beginning of a row of the tape, and of no other table's. */
static bool read_record(struct bytes b, struct record *r)
{
	const uint8_t *from = b.at;
	uint64_t head;
	if (!next_varint(&b, &head) || head > HEADER_MOST || head > b.len + (size_t)(b.at - from))
		return false;
	r->head = (size_t)head;
	r->bytes = head;
	for (int i = 0; i < TAPE_COLUMN_COUNT; i++) {
		if (!next_varint(&b, &r->type[i]))
			return false;
		r->bytes += size_of_serial(r->type[i]);
	}
	const uint64_t *t = r->type;
	return (size_t)(b.at - from) == head && (t[0] == 0 || is_int(t[0])) && is_text(t[1]) &&
	       is_int(t[2]) && t[3] == BLOB_32 && is_int(t[4]) && is_text(t[5]) && is_text(t[6]) &&
	       is_int(t[7]) && t[8] == BLOB_32 && t[9] == BLOB_32 &&
	       ((t[10] == 0 && t[11] == 0) || (t[10] == BLOB_SALT && t[11] >= BLOB_FIRST));
}

static int64_t int_of(uint64_t type, const uint8_t *b)
{
	size_t n = size_of_serial(type);
	uint64_t value = n && b[0] & 0x80 ? UINT64_MAX : 0;
	if (type == 8 || type == 9)
		return (int64_t)type - 8;
	for (size_t i = 0; i < n; i++)
		value = value << 8 | b[i];
	return (int64_t)value;
}

/* `payload` holds r->bytes bytes, and stays until the row was used. */
static void bind_record(sqlite3_stmt *row, int64_t seq, const struct record *r,
                        const uint8_t *payload)
{
	const uint8_t *at = payload + r->head;
	sqlite3_bind_int64(row, 1, seq);
	for (int i = 0; i < TAPE_COLUMN_COUNT; i++) {
		size_t len = size_of_serial(r->type[i]);
		if (i > 0 && r->type[i] == 0)
			sqlite3_bind_null(row, i + 1);
		else if (i > 0 && is_int(r->type[i]))
			sqlite3_bind_int64(row, i + 1, int_of(r->type[i], at));
		else if (i > 0 && is_text(r->type[i]))
			sqlite3_bind_text64(row, i + 1, (const char *)at, len, SQLITE_STATIC, SQLITE_UTF8);
		else if (i > 0)
			sqlite3_bind_blob64(row, i + 1, at, len, SQLITE_STATIC);
		at += len;
	}
}

/* ---- pages ---------------------------------------------------------------------- */

/* Where a page begins: in the file from 0 on, in the log behind the file's end. */
static bool read_at(const struct pages *p, int64_t at, uint8_t *dst)
{
	sqlite3_file *f = at < p->file_size ? p->file : p->log;
	int64_t from = at < p->file_size ? at : at - p->file_size;
	return f && f->pMethods && f->pMethods->xRead(f, dst, (int)p->size, from) == SQLITE_OK;
}

/* The newest frame of a page, or the page of the file; `log`: frames count.  -1: there is none. */
static int64_t page_at(const struct pages *p, uint32_t page, bool log)
{
	size_t low = 0, high = log ? p->frame_count : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->frames[middle].page < page)
			low = middle + 1;
		else
			high = middle;
	}
	if (log && low < p->frame_count && p->frames[low].page == page)
		return p->frames[low].at;
	int64_t at = ((int64_t)page - 1) * p->size;
	return page > 0 && at + p->size <= p->file_size ? at : -1;
}

/* The cell at `at`: its number, and where its record begins.  p->page is read. */
static bool read_cell(const struct pages *p, size_t at, uint64_t *payload, int64_t *seq,
                      struct bytes *rest)
{
	uint64_t number;
	if (at + 8 >= p->usable)
		return false;
	*rest = (struct bytes){ p->page + at, p->usable - at };
	if (!next_varint(rest, payload) || !next_varint(rest, &number))
		return false;
	*seq = (int64_t)number;
	return *seq >= 0 && *seq < p->end &&
	       *payload <= (uint64_t)p->file_size + (uint64_t)p->log_size;
}

/* How many bytes of it stand in the leaf. */
static size_t local_of(const struct pages *p, uint64_t payload)
{
	uint64_t most = p->usable - 35, least = (p->usable - 12) * 32 / 255 - 23;
	if (payload <= most)
		return (size_t)payload;
	uint64_t local = least + (payload - least) % (p->usable - 4);
	return (size_t)(local <= most ? local : least);
}

static int note_cells(struct pages *p, int64_t at)
{
	size_t head = at == 0 ? 100 : 0;
	size_t cells = big(p->page + head + 3, 2);
	if (p->page[head] != LEAF || head + 8 + 2 * cells > p->usable)
		return 0;
	for (size_t i = 0; i < cells; i++) {
		uint32_t cell = big(p->page + head + 8 + 2 * i, 2);
		uint64_t payload;
		struct found f = { .page = at, .cell = cell };
		struct bytes rest;
		struct record r;
		if (!read_cell(p, cell, &payload, &f.seq, &rest) || !read_record(rest, &r) ||
		    r.bytes != payload)
			continue;
		f.bare = r.type[TAPE_COLUMN_COUNT - 1] == 0;
		if (!ARRAY_ROOM(p->items, p->room, p->count))
			return STORE_ENOMEM;
		p->items[p->count++] = f;
	}
	return 0;
}

static int note_frame(struct pages *p, int64_t from)
{
	uint8_t head[FRAME_HEAD];
	if (p->log->pMethods->xRead(p->log, head, FRAME_HEAD, from) != SQLITE_OK)
		return 0;
	if (!ARRAY_ROOM(p->frames, p->frame_room, p->frame_count))
		return STORE_ENOMEM;
	p->frames[p->frame_count++] =
		(struct frame){ big(head, 4), p->file_size + from + FRAME_HEAD };
	return 0;
}

/* ---- the look at all of them ------------------------------------------------------- */

static int by_page(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

/* Of one entry what has no body first. */
static int by_seq(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	if (x->bare != y->bare)
		return x->bare ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

static int64_t size_of_file(sqlite3_file *f)
{
	sqlite3_int64 size = 0;
	if (!f || !f->pMethods || f->pMethods->xFileSize(f, &size) != SQLITE_OK)
		return 0;
	return size;
}

static void find_files(struct pages *p, sqlite3 *db)
{
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &p->file);
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &p->log);
	p->size = (uint32_t)db_int(db, "PRAGMA page_size", 0);
	p->file_size = size_of_file(p->file);
	p->file_size -= p->size ? p->file_size % p->size : 0;
	p->log_size = size_of_file(p->log);
}

static int look_at_all(struct pages *p)
{
	int64_t step = FRAME_HEAD + (int64_t)p->size;
	int err = 0;
	for (int64_t at = 0; !err && at < p->file_size; at += p->size)
		if (read_at(p, at, p->page))
			err = note_cells(p, at);
	for (int64_t at = LOG_HEAD; !err && at + step <= p->log_size; at += step) {
		err = note_frame(p, at);
		/* Never 0: what is the log's stands behind the file. */
		if (!err && read_at(p, p->file_size + at + FRAME_HEAD, p->page))
			err = note_cells(p, p->file_size + at + FRAME_HEAD);
	}
	if (p->count > 0)
		qsort(p->items, p->count, sizeof *p->items, by_seq);
	if (p->frame_count > 0)
		qsort(p->frames, p->frame_count, sizeof *p->frames, by_page);
	return err;
}

/* ---- a row -------------------------------------------------------------------------- */

/* All of its record, malloc'ed; NULL: a page of its chain cannot be read, or no memory. */
static uint8_t *gather(const struct pages *p, const struct found *f, bool log, struct record *r)
{
	uint64_t payload;
	int64_t seq;
	struct bytes rest;
	if (!read_at(p, f->page, p->page) || !read_cell(p, f->cell, &payload, &seq, &rest) ||
	    !read_record(rest, r) || r->bytes != payload)
		return NULL;
	size_t have = local_of(p, payload), all = (size_t)payload;
	uint8_t *bytes = have + (have < all ? 4 : 0) <= rest.len ? malloc(all + 1) : NULL;
	if (!bytes)
		return NULL;
	memcpy(bytes, rest.at, have);
	uint32_t next = have < all ? big(rest.at + have, 4) : 0;
	while (have < all) {
		int64_t at = page_at(p, next, log);
		size_t part = all - have < p->usable - 4 ? all - have : p->usable - 4;
		if (at < 0 || !read_at(p, at, p->page)) {
			free(bytes);
			return NULL;
		}
		memcpy(bytes + have, p->page + 4, part);
		next = big(p->page, 4);
		have += part;
	}
	return bytes;
}

static bool holds(struct pages *p, int64_t seq)
{
	struct entry e;
	size_t stored;
	return row_strict_of(p->row, TAPE_COLUMN_COUNT, &e, &stored) && e.seq == seq &&
	       row_fault(&p->hasher, p->origin, &e, stored) == ROW_GOOD;
}

/* p->row stands at that row, whose bytes are *bytes: free() them after sqlite3_reset(). */
static bool stands_at(struct pages *p, const struct found *f, bool log, uint8_t **bytes)
{
	struct record r;
	*bytes = gather(p, f, log, &r);
	if (!*bytes)
		return false;
	bind_record(p->row, f->seq, &r, *bytes);
	return sqlite3_step(p->row) == SQLITE_ROW;
}

static void leave(struct pages *p, uint8_t *bytes)
{
	sqlite3_reset(p->row);
	sqlite3_clear_bindings(p->row);
	free(bytes);
}

static const struct found *first_of(const struct pages *p, int64_t seq)
{
	return p->items + array_place(p->items, p->count, sizeof *p->items, seq);
}

int pages_take(struct pages *p, int64_t seq, salvage_row_fn *fn, void *ctx, bool *taken)
{
	const struct found *end = p->items + p->count;
	int err = 0;
	*taken = false;
	for (const struct found *f = p->count ? first_of(p, seq) : end;
	     !err && !*taken && p->origin[0] && f < end && f->seq == seq; f++) {
		/* A page of a chain may be in the log, and may be one that was written over since. */
		for (int log = 1; log >= 0 && !err && !*taken; log--) {
			uint8_t *bytes;
			if (stands_at(p, f, log, &bytes) && holds(p, seq)) {
				err = fn(ctx, p->row);
				*taken = err == 0;
				err = err == SALVAGE_LOST ? 0 : err;
			}
			leave(p, bytes);
		}
	}
	return err;
}

/* Whose tape it is: as the first entry says, or a note, or what looks like the first entry. */
static void find_origin(struct pages *p, sqlite3 *db)
{
	struct row_check c = { .origin = "" };
	if (row_check_open(&c, db, NULL) == 0)
		memcpy(p->origin, c.origin, sizeof p->origin);
	row_check_release(&c);
	if (p->origin[0])
		return;
	sqlite3_stmt *q = db_prepare(db, "SELECT substr(note, 1, instr(note, char(10)) - 1)"
	                                 " FROM tape_checkpoint LIMIT 1");
	if (q && sqlite3_step(q) == SQLITE_ROW)
		(void)snprintf(p->origin, sizeof p->origin, "%s", db_text(q, 0));
	sqlite3_finalize(q);
	if (p->origin[0] || p->count == 0 || p->items[0].seq != 0)
		return;
	uint8_t *bytes;
	bool stands = stands_at(p, &p->items[0], true, &bytes);
	q = stands ? db_prepare(db, "SELECT CASE WHEN json_valid(?1) THEN"
	                            " json_extract(?1, '$.origin') END") : NULL;
	if (q)
		sqlite3_bind_value(q, 1, sqlite3_column_value(p->row, TAPE_COLUMN_COUNT - 1));
	if (q && sqlite3_step(q) == SQLITE_ROW)
		(void)snprintf(p->origin, sizeof p->origin, "%s", db_text(q, 0));
	sqlite3_finalize(q);
	leave(p, bytes);
}

int64_t pages_end(const struct pages *p)
{
	return p->count > 0 ? p->items[p->count - 1].seq + 1 : 0;
}

int pages_open(sqlite3 *db, sqlite3 *made, int64_t end, struct pages **out)
{
	struct pages *p = calloc(1, sizeof *p);
	int err = p ? hasher_init(&p->hasher) : STORE_ENOMEM;
	*out = p;
	if (err)
		return err;
	p->end = end;
	find_files(p, db);
	bool known = p->file && p->size >= 512 && p->size <= PAGE_MOST;
	p->page = malloc(known ? p->size : 1);
	p->row = db_prepare(made, "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
	                    PLAIN("?12", "?8"));
	if (!p->page || !p->row)
		return STORE_ENOMEM;
	if (!known || !read_at(p, 0, p->page) || p->page[20] >= p->size - 480)
		return 0;
	p->usable = p->size - p->page[20];
	err = look_at_all(p);
	if (!err)
		find_origin(p, db);
	return err;
}

void pages_close(struct pages *p)
{
	if (!p)
		return;
	sqlite3_finalize(p->row);
	hasher_release(&p->hasher);
	free(p->page);
	free(p->items);
	free(p->frames);
	free(p);
}
