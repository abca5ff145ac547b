/* SPDX-License-Identifier: MIT */
/*
 * An HTTP endpoint that takes JSON and answers JSON, by libcurl.  Called by the embedder
 * alone (embedder.c, question.c).
 *
 * libcurl is loaded when the first endpoint is made, not linked: it brings along some
 * twenty libraries, and most mounts never need one (docs/design.md).
 *
 * Nothing is sent elsewhere than to the URL: no redirect is followed, and a host that is
 * this machine is asked without a proxy.  The key goes into a header and nowhere else.
 */
#ifndef CINTA_FS_ENDPOINT_H
#define CINTA_FS_ENDPOINT_H

#include "render/format/plain.h"
#include "store/entry.h"

struct endpoint;

/*
 * The whole URL that `url` stands for: without a path it is the server's /v1/embeddings.
 * -EINVAL: it is none for us; -ENOSYS: there is no libcurl; with `why`.  Release `full`.
 * `where` gets scheme, host and port, for people.
 */
int endpoint_url(const char *url, struct buf *full, char *where, size_t size, struct why *why);

/*
 * A connection, for one thread at a time.  `url` as endpoint_url() gave it; `key` NULL:
 * none; `stop`: a descriptor, readable when nothing is to be waited for any more.
 * -ENOSYS, -ENOMEM.
 */
int endpoint_new(const char *url, const char *key, int stop, struct endpoint **out);
void endpoint_free(struct endpoint *e);

enum endpoint_end {
	ENDPOINT_DONE,    /* status 2xx */
	ENDPOINT_REFUSED, /* 400, 413 or 422: it does not want what was sent */
	ENDPOINT_SHUT,    /* a status that has nothing to do with what was sent: 401, 404, 302 */
	ENDPOINT_LATER,   /* 429: not so much at once */
	ENDPOINT_FAILED,  /* 5xx */
	ENDPOINT_LATE,    /* connected, but no whole answer within the time */
	ENDPOINT_AWAY,    /* no connection within 2 seconds */
	ENDPOINT_LARGE,   /* more than `most` bytes */
	ENDPOINT_STOPPED,
	ENDPOINT_ENDS
};

struct endpoint_answer {
	struct buf body;   /* release it */
	long status;       /* of HTTP, 0: there was none */
	int64_t retry_ms;  /* when to come again, if it says so; else 0 */
	char detail[128];  /* what libcurl says, "" if nothing */
};

/* POSTs `len` bytes of JSON; an answer has at most `most` bytes. */
enum endpoint_end endpoint_post(struct endpoint *e, const char *json, size_t len, int limit_ms,
                                size_t most, struct endpoint_answer *a);

#endif
