/* SPDX-License-Identifier: MIT */
/*
 * One JSON object on a line over a connected unix socket, with the limits both
 * ends keep: 64 KiB, 5 seconds.
 */
#ifndef CINTA_WIRE_H
#define CINTA_WIRE_H

#include <jansson.h>
#include <stdbool.h>

enum { WIRE_LIMIT = 64 * 1024, WIRE_SECONDS = 5 };

/* True if the process at the other end is our user's, or root's. */
bool wire_peer_allowed(int fd);
/* Waits so many seconds, 0: for ever.  0 or -errno; the caller drops the reference. */
int wire_receive(int fd, int seconds, json_t **out);
int wire_send(int fd, const json_t *object);

#endif
