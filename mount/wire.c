/* SPDX-License-Identifier: MIT */
/*
 * Both ends' reading and writing of the control socket, and the asking end.
 * Called by control.c and cmd_mount.c.  It must never wait for a peer for ever.
 */
#include "mount/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "mount/control.h"

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

/* Waits for `events` until `deadline`; 0 or -errno. */
static int ready(int fd, short events, int64_t deadline)
{
	struct pollfd p = { fd, events, 0 };
	for (;;) {
		int64_t left = deadline - now_ms();
		if (left <= 0)
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

int wire_receive(int fd, json_t **out)
{
	char *text = malloc(WIRE_LIMIT);
	if (!text)
		return -ENOMEM;
	size_t len;
	int error = receive_line(fd, text, &len, now_ms() + WIRE_SECONDS * 1000);
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

static int exchange(int fd, const struct control_mount *m, struct why *why)
{
	json_t *reply = NULL;
	json_t *request = json_pack("{s:s, s:s, s:b, s:b, s:b, s:b}", "verb", "mount", "dir", m->dir,
	                            "read_only", m->read_only, "allow_other", m->allow_other,
	                            "nonempty", m->nonempty, "debug", m->debug);
	int error = -EILSEQ;
	if (!request) {
		why_set(why, "choose another name", "the mount point's name is not UTF-8");
		goto out;
	}
	error = wire_send(fd, request);
	if (error == 0)
		error = wire_receive(fd, &reply);
	if (error)
		goto out;
	if (json_is_true(json_object_get(reply, "ok")))
		goto out;
	const char *text = json_string_value(json_object_get(reply, "error"));
	why_set(why, "", "%s", text ? text : "the daemon gave no reason");
	error = -EINVAL;
out:
	if (error && !why->text[0])
		why_set(why, "see `cinta status`", "the daemon did not answer: %s",
		        strerror(-error));
	json_decref(request);
	json_decref(reply);
	return error;
}

int control_ask(const char *path, const struct control_mount *request, struct why *why)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof a.sun_path)
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int error = connect(fd, (const struct sockaddr *)&a, sizeof a) < 0 ? -errno : 0;
	/* Root may ask a user's daemon; a user believes only his own or root's. */
	if (error == 0 && geteuid() != 0 && !wire_peer_allowed(fd)) {
		why_set(why, "", "the daemon belongs to another user");
		error = -EPERM;
	}
	if (error == 0)
		error = exchange(fd, request, why);
	close(fd);
	return error;
}
