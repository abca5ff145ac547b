/* SPDX-License-Identifier: MIT */
/* Which questions are one question, whose answers may be kept, and what an output's form is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_key(void **state)
{
	static const char *const rows[][2] = {
		{ "What is the capital of France?", "what is the capital of france" },
		{ "  ¿Cuál es la CAPITAL   de Francia? ", "cual es la capital de francia" },
		{ "Hola, ¿me podés decir cuál es el puerto, por favor?", "cual es el puerto" },
		{ "Please tell me: who owns C++ v1.2?", "who owns c++ v1.2" },
		{ "Is -5 < 3.5%?", "is -5 < 3.5 %" },
		{ "Don\xE2\x80\x99t we use a/b_c@d?", "don't we use a/b_c@d" },
		{ "1,000 or 1, 000?", "1,000 or 1 000" },
		{ "configuracio\xCC\x81n", "configuracion" },
		{ "gracias", "gracias" }, { "hola", "hola" }, { "please thanks", "thanks" },
		{ "", "" }, { "¿?", "" }, { "\xFF", "" },
		{ "日本の首都は？", "日本の首都は？" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf key = BUF_INIT, again = BUF_INIT;
		render_question_key(&key, rows[i][0], strlen(rows[i][0]));
		assert_string_equal(key.data ? key.data : "", rows[i][1]);
		render_question_key(&again, rows[i][1], strlen(rows[i][1]));
		assert_string_equal(again.data ? again.data : "", rows[i][1]);
		buf_release(&key);
		buf_release(&again);
	}
}

static const char *const kept[] = {
	"¿Cuál es la capital de Francia?", "What is the capital of France?", "¿Cómo configuro el backup?",
	"How do I configure the backup?", "Who is my manager?", "¿Cuál es mi lenguaje preferido?",
	"¿Qué base de datos usamos?",
	"What is the timeout of the API?", "Which nowhere land is that?", "¿Dónde está el tiempo de espera configurado?",
	"Who wrote Yesteryear?", "What does knowhow mean?", "justify the text: how?",
};
static const char *const passed[] = {
	/* the design's own */
	"¿Qué hora es?", "¿Qué tengo que hacer ahora?", "¿Qué hay hoy?", "¿Quién llamó recién?",
	/* time, in both languages */
	"what time is it?", "What should I do now?", "What's on today?", "What's on today's list?",
	"¿A qué hora es la reunión?",
	"¿Qué día es?", "What day is it?", "¿Qué pasó ayer?", "What happened yesterday?", "¿Qué hago mañana?",
	"What is on tomorrow?", "who is the current president?", "¿Quién es el actual presidente?",
	"latest version of Python?",
	"¿Cuál es la última versión?", "Is it still raining?", "¿Ya llegó el paquete?", "¿Todavía llueve?",
	"what did she just say?",
	"How is the weather in Rome?", "¿Cómo está el clima?", "What are the news?", "When is the next release?",
	"AHORA ¿qué?", "¿recien?", "how long until the launch?", "Who won last night?", "What is due this week?",
	/* feelings */
	"¿Por qué me siento así?", "I feel lost, what can I do?", "Estoy triste, ¿qué hago?", "why am I so tired?",
	/* nothing */
	"", "¿?", "\xFF\xFE",
};

static void test_cacheable(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kept); i++)
		if (!render_question_cacheable(kept[i], strlen(kept[i])))
			fail_msg("not kept: %s", kept[i]);
	for (size_t i = 0; i < COUNT(passed); i++)
		if (render_question_cacheable(passed[i], strlen(passed[i])))
			fail_msg("kept: %s", passed[i]);
}

