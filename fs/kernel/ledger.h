/* SPDX-License-Identifier: MIT */
/*
 * The requests of a mount that were read from the device and are not answered yet, in memory that
 * another process can see: when this one is dead, that one answers them (fs_refuse()).  Only where
 * connections cannot be aborted by who mounts them (connection.h).
 *
 *   read    a slot is claimed, and the kernel itself copies the request's head into it, before it
 *           counts the request as read: there is no moment in which one is missing
 *   answer  the slot is free again
 *
 * With all slots in use further requests are not in it.
 */
#ifndef CINTA_FS_LEDGER_H
#define CINTA_FS_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ledger;

/* `fd` becomes the memory's descriptor; NULL: errno says why. */
struct ledger *ledger_new(int *fd);
void ledger_free(struct ledger *l);
/* As read(2). */
ssize_t ledger_read(struct ledger *l, int device, void *buf, size_t len);
/* A request was answered.  Notifications are 0. */
void ledger_answered(struct ledger *l, uint64_t unique);
/* In the other process: answers with ECONNABORTED all there are in the memory behind `fd`. */
void ledger_refuse(int fd, int device);

#endif
