/* SPDX-License-Identifier: MIT */
/*
 * What some turns are about, by telling words of both languages: work, personal,
 * code, planning.  One word tells nothing, and two domains at once neither: a change
 * of domain ends a topic, so it must be one.
 */
#include <string.h>

#include "render/format/format.h"
#include "render/text/fold.h"
#include "render/text/text.h"

enum {
	LEAST = 2,              /* telling words of a domain */
	TIMES = 2,              /* as many as the next domain has */
	TEXT_MOST = 16 << 10,   /* bytes of a turn that are looked at */
	WORD_MOST = 32
};

/* Folded (fold.h), in the order of bytes, in the singular. */
static const struct telling {
	const char *word;
	enum topic_domain domain;
} tellings[] = {
	{ "abuela", TALK_PERSONAL }, { "abuelo", TALK_PERSONAL }, { "agenda", TALK_PLANNING },
	{ "aniversario", TALK_PERSONAL }, { "anniversary", TALK_PERSONAL }, { "api", TALK_CODE },
	{ "async", TALK_CODE }, { "baby", TALK_PERSONAL }, { "backend", TALK_CODE },
	{ "backlog", TALK_PLANNING }, { "beach", TALK_PERSONAL }, { "bebe", TALK_PERSONAL },
	{ "binario", TALK_CODE }, { "binary", TALK_CODE }, { "birthday", TALK_PERSONAL },
	{ "boda", TALK_PERSONAL }, { "boss", TALK_WORK }, { "boyfriend", TALK_PERSONAL },
	{ "brother", TALK_PERSONAL }, { "bucle", TALK_CODE }, { "budget", TALK_WORK },
	{ "bug", TALK_CODE }, { "cake", TALK_PERSONAL }, { "calendario", TALK_PLANNING },
	{ "casamiento", TALK_PERSONAL }, { "cat", TALK_PERSONAL }, { "cena", TALK_PERSONAL },
	{ "children", TALK_PERSONAL }, { "client", TALK_WORK }, { "cliente", TALK_WORK },
	{ "code", TALK_CODE }, { "codebase", TALK_CODE }, { "codigo", TALK_CODE },
	{ "colega", TALK_WORK }, { "colleague", TALK_WORK }, { "commit", TALK_CODE },
	{ "company", TALK_WORK }, { "compila", TALK_CODE }, { "compilador", TALK_CODE },
	{ "compilar", TALK_CODE }, { "compile", TALK_CODE }, { "compiler", TALK_CODE },
	{ "contador", TALK_WORK }, { "contadora", TALK_WORK }, { "contract", TALK_WORK },
	{ "contrato", TALK_WORK }, { "coworker", TALK_WORK }, { "cronograma", TALK_PLANNING },
	{ "css", TALK_CODE }, { "cumpleanos", TALK_PERSONAL }, { "customer", TALK_WORK },
	{ "dad", TALK_PERSONAL }, { "database", TALK_CODE }, { "daughter", TALK_PERSONAL },
	{ "deadline", TALK_PLANNING }, { "debug", TALK_CODE }, { "debugger", TALK_CODE },
	{ "deliverable", TALK_PLANNING }, { "dentist", TALK_PERSONAL }, { "dentista", TALK_PERSONAL },
	{ "deploy", TALK_CODE }, { "deployment", TALK_CODE }, { "despliegue", TALK_CODE },
	{ "dinner", TALK_PERSONAL }, { "docker", TALK_CODE }, { "doctor", TALK_PERSONAL },
	{ "dog", TALK_PERSONAL }, { "embarazo", TALK_PERSONAL }, { "empleada", TALK_WORK },
	{ "empleado", TALK_WORK }, { "employee", TALK_WORK }, { "empresa", TALK_WORK },
	{ "endpoint", TALK_CODE }, { "entregable", TALK_PLANNING }, { "escuela", TALK_PERSONAL },
	{ "esposa", TALK_PERSONAL }, { "esposo", TALK_PERSONAL }, { "estimacion", TALK_PLANNING },
	{ "estimate", TALK_PLANNING }, { "excepcion", TALK_CODE }, { "exception", TALK_CODE },
	{ "factura", TALK_WORK }, { "familia", TALK_PERSONAL }, { "family", TALK_PERSONAL },
	{ "father", TALK_PERSONAL }, { "frontend", TALK_CODE }, { "funcion", TALK_CODE },
	{ "function", TALK_CODE }, { "gantt", TALK_PLANNING }, { "gata", TALK_PERSONAL },
	{ "gato", TALK_PERSONAL }, { "gerente", TALK_WORK }, { "girlfriend", TALK_PERSONAL },
	{ "git", TALK_CODE }, { "github", TALK_CODE }, { "gitlab", TALK_CODE },
	{ "goal", TALK_PLANNING }, { "golang", TALK_CODE }, { "grandma", TALK_PERSONAL },
	{ "grandpa", TALK_PERSONAL }, { "hermana", TALK_PERSONAL }, { "hermano", TALK_PERSONAL },
	{ "hija", TALK_PERSONAL }, { "hijo", TALK_PERSONAL }, { "hiring", TALK_WORK },
	{ "hito", TALK_PLANNING }, { "holiday", TALK_PERSONAL }, { "html", TALK_CODE },
	{ "husband", TALK_PERSONAL }, { "invoice", TALK_WORK }, { "java", TALK_CODE },
	{ "javascript", TALK_CODE }, { "jefa", TALK_WORK }, { "jefe", TALK_WORK },
	{ "json", TALK_CODE }, { "kanban", TALK_PLANNING }, { "kernel", TALK_CODE },
	{ "kid", TALK_PERSONAL }, { "kubernetes", TALK_CODE }, { "library", TALK_CODE },
	{ "libreria", TALK_CODE }, { "licitacion", TALK_WORK }, { "linter", TALK_CODE },
	{ "madre", TALK_PERSONAL }, { "makefile", TALK_CODE }, { "mama", TALK_PERSONAL },
	{ "manager", TALK_WORK }, { "marido", TALK_PERSONAL }, { "marketing", TALK_WORK },
	{ "mascota", TALK_PERSONAL }, { "medico", TALK_PERSONAL }, { "meeting", TALK_WORK },
	{ "middleware", TALK_CODE }, { "milestone", TALK_PLANNING }, { "mom", TALK_PERSONAL },
	{ "mother", TALK_PERSONAL }, { "mum", TALK_PERSONAL }, { "mutex", TALK_CODE },
	{ "novia", TALK_PERSONAL }, { "novio", TALK_PERSONAL }, { "npm", TALK_CODE },
	{ "objetivo", TALK_PLANNING }, { "office", TALK_WORK }, { "oficina", TALK_WORK },
	{ "okr", TALK_PLANNING }, { "padre", TALK_PERSONAL }, { "papa", TALK_PERSONAL },
	{ "parser", TALK_CODE }, { "payroll", TALK_WORK }, { "perra", TALK_PERSONAL },
	{ "perro", TALK_PERSONAL }, { "pet", TALK_PERSONAL }, { "planificacion", TALK_PLANNING },
	{ "planificar", TALK_PLANNING }, { "planning", TALK_PLANNING }, { "playa", TALK_PERSONAL },
	{ "plazo", TALK_PLANNING }, { "pointer", TALK_CODE }, { "postgres", TALK_CODE },
	{ "pregnant", TALK_PERSONAL }, { "presupuesto", TALK_WORK }, { "prioridad", TALK_PLANNING },
	{ "priority", TALK_PLANNING }, { "proveedor", TALK_WORK }, { "puntero", TALK_CODE },
	{ "pytest", TALK_CODE }, { "python", TALK_CODE }, { "quarter", TALK_PLANNING },
	{ "query", TALK_CODE }, { "recruiter", TALK_WORK }, { "refactor", TALK_CODE },
	{ "refactoring", TALK_CODE }, { "refactorizar", TALK_CODE }, { "regex", TALK_CODE },
	{ "repo", TALK_CODE }, { "repositorio", TALK_CODE }, { "repository", TALK_CODE },
	{ "reunion", TALK_WORK }, { "revenue", TALK_WORK }, { "roadmap", TALK_PLANNING },
	{ "rust", TALK_CODE }, { "salary", TALK_WORK }, { "sales", TALK_WORK },
	{ "schedule", TALK_PLANNING }, { "script", TALK_CODE }, { "segfault", TALK_CODE },
	{ "server", TALK_CODE }, { "servidor", TALK_CODE }, { "sister", TALK_PERSONAL },
	{ "son", TALK_PERSONAL }, { "sprint", TALK_PLANNING }, { "sql", TALK_CODE },
	{ "sqlite", TALK_CODE }, { "stacktrace", TALK_CODE }, { "stakeholder", TALK_WORK },
	{ "sueldo", TALK_WORK }, { "supplier", TALK_WORK }, { "thread", TALK_CODE },
	{ "timeline", TALK_PLANNING }, { "torta", TALK_PERSONAL }, { "trimestre", TALK_PLANNING },
	{ "typescript", TALK_CODE }, { "unittest", TALK_CODE }, { "vacacion", TALK_PERSONAL },
	{ "vacaciones", TALK_PERSONAL }, { "vacation", TALK_PERSONAL }, { "variable", TALK_CODE },
	{ "vendor", TALK_WORK }, { "venta", TALK_WORK }, { "wedding", TALK_PERSONAL },
	{ "wife", TALK_PERSONAL }, { "yaml", TALK_CODE },
};
enum { TELLINGS = sizeof tellings / sizeof tellings[0] };

