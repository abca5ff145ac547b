/* SPDX-License-Identifier: MIT */
/*
 * Questions whose answers are kept: their key, whether an answer stays true, and when
 * two wordings ask the same.  A wrong yes answers another question, a wrong no asks
 * again, so all that says something must agree (same_fact.c), and the whole look alike.
 */
#include <stdlib.h>
#include <string.h>

#include "render/answers/answers.h"
#include "render/answers/wording.h"
#include "render/format/format.h"
#include "render/text/text.h"
#include "store/base/hash.h"

/* ---- words -------------------------------------------------------------------- */

struct word {
	size_t cased, cased_len;   /* in asked.cased */
	size_t folded, folded_len; /* in asked.folded */
};

/* A question as words, without what is only courtesy. */
struct asked {
	struct buf cased, folded; /* all words, one blank behind each */
	struct word *words;
	size_t first, count, room; /* words[first..count) count */
	bool failed;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

/* Ends the word that began at these places. */
static void end_word(struct asked *q, size_t cased, size_t folded)
{
	if (q->folded.failed || q->cased.failed)
		return;
	/* a mark that joins stands in both alike; behind it came no letter after all */
	while (q->folded.len > folded && strchr("._/@:-'", q->folded.data[q->folded.len - 1])) {
		(void)buf_resize(&q->folded, q->folded.len - 1);
		(void)buf_resize(&q->cased, q->cased.len - 1);
	}
	if (q->folded.len == folded)
		return;
	if (q->count == q->room) {
		size_t room = q->room ? 2 * q->room : 32;
		struct word *words = reallocarray(q->words, room, sizeof *words);
		if (!words) {
			q->failed = true;
			return;
		}
		q->words = words;
		q->room = room;
	}
	q->words[q->count++] = (struct word){ cased, q->cased.len - cased, folded,
		                                  q->folded.len - folded };
	buf_addc(&q->cased, ' ');
	buf_addc(&q->folded, ' ');
}

/* True if the mark at `i` belongs to the word that has `size` bytes:  3.5  a/b  C++  don't  -5 */
static bool joins(const char *text, size_t len, size_t i, size_t size)
{
	char c = text[i], next = i + 1 < len ? text[i + 1] : ' ';
	if (size == 0)
		return (c == '-' || c == '.') && is_digit(next) && (i == 0 || !is_alnum(text[i - 1]));
	if (c == '+' || c == '#')
		return true;
	if (c == ',')
		return is_digit(next) && i > 0 && is_digit(text[i - 1]);
	return strchr("._/@:-'", c) && c != '\0' && is_alnum(next);
}

/* What says something by itself. */
static bool is_sign(const char *s, size_t n)
{
	return (n == 1 && strchr("%$<>=~&*", *s) && *s != '\0') || (n == 2 && memcmp(s, "£", 2) == 0) ||
	       (n == 2 && memcmp(s, "°", 2) == 0) || (n == 3 && memcmp(s, "€", 3) == 0);
}

static void read_words(struct asked *q, const char *text, size_t len)
{
	size_t cased = 0, folded = 0;
	char dst[4];
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_size(text + i, len - i);
		bool sign = n && is_sign(text + i, n);
		bool apostrophe = n == 3 && memcmp(text + i, "\xE2\x80\x99", 3) == 0;
		int size = n && !sign && !apostrophe ? fold_point(text + i, n, dst) : 0;
		n = n ? n : 1;
		if (size > 0) {
			buf_add(&q->cased, text + i, n);
			buf_add(&q->folded, dst, (size_t)size);
			continue;
		}
		if (size == FOLD_NOTHING)
			continue;
		size_t so_far = q->folded.len - folded;
		if ((n == 1 && joins(text, len, i, so_far)) ||
		    (apostrophe && so_far && is_alnum(q->folded.data[q->folded.len - 1]) &&
		     i + n < len && is_alnum(text[i + n]))) { /* as it is joined when read again */
			buf_addc(&q->cased, n == 1 ? text[i] : '\'');
			buf_addc(&q->folded, n == 1 ? text[i] : '\'');
			continue;
		}
		end_word(q, cased, folded);
		cased = q->cased.len;
		folded = q->folded.len;
		if (sign) {
			buf_add(&q->cased, text + i, n);
			buf_add(&q->folded, text + i, n);
			end_word(q, cased, folded);
			cased = q->cased.len;
			folded = q->folded.len;
		}
	}
	end_word(q, cased, folded);
	q->failed = q->failed || q->cased.failed || q->folded.failed;
}

