/* SPDX-License-Identifier: MIT */
/* The pages at the top. */
#include "fs/site/site_shared.h"

static int make(struct site *s, enum site_page which, int64_t page)
{
	switch (which) {
	case SITE_INDEX:
		return site_index(s);
	case SITE_SESSIONS:
		return site_sessions(s, page);
	case SITE_THREADS:
		return site_threads(s, page);
	case SITE_FACTS:
		return site_facts(s, page);
	case SITE_MEMORIES:
		return site_memories(s);
	case SITE_BLOCKS:
		return site_blocks(s);
	case SITE_DOCUMENTS:
		return site_documents(s, page);
	case SITE_CONTEXT:
		return site_context(s);
	case SITE_ALGORITHMS:
		return site_algorithms(s);
	case SITE_PROOF:
		return site_proof(s);
	case SITE_WORDS:
		return site_words(s);
	case SITE_PAGES:
		break;
	}
	return -ENOENT;
}

int page_html(struct fs *fs, int64_t id, struct buf *out)
{
	static const char *const titles[SITE_PAGES] = { "Memory", "Sessions", "Threads", "Facts",
		"Memories", "Context blocks", "Documents", "Context", "Algorithms", "Proof", "Search" };
	struct site s = { .fs = fs, .h = { .out = out, .up = "" } };
	const int64_t which = id >> PAGE_NUMBER_BITS;
	if (which >= SITE_PAGES)
		return -ENOENT;
	html_begin(&s.h, titles[which], site_page_name[which]);
	int err = make(&s, (enum site_page)which, id & UINT32_MAX);
	html_end(&s.h);
	return err;
}
