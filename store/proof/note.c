/* SPDX-License-Identifier: MIT */
/* Signed notes.  Reads hostile bytes: every length is checked before it is used. */
#include "store/proof/note.h"

#include <assert.h>
#include <string.h>

#include "store/base/base.h"

static const char dash[] = "\xE2\x80\x94 "; /* em dash, space: begins a signature line */
enum { DASH_LEN = sizeof dash - 1, ED25519 = 0x01 };

/* ---- base64 (RFC 4648 §4), strict: padding there, unused bits zero ------ */

static int digit64(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Bytes written, or -1.  `dst` holds `size` bytes; longer content is -1. */
static int decode64(const char *text, size_t len, uint8_t *dst, size_t size)
{
	size_t out = 0, pad = 0;
	if (len == 0 || len % 4 != 0)
		return -1;
	while (pad < 2 && text[len - 1 - pad] == '=')
		pad++;
	if (len / 4 * 3 - pad > size)
		return -1;
	for (size_t i = 0; i < len; i += 4) {
		unsigned bits = 0;
		size_t keep = i + 4 == len ? 3 - pad : 3;
		for (size_t k = 0; k < 4; k++) {
			bool padding = k > keep;
			int d = padding ? 0 : digit64(text[i + k]);
			if (d < 0)
				return -1;
			bits = bits << 6 | (unsigned)d;
		}
		if (keep < 3 && (bits & ((1U << (8 * (3 - keep))) - 1)) != 0)
			return -1;
		for (size_t k = 0; k < keep; k++)
			dst[out++] = (uint8_t)(bits >> (16 - 8 * k));
	}
	return (int)out;
}

/* `dst` has room for 4 * ((len + 2) / 3) + 1 characters. */
static void encode64(const uint8_t *bytes, size_t len, char *dst)
{
	int n = EVP_EncodeBlock((unsigned char *)dst, bytes, (int)len);
	assert(n == (int)(4 * ((len + 2) / 3)));
	(void)n;
}

/* ---- keys -------------------------------------------------------------- */

/* id = SHA-256(name LF 0x01 pub), its first four bytes */
static bool key_id(struct note_key *key)
{
	struct hasher h;
	uint8_t text[FIELD_MAX + 2 + NOTE_KEY_SIZE], hash[HASH_SIZE];
	size_t n = strlen(key->name);
	if (hasher_init(&h) != 0)
		return false;
	memcpy(text, key->name, n);
	text[n++] = '\n';
	text[n++] = ED25519;
	memcpy(text + n, key->pub, NOTE_KEY_SIZE);
	hasher_sha256(&h, text, n + NOTE_KEY_SIZE, hash);
	hasher_release(&h);
	memcpy(key->id, hash, NOTE_ID_SIZE);
	return true;
}

static bool name_ok(const char *name, size_t len)
{
	return field_ok(name, len, FIELD_MAX) && !memchr(name, '+', len);
}

bool note_key_make(struct note_key *key, const char *name, const uint8_t pub[NOTE_KEY_SIZE])
{
	size_t len = strlen(name);
	if (!name_ok(name, len))
		return false;
	memcpy(key->name, name, len + 1);
	memcpy(key->pub, pub, NOTE_KEY_SIZE);
	return key_id(key);
}

bool note_key_parse(struct note_key *key, const char *vkey)
{
	uint8_t raw[1 + NOTE_KEY_SIZE];
	char name[FIELD_MAX + 1], id[2 * NOTE_ID_SIZE + 1];
	const char *hex = strchr(vkey, '+');
	const char *b64 = hex ? strchr(hex + 1, '+') : NULL;
	if (!b64 || b64 - hex - 1 != 2 * NOTE_ID_SIZE || !name_ok(vkey, (size_t)(hex - vkey)))
		return false;
	memcpy(name, vkey, (size_t)(hex - vkey));
	name[hex - vkey] = '\0';
	if (decode64(b64 + 1, strlen(b64 + 1), raw, sizeof raw) != (int)sizeof raw ||
	    raw[0] != ED25519 || !note_key_make(key, name, raw + 1))
		return false;
	hex_of(key->id, NOTE_ID_SIZE, id);
	return memcmp(id, hex + 1, 2 * NOTE_ID_SIZE) == 0;
}

void note_key_print(const struct note_key *key, char vkey[VKEY_SIZE])
{
	uint8_t raw[1 + NOTE_KEY_SIZE];
	char id[2 * NOTE_ID_SIZE + 1], b64[45];
	raw[0] = ED25519;
	memcpy(raw + 1, key->pub, NOTE_KEY_SIZE);
	encode64(raw, sizeof raw, b64);
	hex_of(key->id, NOTE_ID_SIZE, id);
	(void)snprintf(vkey, VKEY_SIZE, "%s+%s+%s", key->name, id, b64);
}

/* ---- notes ------------------------------------------------------------- */

/* Valid UTF-8 (RFC 3629: shortest form, no surrogates) and no control but LF. */
static bool text_ok(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + len;
	while (p < end) {
		uint8_t c = *p++;
		if (c < 0x80) {
			if (c < 0x20 && c != '\n')
				return false;
			continue;
		}
		int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
		uint8_t low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
		uint8_t high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
		if (c < 0xC2 || c > 0xF4 || end - p < more || *p < low || *p > high)
			return false;
		for (p++; --more > 0; p++)
			if (*p < 0x80 || *p > 0xBF)
				return false;
	}
	return true;
}

/* Where the signature lines begin: after the last empty line.  0: nowhere. */
static size_t find_signatures(const char *note, size_t len)
{
	for (size_t i = len; i >= 2; i--)
		if (note[i - 1] == '\n' && note[i - 2] == '\n')
			return i;
	return 0;
}

static enum note_error check_signature(const struct note_key *key, const uint8_t *sig,
                                       const char *text, size_t len)
{
	enum note_error err = NOTE_FAILED;
	EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->pub,
	                                             NOTE_KEY_SIZE);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	if (pkey && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) == 1)
		err = EVP_DigestVerify(ctx, sig, NOTE_SIG_SIZE, (const uint8_t *)text, len) == 1
		          ? NOTE_OK
		          : NOTE_FORGED;
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pkey);
	return err;
}