static const char *const same[][2] = {
	{ "What is the capital of France?", "what is the capital of france" },
	{ "What is the capital of France?", "What's the capital of France?" },
	{ "Please, what is the capital of France?", "what is the capital of France, please?" },
	{ "¿Cuál es la capital de Francia?", "cual es la capital de francia" },
	{ "Hola, ¿cuál es la capital de Francia?", "¿Me podés decir cuál es la capital de Francia?" },
	{ "¿Cuál es el puerto de la base de datos de producción?", "cual es el puerto de la base de datos de produccion?" },
	{ "Which port does the production database use?", "which port does production database use?" },
	{ "How many servers do we have in the Madrid datacenter?", "How many servers do we have in Madrid datacenter?" },
	{ "Do you know where the config of nginx is?", "where the config of nginx is?" },
	{ "日本の首都は？", "日本の首都は？" },
	/* another order, another beginning */
	{ "¿Dónde está la sede?", "La sede, ¿dónde está?" },
	{ "Hola, la sede ¿dónde está?", "la sede donde esta" },
	{ "What happens if I deploy on Fridays?", "If I deploy on Fridays, what happens?" },
	{ "How do we deploy the form to the box?", "How to deploy the form to the box" },
	{ "How can I deploy the form to the box?", "What's the way to deploy the form to the box?" },
	{ "¿Dónde queda el galpón?", "¿En dónde está el galpón?" },
	{ "¿Por qué motivo se cayó la copia?", "¿Por qué se cayó la copia?" },
	{ "El galpón, ¿dónde queda?", "¿Dónde se encuentra el galpón?" },
};
static const char *const different[][2] = {
	/* order that tells, beginnings that do */
	{ "Does Ana depend on Bob?", "Does Bob depend on Ana?" },
	{ "La sede, ¿dónde está?", "La sede, ¿cuándo abre?" },
	{ "In May, where was the form?", "In June, where was the form?" },
	{ "How should we deploy the form to the box?", "How to deploy the form to the box" },
	{ "Why do we deploy the form to the box?", "How do we deploy the form to the box?" },
	{ "¿Dónde está la sede de Lanús?", "¿Dónde está la sede?" },
	{ "If it rains, what do we do?", "If it snows, what do we do?" },
	{ "What is the way to the box?", "How to the form?" },
	/* digits */
	{ "What is the limit of the plan 100 for the team?", "What is the limit of the plan 200 for the team?" },
	{ "¿Cuánto cuesta el servidor de 16 GB en la región sur?",
	  "¿Cuánto cuesta el servidor de 32 GB en la región sur?" },
	{ "What is new in version 3.1 of the compiler?", "What is new in version 3.2 of the compiler?" },
	{ "Is the result of the measurement -5 degrees?", "Is the result of the measurement 5 degrees?" },
	{ "What is 15 % of the total of the invoice?", "What is 15 of the total of the invoice?" },
	/* negations */
	{ "Which tests should run on the main branch?", "Which tests should not run on the main branch?" },
	{ "¿Qué módulos se pueden borrar del repositorio?", "¿Qué módulos no se pueden borrar del repositorio?" },
	{ "Who can see the reports of the finance team?", "Who can't see the reports of the finance team?" },
	{ "Which users have logged in with a password?", "Which users have never logged in with a password?" },
	{ "Can we deploy with the old certificates?", "Can we deploy without the old certificates?" },
	/* names */
	{ "What is the favourite dance style of Jon from the studio?",
	  "What is the favourite dance style of Gina from the studio?" },
	{ "¿Cuándo es el cumpleaños de la hermana de Ana María?", "¿Cuándo es el cumpleaños de la hermana de Ana Marta?" },
	{ "what is the email address of melanie in the sales team?",
	  "what is the email address of melania in the sales team?" },
	{ "Where does the US office keep the contracts of 2020?", "Where does us office keep the contracts of 2020 then?" },
	/* what is asked */
	{ "Who approves the budget of the marketing team?", "When approves the budget of the marketing team?" },
	{ "¿Quién paga el alquiler de la oficina de Córdoba?", "¿Cuándo paga el alquiler de la oficina de Córdoba?" },
	{ "What is my password for the staging server?", "What is your password for the staging server?" },
	{ "What is my password for the staging server?", "What is the password for the staging server?" },
	{ "Who did Ana pay for the work of Bob?", "Who did Bob pay for the work of Ana?" },
	{ "How do I install the driver on the laptop?", "How do I uninstall the driver on the laptop?" },
	{ "How do I increase the size of the window?", "How do I decrease the size of the window?" },
	{ "Which servers were added to the cluster in May?", "Which servers will be added to the cluster in May?" },
	{ "Is C++ used in the engine of the project?", "Is C used in the engine of the project?" },
	{ "What is in src/a.c of the parser library?", "What is in src/b.c of the parser library?" },
	{ "", "" }, { "¿?", "¿?" }, { "a question", "" },
	{ "What is a monad?", "How do I boil an egg?" },
};

static bool is_same(const char *a, const char *b)
{
	bool is = render_same_question(a, strlen(a), b, strlen(b), 0.85);
	assert_int_equal(is, render_same_question(b, strlen(b), a, strlen(a), 0.85));
	return is;
}

