/* SPDX-License-Identifier: MIT */
/*
 * Policy: what an agent's context holds now, when a topic ends, what to do about
 * memory pressure.  Pure: numbers and texts in, numbers out; no SQL, no clock, no
 * tape.  Arrays go from oldest to newest.  A turn is a message of a session.
 *
 * Called by what builds context.md and dashboard.md.  Functions that allocate return
 * 0 or STORE_ENOMEM; all others cannot fail.
 */
#ifndef CINTA_STORE_POLICY_H
#define CINTA_STORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/entry.h"
#include "store/policy/measure.h"

/* ---- parameters: the active algorithm's, or these ------------------------ */

/* The sections of smma/ that have a size of their own: 2,000, 1,500, 5,000, 3,000, 2,000 tokens. */
enum policy_section {
	SECTION_IDENTITY, SECTION_PROFILE, SECTION_PROJECT, SECTION_TASK, SECTION_NOTES, POLICY_SECTIONS
};

struct policy {
	int window, window_least, window_most; /* turns: 6, 4, 8 */
	double close, loose;       /* similarity of single turns: 0.7, 0.3 */
	double shift;              /* of 3-turn windows: 0.4 */
	int64_t gap_us;            /* silence that ends a topic: 4 h */
	int segment;               /* turns of a summary: 3 */
	int summaries;             /* slots: 4 */
	int64_t summary_tokens;    /* 50 */
	int64_t window_tokens;     /* 1,200 */
	int64_t facts_least, facts_most; /* 50, 150 tokens */
	int64_t results_tokens;    /* pending tool results: 300 */
	int64_t eager_tokens;      /* above it turns are summarised at once: 3,000 */
	int64_t total_tokens;      /* never more: 4,000 */
	int64_t block_tokens, blocks_tokens; /* of one active block, of all: 400, 900 */
	int64_t sections_tokens;   /* of all sections together; -1: a quarter of the total */
	int64_t section_max[POLICY_SECTIONS]; /* of one, in its file and in a context */
	int64_t remembered_tokens; /* of long-term memories for what is talked about: 300 */
	int64_t found_tokens;      /* of what is found; more than the total: all that is left */
	int unrepeated;            /* turns in which a fact is not said again: 3 */
	double safe;               /* share of the model's limit that is used: 0.8 */
	double threshold;          /* of pressure, per cent: 50 */
	int failures;              /* of a tool in a row: 3 */
	double same;               /* similarity of two wordings of a question: 0.85 */
	int64_t answer_us, tool_answer_us; /* how long answers live: 24 h, 1 h */
};

extern const struct policy policy_default;

struct store;
/*
 * As the active version of algorithms/context says; what it does not say, or what makes no
 * sense, is as by default.  Sees every committed entry; errors as in store.h.
 */
int store_policy(struct store *s, struct policy *out);
/* The same of such a `config`, a JSON object; for store_policy() and tests. */
void policy_set(struct policy *p, const char *config, size_t len);

/*
 * Which members of an algorithm's `config` do nothing, and why: "windw: unknown; window: not within
 * 1 to 32".  `code` is the algorithm's, `fields` a JSON object that has its config.  At most `size`
 * bytes; false: all of them act.
 */
bool policy_unused(const char *code, const char *fields, size_t len, char *out, size_t size);
/*
 * What the sections may have together when the pieces before them have `used`: sections_tokens,
 * but so much less, down to a quarter of it, that window, facts and summaries keep their shares.
 */
int64_t policy_sections_share(const struct policy *p, int64_t used);

/* What a context looks at and shows beside that; no algorithm sets these. */
enum {
	POLICY_LOOK_BACK = 40,        /* active messages looked at, */
	POLICY_LOOK_RESULTS = 20,     /* of these tools' results; older ones are passed over, */
	POLICY_LOOK_MOST = 400,       /* up to this many; */
	POLICY_LOOK_BYTES = 2 << 20,  /* after so many bytes at most */
	POLICY_LOOK_LEAST = 10,       /* messages are looked at */
	POLICY_TURN_BYTES = 64 << 10, /* of a message that are looked at */
	POLICY_NGRAM_BYTES = 2048,    /* of it, when it is compared by words */
	POLICY_TURN_TOKENS = 400,     /* most of a turn before the newest */
	/* of pinned messages; tokens of one, of all of them */
	POLICY_PINNED_MOST = 20, POLICY_PINNED_TOKENS = 120, POLICY_PINNED_ALL = 1200
};

