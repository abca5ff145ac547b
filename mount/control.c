/* SPDX-License-Identifier: MIT */
/*
 * The daemon's end of the control socket.  Called by serve.c.  It must never
 * trust the socket's directory or the peer by name: owner and mode, and
 * SO_PEERCRED, decide.
 */
#include "mount/control.h"

#include <errno.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mount/wire.h"

struct control {
	struct sockaddr_un address;
	int listener, stop; /* `stop` is an eventfd */
	pthread_t thread;
	control_fn *fn;
	void *ctx;
};

/* A directory that only we can have put the socket into. */
static int own_directory(const char *path)
{
	struct stat st;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return -EPERM;
	return 0;
}

/* <dir>/<16 hex of SHA-256 of the database's path>.sock */
static int choose_name(const char *database, struct sockaddr_un *a, struct why *why)
{
	uint8_t hash[EVP_MAX_MD_SIZE];
	if (!EVP_Digest(database, strlen(database), hash, NULL, EVP_sha256(), NULL))
		return -EIO;
	char name[32], dir[256];
	for (int i = 0; i < 8; i++)
		(void)snprintf(name + 2 * i, 3, "%02x", hash[i]);
	const char *run = getenv("XDG_RUNTIME_DIR");
	size_t room = sizeof a->sun_path - sizeof "/cinta/0123456789abcdef.sock";
	int error = -ENOENT;
	if (run && run[0] == '/' && strlen(run) <= room) {
		(void)snprintf(dir, sizeof dir, "%s/cinta", run);
		error = own_directory(dir);
	}
	/* A runtime directory kept from another login may be gone or not ours. */
	if (error) {
		(void)snprintf(dir, sizeof dir, "/tmp/cinta-%u", (unsigned)geteuid());
		error = own_directory(dir);
	}
	if (error) {
		why_set(why, "remove it or set XDG_RUNTIME_DIR",
		        "%s cannot hold the control socket: %s", dir, strerror(-error));
		return error;
	}
	a->sun_family = AF_UNIX;
	int n = snprintf(a->sun_path, sizeof a->sun_path, "%s/%s.sock", dir, name);
	return n < 0 || (size_t)n >= sizeof a->sun_path ? -ENAMETOOLONG : 0;
}

static json_t *failure(const char *text)
{
	return json_pack("{s:s}", "error", text);
}

static json_t *answer(struct control *c, json_t *request)
{
	const char *verb = NULL, *dir = NULL;
	int read_only = 0, allow_other = 0, nonempty = 0, debug = 0;
	json_error_t e;
	if (json_unpack_ex(request, &e, 0, "{s:s, s:s, s?b, s?b, s?b, s?b}", "verb", &verb, "dir",
	                   &dir, "read_only", &read_only, "allow_other", &allow_other, "nonempty",
	                   &nonempty, "debug", &debug))
		return failure(e.text);
	if (strcmp(verb, "mount"))
		return failure("unknown verb");
	if (dir[0] != '/')
		return failure("dir must be absolute");
	struct control_mount m = { dir, read_only, allow_other, nonempty, debug };
	struct why why = { 0 };
	int error = c->fn(c->ctx, &m, &why);
	if (error == 0)
		return json_pack("{s:b}", "ok", 1);
	if (!why.text[0])
		return failure(strerror(-error));
	char text[sizeof why.text + sizeof why.todo + 2];
	(void)snprintf(text, sizeof text, "%s%s%s", why.text, why.todo[0] ? "; " : "", why.todo);
	return failure(text);
}

static void converse(struct control *c, int fd)
{
	if (!wire_peer_allowed(fd))
		return;
	json_t *request = NULL;
	int error = wire_receive(fd, &request);
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

int control_start(const char *database, control_fn *fn, void *ctx, struct control **out,
                  struct why *why)
{
	struct control *c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->fn = fn;
	c->ctx = ctx;
	c->listener = c->stop = -1;
	int error = choose_name(database, &c->address, why);
	if (error)
		goto out;
	/* We hold the database's lock, so a socket of that name is a dead one's. */
	(void)unlink(c->address.sun_path);
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
