/* SPDX-License-Identifier: MIT */
/*
 * What users say for good ("remember that …", "prefiero …") becomes facts, a
 * moment after the message is stored, never in the way of a write.
 */
#ifndef CINTA_SIGNALS_H
#define CINTA_SIGNALS_H

struct fs;
struct job;

/*
 * Reads on from where it was, some entries at a time; adds notices of the lists
 * that changed to `job`.  Called by one thread.
 */
void signals_read(struct fs *fs, struct job *job);

#endif
