/* SPDX-License-Identifier: MIT */
/* A tape somewhere else, in memory: numbers, chains and hashes entries as a server does, and fails as told. */
#ifndef CINTA_FAKE_ENGINE_H
#define CINTA_FAKE_ENGINE_H

#include "store/base/chain.h"
#include "store/store.h"
#include "store/tape/engine.h"

enum { FAKE_ROWS = 400 };

struct fake_row {
	struct entry e;
	char stream[64], kind[64], author[64];
	uint8_t salt[SALT_SIZE];
	char *body;
};

/* What is there; several engines may ask it. */
struct fake_tape {
	char origin[FIELD_MAX + 1];
	struct fake_row row[FAKE_ROWS];
	int64_t next;
	char note[NOTE_OWN_SIZE];
	int64_t noted;
};

struct fake {
	struct engine engine;
	struct fake_tape *tape;
	bool away;            /* cannot be reached */
	bool blind;           /* does not say how many entries there are */
	bool splits;          /* the next append is sent, and the tape found to be another one's */
	bool no_answer;       /* the next append stores, or not, and does not answer */
	bool stores;          /* … it does */
	bool few;             /* answers of append bring no rows */
	int appends, heads;   /* times asked */
	int shows, unseens;   /* so, too */
	int64_t shown;        /* what it said last, -1: nothing */
	int laggards;         /* unseen() counts one so many times */
	struct fake_tape *comes; /* show() has an entry come there once */
	bool pending;
	int64_t settled;      /* what settle() will say */
};

/* The engine is the store's that takes it. */
struct engine *fake_new(struct fake_tape *t, struct fake **out);
/* An entry that comes from elsewhere. */
void fake_append(struct fake_tape *t, const char *stream, const char *kind, const char *body);
void fake_release(struct fake_tape *t);

#endif