/* ---- similarity of turns -------------------------------------------------- */

enum { NGRAM_DIMS = 1 << 14, TOPIC_SIDE = 3 /* turns on each side of a border */ };

/*
 * A text as a unit vector of hashed character 3- to 5-grams of its telling words:
 * the same on every machine, without a model.  Owned by the caller.  A text without
 * such words has the empty vector, which is all zeros and like nothing.
 */
struct ngram_vector {
	struct ngram_weight *parts; /* by `at` */
	size_t count;
};
struct ngram_weight {
	uint16_t at; /* below NGRAM_DIMS */
	float weight;
};

int ngram_vector_of(struct ngram_vector *out, const char *text, size_t len);
void ngram_vector_release(struct ngram_vector *s);
/* Cosine, 0..1; 1 for equal ones, 0 with an empty one. */
double ngram_vector_similarity(const struct ngram_vector *a, const struct ngram_vector *b);
/* The direction of some of them together. */
int ngram_vector_mean(struct ngram_vector *out, const struct ngram_vector *const *some, size_t n);

/*
 * How an embedder's cosines become the numbers of struct policy.  Straight lines
 * through (0,0), the points, (1,1); cosines below 0 are 0.
 */
enum { CALIBRATION_POINTS = 2, CALIBRATION_LEAST = 20 };
struct calibration {
	double cosine[CALIBRATION_POINTS]; /* rising */
	double means[CALIBRATION_POINTS];  /* rising */
};
/* Of n-gram vectors: of single turns, and of the means of 3 turns (bench: tests/bench/topics.c). */
extern const struct calibration calibration_turns, calibration_windows;

double policy_calibrated(const struct calibration *c, double cosine);
/*
 * An embedder's own, from the cosines of 3 turns with the next 3 within sessions (200
 * or so; sorted in place): policy->shift will fire on a tenth of such.  False: fewer than 20.
 */
bool policy_calibrate(struct calibration *out, double *cosines, size_t n, const struct policy *p);

/* ---- vectors of an embedding model, instead of n-grams ---------------------------- */

/* Of unit vectors of `dims` numbers; -1..1. */
double vector_cosine(const float *a, const float *b, int dims);
/* The direction of `n` of them together, a unit vector; false: there is none. */
bool vector_mean(float *out, const float *const *some, size_t n, int dims);

/*
 * What a model's cosines mean.  Models differ: of one, any two texts have 0.1, of another
 * 0.7.  So each is calibrated by turns that were said, as the n-gram vectors were.
 */
struct model_calibration {
	struct calibration turns, windows; /* of single turns, of the means of 3 turns */
	double same; /* from here on, two wordings may ask the same */
};
enum { CALIBRATION_TURNS_LEAST = 50, CALIBRATION_TURNS_MOST = 256 }; /* turns */
struct turn_vector {
	const float *vector;
	int64_t run; /* turns of one run follow each other */
};
/*
 * From up to CALIBRATION_TURNS_MOST turns.  STORE_ENOENT: too few of them, or all alike.  `same` is
 * policy->same, raised so far that of these turns one in a hundred at most is the same as another.
 */
int policy_calibrate_model(struct model_calibration *out, const struct policy *p,
                           const struct turn_vector *turns, size_t n, int dims);
/* policy_topic_similarity() of unit vectors. */
int policy_topic_likeness(const struct model_calibration *calibration,
                          const float *const vectors[2 * TOPIC_SIDE], int dims, double *out);

/* True if the word says little.  Lower case, no accents, no apostrophes: "dont", "asi". */
bool policy_stop_word(const char *word, size_t len);

/* ---- window ----------------------------------------------------------------- */

/*
 * How many turns the window has.  `similarities`: of each turn with the one before,
 * calibrated; the last two decide.  With fewer than two: the usual window.
 */
int policy_window(const struct policy *p, const double *similarities, size_t n);

struct policy_turn {
	int64_t tokens;
	bool pinned;
	bool shown; /* result */
};
/*
 * Which turns are in the window of `size` turns: the newest ones while window_tokens last, the
 * newest in any case, and all pinned ones; they count in tokens and not in turns.
 * Returns the tokens shown.
 */
int64_t policy_window_fit(const struct policy *p, struct policy_turn *turns, size_t n, int size);

/* ---- topics ----------------------------------------------------------------- */

enum topic_reason { TOPIC_SAME, TOPIC_PHRASE, TOPIC_DOMAIN, TOPIC_GAP, TOPIC_SIMILARITY };

