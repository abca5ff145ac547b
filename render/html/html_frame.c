/* SPDX-License-Identifier: MIT */
/* What stands around each page: its head with the policy, the menu, the search box, its end. */
#include <string.h>

#include "render/format/format.h"
#include "render/html/html.h"
#include "render/html/hashes.inc"

static const char page_style[] =
#include "render/html/style.inc"
	;
static const char script[] =
#include "render/html/search.inc"
	;

static void menu(struct html *h, const char *here)
{
	static const char *const pages[][2] = { { "index", "Memory" }, { "sessions", "Sessions" },
		{ "threads", "Threads" }, { "facts", "Facts" }, { "memories", "Memories" },
		{ "blocks", "Blocks" }, { "documents", "Documents" }, { "context", "Context" },
		{ "algorithms", "Algorithms" }, { "proof", "Proof" }, { "search", "Words" } };
	buf_adds(h->out, "<nav aria-label=\"Pages\"><ul>\n");
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		buf_addf(h->out, "<li><a href=\"%s%s.html\"%s>%s</a></li>\n", h->up, pages[i][0],
		         strcmp(here, pages[i][0]) == 0 ? " aria-current=\"page\"" : "", pages[i][1]);
	buf_addf(h->out, "</ul></nav>\n<form id=\"search\" role=\"search\" data-to=\"%ssearch/\""
	         " data-end=\".html\">"
	         "<input name=\"q\" type=\"search\" maxlength=\"200\" aria-label=\"Search the memory\">"
	         "<button>Search</button></form>\n", h->up);
}

void html_begin(struct html *h, const char *title, const char *here)
{
	buf_adds(h->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	         STYLE_HASHES "; script-src " SCRIPT_HASH "; form-action 'none'; base-uri 'none'\">\n"
	         "<meta name=\"viewport\" content=\"width=device-width\">\n"
	         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	html_string(h->out, title);
	buf_addf(h->out, " – cinta</title>\n<style>%s</style>\n<style>%s</style>\n</head>\n<body>\n"
	         "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n", plot_style,
	         page_style);
	menu(h, here);
	buf_adds(h->out, "</header>\n<main id=\"main\" tabindex=\"-1\">\n<h1><bdi>");
	html_string(h->out, title);
	buf_adds(h->out, "</bdi></h1>\n");
}

void html_end(struct html *h)
{
	buf_addf(h->out, "</main>\n<script>%s</script>\n</body>\n</html>\n", script);
}

void html_section(struct html *h, const char *id, const char *title)
{
	buf_addf(h->out, "<h2 id=\"%s\">", id);
	html_string(h->out, title);
	buf_adds(h->out, "</h2>\n");
}

void html_subsection(struct html *h, const char *title)
{
	buf_adds(h->out, "<h3><bdi>");
	html_string(h->out, title);
	buf_adds(h->out, "</bdi></h3>\n");
}