/* ---- courtesy ------------------------------------------------------------------- */

/* Folded, with a blank behind each word: what a question may begin or end with. */
static const char *const courtesy[] = {
	"please ", "por favor ", "porfa ", "porfavor ", "hola ", "hello ", "hi ", "hey ", "che ",
	"oye ", "ok ",
	"thanks ", "thank you ", "gracias ", "muchas gracias ", "tell me ", "can you tell me ",
	"could you tell me ", "do you know ", "do you remember ", "remind me ", "i want to know ",
	"i would like to know ", "i'd like to know ", "decime ", "dime ", "me decis ", "me dices ",
	"me podes decir ", "me puedes decir ", "podes decirme ", "puedes decirme ", "podrias decirme ",
	"sabes ", "te acordas ", "te acuerdas ", "recordame ", "recuerdame ", "quiero saber ",
	"quisiera saber ", "a ver ", "entonces ", "so ",
};

static void drop_courtesy(struct asked *q)
{
	for (bool again = !q->failed; again && q->first < q->count;) {
		const struct word *last = &q->words[q->count - 1];
		size_t from = q->words[q->first].folded, to = last->folded + last->folded_len + 1;
		again = false;
		for (size_t i = 0; i < sizeof courtesy / sizeof courtesy[0] && !again; i++) {
			size_t n = strlen(courtesy[i]), words = 0;
			for (const char *c = courtesy[i]; *c; c++)
				words += *c == ' ';
			if (n >= to - from)
				continue; /* something must be asked */
			if (memcmp(q->folded.data + from, courtesy[i], n) == 0) {
				q->first += words;
				again = true;
			} else if (memcmp(q->folded.data + to - n, courtesy[i], n) == 0 &&
			           q->folded.data[to - n - 1] == ' ') {
				q->count -= words;
				again = true;
			}
		}
	}
}

static void asked_read(struct asked *q, const char *text, size_t len)
{
	*q = (struct asked){ 0 };
	read_words(q, text, len);
	drop_courtesy(q);
}

static void asked_release(struct asked *q)
{
	buf_release(&q->cased);
	buf_release(&q->folded);
	free(q->words);
}

static void put_folded(struct buf *out, const struct asked *q)
{
	for (size_t i = q->first; i < q->count && !q->failed; i++) {
		if (i > q->first)
			buf_addc(out, ' ');
		buf_add(out, q->folded.data + q->words[i].folded, q->words[i].folded_len);
	}
}

void render_question_key(struct buf *out, const char *text, size_t len)
{
	struct asked q;
	asked_read(&q, text, len);
	put_folded(out, &q);
	out->failed = out->failed || q.failed;
	asked_release(&q);
}

/* ---- whether an answer stays true ------------------------------------------------------ */

/* Folded: a question with one of these is answered anew. */
static const char *const passing[] = {
	/* now */
	"ahora", "hoy", "recien", "ya", "todavia", "aun", "actual", "actuales", "actualmente", "ayer",
	"anoche",
	"anteayer", "manana", "pasado manana", "esta semana", "este mes", "este ano", "esta noche",
	"esta tarde", "este momento", "estos dias", "ultimo", "ultima", "ultimos", "ultimas",
	"reciente",
	"recientes", "recientemente", "proximo", "proxima", "proximos", "proximas", "hace un rato",
	"en curso", "por ahora", "hasta ahora", "ahorita", "ahora mismo",
	"now", "today", "tonight", "yesterday", "tomorrow", "current", "currently", "latest", "newest",
	"recent",
	"recently", "just", "this week", "this month", "this year", "this morning", "this evening",
	"this afternoon", "at the moment", "last", "next", "so far", "still", "yet", "ago",
	"right away",
	"nowadays", "lately", "today's", "upcoming", "up to date", "as of",
	/* the clock and the calendar */
	"que hora", "que horas", "la hora", "a que hora", "que dia", "que fecha", "la fecha", "que ano",
	"que mes",
	"hace cuanto", "cuanto falta", "what time", "the time", "what day", "which day", "what date",
	"the date",
	"what year", "what month", "how long ago", "how long until", "o'clock",
	/* what changes by itself */
	"clima", "pronostico", "noticias", "cotizacion", "tipo de cambio", "weather", "forecast",
	"news",
	"exchange rate", "stock price",
	/* how somebody feels */
	"me siento", "te sentis", "te sientes", "siento", "triste", "feliz", "enojado", "enojada",
	"cansado", "cansada",
	"angustiado", "angustiada", "ansioso", "ansiosa", "deprimido", "deprimida", "preocupado",
	"preocupada", "asustado", "asustada", "solo y", "harto", "harta", "frustrado", "frustrada",
	"i feel", "i'm feeling", "i am feeling", "do you feel", "feel about", "sad", "happy", "angry",
	"tired",
	"anxious", "depressed", "worried", "afraid", "scared", "lonely", "upset", "frustrated",
	"stressed",
	"overwhelmed",
};