/* What is known of the border between two turns. */
struct topic_border {
	bool known;           /* `similarity` is: there are 3 turns on each side */
	double similarity;    /* of the 3 turns before with the 3 after, calibrated */
	bool phrase;          /* the user said so in the first turn after (render_topic_phrase) */
	int before, after;    /* domains (render_topic_domain), 0: none */
	int64_t gap_us;       /* time between the two turns */
};
/* The first reason that holds, in the order of the enum. */
enum topic_reason policy_topic_shift(const struct policy *p, const struct topic_border *b);

/* The mean of 3 vectors with the mean of the next 3, calibrated: vectors[0..5]. */
int policy_topic_similarity(const struct ngram_vector *const vectors[2 * TOPIC_SIDE], double *out);

/* ---- segments ---------------------------------------------------------------- */

/*
 * True if message n is summarised together with message `before`, which stands before it.
 * Segments have fixed places, messages 1-3, 4-6, ..., and end early where message n begins a
 * topic: so a message stays in its segment, whatever comes later.
 */
bool policy_same_segment(const struct policy *p, int64_t before, int64_t n, bool shift);

/* Of n summaries, the first that still has a slot: older ones are not shown any more. */
size_t policy_first_summary(const struct policy *p, size_t n);

/* ---- the hard total ------------------------------------------------------------ */

/* In the order in which they go when the context is over its budget. */
enum part_kind {
	PART_FOUND,   /* last first */
	PART_MEMORY,  /* last first: they come by score */
	PART_SUMMARY, /* oldest first */
	PART_WINDOW,  /* oldest first; the newest turn stays until the sections are gone */
	PART_RESULT,  /* oldest first */
	PART_FACT,    /* last first: they come by relevance */
	PART_SECTION, /* last first */
	PART_BLOCK    /* last first: they come by priority */
};
struct policy_part {
	enum part_kind kind;
	int64_t tokens; /* 0 or more; of the newest turn also a result: what it is cut down to */
	int64_t least;  /* of it: not below this; as many as tokens: not at all */
	bool pinned;    /* never goes */
	bool cut;       /* result */
};
/* Sets `cut`, and `tokens`, until what remains is at most `budget`.  Returns what remains. */
int64_t policy_cut(struct policy_part *parts, size_t n, int64_t budget);

/* True if turns must be summarised now, though the window has room.  `total`: of the context. */
bool policy_is_eager(const struct policy *p, int64_t total);

struct policy_fact {
	int64_t tokens;
	bool relevant; /* of the domain that is talked about */
	bool shown;    /* result */
};
/*
 * Which facts are shown, best first: the relevant ones while facts_most lasts; if that is
 * less than facts_least, others up to facts_least.  Returns their tokens.
 */
int64_t policy_facts_fit(const struct policy *p, struct policy_fact *facts, size_t n);

/* A hit of a search, for a page. */
struct policy_found {
	int64_t group;  /* hits under one heading; the number of its best hit */
	int64_t n;      /* its place in the group */
	int64_t tokens; /* as it is printed */
	int64_t head;   /* of its group's heading */
	bool shown;     /* result */
};
/*
 * Which hits are shown, best first: all that fit into `budget` with the headings of their groups;
 * one that is too long leaves its place to those behind it.  Returns their tokens.
 */
int64_t policy_found_fit(struct policy_found *hits, size_t n, int64_t budget);
/* Puts them in the order of a page: the group with the best hit first, each by its places. */
void policy_found_order(struct policy_found **hits, size_t n);

/*
 * What each pending result of a tool may have of results_tokens, oldest first: equal shares, and
 * what one does not need is for those after it.  0: it is not shown.
 */
void policy_results_share(const struct policy *p, const int64_t *tokens, size_t n,
                          int64_t *share);

/* ---- what is not repeated within a session --------------------------------------- */

/* The fact was last seen in turn `seen` (0: never); the context is for turn `now`. */
bool policy_omits_fact(const struct policy *p, int64_t now, int64_t seen);
/* A tool's full description, when it was used this often in the session. */
bool policy_omits_tool(int64_t uses);
/* What is known of the assistant's output before (render_output_check). */
struct policy_output {
	bool exists;
	bool valid;     /* it was accepted: nobody said that it was wrong */
	bool structure; /* its structure was checked and is right */
	bool parsed;    /* whoever parsed it had no error */
};
/* Instructions about format: only after an output that was all of that. */
bool policy_omits_format(const struct policy_output *before);
/* Examples: only when the first answer of the session was right. */
bool policy_omits_examples(const struct policy_output *first);