/* Whose one signature line is, without its LF, and whether it is good. */
static enum note_error check_line(const char *line, size_t len, const struct note_key *key,
                                  const char *text, size_t text_len)
{
	/* Signatures of other types may be some kilobytes long. */
	uint8_t raw[8192];
	if (len < DASH_LEN || memcmp(line, dash, DASH_LEN) != 0)
		return NOTE_MALFORMED;
	const char *name = line + DASH_LEN;
	const char *space = memchr(name, ' ', len - DASH_LEN);
	if (!space || space == name || memchr(name, '+', (size_t)(space - name)))
		return NOTE_MALFORMED;
	size_t name_len = (size_t)(space - name);
	int n = decode64(space + 1, len - DASH_LEN - name_len - 1, raw, sizeof raw);
	if (n <= NOTE_ID_SIZE)
		return NOTE_MALFORMED;
	if (name_len != strlen(key->name) || memcmp(name, key->name, name_len) != 0 ||
	    memcmp(raw, key->id, NOTE_ID_SIZE) != 0)
		return NOTE_UNSIGNED;
	if (n != NOTE_ID_SIZE + NOTE_SIG_SIZE)
		return NOTE_FORGED;
	return check_signature(key, raw + NOTE_ID_SIZE, text, text_len);
}

/* Where its signatures begin; 0: it is no note. */
static size_t form_of(const char *note, size_t len)
{
	if (len > NOTE_LIMIT || !text_ok(note, len) || len == 0 || note[len - 1] != '\n')
		return 0;
	size_t at = find_signatures(note, len);
	return at < 2 || at == len ? 0 : at;
}

bool note_has_form(const char *note, size_t len)
{
	size_t at = form_of(note, len);
	return at > 0 && len - at > DASH_LEN && memcmp(note + at, dash, DASH_LEN) == 0;
}

enum note_error note_open(const char *note, size_t len, const struct note_key *key,
                          size_t *text_len)
{
	enum note_error found = NOTE_UNSIGNED;
	int count = 0;
	size_t at = form_of(note, len);
	if (at == 0)
		return NOTE_MALFORMED;
	*text_len = at - 1;
	while (at < len) {
		const char *end = memchr(note + at, '\n', len - at);
		size_t line_len = (size_t)(end - (note + at));
		enum note_error err = check_line(note + at, line_len, key, note, *text_len);
		if (++count > NOTE_SIGNATURES)
			return NOTE_MALFORMED;
		if (err == NOTE_OK)
			found = NOTE_OK;
		else if (err != NOTE_UNSIGNED)
			return err;
		at += line_len + 1;
	}
	return found;
}

