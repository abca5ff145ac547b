/* SPDX-License-Identifier: MIT */
/*
 * The door of the site: `.cinta/html/`, the memory as pages for a browser, opened by file://.
 *
 *   index.html  facts.html  memories.html  blocks.html  context.html
 *   algorithms.html  proof.html  search.html
 *   sessions.html  threads.html  documents.html    lists; NAME-2.html: the second page of one
 *   sessions/NAME.html  threads/NAME.html          its first 100 messages
 *   sessions/NAME/2.html  threads/NAME/2.html      the next 100
 *   doc/PATH.html  doc/PATH@3.html                 a document of the tree, a version of it
 *   fact/17.html                                   a fact, what it stands for and what for it
 *   day/2026-11-20.html  day/2026-11-20-2.html     what was said, learnt and saved on it
 *   search/QUERY.html                              as search/QUERY.md
 *
 * What is shown is fetched here, how it looks is render/html.  A page costs what it shows.  All are
 * made anew when they are opened; names are looked up each time.
 */
#ifndef CINTA_FS_SITE_H
#define CINTA_FS_SITE_H

#include "fs/tree/tree.h"

/* For the tree's table. */
node_page_fn page_html, page_html_group, page_html_document, page_html_version,
	page_html_day, page_html_fact;
node_find_fn find_html, find_html_sub, find_html_group, find_html_document;
node_next_fn next_html;
node_name_fn html_name, html_sub_name, html_group_dir_name, html_group_name, html_doc_dir_name,
	html_document_name, html_day_name, html_fact_name;
node_parent_fn html_group_dir_parent, html_group_parent, html_doc_dir_parent,
	html_document_parent, html_day_parent, html_fact_parent;

#endif
