/* SPDX-License-Identifier: MIT */
/*
 * The daemon's end of the control socket.  Called by serve.c.  It must never
 * trust the socket's directory or the peer by name: owner and mode, and
 * SO_PEERCRED, decide.
 */
#include "mount/daemon/control.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mount/daemon/sockets.h"
#include "mount/daemon/wire.h"
#include "store/thread.h"

struct control {
	struct sockaddr_un address;
	int listener, stop; /* `stop` is an eventfd */
	pthread_t thread;
	struct control_calls calls;
};

static json_t *failure(const char *text)
{
	return json_pack("{s:s}", "error", text);
}

/* What a call gave: {"ok":true} or {"error":"…"}. */
static json_t *reply_of(int error, const struct why *why)
{
	if (error == 0)
		return json_pack("{s:b}", "ok", 1);
	if (!why->text[0])
		return failure(strerror(-error));
	char text[sizeof why->text + sizeof why->todo + 2];
	(void)snprintf(text, sizeof text, "%s%s%s", why->text, why->todo[0] ? "; " : "", why->todo);
	return failure(text);
}

/* False: it is no word of ours. */
static bool read_fresh(const json_t *word, enum fs_fresh *out)
{
	bool writes = json_is_string(word) && strcmp(json_string_value(word), "write") == 0;
	*out = writes ? FRESH_WRITE : json_is_true(word) ? FRESH_OPEN : FRESH_TOLD;
	return !word || writes || json_is_boolean(word);
}

static json_t *answer_mount(struct control *c, json_t *request)
{
	struct control_mount m = { .dir = NULL };
	int read_only = 0, retires = 0, nonempty = 0, noexec = 0, debug = 0, others = 0;
	json_t *fresh = NULL;
	json_int_t uid = 0, gid = 0, mask = 077;
	json_error_t e;
	if (json_unpack_ex(request, &e, 0,
	                   "{s:s, s?b, s?b, s?o, s?b, s?b, s?b, s?{s:b, s:I, s:I, s:I},"
	                   " s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s}",
	                   "dir", &m.dir, "read_only", &read_only, "retires", &retires, "fresh",
	                   &fresh, "nonempty", &nonempty, "noexec", &noexec, "debug", &debug,
	                   "access", "others", &others, "uid", &uid, "gid", &gid, "umask", &mask,
	                   "session", &m.session, "owner", &m.owner, "server", &m.server,
	                   "agent", &m.agent, "as", &m.as, "only", &m.only,
	                   "ro", &m.ro, "hide", &m.hide))
		return failure(e.text);
	if (m.dir[0] != '/')
		return failure("dir must be absolute");
	if (!read_fresh(fresh, &m.fresh))
		return failure("fresh= is not told, open or write: the running daemon knows no other");
	m.read_only = read_only;
	m.retires = retires;
	m.nonempty = nonempty;
	m.noexec = noexec;
	m.debug = debug;
	m.access = (struct fs_access){ others, (uid_t)uid, (gid_t)gid, (mode_t)mask & 077 };
	struct why why = { 0 };
	return reply_of(c->calls.mount(c->calls.ctx, &m, &why), &why);
}

static json_t *answer_rescue(struct control *c, json_t *request)
{
	json_int_t device = 0;
	const char *to = NULL;
	json_error_t e;
	if (json_unpack_ex(request, &e, 0, "{s:I, s:s}", "device", &device, "to", &to))
		return failure(e.text);
	if (to[0] != '/')
		return failure("the new file's path must be absolute");
	struct control_rescue r = { (unsigned)device, to };
	struct why why = { 0 };
	int error = c->calls.rescue(c->calls.ctx, &r, &why);
	/* So that who asks goes on to the next daemon. */
	return error == -ENODEV ? json_pack("{s:b}", "elsewhere", 1) : reply_of(error, &why);
}

static json_t *answer_status(struct control *c)
{
	struct status *st = calloc(1, sizeof *st);
	if (!st)
		return failure("out of memory");
	c->calls.status(c->calls.ctx, st);
	json_t *reply = json_pack("{s:b, s:b, s:s, s:s, s:s, s:I}", "ok", 1, "read_only",
	                          st->read_only, "trouble", st->trouble, "tokenizer", st->tokenizer,
	                          "server", st->server, "away_us", (json_int_t)st->away_us);
	free(st);
	return reply;
}

static json_t *answer_keep(struct control *c)
{
	struct control_kept kept = { 0 };
	c->calls.keep(c->calls.ctx, &kept);
	return json_pack("{s:b, s:I, s:s}", "ok", 1, "unkept", (json_int_t)kept.unkept, "why",
	                 kept.why);
}

static json_t *answer(struct control *c, json_t *request)
{
	const char *verb = json_string_value(json_object_get(request, "verb"));
	return !verb ? failure("no verb") :
		!strcmp(verb, "mount") ? answer_mount(c, request) :
		!strcmp(verb, "status") ? answer_status(c) :
		!strcmp(verb, "keep") ? answer_keep(c) :
		!strcmp(verb, "rescue") ? answer_rescue(c, request) : failure("unknown verb");
}

static void converse(struct control *c, int fd)
{
	if (!wire_peer_allowed(fd))
		return;
	json_t *request = NULL;
	int error = wire_receive(fd, WIRE_SECONDS, &request);
	json_t *reply = error ? failure("not a request of one JSON object on a line")
	                      : answer(c, request);
	if (reply)
		(void)wire_send(fd, reply);
	json_decref(request);
	json_decref(reply);
}

static void *listen_loop(void *ctx)
{
	struct control *c = ctx;
	struct pollfd fds[2] = { { c->listener, POLLIN, 0 }, { c->stop, POLLIN, 0 } };
	for (;;) {
		thread_clear();
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			break;
		if (!fds[0].revents)
			continue;
		int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		converse(c, fd);
		close(fd);
	}
	return NULL;
}

int control_start(const char *database, const struct control_calls *calls, struct control **out,
                  struct why *why)
{
	struct control *c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->calls = *calls;
	c->listener = c->stop = -1;
	int error = socket_choose(database, &c->address, why);
	if (error)
		goto out;
	error = -ENOMEM;
	c->stop = eventfd(0, EFD_CLOEXEC);
	c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->stop < 0 || c->listener < 0 ||
	    bind(c->listener, (const struct sockaddr *)&c->address, sizeof c->address) < 0 ||
	    listen(c->listener, 8) < 0) {
		error = -errno;
		goto out;
	}
	error = -pthread_create(&c->thread, NULL, listen_loop, c);
	if (error == 0) {
		*out = c;
		return 0;
	}
	(void)unlink(c->address.sun_path);
out:
	if (error && !why->text[0])
		why_set(why, "", "cannot listen for further mounts: %s", strerror(-error));
	if (c->listener >= 0)
		close(c->listener);
	if (c->stop >= 0)
		close(c->stop);
	free(c);
	return error;
}

const char *control_socket(const struct control *c)
{
	return c->address.sun_path;
}

void control_stop(struct control *c)
{
	if (!c)
		return;
	(void)eventfd_write(c->stop, 1);
	pthread_join(c->thread, NULL);
	(void)unlink(c->address.sun_path);
	close(c->listener);
	close(c->stop);
	free(c);
}
