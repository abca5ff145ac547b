/* SPDX-License-Identifier: MIT */
/*
 * The mount's own command for summaries (-o summarizer=COMMAND; cinta.5, "THE CONTEXT").
 *
 * One thread looks once a second at what the tape has got.  Two seconds after a session was
 * first written to, it takes the session's newest segments that are complete, lie before
 * the window, have no digest yet and whose messages are all active and unpinned; runs
 * the command for each, one at a time; and commits what it says as a digest (store/
 * context.h), which stands in the context in the place of the summary by rule.
 *
 * It is nobody's request, holds no lock while it works, and writes as any program does:
 * nobody waits for it.  What fails is a line in errors.log, one an hour for each reason,
 * and is not tried again for an hour; the summary by rule stays.
 */
#ifndef CINTA_FS_SUMMARIZER_H
#define CINTA_FS_SUMMARIZER_H

struct fs;
struct fs_options;

/* If `o` has a command, and something may be stored.  0, -ENOMEM or -EAGAIN. */
int summarizer_start(struct fs *fs, const struct fs_options *o);
/* Kills the command if one runs, and waits; nothing if none was started. */
void summarizer_stop(struct fs *fs);

#endif