/* ---- checkpoints ------------------------------------------------------- */

/* The next line of text[*at..len), without its LF; NULL: none. */
static const char *next_line(const char *text, size_t len, size_t *at, size_t *line_len)
{
	const char *line = text + *at;
	const char *end = *at < len ? memchr(line, '\n', len - *at) : NULL;
	if (!end)
		return NULL;
	*line_len = (size_t)(end - line);
	*at += *line_len + 1;
	return line;
}

/* Decimal, no sign, no leading zero, below 2^63. */
static bool parse_size(const char *text, size_t len, int64_t *out)
{
	int64_t v = 0;
	if (len == 0 || len > 19 || (len > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < len; i++) {
		int d = text[i] - '0';
		if (d < 0 || d > 9 || v > (INT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

enum note_error checkpoint_parse(const char *text, size_t len, struct checkpoint *out)
{
	size_t at = 0, n = 0;
	const char *line = next_line(text, len, &at, &n);
	if (!line || !name_ok(line, n))
		return NOTE_MALFORMED;
	memcpy(out->origin, line, n);
	out->origin[n] = '\0';
	line = next_line(text, len, &at, &n);
	if (!line || !parse_size(line, n, &out->size))
		return NOTE_MALFORMED;
	line = next_line(text, len, &at, &n);
	if (!line || decode64(line, n, out->root, HASH_SIZE) != HASH_SIZE)
		return NOTE_MALFORMED;
	return at == len ? NOTE_OK : NOTE_MALFORMED;
}

enum note_error note_claims(const char *note, size_t len, struct checkpoint *out)
{
	const char *end = memmem(note, len, "\n\n", 2);
	return end ? checkpoint_parse(note, (size_t)(end - note) + 1, out) : NOTE_MALFORMED;
}

enum note_error note_checkpoint(const char *note, size_t len, const struct note_key *key,
                                struct checkpoint *out)
{
	size_t text_len = 0;
	enum note_error err = note_open(note, len, key, &text_len);
	if (err == NOTE_OK)
		err = checkpoint_parse(note, text_len, out);
	if (err == NOTE_OK && strcmp(out->origin, key->name) != 0)
		err = NOTE_MALFORMED;
	return err;
}

static bool sign_raw(EVP_PKEY *pkey, const char *text, size_t len, uint8_t sig[NOTE_SIG_SIZE])
{
	size_t sig_len = NOTE_SIG_SIZE;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool ok = ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, pkey) == 1 &&
	          EVP_DigestSign(ctx, sig, &sig_len, (const uint8_t *)text, len) == 1 &&
	          sig_len == NOTE_SIG_SIZE;
	EVP_MD_CTX_free(ctx);
	return ok;
}

enum note_error note_sign_text(EVP_PKEY *pkey, const char *text, size_t len,
                               char sig[NOTE_SIG_TEXT + 1])
{
	uint8_t raw[NOTE_SIG_SIZE];
	if (!sign_raw(pkey, text, len, raw))
		return NOTE_FAILED;
	encode64(raw, sizeof raw, sig);
	return NOTE_OK;
}

enum note_error note_check_text(const struct note_key *key, const char *text, size_t len,
                                const char *sig)
{
	uint8_t raw[NOTE_SIG_SIZE];
	if (decode64(sig, NOTE_SIG_TEXT, raw, sizeof raw) != NOTE_SIG_SIZE)
		return NOTE_FORGED;
	return check_signature(key, raw, text, len);
}

enum note_error note_sign(const struct checkpoint *c, const struct note_key *key, EVP_PKEY *pkey,
                          char note[NOTE_OWN_SIZE])
{
	char b64[128];
	uint8_t raw[NOTE_ID_SIZE + NOTE_SIG_SIZE];
	encode64(c->root, HASH_SIZE, b64);
	int len = snprintf(note, NOTE_OWN_SIZE, "%s\n%lld\n%s\n", c->origin, (long long)c->size, b64);
	assert(len > 0 && len < NOTE_OWN_SIZE);
	if (!sign_raw(pkey, note, (size_t)len, raw + NOTE_ID_SIZE))
		return NOTE_FAILED;
	memcpy(raw, key->id, NOTE_ID_SIZE);
	encode64(raw, sizeof raw, b64);
	(void)snprintf(note + len, NOTE_OWN_SIZE - (size_t)len, "\n%s%s %s\n", dash, key->name, b64);
	return NOTE_OK;
}
