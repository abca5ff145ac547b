/* SPDX-License-Identifier: MIT */
/*
 * How fast a search is: `search MESSAGES [SESSIONS [DIR [keep]]]` makes a memory of that many
 * messages of about 236 bytes, whose words follow Zipf's law with real stop words on top, builds
 * the index, and asks for 1 to 5 words, whole sentences, and nothing but stop words, over
 * everything, within a session and by an author.  Beside each row ripgrep counts, for the same
 * questions, the lines of one file of the same text that hold any of their words.
 *
 * Then the same appends with the index and without, in turn: `shut` is when nobody can feed it,
 * `fed` as a mount does it, when the writers rest, `searched` while another thread searches ten
 * times a second, and so makes it catch up.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/search/search.h"
#include "store/tape/tape.h"
#include "store/words/words.h"

enum { WORDS = 60000, BATCH = 500, QUERIES = 200, GREPS = 7, MOST_WORDS = 12 };
enum { ROUNDS = 9, ROUND_APPENDS = 4000 };
enum { A_SENTENCE = 6, STOP_WORDS = 7 }; /* else so many words */

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

static double clock_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now(void)
{
	return clock_of(CLOCK_MONOTONIC);
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
			drafts[i] = (struct draft){ streams[i], "message", authors[i], bodies[i],
				strlen(bodies[i]), NULL };
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

/* So many words that are not common, or a whole sentence as it was drawn, or only stop words. */
static void make_question(struct world *w, int words, char *out, size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (int i = 0; i < (words < A_SENTENCE ? words : words == STOP_WORDS ? 4 : MOST_WORDS); i++) {
		const char *word = draw(w);
		while ((words < A_SENTENCE && is_common(word)) ||
		       (words == STOP_WORDS && !search_stop_word(word, strlen(word))))
			word = draw(w);
		at += (size_t)snprintf(out + at, size - at, "%s%s", at ? " " : "", word);
	}
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double share(double *all, int count, int percent)
{
	qsort(all, (size_t)count, sizeof *all, by_time);
	return all[count * percent / 100];
}

/* Lines of the text that hold a word of the question: those that our search counts.  Seconds. */
static double grep(const char *file, const char *question)
{
	char text[1024], command[2048], line[64];
	bool any = false;
	size_t at = (size_t)snprintf(command, sizeof command, "exec rg -c -i -F");
	for (int pass = 0; !any && pass < 2; pass++) { /* stop words only if there are no others */
		char *rest = NULL;
		(void)snprintf(text, sizeof text, "%s", question);
		for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
			if (pass == 0 && search_stop_word(word, strlen(word)))
				continue;
			at += (size_t)snprintf(command + at, sizeof command - at, " -e %s", word);
			any = true;
		}
	}
	(void)snprintf(command + at, sizeof command - at, " '%s'", file);
	double start = now();
	FILE *f = popen(command, "r");
	if (!f || !fgets(line, sizeof line, f) || pclose(f) != 0)
		die(command, "failed");
	return now() - start;
}

struct times {
	double wall[QUERIES], cpu[QUERIES], rg[GREPS]; /* milliseconds */
	long hits;
};

enum targets { WITHIN, WHOLE, NONE };

static void tell(const char *name, struct times *t, enum targets targets, bool rg)
{
	const bool whole = targets == WHOLE;
	double p50 = share(t->wall, QUERIES, 50), p99 = share(t->wall, QUERIES, 99);
	bool good = whole ? p50 <= 30 && p99 <= 250 : p50 <= 5 && p99 <= 25;
	printf("%-32s %7.2f %7.2f %7.2f %7.2f %7.2f %5.1f", name, p50, share(t->wall, QUERIES, 90), p99,
	       share(t->cpu, QUERIES, 50), share(t->cpu, QUERIES, 99), (double)t->hits / QUERIES);
	if (rg) {
		double grepped = share(t->rg, GREPS, 50), ratio = grepped / p50;
		good = good && ratio >= (whole ? 3 : 15);
		printf(" %8.1f %7.1f", grepped, ratio);
	}
	printf("  %s\n", targets == NONE ? "info" : good ? "ok" : "MISS");
	fflush(stdout);
}

static void make_scope(struct world *w, enum scope scope, char by[24], struct search_query *q)
{
	(void)snprintf(by, 24, "agent%d", (int)(chance(w) * 1000));
	q->session = scope == SESSION ? 1 + (int64_t)(chance(w) * (double)w->sessions) : 0;
	q->by = scope == AUTHOR ? by : NULL;
}

static void ask_once(struct world *w, const struct search_query *q, struct times *t, int i)
{
	double wall = now(), cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
	int err = store_search(w->s, q, count_hit, &t->hits);
	t->cpu[i] = (clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e3;
	t->wall[i] = (now() - wall) * 1e3;
	if (err)
		die(q->words, store_strerror(err));
}

static const char *const scopes[] = { "everything", "one session", "one author" };

static void ask(struct world *w, enum scope scope, int words, const char *file)
{
	struct times t = { .hits = 0 };
	char name[64];
	for (int i = 0; i < QUERIES; i++) {
		char text[1024], by[24];
		struct search_query q = { .words = text };
		make_question(w, words, text, sizeof text);
		make_scope(w, scope, by, &q);
		ask_once(w, &q, &t, i);
		if (file && i < GREPS)
			t.rg[i] = grep(file, text) * 1e3;
	}
	(void)snprintf(name, sizeof name, words == A_SENTENCE ? "%s, a sentence" :
	               words == STOP_WORDS ? "%s, stop words" : "%s, %d words", scopes[scope], words);
	tell(name, &t, scope == EVERYTHING ? WHOLE : WITHIN, file != NULL);
}

/* Each question right after an append, which it must find. */
static void ask_after_append(struct world *w, enum scope scope)
{
	struct times t = { .hits = 0 };
	char name[64];
	for (int i = 0; i < QUERIES; i++) {
		char text[1024], by[24];
		struct search_query q = { .words = text };
		make_question(w, 3, text, sizeof text);
		make_scope(w, scope, by, &q);
		append(w, 1, 1);
		ask_once(w, &q, &t, i);
	}
	(void)snprintf(name, sizeof name, "%s, 3, after append", scopes[scope]);
	tell(name, &t, NONE, false);
}

/* ---- appending with the index, and without ---------------------------------------- */

enum arm { SHUT, FED, SEARCHED, ARMS };

struct searcher {
	struct world *w;
	atomic_bool stop;
	long searches;
};

static void *search_on(void *arg)
{
	struct searcher *s = arg;
	long hits = 0;
	while (!atomic_load(&s->stop)) {
		struct search_query q = { .words = "bake kemo limo", .session = 1 + s->searches % 7 };
		int err = store_search(s->w->s, &q, count_hit, &hits);
		if (err)
			die("search", store_strerror(err));
		s->searches++;
		(void)usleep(100000);
	}
	return NULL;
}

static long one_round(struct world *w, enum arm arm, double out[3])
{
	struct searcher s = { .w = w };
	pthread_t thread;
	if (arm == SHUT)
		lock_take(&w->s->index->lock);
	if (arm == SEARCHED && pthread_create(&thread, NULL, search_on, &s))
		die("thread", "none");
	double thread_cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	out[0] = 1e6 / append(w, ROUND_APPENDS, 1);
	out[1] = (clock_of(CLOCK_THREAD_CPUTIME_ID) - thread_cpu) * 1e6 / ROUND_APPENDS;
	out[2] = (clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / ROUND_APPENDS;
	atomic_store(&s.stop, true);
	if (arm == SEARCHED)
		pthread_join(thread, NULL);
	if (arm == SHUT)
		lock_give(&w->s->index->lock);
	/* The maintenance thread feeds what nobody else has: none of it while the next ones write. */
	for (int i = 0; i < 600 && atomic_load(&w->s->index->searched) < tape_entries(w->s); i++)
		(void)usleep(100000);
	(void)usleep(300000);
	return s.searches;
}

static void compare_appends(struct world *w)
{
	static const char *const names[] = { "shut", "fed", "searched" };
	double us[ARMS][3][ROUNDS], base[3];
	long searches = 0;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < ARMS; i++) {
			double out[3];
			int arm = (i + round) % ARMS;
			searches += one_round(w, (enum arm)arm, out);
			for (int k = 0; k < 3; k++)
				us[arm][k][round] = out[k];
		}
	printf("appends, one a transaction, medians of %d rounds of %d; us of time, of the writer's CPU,"
	       " of all CPU\n", ROUNDS, ROUND_APPENDS);
	for (int arm = 0; arm < ARMS; arm++) {
		printf("index %-10s", names[arm]);
		for (int k = 0; k < 3; k++) {
			double p50 = share(us[arm][k], ROUNDS, 50);
			base[k] = arm == SHUT ? p50 : base[k];
			printf(" %8.1f %+6.1f %%", p50, (p50 / base[k] - 1) * 100);
		}
		printf("   from %.1f to %.1f\n", us[arm][0][0], us[arm][0][ROUNDS - 1]);
	}
	printf("%ld searches meanwhile\n", searches);
}

/* ---- all of it ---------------------------------------------------------------------- */

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

static void ask_all(struct world *w, const char *file)
{
	struct statfs fs;
	bool rg = system("command -v rg >/dev/null 2>&1") == 0;
	if (!rg)
		printf("ripgrep is not installed: nothing to compare with\n");
	else if (statfs(file, &fs) == 0)
		printf("rg over the same text in one file%s\n", fs.f_type == 0xEF53 ? " on ext4" : ", not on ext4");
	printf("%-32s %7s %7s %7s %7s %7s %5s %8s %7s\n", "ms", "p50", "p90", "p99", "CPU p50", "CPU p99",
	       "hits", "rg p50", "ratio");
	for (int scope = EVERYTHING; scope <= AUTHOR; scope++)
		for (int words = 1; words <= STOP_WORDS; words++)
			ask(w, (enum scope)scope, words, rg ? file : NULL);
	for (int scope = EVERYTHING; scope <= AUTHOR; scope++)
		ask_after_append(w, (enum scope)scope);
}

int main(int argc, char **argv)
{
	struct world *w = calloc(1, sizeof *w);
	long messages = argc > 1 ? strtol(argv[1], NULL, 10) / BATCH * BATCH : 0;
	char dir[400], path[500], file[500], keys[500], command[600];
	struct why why = { 0 };
	struct store_config config = { .flags = STORE_CREATE | STORE_OWNER, .origin = "cinta/bench",
		.key_dir = keys, .text_size = text_size };
	if (nice(-19) == -1)
		fprintf(stderr, "search: not root, so no priority over other work\n");
	if (!w || messages <= 0)
		die("usage", "search MESSAGES [SESSIONS [DIR [keep]]]");
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
	append(w, 20000, 1);
	fflush(w->text);
	build(w, path);
	rest(w);
	ask_all(w, file);
	compare_appends(w);
	store_close(w->s);
	fclose(w->text);
	if (argc > 4)
		return 0;
	return system(command) != 0;
}
