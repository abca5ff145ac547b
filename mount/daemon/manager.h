/* SPDX-License-Identifier: MIT */
/*
 * The service manager that started us, if one did: systemd, or whoever speaks its protocol of
 * sd_notify(3), datagrams to the socket that NOTIFY_SOCKET names.  It is told when the mount
 * answers, when we stop, and, if it asked for it, every so often that the mount still answers.
 */
#ifndef CINTA_MANAGER_H
#define CINTA_MANAGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct manager {
	struct sockaddr_un address;
	socklen_t size;     /* of the address; 0: there is no manager */
	int64_t every_ms;   /* how often it wants to hear; 0: never */
	const char *dir;    /* the mount that is looked at */
	pthread_t thread;
	int stop;           /* an eventfd; -1: the thread does not run */
};

/*
 * Who it is, from the environment.  Its variables are for this process alone: they are taken out,
 * so call it before there is a thread.
 */
void manager_find(struct manager *m);
/* "NAME=VALUE" lines; nothing happens without a manager, and nobody waits for it. */
void manager_say(const struct manager *m, const char *state);
/*
 * The mount on `dir`, which outlives the watch, is up: says so, and from now on, if the manager
 * wants to hear it, that the mount answers.  0 or -errno: then it does not look.
 */
int manager_ready(struct manager *m, const char *dir);
/*
 * Looks no more.  After the unmount: a look that waits for an answer ends with the mount.
 */
void manager_end(struct manager *m);

#endif
