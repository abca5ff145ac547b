/* SPDX-License-Identifier: MIT */
/* What users say when they turn to something else, and what only looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const shifts[] = {
	/* the design's own */
	"Otra cosa", "otra cosa: ¿cómo configuro el backup?", "Cambiando de tema, ¿qué comemos?",
	"Te quería preguntar sobre las vacaciones", "Dejando eso de lado, necesito el informe",
	"By the way, is the server up?",
	/* natural ones */
	"Y otra cosa, mañana no estoy", "Bueno, otra cosa que quería ver", "Ah, otra pregunta: ¿hay wifi?",
	"Perfecto. Otra cosa: falta el logo", "Una otra cosa", "Quería preguntarte por el contrato",
	"también te quería consultar sobre el seguro", "Hola, te quería preguntar por el vuelo",
	"Para cambiar de tema: ¿viste el partido?", "cambio de tema", "Nuevo tema: presupuesto",
	"Otro tema, la fiesta del sábado", "Dejemos eso por ahora y veamos el informe",
	"dejemos de lado eso", "Por cierto, ¿llegó el paquete?", "Gracias. Por cierto, mi hija cumple años",
	"A propósito, ¿qué hora es allá?",
	"btw the door is open", "Ok, BTW: did you see the mail?", "The build is green, by the way.",
	"On another note, my sister called", "on a different note: lunch?", "Changing the subject, what about Rome?",
	"Change of topic: taxes", "switching gears, let us look at the budget", "New topic: holidays",
	"Different subject. How do I cook rice?", "Unrelated: my cat is ill", "Unrelated question, what is a monad?",
	"Totally unrelated, but do you know Lyon?", "Another thing: the invoice is late",
	"Just another thing I wanted to mention", "Another question: who is Ana?",
	"Something else I wanted to ask: the rent",
	"I wanted to ask you about the rent", "I've no idea. That aside, how is the car?",
	"Leaving that aside, what about the car?", "Setting aside this, let us go on", "Moving on to the budget",
	"Moving on. What is next?", "Thanks! Also, by the way, I moved to Berlin",
	/* the rest of the message may say anything */
	"Listo, gracias.\nOtra cosa: si cambiamos el color, ¿queda bien?",
};

static const char *const resets[] = {
	"Cambiemos de tema", "cambiemos de tema, por favor", "Bueno, cambiemos de asunto", "Vamos a cambiar de tema",
	"¿Podemos cambiar de tema?", "Hablemos de otra cosa", "mejor hablemos de otra cosa", "Pasemos a otro tema",
	"Quiero hablar de otra cosa", "Let's change the subject", "Let\xE2\x80\x99s switch topics",
	"can we change the topic?",
	"Could we talk about something else?", "Let's move on to a new topic", "Thanks. Let's discuss something else.",
	"Por cierto, cambiemos de tema",
};

static const char *const nothing[] = {
	"", "hola", "No hay otra cosa que hacer", "Es otra cosa", "Necesito otra cosa para comer",
	"Una cosa lleva a otra cosa",
	"Otra cosa es que no funcione", "otra cosa sería peor", "No cambiemos de tema", "no cambies de tema",
	"Ella siempre está cambiando de tema", "Si cambiamos de tema me pierdo", "¿Por qué estás cambiando de tema?",
	"Dijo que cambiemos de tema", "Traducí \"cambiemos de tema\" al inglés", "`cambiemos de tema`",
	"```\ncambiemos de tema\n```", "> by the way, no", "The phrase \"by the way\" is common", "what does btw mean?",
	"He said let's change the subject", "Don't change the subject", "I never said let's change the topic",
	"If we change the topic, tell me", "The subject line is empty", "The topic of the lecture is biology",
	"She found a way", "Find another way", "Write it another way", "I want something else", "Is there something else?",
	"Another thing is broken", "This is unrelated to the bug", "Moving on to the next step", "moving on to that",
	"Moving to Berlin", "I wanted to ask about it", "te quería preguntar sobre eso", "I put it aside",
	"Dejamos el auto de lado de la casa", "dejando el perro en casa", "El precio es cierto", "Lo hizo a propósito",
	"A propósito de eso, falta una firma", "El tema nuevo del disco es lindo", "the new topic model works",
	"Otro tema es el precio", "On the other note I wrote the number", "\xFF\xFE cambiemos de tema",
};

static void check(const char *const *texts, size_t n, enum topic_phrase says)
{
	int wrong = 0;
	for (size_t i = 0; i < n; i++) {
		enum topic_phrase got = render_topic_phrase(texts[i], strlen(texts[i]));
		if (got != says)
			print_message("%d instead of %d: %s\n", got, says, texts[i]);
		wrong += got != says;
	}
	assert_int_equal(wrong, 0);
}

static void test_shift(void **state)
{
	(void)state;
	check(shifts, COUNT(shifts), PHRASE_SHIFT);
}

static void test_reset(void **state)
{
	(void)state;
	check(resets, COUNT(resets), PHRASE_RESET);
}

static void test_nothing(void **state)
{
	(void)state;
	check(nothing, COUNT(nothing), PHRASE_NONE);
}

/* Time is bounded: a long paste of what a rule begins with. */
static void test_long(void **state)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE);
	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < SIZE; i++)
		text[i] = "y otra topic btw "[i % 17];
	(void)render_topic_phrase(text, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		text[i] = "otra tema. "[i % 11];
	(void)render_topic_phrase(text, SIZE);
	free(text);
}

static void test_domain(void **state)
{
	static const struct {
		const char *turns[3];
		enum topic_domain domain;
	} rows[] = {
		{ { "El servidor no compila", "Falta una función en el módulo de Python", "Hago commit" }, TALK_CODE },
		{ { "Mi hija cumple años", "¿Le compro una torta?", "También viene mi hermana con el perro" }, TALK_PERSONAL },
		{ { "El cliente no pagó la factura", "Hablo con el gerente de ventas", "" }, TALK_WORK },
		{ { "We need a roadmap", "The milestone is in March", "and the deadline for the backlog" }, TALK_PLANNING },
		{ { "The compiler stops", "with a segfault in the parser", "```c\nint x;\n```" }, TALK_CODE },
		{ { "My wife and the kids", "are at the beach for the holidays", "" }, TALK_PERSONAL },
		{ { "", "", "" }, TALK_NONE },
		{ { "Hola", "¿Qué tal?", "Bien" }, TALK_NONE },
		{ { "El servidor", "", "" }, TALK_NONE },                                    /* one word is none */
		{ { "El cliente y su factura", "el servidor y la API", "" }, TALK_NONE },    /* two domains */
		{ { "\xFF\xFE", "API \xFF", "compiler" }, TALK_CODE },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct summary_turn turns[3] = { { 0 } };
		for (size_t k = 0; k < 3; k++)
			turns[k] = (struct summary_turn){ .text = rows[i].turns[k], .len = strlen(rows[i].turns[k]) };
		assert_int_equal(render_topic_domain(turns, 3), rows[i].domain);
	}
	assert_int_equal(render_topic_domain(NULL, 0), TALK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shift), cmocka_unit_test(test_reset),  cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_long),  cmocka_unit_test(test_domain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
