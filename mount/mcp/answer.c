/* SPDX-License-Identifier: MIT */
/*
 * What is answered to a message: JSON-RPC 2.0, and the methods of the protocol in both generations.
 *
 *   until 2025-11-25   `initialize` agrees on a version, once; results are bare
 *   from 2026-07-28    each request says its version in `_meta`; results say more of themselves
 *
 * Which one a request is of, `_meta` tells; nothing is kept between requests.
 * See modelcontextprotocol.io/specification.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "mount/mcp/mcp.h"

#define META "io.modelcontextprotocol/"

enum {
	PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601,
	INVALID_PARAMS = -32602, INTERNAL_ERROR = -32603,
	NO_RESOURCE = -32002,      /* until 2025-11-25 */
	UNKNOWN_VERSION = -32022,  /* from 2026-07-28 */
	LISTED_MS = 60000          /* how long what is listed may be kept; files: not at all */
};

/* The newest first; those with a handshake begin at FIRST_OLD. */
static const char *const versions[] = { "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26",
	"2024-11-05" };
enum { VERSIONS = sizeof versions / sizeof *versions, FIRST_OLD = 1 };

static const char reads[] = "A memory that outlasts this conversation. Call memory_context before "
	"you answer; memory_search finds what was said before.";
static const char writes[] = " Write what should last with memory_write. Nothing is ever deleted: "
	"write no secrets.";

/* A request while it is answered. */
struct call {
	struct mcp *m;
	const json_t *id, *params;
	bool modern;
	json_t *error; /* that of the answer, if it is one */
};

static json_t *make_error(int code, const char *text)
{
	return json_pack("{s:i, s:s}", "code", code, "message", text);
}

/* A method without a result; NULL. */
static json_t *fail(struct call *c, int code, const char *text)
{
	c->error = make_error(code, text);
	return NULL;
}

json_t *mcp_error(const json_t *id, int code, const char *text)
{
	json_t *answer = json_pack("{s:s, s:o}", "jsonrpc", "2.0", "error", make_error(code, text));
	(void)json_object_set_new(answer, "id", id ? json_deep_copy(id) : json_null());
	return answer;
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));
	return text ? text : "";
}

/* ---- methods ----------------------------------------------------------------- */

static json_t *capabilities(void)
{
	return json_pack("{s:{}, s:{}}", "tools", "resources");
}

static json_t *instructions(const struct mcp *m)
{
	return json_sprintf("%s%s", reads, m->options.ro ? "" : writes);
}

static json_t *server_info(void)
{
	return json_pack("{s:s, s:s}", "name", "cinta", "version", CINTA_VERSION);
}

/* What a client writes has its name as the program's; the first one counts. */
static void be_called(struct mcp *m, const json_t *info)
{
	const char *name = text_of(info, "name");
	if (*name && !m->named)
		m->named = prctl(PR_SET_NAME, name, 0, 0, 0) == 0;
}

static json_t *initialize(struct call *c)
{
	const char *asked = text_of(c->params, "protocolVersion"), *agreed = versions[FIRST_OLD];
	for (int i = FIRST_OLD; i < VERSIONS; i++)
		if (strcmp(asked, versions[i]) == 0)
			agreed = versions[i];
	be_called(c->m, json_object_get(c->params, "clientInfo"));
	return json_pack("{s:s, s:o, s:o, s:o}", "protocolVersion", agreed, "capabilities",
	                 capabilities(), "serverInfo", server_info(), "instructions",
	                 instructions(c->m));
}

static json_t *version_list(void)
{
	json_t *list = json_array();
	for (int i = 0; i < VERSIONS; i++)
		(void)json_array_append_new(list, json_string(versions[i]));
	return list;
}

static json_t *discover(struct call *c)
{
	return json_pack("{s:o, s:o, s:o}", "supportedVersions", version_list(), "capabilities",
	                 capabilities(), "instructions", instructions(c->m));
}

static json_t *ping(struct call *c)
{
	(void)c;
	return json_object();
}

/* All is on one page, so no cursor was ever given. */
static bool has_cursor(struct call *c)
{
	if (!json_object_get(c->params, "cursor"))
		return false;
	(void)fail(c, INVALID_PARAMS, "There is one page: ask without a cursor");
	return true;
}

static json_t *list_tools(struct call *c)
{
	return has_cursor(c) ? NULL : json_pack("{s:O}", "tools", c->m->tools);
}

static json_t *call_tool(struct call *c)
{
	const json_t *arguments = json_object_get(c->params, "arguments");
	const char *name = text_of(c->params, "name");
	if (arguments && !json_is_object(arguments))
		return fail(c, INVALID_PARAMS, "arguments must be an object");
	json_t *result = tools_call(c->m, name, arguments);
	return result ? result : fail(c, INVALID_PARAMS, "Unknown tool: tools/list names them");
}

static json_t *list_resources(struct call *c)
{
	return has_cursor(c) ? NULL : json_pack("{s:o}", "resources", resources_list());
}

static json_t *list_templates(struct call *c)
{
	return has_cursor(c) ? NULL : json_pack("{s:o}", "resourceTemplates", resources_templates());
}

static json_t *read_resource(struct call *c)
{
	char reason[1024] = "";
	const char *uri = text_of(c->params, "uri");
	json_t *result = resources_read(c->m, uri, reason);
	if (result || !*reason)
		return result;
	(void)fail(c, c->modern ? INVALID_PARAMS : NO_RESOURCE, reason);
	(void)json_object_set_new(c->error, "data", json_pack("{s:s}", "uri", uri));
	return NULL;
}

