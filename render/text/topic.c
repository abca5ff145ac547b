/* SPDX-License-Identifier: MIT */
/*
 * Whether a user says that they turn to something else: a table of phrases, each looked
 * for in one sentence in which code and quotations are masked (signal_text.c).  A rule
 * is written to miss rather than to make up: likeness finds many shifts that nobody
 * announces, but a window that was flushed for nothing has lost its turns.
 */
#include <stdlib.h>

#include "render/format/format.h"
#include "render/text/signal_text.h"
#include "render/text/text.h"

enum {
	SENTENCE_MOST = 400, /* bytes of a sentence that are looked at */
	TRIES_MOST = 64,     /* sentences with a stem; more is a document */
	MATCH_LIMIT = 50000  /* steps of one match */
};

#define APOS "(?:'|\\x{2019})?"
/* The sentence begins, perhaps with a word that opens. */
#define OPEN \
	"^\\W*(?:(?:y|e|pero|bueno|bien|ok|okay|dale|ah|che|perfecto|gracias|muchas gracias|listo" \
	"|genial|sí|si|ahora|entonces|perdón|oye|oíme|hola|buenísimo|and|but|so|also|well|right" \
	"|oh|hey|hi|now|thanks|thank you|great|cool|alright|yes|sorry|anyway|anyways" \
	"|perfect)[\\s,]+){0,3}"
#define ASIDE_ES "(?:eso|esto|ese tema|este tema|lo anterior|todo eso)"
#define ASIDE_EN "(?:that|this|it|all that|the above)"

static const struct phrase {
	const char *stems; /* one of these (apart by |) is in each sentence that matches */
	const char *pattern;
	enum topic_phrase says;
} phrases[] = {
	/* ---- away from it all */
	{ "tema|cosa|asunto",
	  "\\b(?:cambiemos|cambiamos|cambi[aá]|vamos a cambiar|podemos cambiar|quiero cambiar"
	  "|quisiera cambiar|prefiero cambiar|mejor cambiar) (?:ya )?de (?:tema|asunto)\\b"
	  "|\\b(?:hablemos|charlemos|hablamos|pasemos|pasamos|vamos|podemos hablar|quiero hablar"
	  "|podemos pasar)"
	  " (?:ya )?(?:de|a|con|sobre) otr(?:a cosa|o tema|o asunto)\\b",
	  PHRASE_RESET },
	{ "subject|topic|else",
	  "\\b(?:let" APOS "s|we can|can we|could we|i want to|i" APOS "d like to|we should|may we)"
	  " (?:just |please )?(?:change|switch|drop) (?:the )?(?:subjects?|topics?)\\b"
	  "|\\b(?:let" APOS "s|can we|could we|i want to|i" APOS "d like to) "
	  "(?:talk about|discuss|move on to|do|switch to)"
	  " (?:something else|another (?:topic|subject)|a (?:different|new) (?:topic|subject))\\b",
	  PHRASE_RESET },
	/* ---- to something else */
	{ "otr",
	  OPEN "(?:(?:una|hay|tengo|va|te hago|te cuento) )?otra (?:cosa|pregunta|consulta"
	  "|cuestión|duda)\\b"
	  "(?! (?:es|era|fue|sería|será|son|no|sobre (?:eso|esto|lo mismo))\\b)"
	  "|" OPEN "(?:sobre |en |con |a )?otro tema\\b(?! (?:es|era|fue|sería|será|no)\\b)",
	  PHRASE_SHIFT },
	{ "tema|asunto",
	  "\\b(?:cambiando|para cambiar) (?:un poco |totalmente |completamente )?de (?:tema|asunto)\\b"
	  "|" OPEN "(?:cambio|cambiada) de tema\\b|" OPEN "(?:nuevo tema|tema nuevo)\\b",
	  PHRASE_SHIFT },
	{ "quer",
	  OPEN "(?:(?:también|además|yo|por otro lado|antes)[\\s,]+){0,2}(?:"
	  "te quer[ií]a (?:preguntar|consultar|comentar|hablar)"
	  "|quer[ií]a (?:preguntarte|consultarte|comentarte|hablarte)"
	  ")(?: (?:también|además))? (?:sobre|por|de|acerca)\\b(?! (?:eso|esto|lo mismo)\\b)",
	  PHRASE_SHIFT },
	{ "dej",
	  "\\b(?:dejando|dejemos|dejamos) (?:de lado |a un lado |aparte )?" ASIDE_ES
	  "(?: (?:de lado|a un lado|aparte|por ahora|ahí|atrás|para después|para luego))?(?=\\W|$)"
	  "(?<!eso|esto|ese tema|este tema|lo anterior)"
	  "|\\b(?:dejando|dejemos|dejamos) (?:de lado|a un lado|aparte) " ASIDE_ES "\\b",
	  PHRASE_SHIFT },
	{ "cierto|prop",
	  OPEN "por cierto\\b|" OPEN "a propósito(?= *,| *[¿]|\\W*$)", PHRASE_SHIFT },
	{ "way|btw", OPEN "(?:oh[\\s,]+)?(?:by the way|btw)\\b|[,.] *(?:by the way|btw)\\W*$",
	  PHRASE_SHIFT },
	{ "note|topic|subject|unrelated|matter|gears",
	  OPEN "(?:on|in) (?:an?other|a different|a completely different|an unrelated) (?:note"
	  "|topic|subject|matter)\\b"
	  "|" OPEN "(?:changing|switching|change|change of|switch of) (?:the )?(?:topics?"
	  "|subjects?|gears)\\b"
	  "|" OPEN "(?:new|different|another|next) (?:topic|subject)(?= *[:,.\\x{2013}\\x{2014}-]"
	  "|\\W*$)"
	  "|" OPEN "(?:(?:this is|it" APOS "s|slightly|completely"
	  "|totally) ){0,2}unrelated(?:ly)?(?= *[:,]|"
	  " (?:question|but|topic|thing|note)\\b|\\W*$)",
	  PHRASE_SHIFT },
	{ "thing|question|else",
	  OPEN "(?:(?:i have|here" APOS "s|there" APOS "s|just) )?(?:another|a different"
	  "|one other) (?:thing|question)"
	  "(?= *[:,.\\x{2013}\\x{2014}-]|\\W*$| i (?:wanted|want|need|have)\\b)"
	  "|" OPEN "something else(?= *[:,]|\\W*$| i (?:wanted|want)\\b)",
	  PHRASE_SHIFT },
	{ "want",
	  OPEN "i (?:also )?(?:wanted|want|was going"
	  "|have been meaning) to ask (?:you )?(?:something )?about\\b"
	  "(?! (?:that|this|it)\\b)",
	  PHRASE_SHIFT },
	{ "aside|moving",
	  "\\b(?:leaving|setting|putting) (?:" ASIDE_EN " aside|aside " ASIDE_EN ")\\b"
	  "|" OPEN "(?:that|all that|this) aside\\b"
	  "|" OPEN "moving on(?= *[:,.]|\\W*$| to (?!that|this|the (?:next|second|third|last|other) "
	  "(?:step|point|part|one|item|line|test))\\w+)",
	  PHRASE_SHIFT },
};
enum { PHRASES = sizeof phrases / sizeof phrases[0] };