static void test_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(same); i++)
		if (!is_same(same[i][0], same[i][1]))
			fail_msg("should be one: %s | %s", same[i][0], same[i][1]);
	for (size_t i = 0; i < COUNT(different); i++)
		if (is_same(different[i][0], different[i][1]))
			fail_msg("should be two: %s | %s", different[i][0], different[i][1]);
}

/* The guards are what parts most of them: similarity alone would not. */
static void test_needs_guards(void **state)
{
	size_t alike = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(different); i++)
		alike += render_similarity(different[i][0], strlen(different[i][0]), different[i][1],
		                           strlen(different[i][1])) > 0.85;
	assert_true(alike >= COUNT(different) / 2);
	/* and the guards are not all: what does not look alike is asked anew */
	assert_false(render_same_question("What is the port?", 17, "What is port", 12, 0.999));
	assert_true(render_same_question("What is the port?", 17, "What is port", 12, 0.5));
}

/* Only what no model says for certain; the rest is its cosine's to tell. */
static void test_agrees(void **state)
{
	static const char *const yes[][2] = {
		{ "How do I deploy the service?", "how do i ship the service" },
		{ "¿Cómo configuro el respaldo?", "¿cómo configuro el backup?" },
		{ "Where does Ana keep the keys?", "where does ana store the keys" },
		{ "what is the port of v1.2", "What is the socket of v1.2?" },
	};
	static const char *const no[][2] = {
		{ "what is the timeout of v1.2", "what is the timeout of v1.3" },
		{ "which two servers are down", "which three servers are down" },
		{ "how do I deploy", "how do I not deploy" }, { "can one deploy", "can one never deploy" },
		{ "where does Ana live", "where does Jon live" }, { "where does Ana live", "where does my sister live" },
		{ "when was it built", "where was it built" }, { "what is my port", "what is your port" },
		{ "cut with tests", "cut without tests" }, { "how do I open a gate", "how do I close a gate" },
		{ "¿cómo salgo antes?", "¿cómo salgo después?" }, { "who is her dentist", "who is his dentist" },
		{ "is the pH high", "is the power high" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++) {
		assert_true(render_question_agrees(yes[i][0], strlen(yes[i][0]), yes[i][1], strlen(yes[i][1])));
		assert_true(render_question_agrees(yes[i][1], strlen(yes[i][1]), yes[i][0], strlen(yes[i][0])));
	}
	for (size_t i = 0; i < COUNT(no); i++) {
		assert_false(render_question_agrees(no[i][0], strlen(no[i][0]), no[i][1], strlen(no[i][1])));
		assert_false(render_question_agrees(no[i][1], strlen(no[i][1]), no[i][0], strlen(no[i][0])));
	}
}

static void test_output(void **state)
{
	static const struct {
		const char *text;
		bool text_ok, markdown, json;
	} rows[] = {
		{ "", false, false, false },
		{ " \n\t", false, false, false },
		{ "\xFF", false, false, false },
		{ "Done.", true, true, false },
		{ "{\"a\": [1, 2]}", true, true, true },
		{ " [1] \n", true, true, true },
		{ "1", true, true, false },
		{ "\"a\"", true, true, false },
		{ "{\"a\": 1", true, true, false },
		{ "{\"a\": 1}\nand more", true, true, false },
		{ "{\"a\": 1, \"a\": 2}", true, true, false },
		{ "# Title\n\n```c\nint x;\n```\n", true, true, false },
		{ "```c\nint x;\n", true, false, false },
		{ "~~~\n```\n~~~", true, true, false },
		{ "````\n```\n", true, false, false },
		{ "````\n```\n````", true, true, false },
		{ "```\nx\n``` y", true, false, false },
		{ "    ```\nnot a fence", true, true, false },
		{ "``` a ` b", true, true, false },
		{ "use `a` and ``b``", true, true, false },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t len = strlen(rows[i].text);
		assert_int_equal(render_output_check(OUTPUT_TEXT, rows[i].text, len), rows[i].text_ok);
		assert_int_equal(render_output_check(OUTPUT_MARKDOWN, rows[i].text, len), rows[i].markdown);
		assert_int_equal(render_output_check(OUTPUT_JSON, rows[i].text, len), rows[i].json);
	}
	assert_false(render_output_check(OUTPUT_TEXT, "a\0b", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key),          cmocka_unit_test(test_cacheable), cmocka_unit_test(test_same),
		cmocka_unit_test(test_needs_guards), cmocka_unit_test(test_agrees),
		cmocka_unit_test(test_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