/* ---- what is retired ------------------------------------------------------------- */

/* What is known of a thing; what does not apply is 0.  All pages and searches ask this. */
struct policy_thing {
	bool pruned;              /* a message, seen from its own session */
	const char *status;       /* a document's; NULL or "": active */
	int64_t expires_us;       /* 0: never */
	bool replaced;            /* another document or fact stands for it */
	bool is_fact, retracted;  /* the next two are a fact's as well */
	enum confidence confidence;
	int64_t confirmed_us;
};
/*
 * An unconfirmed fact is stale after more than so many days; before, a medium and a low one are
 * aged after as many.  A status that is not known is inactive.
 */
enum { FACT_LOW_DAYS = 30, FACT_MEDIUM_DAYS = 90, FACT_STALE_DAYS = 180 };
enum life policy_life(const struct policy_thing *t, int64_t now_us);

/* ---- pressure --------------------------------------------------------------------- */

enum pressure_level {
	PRESSURE_LOW,     /* up to the threshold */
	PRESSURE_MEDIUM,  /* above it */
	PRESSURE_HIGH,    /* above 70 %, or the threshold if that is more */
	PRESSURE_CRITICAL /* above the safe limit */
};
struct pressure {
	int64_t used, safe; /* tokens */
	double percent;     /* used / safe */
	enum pressure_level level;
};
struct pressure policy_pressure(const struct policy *p, int64_t used, int64_t model_limit);
const char *policy_level_name(enum pressure_level level); /* "low" */

/* A message of the session, in order; those that a summary hides are one in the place of all. */
struct policy_message {
	int64_t id;
	int64_t tokens;
	bool pinned;
	bool kept;        /* a person did: an agent cannot unpin it */
	bool pruned;      /* not active; a summary may cover it */
	bool hidden;      /* not active: a summary covers it and those after it */
	bool covered;     /* active beside its summary: may be pruned, never summarised again */
	const char *tool; /* whose result it is, NULL: none */
	bool failed;      /* the tool did */
};

/* What an agent's memory holds, for policy_advise(). */
struct policy_held {
	const struct policy_message *messages;
	size_t count;
	bool whole;             /* these are all from the first on, but for what summaries hide */
	int64_t summary_tokens; /* of all summaries there are */
	const int64_t *files;   /* tokens of each file that may be put elsewhere */
	size_t file_count;
	int64_t stale, expiring; /* facts */
};

enum advice_kind {
	ADVICE_NONE, ADVICE_SUMMARIZE, ADVICE_PRUNE, ADVICE_RESET, ADVICE_FILE, ADVICE_UNPIN,
	ADVICE_SESSION, ADVICE_FAILURES, ADVICE_FACTS
};
enum { ADVICE_MOST = 3, ADVICE_RANGES = 8 };
struct advice {
	enum advice_kind kind;
	/* SUMMARIZE, PRUNE, UNPIN: one range of ids; RESET: what to summarise after it. */
	struct context_range range[ADVICE_RANGES];
	int ranges;
	int64_t saves;       /* tokens, if each summary has summary_tokens; not of FACTS */
	size_t file;         /* FILE: its index */
	const char *tool;    /* FAILURES: its name, borrowed from the messages */
	int64_t stale, expiring; /* FACTS: how many */
};
/*
 * What to do, most urgent first; returns how many (0: go on).  Above the threshold there is always
 * one, the first of these that saves anything: summarise old messages; prune what is too short for
 * that; write the summaries anew, fewer of them; put a file elsewhere; unpin and prune; begin a new
 * session.  The last window_least messages stay as long as anything else helps.  Then: prune the
 * results of a tool that failed 3 times in a row; look at facts that are stale or will be.
 */
size_t policy_advise(const struct policy *p, const struct pressure *now,
                     const struct policy_held *held, struct advice out[ADVICE_MOST]);
/*
 * Marks in `failed` (n of them) the active unpinned failures of tools that failed `failures` times
 * or more in a row; other tools' results between do not matter.  Returns how many.
 */
size_t policy_failures(const struct policy *p, const struct policy_message *messages, size_t n,
                       bool *failed);

/* ---- answers -------------------------------------------------------------------------- */

/* True if an answer given at `answered_us` still holds: never one from the future. */
bool policy_answer_holds(const struct policy *p, int64_t answered_us, int64_t now_us, bool of_tool);

#endif
