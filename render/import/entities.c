/* SPDX-License-Identifier: MIT */
/*
 * The memory of MCP's reference server: lines of entities and relations, in any order, to a note an
 * entity.
 */
#include <string.h>

#include "render/import/parts.h"

static bool entities_knows(const json_t *item)
{
	const char *type = import_text(item, "type");
	if (strcmp(type, "entity") == 0)
		return *import_text(item, "name");
	return strcmp(type, "relation") == 0 && *import_text(item, "from") && *import_text(item, "to");
}

static void entities_item(struct import *i, const json_t *item)
{
	if (!entities_knows(item)) {
		i->sink->skipped(i->sink->ctx, i->at, "neither an entity with a name nor a relation");
		return;
	}
	if (!i->kept)
		i->kept = json_array();
	i->failed |= json_array_append(i->kept, (json_t *)item) != 0;
}

static void add_relations(struct buf *out, const json_t *all, const char *name)
{
	size_t n;
	json_t *one;
	bool headed = false;
	json_array_foreach(all, n, one) {
		if (strcmp(import_text(one, "from"), name) != 0)
			continue;
		buf_addf(out, "%s- %s [[%s]]\n", headed ? "" : "\n## Relations\n\n",
		         import_text(one, "relationType"), import_text(one, "to"));
		headed = true;
	}
}

static void entities_end(struct import *i)
{
	size_t n, k;
	json_t *one, *text;
	json_array_foreach(i->kept, n, one) {
		const char *name = import_text(one, "name");
		struct buf note = BUF_INIT;
		char file[NAME_LIMIT + 8];
		if (strcmp(import_text(one, "type"), "entity") != 0)
			continue;
		buf_addf(&note, "# %s\n\nType: %s\n\n", name, import_text(one, "entityType"));
		json_array_foreach(json_object_get(one, "observations"), k, text)
			if (json_is_string(text))
				buf_addf(&note, "- %s\n", json_string_value(text));
		add_relations(&note, i->kept, name);
		(void)snprintf(file, sizeof file, "%.200s.md", name);
		i->failed |= note.failed;
		if (!note.failed)
			import_keep(i, "", file, note.data);
		buf_release(&note);
	}
}

const struct import_format import_entities = { entities_knows, entities_item, entities_end };
