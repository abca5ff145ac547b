/* SPDX-License-Identifier: MIT */
/* Lines to drafts of entries; see lines.h. */
#include "fs/logs/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/window/window.h"

void request_free(struct request *r)
{
	buf_release(&r->defaults);
	buf_release(&r->took);
	buf_release(&r->shown);
	buf_release(&r->bodies);
	buf_release(&r->threads);
	buf_release(&r->offered);
	free(r->drafts);
	free(r);
}

/* True if its lines are records, and not messages. */
static bool is_record(uint64_t ino)
{
	return ino_kind(ino) == KIND_RECORD;
}

struct log_id log_id_of(const struct fs *fs, uint64_t ino)
{
	return (struct log_id){ node_of(fs, ino)->log, ino_id(ino) };
}

void request_not_answered(struct fs *fs, struct request *r)
{
	if (r->took.len > 0)
		exposure_give_back(fs, ino_id(r->ino), &r->took);
}

static bool add_draft(struct request *r, size_t start)
{
	if (!ARRAY_ROOM(r->drafts, r->room, r->count))
		return false;
	/* The buffer may move while it grows: `body` is set when all are there. */
	r->drafts[r->count++] = (struct draft){ .stream = r->stream,
		.kind = is_record(r->ino) ? "record" : "message", .author = r->author,
		.body_len = r->bodies.len - start };
	return true;
}

static int add_line(struct request *r, const char *line, size_t len, struct why *why)
{
	char thread[NAME_LIMIT + 1] = "";
	size_t start = r->bodies.len;
	int err = errno_of_render(is_record(r->ino) ?
		render_record_in(line, len, &r->bodies, why) :
		render_message_in(line, len, &r->defaults, &r->shown, fs_of(r->req)->count_tokens,
		                  &r->bodies, thread, why));
	if (err) {
		why->line = (int)r->count + 1;
		return err;
	}
	if (*thread) {
		buf_add(&r->threads, thread, strlen(thread) + 1);
		r->joined++;
	}
	return add_draft(r, start) && !r->bodies.failed && !r->threads.failed ? 0 : -ENOMEM;
}

int request_lines(struct request *r, const char *data, size_t len, struct why *why)
{
	const char *end = data + len, *stop;
	int err = 0;
	/* Newlines part lines: the last one may be blank, and is refused like any blank line. */
	for (; !err && data <= end; data = stop + 1) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));
		stop = newline ? newline : end;
		err = add_line(r, data, (size_t)(stop - data), why);
	}
	char *body = r->bodies.data;
	for (size_t i = 0; i < r->count; i++) {
		r->drafts[i].body = body;
		body += r->drafts[i].body_len;
	}
	return err;
}

struct request *request_new(fuse_req_t req, struct appender *a, size_t written)
{
	struct request *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	memcpy(r->author, a->frame.by.author, sizeof r->author);
	store_log_stream(log_id_of(fs_of(req), a->ino), r->stream);
	if (ino_kind(a->ino) == KIND_LOG) {
		session_defaults_of(fs_of(req), ino_id(a->ino), &r->defaults);
		exposure_take(fs_of(req), ino_id(a->ino), &r->took);
		buf_add(&r->shown, r->took.data, r->took.len);
	}
	if (!is_record(a->ino))
		render_session_talk(&r->defaults, &a->frame.by.talk);
	r->req = req;
	r->appender = a;
	r->ino = a->ino;
	r->written = written;
	r->by = pthread_self();
	return r;
}
