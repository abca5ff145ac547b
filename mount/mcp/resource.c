/* SPDX-License-Identifier: MIT */
/* Files of the memory as resources: cinta:///PATH, with what a URI cannot hold as %XX (mcp.h). */
#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mount/mcp/mcp.h"

static const char scheme[] = "cinta:///";
enum { SENT_MOST = 1 << 20 }; /* bytes of one file */

static json_t *resource(const char *path, const char *description)
{
	char uri[64];
	(void)snprintf(uri, sizeof uri, "%s%s", scheme, path);
	return json_pack("{s:s, s:s, s:s, s:s}", "uri", uri, "name", path, "description", description,
	                 "mimeType", "text/markdown");
}

json_t *resources_list(void)
{
	return json_pack("[o, o]", resource("context.md", "What matters now"),
	                 resource("README.md", "What is where in this memory"));
}

json_t *resources_templates(void)
{
	return json_pack("[{s:s, s:s, s:s}]", "uriTemplate", "cinta:///{+path}", "name", "file",
	                 "description", "Any file of the memory");
}

/* The path of a URI; false: it is none of ours, or no text, as all names of a memory are. */
static bool path_of(const char *uri, char path[PATH_MAX])
{
	size_t len = 0;
	if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
		return false;
	for (const char *at = uri + sizeof scheme - 1; *at; at++) {
		char pair[3] = { at[0] == '%' ? at[1] : '\0', at[0] == '%' && at[1] ? at[2] : '\0', '\0' };
		bool coded = isxdigit((unsigned char)pair[0]) && isxdigit((unsigned char)pair[1]);
		char c = coded ? (char)strtol(pair, NULL, 16) : *at;
		if (len + 1 >= PATH_MAX || c == '\0' || (*at == '%' && !coded))
			return false;
		path[len++] = c;
		at += coded ? 2 : 0;
	}
	path[len] = '\0';
	json_t *text = json_stringn(path, len);
	json_decref(text);
	return text && len > 0;
}

static const char *type_of(const char *path)
{
	static const struct {
		const char *end, *type;
	} types[] = { { ".md", "text/markdown" }, { ".jsonl", "application/x-ndjson" },
		{ ".json", "application/json" }, { ".html", "text/html" }, { ".svg", "image/svg+xml" } };
	size_t len = strlen(path);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i].end);
		if (len > n && strcmp(path + len - n, types[i].end) == 0)
			return types[i].type;
	}
	return "text/plain";
}

/* Bytes that are no text. */
static json_t *base64(const char *bytes, size_t len)
{
	unsigned char *text = malloc((len + 2) / 3 * 4 + 1);
	int n = text ? EVP_EncodeBlock(text, (const unsigned char *)bytes, (int)len) : 0;
	json_t *string = text ? json_stringn((const char *)text, (size_t)n) : NULL;
	free(text);
	return string;
}

static int read_file(struct mcp *m, const char *path, char **bytes, size_t *len, FILE *reason)
{
	struct stat st;
	struct files *f = tool_begin(m, false, reason);
	if (!f)
		return -EIO;
	int err = files_stat(f, path, true, &st);
	if (!err && S_ISDIR(st.st_mode))
		err = -EISDIR;
	if (!err && st.st_size > SENT_MOST)
		err = -EFBIG;
	if (!err)
		err = files_slurp(f, path, bytes, len);
	if (err == -EISDIR || err == -EFBIG)
		(void)fprintf(reason, "%s: memory_read reads it: %s", path, strerror(-err));
	else if (err)
		(void)tool_refused(f, path, err, reason);
	files_end(f);
	return err;
}

json_t *resources_read(struct mcp *m, const char *uri, char reason[1024])
{
	char path[PATH_MAX], *bytes = NULL;
	size_t len = 0;
	FILE *out = fmemopen(reason, 1024, "w");
	if (!out)
		return NULL;
	int err = path_of(uri, path) ? read_file(m, path, &bytes, &len, out) : -EINVAL;
	if (err == -EINVAL)
		(void)fprintf(out, "Resource not found: its URI is %sPATH", scheme);
	(void)fclose(out);
	if (err)
		return NULL;
	json_t *text = json_stringn(bytes, len);
	json_t *entry = json_pack("{s:s, s:s}", "uri", uri, "mimeType",
	                          text ? type_of(path) : "application/octet-stream");
	(void)json_object_set_new(entry, text ? "text" : "blob", text ? text : base64(bytes, len));
	free(bytes);
	return json_pack("{s:[o]}", "contents", entry);
}