/* Before the phrase: somebody else's words, a condition, a no. */
static const char against[] =
	"\\bno\\s*$|\\b(?:no (?:quiero|vamos|podemos)|est(?:á|a|ás|án|aba|oy|amos)\\p{L}*"
	"|nunca|don" APOS "t|do not|never|not|without|sin|dij\\p{L}+|dic[eí]\\p{L}*|said|says|told"
	  "|tells"
	"|si|if|cuando|when|whenever|por qué|porque|why|because|frases?|phrases?|palabras?|words?"
	"|signific\\p{L}+|means?|siempre|always|suele|traduc\\p{L}+|translat\\p{L}+)\\b";

/* The patterns, once they were tried (pattern.h). */
static struct pattern phrase_codes[PHRASES], against_code;

/* Where the pattern begins to match, `len` if it does not. */
static size_t find(struct matcher *m, struct pattern *code, const char *pattern, const char *text,
                   size_t len)
{
	const struct span *at = matcher_find(m, code, pattern, text, len);
	return at ? at->from : len;
}

/* `has`: of each phrase, whether the sentence has one of its stems. */
static enum topic_phrase read_sentence(struct matcher *m, const char *text, size_t len,
                                       const bool has[PHRASES])
{
	enum topic_phrase says = PHRASE_NONE;
	for (size_t i = 0; i < PHRASES; i++) {
		if (phrases[i].says <= says || !has[i])
			continue;
		size_t at = find(m, &phrase_codes[i], phrases[i].pattern, text, len);
		if (at == len)
			continue;
		if (find(m, &against_code, against, text, at) == at)
			says = phrases[i].says;
	}
	return says;
}

static enum topic_phrase read_text(struct matcher *m, const char *masked, size_t len)
{
	struct signal_sentence it = { 0 };
	enum topic_phrase says = PHRASE_NONE;
	struct stems stems;
	int tried = 0;
	stems_init(&stems);
	for (size_t i = 0; i < PHRASES; i++)
		stems_add(&stems, phrases[i].stems);
	while (tried < TRIES_MOST && says < PHRASE_RESET && signal_next(masked, len, &it)) {
		const char *text = masked + it.from;
		size_t size = utf8_fit(text, it.to - it.from, SENTENCE_MOST);
		bool has[PHRASES];
		if (!stems_of(&stems, text, size, has))
			continue;
		enum topic_phrase now = read_sentence(m, text, size, has);
		says = now > says ? now : says;
		tried++;
	}
	return says;
}

enum topic_phrase render_topic_phrase(const char *text, size_t len)
{
	struct matcher *m = matcher_new(MATCH_LIMIT);
	char *masked = signal_is_text(text, len) ? signal_mask(text, len) : NULL;
	enum topic_phrase says = m && masked ? read_text(m, masked, len) : PHRASE_NONE;
	matcher_free(m);
	free(masked);
	return says;
}
