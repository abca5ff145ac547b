/* SPDX-License-Identifier: MIT */
/* The body of a redaction: made, signed, and checked.  See redaction.h. */
#include "store/proof/redaction.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/base.h"
#include "store/store.h"

static const char head[] = "{\"seq\":";
static const char mark[] = ",\"sig\":\"";
/* Begins the signed text; an origin has no blank, so no checkpoint begins like it. */
static const char version[] = "cinta redaction/1\n";
enum {
	HEAD = sizeof head - 1,
	MARK = sizeof mark - 1,
	TAIL = MARK + NOTE_SIG_TEXT + 2, /* ,"sig":"…"} */
	DIGITS = 18,
	/* Far more than we write: a body of megabytes is not copied for each entry it names. */
	BODY_MOST = 64 << 10
};

int64_t redaction_names(const char *body, size_t len)
{
	int64_t seq = 0;
	size_t at = HEAD;
	if (!body || len < HEAD || memcmp(body, head, HEAD) != 0)
		return -1;
	for (; at < len && body[at] >= '0' && body[at] <= '9'; at++) {
		if (at - HEAD == DIGITS || (at > HEAD && body[HEAD] == '0'))
			return -1;
		seq = seq * 10 + (body[at] - '0');
	}
	return at > HEAD && at < len && (body[at] == ',' || body[at] == '}') ? seq : -1;
}

/* version, origin LF, the body without its signature, LF.  NULL: no memory. */
static char *signed_text(const char *origin, const char *open, size_t len, size_t *out_len)
{
	size_t before = sizeof version - 1, name = strlen(origin);
	char *text = malloc(before + name + len + 4);
	if (!text)
		return NULL;
	memcpy(text, version, before);
	memcpy(text + before, origin, name);
	text[before + name] = '\n';
	memcpy(text + before + name + 1, open, len);
	memcpy(text + before + name + 1 + len, "}\n", 2);
	*out_len = before + name + len + 3;
	return text;
}

bool redaction_proves(const struct note_key *key, const char *origin, const char *body, size_t len,
                      int64_t seq, const uint8_t leaf[HASH_SIZE])
{
	char hex[HEX_SIZE], begin[HEX_SIZE + 64];
	size_t text_len;
	hex_of(leaf, HASH_SIZE, hex);
	int n = snprintf(begin, sizeof begin, "{\"seq\":%lld,\"leaf\":\"%s\",", (long long)seq, hex);
	if (!body || len > BODY_MOST || len < (size_t)n + TAIL ||
	    memcmp(body, begin, (size_t)n) != 0 || memcmp(body + len - TAIL, mark, MARK) != 0 ||
	    memcmp(body + len - 2, "\"}", 2) != 0)
		return false;
	char *text = signed_text(origin, body, len - TAIL, &text_len);
	bool good = text &&
		note_check_text(key, text, text_len, body + len - 2 - NOTE_SIG_TEXT) == NOTE_OK;
	free(text);
	return good;
}

bool redaction_reason_ok(const char *reason)
{
	size_t len = strlen(reason);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)reason[i] < 0x20 || reason[i] == 0x7F)
			return false;
	json_t *text = len > 0 && len <= REDACTION_REASON ? json_stringn(reason, len) : NULL;
	json_decref(text); /* NULL: not UTF-8 */
	return text != NULL;
}

/* The body without its signature and its last brace; NULL: what it is made of cannot be. */
static char *unsigned_body(const struct redaction *r)
{
	char hex[HEX_SIZE];
	char *open = NULL;
	json_t *reason = json_string(r->reason);
	char *quoted = reason ? json_dumps(reason, JSON_ENCODE_ANY) : NULL;
	hex_of(r->leaf, HASH_SIZE, hex);
	if (quoted &&
	    asprintf(&open, "{\"seq\":%lld,\"leaf\":\"%s\",\"time_us\":%lld,\"reason\":%s%s%s",
	             (long long)r->seq, hex, (long long)r->time_us, quoted,
	             r->keep ? ",\"keep\":" : "", r->keep ? r->keep : "") < 0)
		open = NULL;
	free(quoted);
	json_decref(reason);
	return open;
}

int redaction_make(const struct redaction *r, const char *origin, EVP_PKEY *pkey, char **body)
{
	char sig[NOTE_SIG_TEXT + 1];
	size_t len;
	*body = NULL;
	if (!redaction_reason_ok(r->reason) ||
	    (r->keep && (strlen(r->keep) > REDACTION_KEEP || strchr(r->keep, '\n'))))
		return STORE_EINVAL;
	char *open = unsigned_body(r);
	char *text = open ? signed_text(origin, open, strlen(open), &len) : NULL;
	int err = text ? 0 : STORE_ENOMEM;
	if (!err && note_sign_text(pkey, text, len, sig) != NOTE_OK)
		err = STORE_EIO;
	if (!err && asprintf(body, "%s%s%s\"}", open, mark, sig) < 0) {
		*body = NULL;
		err = STORE_ENOMEM;
	}
	free(open);
	free(text);
	return err;
}