/*
 * Nothing that is told of here ever changes while the program runs, so nothing is ever said to who
 * listens; but that is confirmed, and nothing more is answered until the input ends.
 */
static json_t *listen_on(struct call *c)
{
	json_t *message = json_pack("{s:s, s:s, s:{s:{}, s:{s:O}}}", "jsonrpc", "2.0", "method",
		"notifications/subscriptions/acknowledged", "params", "notifications", "_meta",
		META "subscriptionId", c->id);
	return message;
}

/* ---- which -------------------------------------------------------------------- */

enum era { OLD = 1, NEW = 2 };

static const struct method {
	const char *name;
	int eras;
	json_t *(*fn)(struct call *c);
	int kept_ms; /* of a result that may be kept; -1: it is none of these */
} methods[] = {
	{ "initialize", OLD, initialize, -1 },
	{ "ping", OLD, ping, -1 },
	{ "server/discover", NEW, discover, LISTED_MS },
	{ "subscriptions/listen", NEW, listen_on, -1 },
	{ "tools/list", OLD | NEW, list_tools, LISTED_MS },
	{ "tools/call", OLD | NEW, call_tool, -1 },
	{ "resources/list", OLD | NEW, list_resources, LISTED_MS },
	{ "resources/templates/list", OLD | NEW, list_templates, LISTED_MS },
	{ "resources/read", OLD | NEW, read_resource, 0 },
};

static const struct method *method_named(const char *name)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

/* What a request of the newer generation must say; false: it does not, and c->error is set. */
static bool check_meta(struct call *c, const json_t *meta)
{
	const json_t *version = json_object_get(meta, META "protocolVersion");
	if (!json_is_string(version) ||
	    !json_is_object(json_object_get(meta, META "clientCapabilities"))) {
		(void)fail(c, INVALID_PARAMS, "_meta must have " META "protocolVersion and "
		           META "clientCapabilities");
		return false;
	}
	be_called(c->m, json_object_get(meta, META "clientInfo"));
	if (strcmp(json_string_value(version), versions[0]) == 0)
		return true;
	(void)fail(c, UNKNOWN_VERSION, "Unsupported protocol version");
	(void)json_object_set_new(c->error, "data", json_pack("{s:o, s:O}", "supported",
	                          version_list(), "requested", version));
	return false;
}

/* What the newer generation has in every result. */
static void complete(json_t *result, int kept_ms)
{
	(void)json_object_set_new(result, "resultType", json_string("complete"));
	(void)json_object_set_new(result, "_meta", json_pack("{s:o}", META "serverInfo",
	                          server_info()));
	if (kept_ms < 0)
		return;
	(void)json_object_set_new(result, "ttlMs", json_integer(kept_ms));
	(void)json_object_set_new(result, "cacheScope", json_string("private"));
}

static json_t *method_run(struct call *c, const struct method *method)
{
	const json_t *meta = json_object_get(c->params, "_meta");
	if (c->modern && !check_meta(c, meta))
		return NULL;
	if (!method || !(method->eras & (c->modern ? NEW : OLD)))
		return fail(c, METHOD_NOT_FOUND, "Method not found");
	json_t *result = method->fn(c);
	if (result && c->modern && method->fn != listen_on)
		complete(result, method->kept_ms);
	return result;
}

static json_t *on_request(struct mcp *m, const char *name, const json_t *id, const json_t *params)
{
	struct call c = { .m = m, .id = id, .params = params };
	const struct method *method = method_named(name);
	const json_t *meta = json_object_get(params, "_meta");
	c.modern = json_object_get(meta, META "protocolVersion") || (method && method->eras == NEW);
	json_t *result = method_run(&c, method), *answer;
	if (result && method->fn == listen_on)
		return result;
	if (!result && !c.error)
		(void)fail(&c, INTERNAL_ERROR, strerror(ENOMEM));
	answer = json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, result ? "result" : "error",
	                   result ? result : c.error);
	return answer;
}

static json_t *answer_one(struct mcp *m, const json_t *message)
{
	const json_t *id = json_object_get(message, "id"), *name = json_object_get(message, "method");
	const json_t *params = json_object_get(message, "params");
	bool known = json_is_string(id) || json_is_number(id);
	if (json_is_object(message) && !name &&
	    (json_object_get(message, "result") || json_object_get(message, "error")))
		return NULL; /* an answer, and nothing was asked */
	if (!json_is_object(message) || !json_is_string(name) ||
	    strcmp(text_of(message, "jsonrpc"), "2.0") != 0 || (id && !known) ||
	    (params && !json_is_object(params)))
		return mcp_error(known ? id : NULL, INVALID_REQUEST, "No request of JSON-RPC 2.0");
	return id ? on_request(m, json_string_value(name), id, params) : NULL;
}

json_t *mcp_answer(struct mcp *m, const json_t *message)
{
	size_t count = json_array_size(message), i;
	const json_t *one;
	if (!message)
		return mcp_error(NULL, PARSE_ERROR, "Parse error: a line must be one JSON object");
	if (!json_is_array(message) || count == 0)
		return answer_one(m, message);
	json_t *answers = json_array();
	json_array_foreach(message, i, one) {
		json_t *answer = answer_one(m, one);
		if (answer)
			(void)json_array_append_new(answers, answer);
	}
	if (json_array_size(answers))
		return answers;
	json_decref(answers);
	return NULL;
}
