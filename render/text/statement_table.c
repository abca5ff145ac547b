/* SPDX-License-Identifier: MIT */
/* The words by which claims are told (statement.h).  All folded: no capitals, no accents. */
#include <string.h>

#include "render/text/statement.h"

/* The longer one of two that begin alike stands first. */
const struct statement_phrase statement_phrases[] = {
	{ "empece a trabajar en", SLOT_EMPLOYER, false },
	{ "empece a trabajar para", SLOT_EMPLOYER, false },
	{ "entre a trabajar en", SLOT_EMPLOYER, false },
	{ "deje de trabajar en", SLOT_EMPLOYER, true },
	{ "deje de trabajar para", SLOT_EMPLOYER, true },
	{ "trabajo en", SLOT_EMPLOYER, false },
	{ "trabajo para", SLOT_EMPLOYER, false },
	{ "started working at", SLOT_EMPLOYER, false },
	{ "started working for", SLOT_EMPLOYER, false },
	{ "stopped working at", SLOT_EMPLOYER, true },
	{ "stopped working for", SLOT_EMPLOYER, true },
	{ "work at", SLOT_EMPLOYER, false },
	{ "work for", SLOT_EMPLOYER, false },
	{ "work in", SLOT_EMPLOYER, false },
	{ "me mude a", SLOT_HOME, false },
	{ "nos mudamos a", SLOT_HOME, false },
	{ "vivo en", SLOT_HOME, false },
	{ "vivimos en", SLOT_HOME, false },
	{ "live in", SLOT_HOME, false },
	{ "moved to", SLOT_HOME, false },
	{ "me llamo", SLOT_NAME, false },
	{ "mi nombre es", SLOT_NAME, false },
	{ "my name is", SLOT_NAME, false },
	{ "my name s", SLOT_NAME, false },
	{ "called", SLOT_NAME, false },
	{ "tengo # anos", SLOT_AGE, false },
	{ "# years old", SLOT_AGE, false },
	{ "mi cumpleanos es", SLOT_BIRTHDAY, false },
	{ "mi cumple es", SLOT_BIRTHDAY, false },
	{ "my birthday is", SLOT_BIRTHDAY, false },
	{ "my birthday s", SLOT_BIRTHDAY, false },
	{ "me gusta", SLOT_LIKE, false },
	{ "me gustan", SLOT_LIKE, false },
	{ "nos gusta", SLOT_LIKE, false },
	{ "nos gustan", SLOT_LIKE, false },
	{ "me encanta", SLOT_LIKE, false },
	{ "me encantan", SLOT_LIKE, false },
	{ "odio", SLOT_LIKE, true },
	{ "detesto", SLOT_LIKE, true },
	{ "me molesta", SLOT_LIKE, true },
	{ "me molestan", SLOT_LIKE, true },
	{ "can t stand", SLOT_LIKE, true },
	{ "like", SLOT_LIKE, false },
	{ "love", SLOT_LIKE, false },
	{ "enjoy", SLOT_LIKE, false },
	{ "hate", SLOT_LIKE, true },
	{ "dislike", SLOT_LIKE, true },
	{ "prefiero", SLOT_PREFER, false },
	{ "preferimos", SLOT_PREFER, false },
	{ "preferiria", SLOT_PREFER, false },
	{ "prefer", SLOT_PREFER, false },
	{ "rather", SLOT_PREFER, false },
	{ "deje de usar", SLOT_USE, true },
	{ "dejamos de usar", SLOT_USE, true },
	{ "stopped using", SLOT_USE, true },
	{ "usar", SLOT_USE, false },
	{ "usa", SLOT_USE, false },
	{ "usas", SLOT_USE, false },
	{ "uses", SLOT_USE, false },
	{ "uso", SLOT_USE, false },
	{ "usamos", SLOT_USE, false },
	{ "utilizar", SLOT_USE, false },
	{ "use", SLOT_USE, false },
	{ "using", SLOT_USE, false },
	{ "adoptar", SLOT_USE, false },
	{ "adopt", SLOT_USE, false },
	{ "elegir", SLOT_USE, false },
	{ "pasarme a", SLOT_USE, false },
	{ "pasarnos a", SLOT_USE, false },
	{ "pasar a", SLOT_USE, false },
	{ "volver a", SLOT_USE, false },
	{ "migrar a", SLOT_USE, false },
	{ "migrarnos a", SLOT_USE, false },
	{ "cambiar a", SLOT_USE, false },
	{ "ir con", SLOT_USE, false },
	{ "quedarnos con", SLOT_USE, false },
	{ "quedarme con", SLOT_USE, false },
	{ "go back to", SLOT_USE, false },
	{ "back to", SLOT_USE, false },
	{ "go with", SLOT_USE, false },
	{ "move to", SLOT_USE, false },
	{ "switch to", SLOT_USE, false },
	{ "migrate to", SLOT_USE, false },
	{ "stay with", SLOT_USE, false },
	{ "stick with", SLOT_USE, false },
};
const size_t statement_phrase_count = sizeof statement_phrases / sizeof statement_phrases[0];

