/* SPDX-License-Identifier: MIT */
/* The tools: which are offered, and whether what one is given is what it takes (mcp.h). */
#include <stdlib.h>
#include <string.h>

#include "mount/mcp/mcp.h"

static const char described[] =
#include "mount/mcp/tools.inc"
	;

static const struct {
	const char *name;
	tool_fn *fn;
} tools[] = {
	{ "memory_context", tool_context }, { "memory_search", tool_search },
	{ "memory_read", tool_read },       { "memory_write", tool_write },
	{ "memory_log", tool_log },         { "memory_window", tool_window },
};

static bool is_reader(const json_t *tool)
{
	return json_is_true(json_object_get(json_object_get(tool, "annotations"), "readOnlyHint"));
}

json_t *tools_offered(const struct mcp *m)
{
	json_t *all = json_loads(described, 0, NULL), *offered = json_array(), *tool;
	size_t i;
	json_array_foreach(all, i, tool)
		if (!m->options.ro || is_reader(tool))
			(void)json_array_append(offered, tool);
	json_decref(all);
	return offered;
}

/* ---- what one is given --------------------------------------------------------- */

static bool has_type(const json_t *value, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type"));
	size_t i;
	const json_t *item, *items = json_object_get(schema, "items");
	if (strcmp(type, "string") == 0) /* names end at a NUL, and texts are better off without */
		return json_is_string(value) &&
			strlen(json_string_value(value)) == json_string_length(value);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (!json_is_array(value))
		return false;
	json_array_foreach(value, i, item)
		if (!has_type(item, items))
			return false;
	return true;
}

static void list_names(const json_t *properties, FILE *out)
{
	const char *name, *before = " ";
	const json_t *schema;
	json_object_foreach((json_t *)(uintptr_t)properties, name, schema) {
		(void)fprintf(out, "%s%s", before, name);
		before = ", ";
	}
}

/* False after saying what is wrong. */
static bool check(const json_t *tool, const json_t *arguments, FILE *out)
{
	const json_t *schema = json_object_get(tool, "inputSchema"), *value;
	const json_t *properties = json_object_get(schema, "properties");
	const char *name;
	size_t i;
	json_object_foreach((json_t *)(uintptr_t)arguments, name, value) {
		const json_t *known = json_object_get(properties, name);
		if (!known) {
			(void)fprintf(out, "It takes no %s; it takes", name);
			list_names(properties, out);
			return false;
		}
		if (!has_type(value, known)) {
			const json_t *items = json_object_get(known, "items");
			(void)fprintf(out, "%s must be %s%s%s%s", name, items ? "an array of " : "of type ",
			              json_string_value(json_object_get(items ? items : known, "type")),
			              items ? "s" : "", json_is_string(value) ? ", without NUL" : "");
			return false;
		}
	}
	json_array_foreach(json_object_get(schema, "required"), i, value) {
		if (!json_object_get(arguments, json_string_value(value))) {
			(void)fprintf(out, "%s is missing", json_string_value(value));
			return false;
		}
	}
	return true;
}

/* ---- what comes of it ----------------------------------------------------------- */

static json_t *result_of(const char *text, size_t len, bool fine)
{
	json_t *words = json_stringn(text, len);
	if (!words) {
		words = json_sprintf("It is no text: %zu bytes that are not UTF-8", len);
		fine = false;
	}
	return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", words, "isError",
	                 !fine);
}

static json_t *tool_run(struct mcp *m, const json_t *tool, tool_fn *fn, const json_t *arguments)
{
	char *text = NULL;
	size_t len = 0;
	json_t *none = json_object();
	FILE *out = open_memstream(&text, &len);
	arguments = arguments ? arguments : none;
	bool fine = out && check(tool, arguments, out) && fn(m, arguments, out);
	json_t *result = out && fclose(out) == 0 ? result_of(text, len, fine) : NULL;
	free(text);
	json_decref(none);
	return result;
}

json_t *tools_call(struct mcp *m, const char *name, const json_t *arguments)
{
	const json_t *tool;
	size_t i;
	json_array_foreach(m->tools, i, tool) {
		if (strcmp(json_string_value(json_object_get(tool, "name")), name) != 0)
			continue;
		for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
			if (strcmp(tools[k].name, name) == 0)
				return tool_run(m, tool, tools[k].fn, arguments);
	}
	return NULL;
}
