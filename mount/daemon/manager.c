/* SPDX-License-Identifier: MIT */
/*
 * What a service manager is told.  Called by serve.c when the process stays in front.  A mount that
 * does not answer is not reported as alive; ending us is then the manager's part.
 */
#include "mount/daemon/manager.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mount/point/point.h"
#include "store/thread.h"

/* sd_watchdog_enabled(3): microseconds, for the process of that id or for whoever reads it. */
static int64_t watch_interval(void)
{
	const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	int64_t n = us ? strtoll(us, NULL, 10) : 0;
	if (n <= 0 || n > INT64_C(86400000000) || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return n / 3000 > 0 ? n / 3000 : 1; /* three times: one may come late */
}

void manager_find(struct manager *m)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	*m = (struct manager){ .stop = -1 };
	if (len > 1 && len < sizeof m->address.sun_path && (path[0] == '/' || path[0] == '@')) {
		m->address.sun_family = AF_UNIX;
		memcpy(m->address.sun_path, path, len);
		if (path[0] == '@') /* of the abstract namespace: without a NUL at its end */
			m->address.sun_path[0] = '\0';
		m->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (path[0] == '/'));
		m->every_ms = watch_interval();
	}
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
	(void)unsetenv("WATCHDOG_PID");
}

void manager_say(const struct manager *m, const char *state)
{
	int fd = m->size ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
	             (const struct sockaddr *)&m->address, m->size);
	close(fd);
}

static void *watch(void *ctx)
{
	struct manager *m = ctx;
	struct pollfd p = { m->stop, POLLIN, 0 };
	/* Unmounted while another mount lives (ENODEV) is as good as answered. */
	while (poll(&p, 1, (int)m->every_ms) == 0) {
		if (mount_probe(m->dir, (int)m->every_ms) != -ETIMEDOUT)
			manager_say(m, "WATCHDOG=1");
		thread_clear();
	}
	return NULL;
}

int manager_ready(struct manager *m, const char *dir)
{
	char text[4200];
	(void)snprintf(text, sizeof text, "READY=1\nSTATUS=mounted on %s", dir);
	manager_say(m, text);
	if (!m->every_ms)
		return 0;
	m->dir = dir;
	m->stop = eventfd(0, EFD_CLOEXEC);
	int error = m->stop < 0 ? -errno : -pthread_create(&m->thread, NULL, watch, m);
	if (error && m->stop >= 0) {
		close(m->stop);
		m->stop = -1;
	}
	return error;
}

void manager_end(struct manager *m)
{
	if (m->stop < 0)
		return;
	(void)eventfd_write(m->stop, 1);
	pthread_join(m->thread, NULL);
	close(m->stop);
	m->stop = -1;
}
