/* SPDX-License-Identifier: MIT */
/*
 * Languages by their commonest words.  A list has no word that is also common in one of the other
 * languages ("a", "no", "me", "come"), so few words tell; and a tie is English, whose formula was
 * measured as it is.
 */
#include "store/words/search_language.h"

#include <libstemmer.h>
#include <stdbool.h>
#include <string.h>

static const char *const common[LANGUAGES] = {
	[LANGUAGE_ENGLISH] =
		" the and of to is are was were it its that this these those with for from you your i"
		" my we"
		" our they their she him her be been have has had not but what which who when where how do"
		" does did can could will would should there here just about if then than very on at by or"
		" im ive dont isnt thats lets so up out all some get got like know think really yeah hey ",
	[LANGUAGE_SPANISH] =
		" el los las lo y que es una unos unas del al por para con su sus se le les pero más"
		" mas como"
		" cómo qué cuál cuándo dónde quién hay está están estoy estás soy sos somos eres tengo"
		" tenés"
		" tienes tiene hace hacer vos ustedes usted nosotros ellos ellas muy ya también tambien"
		" porque"
		" cuando donde quien este esta esto ese esa eso mi mis tu tus nos fue era hoy ayer"
		" mañana sí"
		" aquí acá ahí allá che bueno después despues antes siempre nunca hasta desde entre"
		" sobre sin"
		" yo él ella ni nada todo todos cada otro otra puede puedo quiero vivo en ",
	[LANGUAGE_PORTUGUESE] =
		" os um uma uns umas do da dos das no na nos nas ao aos pelo pela com não nao você voce"
		" vocês"
		" eu ele ela eles elas seu sua seus suas meu minha mas mais muito também são está estão"
		" foi"
		" tem têm ter isso isto aquele aquela onde quem quando porque até já depois em ",
	[LANGUAGE_FRENCH] =
		" le les des du et est une dans pour que qui avec sur pas ne ce cette ces il elle ils"
		" elles"
		" nous vous je tu mon ma mes ton ta tes son sa ses leur leurs mais ou où donc aux au"
		" sont était"
		" être avoir fait très plus quand comment pourquoi quel quelle aussi déjà chez ",
	[LANGUAGE_ITALIAN] =
		" il lo gli di della dei delle degli è che non per con una uno sono come anche più ma se"
		" questo questa quello quella suo sua suoi loro nel nella nei nelle dal dalla alla al"
		" ai mi ti"
		" ci vi io lui lei noi voi quando dove chi perché cosa molto ancora già ",
	[LANGUAGE_GERMAN] =
		" der die das und ist nicht ein eine einen einem einer ich du er sie wir ihr mit von zu"
		" zum zur"
		" für auf im den dem des auch sich aber oder wenn wie was wer wo warum hat haben wird"
		" werden"
		" sind war bei nach aus noch nur schon sehr kein keine mein dein sein ",
};

/* Letters that one of them alone has, and often. */
static const struct {
	const char *letter;
	enum language of;
} letters[] = {
	{ "\xC3\xB1", LANGUAGE_SPANISH },    /* ñ */
	{ "\xC2\xBF", LANGUAGE_SPANISH },    /* inverted question mark */
	{ "\xC2\xA1", LANGUAGE_SPANISH },    /* inverted exclamation mark */
	{ "\xC3\xA3", LANGUAGE_PORTUGUESE }, /* ã */
	{ "\xC3\xB5", LANGUAGE_PORTUGUESE }, /* õ */
	{ "\xC3\xA4", LANGUAGE_GERMAN },     /* ä */
	{ "\xC3\x9F", LANGUAGE_GERMAN },     /* sharp s */
};