static enum topic_domain look_up(const char *word)
{
	size_t from = 0, to = TELLINGS;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int is = strcmp(word, tellings[mid].word);
		if (is == 0)
			return tellings[mid].domain;
		if (is < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return TALK_NONE;
}

/* The word or its singular. */
static enum topic_domain domain_of(const char *word, size_t len)
{
	char copy[WORD_MOST + 1];
	if (len == 0 || len > WORD_MOST)
		return TALK_NONE;
	memcpy(copy, word, len);
	copy[len] = '\0';
	enum topic_domain domain = look_up(copy);
	for (size_t plural = 1; plural <= 2 && domain == TALK_NONE && len > 3; plural++) {
		if (strncmp(word + len - plural, &"es"[2 - plural], plural) != 0)
			break;
		copy[len - plural] = '\0';
		domain = look_up(copy);
	}
	return domain;
}

static void count_words(const struct summary_turn *turn, size_t counts[TALK_COUNT])
{
	struct buf folded = BUF_INIT;
	fold_text(&folded, turn->text, turn->len < TEXT_MOST ? turn->len : TEXT_MOST);
	for (size_t i = 0; !folded.failed && i < folded.len;) {
		const char *end = memchr(folded.data + i, ' ', folded.len - i);
		size_t len = end ? (size_t)(end - (folded.data + i)) : folded.len - i;
		counts[domain_of(folded.data + i, len)]++;
		i += len + 1;
	}
	buf_release(&folded);
}

enum topic_domain render_topic_domain(const struct summary_turn *turns, size_t n)
{
	size_t counts[TALK_COUNT] = { 0 };
	enum topic_domain best = TALK_NONE;
	for (size_t i = 0; i < n; i++)
		count_words(&turns[i], counts);
	counts[TALK_NONE] = 0;
	for (int d = 1; d < TALK_COUNT; d++)
		best = counts[d] > counts[best] ? (enum topic_domain)d : best;
	for (int d = 1; d < TALK_COUNT; d++)
		if (d != (int)best && counts[best] < TIMES * counts[d])
			return TALK_NONE;
	return counts[best] >= LEAST ? best : TALK_NONE;
}
