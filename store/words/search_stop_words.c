/* SPDX-License-Identifier: MIT */
/* Stop words of English and Spanish, words of dates, and questions for a time. */
#include "store/search.h"
#include "store/words/search_stop_words.h"

#include <string.h>
#include <strings.h>
#include <time.h>

/*
 * Not those of one language that carry a meaning in the other ("once", "come", "sin").  Of what
 * "don't" and "she's" become, the parts.
 */
static const char stop_words[] =
	" a about above after again against all am an and any are aren as at be because been before"
	" being below between both but by can could couldn d did didn do does doesn doing don down"
	" during each few for from further had hadn has hasn have haven having he her here hers herself"
	" him himself his how i if in into is isn it its itself just ll m me more most mustn my myself"
	" no nor not now of off on only or other our ours ourselves out over own re s same shan she"
	" should shouldn so some such t than that the their theirs them themselves then there these"
	" they this those through to too under until up us ve very was wasn we were weren what when"
	" where which while who whom whose why will with won would wouldn you your yours yourself"
	" yourselves"
	" al algo ante aquel aquella como con cual cuál cuáles cuando cuándo cuánto cuánta cuántos"
	" cuántas cómo de del desde donde dónde e el ella ellas ellos en entre era eran es esa esas ese"
	" eso esos esta está estaba estado están estar este esto estos estas fue fueron ha haber había"
	" han hasta hay he la las le les lo los más mi mis muy ni nos nosotros o os otra otro para pero"
	" acá ahí allá che soy sos somos tengo tenés hace hacés vos ustedes usted eh"
	/* ser, estar, haber, hacer, poder and deber, as English has be, have, do, could and should */
	" eres éramos fueron fui fuimos ser será sería serían sido siendo estoy estás estamos"
	" estaban estuvo estuvieron hemos habían haber habrá habría hubo hacen hacer hacía hacían hago"
	" haría harían hizo hicieron puede pueden puedo puedes podés podemos podía podían podría"
	" podrían poder pudo pudieron debe deben debería deberían"
	" por porque que qué quien quién quienes se sobre su sus también te tenía tiene tienen tu tus"
	" un una uno unos unas y ya yo él ";

bool search_stop_word(const char *word, size_t len)
{
	char spaced[32] = " ";
	if (len + 3 > sizeof spaced)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = word[i];
		spaced[i + 1] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
	}
	/* Accented capitals at the start of a question: "Él", "Cuál" has none to fold. */
	if (len > 1 && (unsigned char)spaced[1] == 0xC3 && (unsigned char)spaced[2] >= 0x80 &&
	    (unsigned char)spaced[2] < 0x9F)
		spaced[2] = (char)((unsigned char)spaced[2] + 0x20);
	spaced[len + 1] = ' ';
	spaced[len + 2] = '\0';
	return strstr(stop_words, spaced) != NULL;
}

bool store_search_is_common(const char *word, size_t len)
{
	return search_stop_word(word, len);
}

/* Which of `names`, a word a blank, and that list again in the other language; from 1, 0: none. */
static int place_in(const char *names, int period, const char *word, size_t len)
{
	int at = 0;
	for (const char *p = names; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] != '\0'), at++)
		if (strcspn(p, " ") == len && strncasecmp(p, word, len) == 0)
			return at % period + 1;
	return 0;
}

struct search_date search_date_of(const char *word, size_t len)
{
	static const char weekdays[] = "sunday monday tuesday wednesday thursday friday saturday"
								   " domingo lunes martes miércoles jueves viernes sábado"
								   " domingo lunes martes miercoles jueves viernes sabado";
	static const char months[] = "january february march april may june july august september"
								 " october november december enero febrero marzo abril mayo junio"
								 " julio agosto septiembre octubre noviembre diciembre";
	struct search_date d = { .weekday = place_in(weekdays, 7, word, len),
		.month = place_in(months, 12, word, len) };
	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9' || len > 4) {
			d.number = 0;
			break;
		}
		d.number = d.number * 10 + (word[i] - '0');
	}
	return d;
}

bool search_date_is(const struct search_date *d, int64_t day)
{
	struct tm tm;
	time_t seconds = (time_t)(day * 86400);
	if ((d->weekday == 0 && d->month == 0 && d->number == 0) || !gmtime_r(&seconds, &tm))
		return false;
	return d->weekday == tm.tm_wday + 1 || d->month == tm.tm_mon + 1 ||
		(d->number > 0 && (d->number == tm.tm_mday || d->number == tm.tm_year + 1900));
}

bool search_asks_when(const char *question)
{
	static const char *const starts[] = { "when", "how long", "what date", "what day", "cuándo",
		"cuando", "qué día", "que dia", "qué fecha", "hace cuánto", "hace cuanto" };
	question += strspn(question, " \t\r\n\"'\xC2\xBF"); /* also an inverted question mark */
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		size_t len = strlen(starts[i]);
		char next = (char)(strncasecmp(question, starts[i], len) == 0 ? question[len] | 32 : 'a');
		if (next < 'a' || next > 'z') /* not "whenever" */
			return true;
	}
	return false;
}