static bool is_letter(unsigned char c)
{
	return c >= 0x80 || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* A word of at most 14 bytes in small letters; false: it is longer, or none. */
static bool small_word(const char *text, size_t len, char word[WORD_SIZE])
{
	if (len == 0 || len > 14)
		return false;
	memset(word, 0, WORD_SIZE);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		bool accented = i > 0 && (unsigned char)text[i - 1] == 0xC3 && c >= 0x80 && c < 0x9F;
		word[i] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : accented ? c + 0x20 : c);
	}
	return true;
}

static struct common_word *slot_of(struct common_words *words, const char word[WORD_SIZE])
{
	uint64_t half[2];
	memcpy(half, word, sizeof half);
	size_t at = (size_t)((half[0] ^ half[1] * 31) * UINT64_C(0x9E3779B97F4A7C15) >> 48);
	struct common_word *slot = &words->slot[at % COMMON_SLOTS];
	while (slot->word[0] && memcmp(slot->word, word, WORD_SIZE) != 0)
		slot = slot == &words->slot[COMMON_SLOTS - 1] ? words->slot : slot + 1;
	return slot;
}

static void count_word(struct common_words *words, const char *text, size_t len,
                       int count[LANGUAGES])
{
	char word[WORD_SIZE];
	if (!small_word(text, len, word))
		return;
	const struct common_word *slot = slot_of(words, word);
	for (int l = 0; l < LANGUAGES && slot->word[0]; l++)
		count[l] += slot->languages >> l & 1;
}

void common_words_fill(struct common_words *words)
{
	memset(words, 0, sizeof *words);
	for (int l = 0; l < LANGUAGES; l++)
		for (const char *at = common[l]; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
			char word[WORD_SIZE] = "";
			size_t len = strcspn(at, " ");
			if (len >= WORD_SIZE)
				continue; /* no word of a text is looked for that is so long */
			memcpy(word, at, len);
			struct common_word *slot = slot_of(words, word);
			memcpy(slot->word, word, WORD_SIZE);
			slot->languages |= (uint8_t)(1 << l);
		}
}

static void count_letters(const char *text, size_t len, int count[LANGUAGES])
{
	for (size_t i = 0; i + 1 < len; i++)
		for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
			count[letters[k].of] += memcmp(text + i, letters[k].letter, 2) == 0;
}

enum language search_language(struct common_words *words, const char *text, size_t len)
{
	int count[LANGUAGES] = { 0 }, best = LANGUAGE_ENGLISH;
	len = len < LANGUAGE_BYTES ? len : LANGUAGE_BYTES;
	for (size_t at = 0; at < len;) {
		size_t n = 0;
		while (at + n < len && is_letter((unsigned char)text[at + n]))
			n++;
		count_word(words, text + at, n, count);
		at += n ? n : 1;
	}
	count_letters(text, len, count);
	for (int l = 0; l < LANGUAGES; l++)
		best = count[l] > count[best] ? l : best;
	return (enum language)best;
}

void stemmers_release(struct stemmers *s)
{
	for (int l = 0; l < LANGUAGES; l++) {
		sb_stemmer_delete(s->items[l]);
		s->items[l] = NULL;
	}
}

const char *stemmers_stem(struct stemmers *s, enum language l, const char *word, size_t len,
                          size_t *stem_len)
{
	static const char *const names[LANGUAGES] = { [LANGUAGE_ENGLISH] = "porter",
		[LANGUAGE_SPANISH] = "spanish", [LANGUAGE_PORTUGUESE] = "portuguese",
		[LANGUAGE_FRENCH] = "french", [LANGUAGE_ITALIAN] = "italian",
		[LANGUAGE_GERMAN] = "german" };
	if (!s->items[l])
		s->items[l] = sb_stemmer_new(names[l], "UTF_8");
	const sb_symbol *stem = s->items[l] && len < 64 ?
		sb_stemmer_stem(s->items[l], (const sb_symbol *)word, (int)len) : NULL;
	*stem_len = stem ? (size_t)sb_stemmer_length(s->items[l]) : len;
	return stem ? (const char *)stem : word;
}