bool render_question_cacheable(const char *text, size_t len)
{
	struct buf key = BUF_INIT;
	buf_addc(&key, ' ');
	render_question_key(&key, text, len);
	buf_addc(&key, ' ');
	bool keeps = !key.failed && key.len > 2;
	for (size_t i = 0; i < sizeof passing / sizeof passing[0] && keeps; i++) {
		size_t n = strlen(passing[i]);
		for (const char *at = key.data; keeps && (at = strstr(at, passing[i])); at++)
			keeps = at[-1] != ' ' || at[n] != ' ';
	}
	buf_release(&key);
	return keeps;
}

/* ---- whether two ask the same -------------------------------------------------------------- */

/* Words of no meaning to a fact that may come and go in a question too. */
static bool may_go(const char *word)
{
	static const char *const words[] = { "the", "a", "an", "el", "la", "los", "las", "un",
		                                 "una", "is", "are", "be", "do", "does", "es", "son",
		                                 "please", "also", "and", "y", "that", "que" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* Of the words that say nothing in a fact, but do in a question: my, which, this.  In any order. */
static uint64_t small_words(const struct asked *q)
{
	uint64_t sum = 0;
	for (size_t i = q->first; i < q->count; i++) {
		char word[16];
		bool doing;
		size_t n = q->words[i].folded_len;
		if (n >= sizeof word)
			continue;
		memcpy(word, q->folded.data + q->words[i].folded, n);
		word[n] = '\0';
		if (*normalized_word(word, &doing) != '\0' || may_go(word))
			continue;
		uint64_t hash = hash_text(HASH_NONE, word);
		sum += hash ^ hash >> 29;
	}
	return sum;
}

/* As it was written, but "What's" as "What is". */
static void put_cased(struct buf *out, const struct asked *q)
{
	static const char *const words[] = { "what's", "who's", "where's", "how's", "when's", "why's" };
	for (size_t i = q->first; i < q->count; i++) {
		const char *folded = q->folded.data + q->words[i].folded;
		size_t n = q->words[i].cased_len;
		bool is = false;
		for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
			is = is || (strlen(words[k]) == q->words[i].folded_len &&
			            memcmp(folded, words[k], q->words[i].folded_len) == 0);
		buf_add(out, q->cased.data + q->words[i].cased, is ? n - 2 : n);
		buf_adds(out, is ? " is " : " ");
	}
}

static bool same_words(const struct asked *a, const struct asked *b, double least)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	bool same = false;
	if (small_words(a) == small_words(b)) {
		put_cased(&x, a);
		put_cased(&y, b);
		same = !x.failed && !y.failed && x.len && y.len &&
		       render_similarity(x.data, x.len, y.data, y.len) > least &&
		       render_same_fact(x.data, x.len, y.data, y.len);
	}
	buf_release(&x);
	buf_release(&y);
	return same;
}

/* As it is compared with others: in one order, with one beginning (wording.h). */
static void asked_compare(struct asked *q, const char *text, size_t len)
{
	struct buf one = BUF_INIT;
	question_wording(&one, text, len);
	asked_read(q, one.data ? one.data : "", one.len);
	q->failed = q->failed || one.failed;
	buf_release(&one);
}

bool render_same_question(const char *a, size_t a_len, const char *b, size_t b_len, double least)
{
	struct asked x, y;
	struct buf key_x = BUF_INIT, key_y = BUF_INIT;
	asked_compare(&x, a, a_len);
	asked_compare(&y, b, b_len);
	put_folded(&key_x, &x);
	put_folded(&key_y, &y);
	bool same = false;
	if (!x.failed && !y.failed && !key_x.failed && !key_y.failed && key_x.len && key_y.len)
		same = (key_x.len == key_y.len && memcmp(key_x.data, key_y.data, key_x.len) == 0) ||
		       same_words(&x, &y, least);
	buf_release(&key_x);
	buf_release(&key_y);
	asked_release(&x);
	asked_release(&y);
	return same;
}

/* ---- what a model overlooks -------------------------------------------------------------- */

static bool says_number(const char *word, size_t len)
{
	static const char *const numbers[] = { "two", "three", "four", "five", "six", "seven",
		                                   "eight", "nine", "ten", "eleven", "twelve" };
	char text[16];
	bool doing;
	for (size_t i = 0; i < len; i++)
		if (is_digit(word[i]))
			return true;
	if (len >= sizeof text)
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	const char *means = normalized_word(text, &doing);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (strcmp(means, numbers[i]) == 0)
			return true;
	return false;
}

/* Words that turn a question round, and that leave its vector where it was. */
static bool turns_round(const char *word, size_t len)
{
	static const char *const words[] = { "without", "sin", "before", "after", "antes", "despues",
		"more", "less", "most", "least", "mas", "menos", "mayor", "menor", "max", "min", "maximum",
		"minimum", "maximo", "minimo", "first", "last", "primero", "primera", "ultimo", "ultima",
		"old", "new", "viejo", "vieja", "nuevo", "nueva", "up", "down", "off", "out", "he", "she",
		"him", "her", "his", "we", "our", "they", "them", "start", "stop", "open", "close",
		"enable", "disable", "add", "remove", "buy", "sell", "can", "should", "must", "will", "was",
		"were", "did", "if", "si", "unless", "except", "excepto", "nobody", "none", "nothing",
		"nadie", "nada", "ninguno", "ninguna", "when", "where", "who", "whose", "why", "cuando",
		"donde", "quien", "cuanto", "cuanta", "cuantos", "cuantas" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return true;
	return false;
}

/* A capital, but for the one a question begins with. */
static bool is_name(const struct asked *q, size_t i)
{
	const unsigned char *c = (const unsigned char *)q->cased.data + q->words[i].cased;
	size_t from = i > q->first ? 0 : 1;
	for (size_t k = from; k < q->words[i].cased_len; k++)
		if ((c[k] >= 'A' && c[k] <= 'Z' && q->words[i].cased_len > 1) ||
		    (c[k] == 0xC3 && k + 1 < q->words[i].cased_len && c[k + 1] < 0x9F))
			return true;
	return false;
}

static bool has_word(const struct asked *q, const char *folded, size_t len)
{
	for (size_t i = q->first; i < q->count; i++)
		if (q->words[i].folded_len == len &&
		    memcmp(q->folded.data + q->words[i].folded, folded, len) == 0)
			return true;
	return false;
}

/* What `a` says of numbers, names and such words, `b` says. */
static bool tells_of(const struct asked *a, const struct asked *b)
{
	for (size_t i = a->first; i < a->count; i++) {
		const char *word = a->folded.data + a->words[i].folded;
		size_t len = a->words[i].folded_len;
		if ((says_number(word, len) || turns_round(word, len) || is_name(a, i)) &&
		    !has_word(b, word, len))
			return false;
	}
	return true;
}

static size_t negations(const char *text, size_t len)
{
	struct normalized_words s;
	size_t n = 0;
	normalized_words_read(&s, text, len);
	for (size_t i = 0; i < s.count && !s.failed; i++)
		n += strcmp(s.text.data + s.at[i], "not") == 0;
	normalized_words_release(&s);
	return n;
}

bool render_question_agrees(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct asked x, y;
	asked_compare(&x, a, a_len);
	asked_compare(&y, b, b_len);
	bool agrees = !x.failed && !y.failed && small_words(&x) == small_words(&y) &&
		tells_of(&x, &y) && tells_of(&y, &x) && negations(a, a_len) == negations(b, b_len);
	asked_release(&x);
	asked_release(&y);
	return agrees;
}