/* Where a claim begins they say nothing: who speaks, how sure, since when. */
const char *const statement_fillers =
	" yo nosotros i we m am ve d have to please favor por que ahora actualmente now currently "
	"really much usually generally personally definitely still would siempre always also too "
	"tambien ademas the perdon sorry pero but y and so well bueno che ";

/* Nowhere do they say what a claim is of. */
const char *const statement_silent =
	" el la los las lo un una unos unas de del al a en y e o con mi mis nuestro nuestra nuestros "
	"es esta son soy sos somos era fue se me te nos que muy mucho mas ya por the an of to in at on "
	"and or with my our is are was am m s it that this very much now ahora too also tambien ademas "
	"please gracias thanks i we yo por dudas ";

/* Behind a comma they keep to a part of what stands before it: "…, except on servers". */
const char *const statement_limits =
	" except unless save other but pero only solo salvo excepto menos aunque though although "
	"when while if cuando mientras si in on at with for since en con para desde durante a and y "
	"e or o ni nor ";

/* With "from A to B" behind them they say what is used now. */
const char *const statement_moves =
	" move switch migrate change convert port mover pasar pasarme pasarnos migrar migrarme "
	"migrarnos cambiar cambiarme cambiarnos convertir portar ";

/* What one works in is no employer. */
const char *const statement_departments =
	" equipo team sales ventas marketing sistemas finanzas finance research investigacion "
	"desarrollo development it rrhh hr soporte support design diseno ";

/*
 * Of one meaning in both languages, whatever is said: what people are, and what they are allergic
 * to.  A word that has another meaning in either ("nuts", "soya") stands in none.
 */
static const char *const one_meaning[] = {
	" vegetarian vegetariano vegetariana vegetarianos vegetarianas ",
	" vegan vegano vegana veganos veganas ",
	" celiac coeliac celiaco celiaca ",
	" diabetic diabetico diabetica ",
	" asthmatic asmatico asmatica ",
	" allergic alergico alergica ",
	" peanuts peanut mani manies cacahuete cacahuetes cacahuate cacahuates ",
	" shellfish marisco mariscos ",
	" pollen polen ",
	" penicillin penicilina ",
	" aspirin aspirina ",
	" ibuprofen ibuprofeno ",
	" lactose lactosa ",
};

const char *statement_word(const char *word)
{
	for (size_t i = 0; i < sizeof one_meaning / sizeof one_meaning[0]; i++)
		if (statement_is_in(one_meaning[i], word))
			return one_meaning[i];
	return word;
}

bool statement_is_in(const char *list, const char *word)
{
	size_t len = strlen(word);
	for (const char *at = list; len > 0 && (at = strstr(at, word)) != NULL; at += len)
		if (at > list && at[-1] == ' ' && at[len] == ' ')
			return true;
	return false;
}
