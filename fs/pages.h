/* SPDX-License-Identifier: MIT */
/* What the tree's table names of pages.c: pages, link targets, times. */
#ifndef CINTA_PAGES_H
#define CINTA_PAGES_H

#include "fs/documents/documents.h"
#include "fs/tree/tree.h"

node_page_fn page_readme, page_errors, page_session, page_message, page_why,
	page_status, page_sync, page_checkpoint, page_pubkey, page_verify, link_agents, link_smma_log,
	link_current, link_dashboard;
node_changed_fn changed_memory, changed_errors, changed_sessions, changed_session_dir,
	changed_page, changed_message, changed_threads, changed_thread_dir, changed_rejected,
	changed_signed, changed_now;
node_stat_fn refs_stat, message_stat;
node_read_fn refs_read;
on_saved_fn sessions_on_saved;

#endif
