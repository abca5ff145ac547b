/* SPDX-License-Identifier: MIT */
/*
 * Which domain a fact belongs to, by its words: the first telling word decides,
 * since what a sentence is about comes first in it ("our client's repo", "the repo
 * of our client").
 */
#include "render/text/signal.h"

const struct domain_words signal_words[DOMAIN_COUNT] = {
	{ "decisions",
	  "\\b(?:decid[ií]|decidimos|decidido|decided|optamos|opté|decision|decisión)\\b" },
	{ "preferences",
	  "\\b(?:prefier\\p{L}+|preferimos|prefer|rather|(?:me|nos) (?:gusta|encanta|molesta)n?"
	  "|odio|detesto"
	  "|I (?:really )?(?:like|love|hate|enjoy|dislike)|siempre|nunca|jamás|always|never|emojis?"
	  "|respuestas|replies|answers|tono|tone|estilo|style)\\b" },
	{ "work",
	  "\\b(?:jef[ea]s?|clientes?|empresas?|compañías?|oficinas?|equipos?|trabajo|trabajamos"
	  "|trabaja|laburo|sueldo|soci[oa]s?|reuni[oó]n(?:es)?|contador[a]?|facturas?|proveedor(?:es)?"
	  "|colegas?|gerente|director[a]?|company|clients?|customers?|boss|managers?|teams?"
	  "|offices?|colleagues?"
	  "|co-?workers?|salary|invoices?|work|job|employer|vendors?|suppliers?|meetings?|ceo"
	  "|cto)\\b" },
	{ "projects",
	  "\\b(?:proyectos?|repos?|repositorios?|deploys?|releases?|servidor(?:es)?|servers?|apis?"
	  "|bases? de datos|databases?|tests?|staging|producción|production|branch(?:es)?|ramas?"
	  "|código|code|codebase|bugs?|backend|frontend|docker|kubernetes|git|github|gitlab|jenkins"
	  "|pipelines?|ci|endpoints?|sprints?|roadmap|milestones?|builds?|apps?|módulos?|modules?"
	  "|librerías?|librar(?:y|ies)|projects?|repository|repositories|compiler|schema|esquema"
	  "|migración|migrations?|clusters?|linux|debian|ubuntu|python)\\b" },
	{ "personal",
	  "\\b(?:hij[oa]s?|espos[oa]|marido|mujer|novi[oa]|mam[aá]|papá|madre|padre|herman[oa]s?"
	  "|abuel[oa]s?|perr[oa]s?|gat[oa]s?|cumple\\p{L}*|cumplo|aniversario|alérgic[oa]|vegan[oa]"
	  "|vegetarian[oa]|celíac[oa]|viv[oe]|vivimos|nací|me llamo|médico|doctor[a]?"
	  "|pasaporte|como|comemos|tomo|fumo|bebo|wife|husband|partner|daughters?|sons?|kids?"
	  "|children|mother"
	  "|mom|mum|father|dad|sisters?|brothers?|birthday|anniversary|allerg\\p{L}+|live|born"
	  "|dogs?|cats?"
	  "|passport|eat|drink|smoke)\\b" },
};

/* What "from now on" may start besides a manner of doing things. */
const struct domain_words signal_styles[STYLE_COUNT] = {
	{ "work", "^\\W*(?:yo )?(?:trabajo (?:en|para)|I work (?:at|for|in))\\b" },
	{ "personal", "^\\W*(?:yo )?(?:me llamo|mi nombre es|my name is|vivo en|I live in)\\b" },
	{ "decisions", "^\\W*(?:decid[ií]|decidimos|" "(?:I|we)(?:'ve| have)? decided)\\b" },
};
