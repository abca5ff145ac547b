/* SPDX-License-Identifier: MIT */
/*
 * Search by meaning: texts and questions to vectors, through an endpoint outside
 * (-o embedding=URL; cinta.5, "SEARCH").
 *
 * One thread looks once a second at what the tape has got, and sends the texts that have
 * no vector of the model yet, a batch at a time (embedder.c).  Questions are sent by who
 * asks, and are given up after 1.5 seconds (embedder_ask.c).  What comes back is kept in the
 * store (store/vectors/vector.h), so nothing is sent twice.
 *
 * It is nobody's request, holds no lock while it works, and never waits in the way of a
 * write.  What fails is a line in errors.log, one an hour for each reason, and an alert on
 * the dashboard until the endpoint answers again; searches go by words then.
 */
#ifndef CINTA_FS_EMBEDDER_H
#define CINTA_FS_EMBEDDER_H

#include "fs/fs.h"
#include "render/render.h"

/* Questions that are sent at the same time: so many threads of a mount may wait for them. */
enum { ASKERS = 4 };

/*
 * What `o` says, if it names an endpoint; the thread, too, if something may be stored.  0, -EINVAL,
 * -ENOSYS, -ENOMEM or -EAGAIN.
 */
int embedder_start(struct fs *fs, const struct fs_options *o);
/* From now on nothing is waited for; any thread. */
void embedder_interrupt(struct fs *fs);
/* Ends the thread and frees; nothing if none was started.  Nobody asks any more. */
void embedder_stop(struct fs *fs);

/* The model in use.  False: none is configured, or its number of dimensions is not known yet. */
bool embedder_model(struct fs *fs, struct vector_model *m);
/*
 * The vector of a question, of `*m` (its name lives as long as the fs); `out` has room for
 * VECTOR_DIMS_MOST.  The store's, or else the endpoint's within 1.5 s, which is then kept.
 * -ENOENT: no endpoint is configured, or there is no text; -EAGAIN: it is not to be had now.
 * May block: no lock of the fs may be held.
 */
int embedder_question(struct fs *fs, const char *text, size_t len, float *out,
                      struct vector_model *m);

/* How it stands; false: none is configured. */
bool embedder_status(struct fs *fs, struct embedding_status *out);

#endif
