/* SPDX-License-Identifier: MIT */
/*
 * How fast a search is: `search MESSAGES [SESSIONS [DIR]]` makes a memory of that many messages of
 * about 236 bytes, whose words follow Zipf's law with real stop words on top, builds the index, and
 * asks for 1 to 5 words and whole sentences, within a session, by an author, and over everything.
 * Beside it, rg (or grep) counts the lines of one file of the same text that hold any of the words.
 * Times are milliseconds: p50 p90 p99.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"

enum { WORDS = 60000, BATCH = 500, QUERIES = 200, GREPS = 20, MOST_WORDS = 12 };

static const char *const common[] = {
	"the", "to", "and", "of", "a", "in", "is", "it", "you", "that", "was", "for", "on", "are", "with",
	"as", "i", "his", "they", "be", "at", "have", "this", "from", "or", "had", "by", "but", "some",
	"what", "there", "we", "can", "out", "other", "were", "all", "your", "when", "up", "how", "an",
	"each", "she", "which", "do", "their", "if", "will", "about", "so", "would", "has", "him", "her",
	"my", "me", "our", "not", "no", "just", "been", "more", "into", "who", "its", "now", "than"
};
enum { COMMON = sizeof common / sizeof *common };

struct world {
	char *word[WORDS];
	double upto[WORDS]; /* cumulated share of each word */
	uint64_t seed;
	struct store *s;
	FILE *text;
	int64_t bytes, sessions;
	long count;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "search: %s: %s\n", what, why);
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double chance(struct world *w)
{
	w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(w->seed >> 11) / (double)(UINT64_C(1) << 53);
}

static void make_words(struct world *w)
{
	static const char *const syllables[] = { "ba", "ke", "li", "mo", "ru", "tan", "ver", "sil", "pro",
		"den", "gar", "nis", "cho", "fel", "zu", "min" };
	double sum = 0;
	for (int i = 0; i < WORDS; i++) {
		char name[64] = "";
		for (int k = i + 16; i >= COMMON && k > 0; k /= 16)
			(void)snprintf(name + strlen(name), sizeof name - strlen(name), "%s", syllables[k % 16]);
		w->word[i] = strdup(i < COMMON ? common[i] : name);
		sum += 1 / pow(i + 2.7, 1.07);
		w->upto[i] = sum;
	}
	for (int i = 0; i < WORDS; i++)
		w->upto[i] /= sum;
}

static const char *draw(struct world *w)
{
	double p = chance(w);
	int low = 0, high = WORDS - 1;
	while (low < high) {
		int mid = (low + high) / 2;
		if (w->upto[mid] < p)
			low = mid + 1;
		else
			high = mid;
	}
	return w->word[low];
}

static size_t text_size(const struct entry *e)
{
	return e->body_len + 1;
}

/* ---- filling --------------------------------------------------------------------- */

static void make_body(struct world *w, char *body, size_t size)
{
	static const char *const roles[] = { "user", "assistant" };
	size_t from = (size_t)snprintf(body, size, "{\"role\":\"%s\",\"content\":\"", roles[w->count++ & 1]);
	size_t at = from;
	while (at < from + 228)
		at += (size_t)snprintf(body + at, size - at, "%s%s", at > from ? " " : "", draw(w));
	w->bytes += (int64_t)(at - from);
	fprintf(w->text, "%.*s\n", (int)(at - from), body + from);
	(void)snprintf(body + at, size - at, "\",\"token_count\":50}");
}

static void make_sessions(struct world *w)
{
	for (int64_t i = 1; i <= w->sessions; i++) {
		char name[32], body[64];
		int64_t id;
		(void)snprintf(name, sizeof name, "bench%lld", (long long)i);
		int len = snprintf(body, sizeof body, "{\"name\":\"%s\"}", name);
		if (store_session_make(w->s, name, body, (size_t)len, "bench", &id))
			die(name, "cannot be made");
	}
}

/* Appends `count` messages, `each` a transaction; messages a second. */
static double append(struct world *w, long count, long each)
{
	static char bodies[BATCH][512], streams[BATCH][24], authors[BATCH][24];
	struct draft drafts[BATCH];
	double spent = 0;
	for (long done = 0; done < count; done += each) {
		for (long i = 0; i < each; i++) {
			int64_t session = 1 + (int64_t)(chance(w) * (double)w->sessions);
			make_body(w, bodies[i], sizeof bodies[i]);
			store_session_stream(session, streams[i]);
			(void)snprintf(authors[i], sizeof authors[i], "agent%d", (int)(chance(w) * 1000));
			drafts[i] = (struct draft){ streams[i], "message", authors[i], bodies[i], strlen(bodies[i]) };
		}
		struct append a = { .drafts = drafts, .count = (size_t)each, .expect = -1 };
		double start = now();
		int err = store_append_wait(w->s, &a);
		spent += now() - start;
		if (err)
			die("append", store_strerror(err));
	}
	return (double)count / spent;
}

/* ---- asking ------------------------------------------------------------------------- */

enum scope { EVERYTHING, SESSION, AUTHOR };

static int count_hit(void *ctx, const struct search_hit *h)
{
	(void)h;
	++*(long *)ctx;
	return 0;
}

static bool is_common(const char *word)
{
	for (int i = 0; i < COMMON; i++)
		if (strcmp(common[i], word) == 0)
			return true;
	return false;
}

