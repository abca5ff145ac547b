/* SPDX-License-Identifier: MIT */
/*
 * The door of plots: the numbers of each, fetched from the views.  `cinta plot` draws them, and the
 * pages of `.cinta/html/` do.  What a plot costs depends on what it shows: days, or the newest
 * sessions, and not on how many entries there are.
 */
#ifndef CINTA_FS_PLOTS_H
#define CINTA_FS_PLOTS_H

#include "fs/base/base.h"
#include "fs/fs.h"
#include "render/render.h"

enum { SERIES_SESSIONS = 24, SERIES_POINTS = 366, SERIES_WEEKS = 16 };

/* A plot with what it points at. */
struct series {
	struct plot plot;
	struct plot_row *row; /* plot.row */
	size_t room;
};
/* Release in every case.  0 or a negative errno. */
int series_make(struct fs *fs, enum fs_plot which, struct series *out);
void series_release(struct series *s);

/* Live facts by how long ago they were confirmed. */
enum { FACT_AGES = 5, FACT_SOON_DAYS = 30 };
struct fact_ages {
	int64_t count[FACT_AGES][CONFIDENCE_HIGH + 1]; /* the fresh ones first, the last are stale */
	int64_t live, soon; /* all; those that are stale in FACT_SOON_DAYS */
};
int fact_ages(struct fs *fs, struct fact_ages *out);

#endif
