/* SPDX-License-Identifier: MIT */
/*
 * Both ends' reading and writing of the control socket, and the asking end.
 * Called by control.c, cmd_mount.c, cmd_umount.c and cmd_status.c.  It must never wait for a peer
 * for ever.
 */
#include "mount/daemon/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mount/daemon/control.h"
#include "mount/daemon/sockets.h"

enum { KEEP_SECONDS = 30 }; /* for half a gigabyte, on a disk that others use */

bool wire_peer_allowed(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	return peer.uid == geteuid() || peer.uid == 0;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for `events` until `deadline`, 0: for ever; 0 or -errno. */
static int ready(int fd, short events, int64_t deadline)
{
	struct pollfd p = { fd, events, 0 };
	for (;;) {
		int64_t left = deadline ? deadline - now_ms() : -1;
		if (deadline && left <= 0)
			return -ETIMEDOUT;
		int n = poll(&p, 1, (int)left);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int receive_line(int fd, char *text, size_t *len, int64_t deadline)
{
	*len = 0;
	for (;;) {
		int error = ready(fd, POLLIN, deadline);
		if (error)
			return error;
		ssize_t n = recv(fd, text + *len, WIRE_LIMIT - *len, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		char *newline = memchr(text + *len, '\n', (size_t)n);
		*len += (size_t)n;
		if (newline) {
			*len = (size_t)(newline - text);
			return 0;
		}
		if (*len == WIRE_LIMIT)
			return -EMSGSIZE;
	}
}

int wire_receive(int fd, int seconds, json_t **out)
{
	char *text = malloc(WIRE_LIMIT);
	if (!text)
		return -ENOMEM;
	size_t len;
	int error = receive_line(fd, text, &len, seconds ? now_ms() + seconds * 1000 : 0);
	if (error == 0) {
		*out = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
		error = json_is_object(*out) ? 0 : -EINVAL;
	}
	free(text);
	return error;
}

int wire_send(int fd, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	if (!text)
		return -EINVAL;
	size_t len = strlen(text), at = 0;
	text[len++] = '\n'; /* in place of the NUL: the length travels with it */
	int64_t deadline = now_ms() + WIRE_SECONDS * 1000;
	int error = len > WIRE_LIMIT ? -EMSGSIZE : 0;
	while (error == 0 && at < len) {
		error = ready(fd, POLLOUT, deadline);
		if (error)
			break;
		ssize_t n = send(fd, text + at, len - at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			at += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			error = -errno;
	}
	free(text);
	return error;
}

/*
 * Sends `request` and takes the answer, a reference of the caller's, or NULL; -EINVAL: a refusal;
 * -ENODEV: what is asked for is another daemon's.
 */
static int exchange(int fd, const json_t *request, int seconds, json_t **reply, struct why *why)
{
	int error = wire_send(fd, request);
	if (error == 0)
		error = wire_receive(fd, seconds, reply);
	if (error) {
		why_set(why, "see `cinta status`", "the daemon did not answer: %s", strerror(-error));
		return error;
	}
	if (json_is_true(json_object_get(*reply, "elsewhere")))
		return -ENODEV;
	if (json_is_true(json_object_get(*reply, "ok")))
		return 0;
	const char *text = json_string_value(json_object_get(*reply, "error"));
	why_set(why, "", "%s", text ? text : "the daemon gave no reason");
	return -EINVAL;
}

/*
 * Takes the reference of `request`, NULL: a name in it is not UTF-8.  `reply` is set to an answer
 * or to NULL, whatever is returned.
 */
static int ask(const char *path, json_t *request, int seconds, json_t **reply, struct why *why)
{
	*reply = NULL;
	if (!request) {
		why_set(why, "choose another name", "the name is not UTF-8");
		return -EILSEQ;
	}
	int fd = socket_connect(path), error = fd < 0 ? fd : 0;
	/* Root may ask a user's daemon; a user believes only his own or root's. */
	if (error == 0 && geteuid() != 0 && !wire_peer_allowed(fd)) {
		why_set(why, "", "the daemon belongs to another user");
		error = -EPERM;
	}
	if (error == 0)
		error = exchange(fd, request, seconds, reply, why);
	if (fd >= 0)
		close(fd);
	json_decref(request);
	return error;
}

int control_ask(const char *path, const struct control_mount *m, struct why *why)
{
	json_t *reply, *request = json_pack(
		"{s:s, s:s, s:b, s:b, s:o, s:b, s:b, s:b, s:{s:b, s:I, s:I, s:I}, s:s*, s:s*, s:s*,"
		" s:s*, s:s*, s:s*, s:s*, s:s*}",
		"verb", "mount", "dir", m->dir, "read_only", m->read_only, "retires", m->retires,
		"fresh", m->fresh == FRESH_WRITE ? json_string("write") :
			json_boolean(m->fresh == FRESH_OPEN),
		"nonempty", m->nonempty, "noexec", m->noexec, "debug", m->debug,
		"access", "others", m->access.others, "uid", (json_int_t)m->access.uid,
		"gid", (json_int_t)m->access.gid, "umask", (json_int_t)m->access.umask,
		"session", m->session, "owner", m->owner, "server", m->server, "agent", m->agent,
		"as", m->as, "only", m->only, "ro", m->ro, "hide", m->hide);
	int error = ask(path, request, WIRE_SECONDS, &reply, why);
	json_decref(reply);
	if (error == -EINVAL && m->fresh == FRESH_WRITE && strstr(why->text, "got string"))
		why_set(why, "unmount all of its mounts, then mount anew; or take fresh=open",
		        "the daemon that runs is of an earlier version: it has told and open, not"
		        " fresh=write");
	return error;
}

int control_status(const char *path, struct status *st, struct why *why)
{
	const char *trouble, *tokenizer, *server = "";
	int read_only;
	json_int_t away_us = 0;
	json_t *reply;
	int error = ask(path, json_pack("{s:s}", "verb", "status"), WIRE_SECONDS, &reply, why);
	if (error == 0 && json_unpack(reply, "{s:b, s:s, s:s, s?:s, s?:I}", "read_only", &read_only,
	                              "trouble", &trouble, "tokenizer", &tokenizer, "server", &server,
	                              "away_us", &away_us))
		error = -EPROTO; /* an older daemon */
	if (error == 0) {
		st->read_only = read_only;
		(void)snprintf(st->trouble, sizeof st->trouble, "%s", trouble);
		(void)snprintf(st->tokenizer, sizeof st->tokenizer, "%s", tokenizer);
		(void)snprintf(st->server, sizeof st->server, "%s", server);
		st->away_us = away_us;
	}
	json_decref(reply);
	return error;
}

int control_keep(const char *path, struct control_kept *out, struct why *why)
{
	const char *text;
	json_int_t unkept;
	json_t *reply;
	int error = ask(path, json_pack("{s:s}", "verb", "keep"), KEEP_SECONDS, &reply, why);
	if (error == 0 && json_unpack(reply, "{s:I, s:s}", "unkept", &unkept, "why", &text))
		error = -EPROTO;
	if (error == 0) {
		out->unkept = unkept;
		(void)snprintf(out->why, sizeof out->why, "%s", text);
	}
	json_decref(reply);
	return error;
}

int control_ask_rescue(const char *path, const struct control_rescue *r, struct why *why)
{
	json_t *reply, *request = json_pack("{s:s, s:I, s:s}", "verb", "rescue", "device",
		(json_int_t)r->device, "to", r->to);
	int error = ask(path, request, 0, &reply, why);
	json_decref(reply);
	return error;
}