/* `words` words that are not common, or with 0 a whole sentence as it was drawn. */
static void make_question(struct world *w, int words, char *out, size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (int i = 0; i < (words ? words : MOST_WORDS); i++) {
		const char *word = draw(w);
		while (words && is_common(word))
			word = draw(w);
		at += (size_t)snprintf(out + at, size - at, "%s%s", at ? " " : "", word);
	}
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void tell(const char *name, double *ms, int count, long hits)
{
	qsort(ms, (size_t)count, sizeof *ms, by_time);
	printf("%-34s %8.2f %8.2f %8.2f   %5.1f hits\n", name, ms[count / 2], ms[count * 9 / 10],
	       ms[count * 99 / 100], (double)hits / count);
	fflush(stdout);
}

static void ask(struct world *w, enum scope scope, int words)
{
	static const char *const scopes[] = { "everything", "one session", "one author" };
	double ms[QUERIES];
	long hits = 0;
	char name[64];
	for (int i = 0; i < QUERIES; i++) {
		char text[1024], by[24];
		struct search_query q = { .words = text };
		make_question(w, words, text, sizeof text);
		(void)snprintf(by, sizeof by, "agent%d", (int)(chance(w) * 1000));
		q.session = scope == SESSION ? 1 + (int64_t)(chance(w) * (double)w->sessions) : 0;
		q.by = scope == AUTHOR ? by : NULL;
		double start = now();
		int err = store_search(w->s, &q, count_hit, &hits);
		ms[i] = (now() - start) * 1e3;
		if (err)
			die(text, store_strerror(err));
	}
	(void)snprintf(name, sizeof name, words ? "%s, %d words" : "%s, a sentence", scopes[scope], words);
	tell(name, ms, QUERIES, hits);
}

static void grep(struct world *w, const char *file, int words)
{
	bool rg = system("command -v rg >/dev/null 2>&1") == 0;
	double ms[GREPS];
	char name[64];
	for (int i = 0; i < GREPS; i++) {
		char text[1024], command[2048];
		make_question(w, words, text, sizeof text);
		size_t at = (size_t)snprintf(command, sizeof command, "LC_ALL=C %s -c -i -F", rg ? "rg" : "grep");
		for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
			at += (size_t)snprintf(command + at, sizeof command - at, " -e %s", word);
		/* Straight to /dev/null, grep would stop at the first line. */
		(void)snprintf(command + at, sizeof command - at, " '%s' | cat > /dev/null", file);
		double start = now();
		if (system(command) > 256)
			die(command, "failed");
		ms[i] = (now() - start) * 1e3;
	}
	(void)snprintf(name, sizeof name, "%s, %d words", rg ? "rg" : "grep", words);
	tell(name, ms, GREPS, 0);
}

static void build(struct world *w, const char *path)
{
	char index[600];
	struct stat st;
	long hits = 0;
	struct search_query q = { .words = "nothing" };
	double start = now();
	if (store_catch_up(w->s))
		die("views", "do not catch up");
	double views = now();
	int err = store_search(w->s, &q, count_hit, &hits);
	if (err)
		die("index", store_strerror(err));
	double spent = now() - views;
	(void)snprintf(index, sizeof index, "%s.search", path);
	if (stat(index, &st))
		die(index, "is not there");
	printf("views of %ld messages in %.1f s, index in %.1f s: %.0f a second\n", w->count,
	       views - start, spent, (double)w->count / spent);
	printf("index %.1f MB, text %.1f MB: %.2f\n", (double)st.st_size / 1e6, (double)w->bytes / 1e6,
	       (double)st.st_size / (double)w->bytes);
}

/* Until nothing is left to do behind our back. */
static void rest(struct world *w)
{
	if (store_catch_up(w->s) || store_sign(w->s) || store_sync(w->s))
		die("store", "does not come to rest");
	(void)sleep(1);
}

int main(int argc, char **argv)
{
	struct world *w = calloc(1, sizeof *w);
	long messages = argc > 1 ? strtol(argv[1], NULL, 10) / BATCH * BATCH : 0;
	char dir[400], path[500], file[500], keys[500], command[600];
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE | STORE_OWNER, .origin = "cinta/bench",
		.key_dir = keys, .text_size = text_size };
	if (!w || messages <= 0)
		die("usage", "search MESSAGES [SESSIONS [DIR]]");
	(void)snprintf(dir, sizeof dir, "%.300s/search-XXXXXX", argc > 3 ? argv[3] : "/var/tmp");
	if (!mkdtemp(dir))
		die(dir, "cannot be made");
	(void)snprintf(path, sizeof path, "%s/memory.db", dir);
	(void)snprintf(file, sizeof file, "%s/text", dir);
	(void)snprintf(keys, sizeof keys, "%s/keys", dir);
	(void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
	w->seed = 7;
	w->sessions = argc > 2 ? strtol(argv[2], NULL, 10) : messages >= 1000 ? messages / 1000 : 1;
	w->text = fopen(file, "w");
	if (!w->text || store_open(path, &config, &w->s, &why))
		die(path, why.text);
	make_words(w);
	make_sessions(w);
	append(w, messages > 20000 ? messages - 20000 : BATCH, BATCH);
	rest(w);
	double before = append(w, 20000, 1);
	fflush(w->text);
	build(w, path);
	rest(w);
	double after = append(w, 20000, 1);
	printf("appends a second, one a transaction: %.0f before the index, %.0f with it: %+.1f %%\n", before,
	       after, (after / before - 1) * 100);
	printf("%-34s %8s %8s %8s\n", "ms", "p50", "p90", "p99");
	for (int scope = EVERYTHING; scope <= AUTHOR; scope++)
		for (int words = 1; words <= 6; words++)
			ask(w, (enum scope)scope, words % 6);
	for (int words = 1; words <= 5; words += 2)
		grep(w, file, words);
	store_close(w->s);
	fclose(w->text);
	if (argc > 4)
		return 0;
	return system(command) != 0;
}
