/* SPDX-License-Identifier: MIT */
/* Loading a vocabulary: one block of bytes, and open addressing by the tokens' hashes. */
#include "store/tokens/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "store/tokens/token_ranks.h"

enum { FILE_MOST = 64 << 20, LINE_MOST = 1024, TOKENS_MOST = 1 << 20, NAME_SIZE = 16 };

/* A token: where its bytes stand, how many, its rank; len 0: no token. */
struct slot {
	uint32_t at, len, rank;
};

static struct {
	uint8_t *bytes;
	struct slot *slot;
	size_t mask, longest;
	char name[NAME_SIZE];
} loaded;

/* While it is read. */
struct reading {
	uint8_t *bytes;
	struct slot *slot;
	size_t len, mask, longest, count;
	struct why *why;
};

static const char todo[] = "give a file of tiktoken's form: a token in base64, a blank, its rank";

static const struct slot *slot_in(const struct slot *slot, size_t mask, const uint8_t *bytes,
                                  const uint8_t *s, size_t n, uint64_t hash)
{
	size_t at = hash & mask;
	while (slot[at].len && (slot[at].len != n || memcmp(bytes + slot[at].at, s, n) != 0))
		at = (at + 1) & mask;
	return &slot[at];
}

uint32_t token_file_rank(const uint8_t *s, size_t n, uint64_t hash)
{
	if (n > loaded.longest)
		return RANK_NONE;
	const struct slot *found = slot_in(loaded.slot, loaded.mask, loaded.bytes, s, n, hash);
	return found->len ? found->rank : RANK_NONE;
}

size_t token_file_longest(void)
{
	return loaded.longest;
}

const char *token_file_name(void)
{
	return loaded.name;
}

/* The bytes of a token into r->bytes; their count, 0: it is no base64. */
static size_t decode(struct reading *r, const char *text, size_t len)
{
	uint8_t *out = r->bytes + r->len;
	size_t pad = 0;
	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	int n = len == 0 || len % 4 ? -1 : EVP_DecodeBlock(out, (const unsigned char *)text, (int)len);
	return n < 0 || (size_t)n <= pad ? 0 : (size_t)n - pad;
}

static int wrong(const struct reading *r, int line, const char *what)
{
	why_set(r->why, todo, "line %d: %s", line, what);
	return STORE_EINVAL;
}

static int take_line(struct reading *r, const char *text, size_t len, int line)
{
	const char *blank = memchr(text, ' ', len);
	char *end = NULL;
	if (len > LINE_MOST || !blank)
		return wrong(r, line, "not a token and its rank");
	size_t n = decode(r, text, (size_t)(blank - text));
	unsigned long rank = strtoul(blank + 1, &end, 10);
	if (n == 0)
		return wrong(r, line, "the token is not in base64");
	if (blank[1] < '0' || blank[1] > '9' || end != text + len || rank >= RANK_NONE)
		return wrong(r, line, "the rank is no number below 16,777,215");
	if (r->count++ == TOKENS_MOST)
		return wrong(r, line, "there are more than 1,048,576 tokens");
	const uint8_t *s = r->bytes + r->len;
	struct slot *slot = (struct slot *)slot_in(r->slot, r->mask, r->bytes, s, n, hash_of(s, n));
	if (slot->len)
		return wrong(r, line, "the token was there before");
	*slot = (struct slot){ (uint32_t)r->len, (uint32_t)n, (uint32_t)rank };
	r->len += n;
	r->longest = n > r->longest ? n : r->longest;
	return 0;
}

static int take_lines(struct reading *r, const char *text, size_t len)
{
	int err = 0, line = 1;
	for (size_t at = 0; !err && at < len; line++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at, next = at + n + 1;
		n -= n > 0 && text[at + n - 1] == '\r';
		err = n > 0 ? take_line(r, text + at, n, line) : 0;
		at = next;
	}
	/* Else there would be texts that it cannot tell. */
	for (int byte = 0; !err && byte < 256; byte++) {
		uint8_t s = (uint8_t)byte;
		if (!slot_in(r->slot, r->mask, r->bytes, &s, 1, hash_of(&s, 1))->len) {
			why_set(r->why, todo, "there is no token for byte 0x%02x", (unsigned)byte);
			err = STORE_EINVAL;
		}
	}
	return err;
}

/* The file with a NUL behind it; NULL with why. */
static char *read_all(const char *path, size_t *len, struct why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	const char *said = NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		said = strerror(errno);
	else if (!S_ISREG(st.st_mode) || st.st_size > FILE_MOST)
		said = "not a file of at most 64 MiB";
	else if (!(text = calloc(1, (size_t)st.st_size + 1)))
		said = strerror(ENOMEM);
	for (*len = 0; !said && *len < (size_t)st.st_size;) {
		ssize_t got = read(fd, text + *len, (size_t)st.st_size - *len);
		if (got <= 0)
			said = got < 0 ? strerror(errno) : "it became shorter";
		else
			*len += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	if (!said)
		return text;
	why_set(why, "name one, as in tokens=/usr/share/kimi/kimi.tiktoken", "%.150s: %s", path, said);
	free(text);
	return NULL;
}

static void keep_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), ending = strlen(".tiktoken");
	if (n > ending && strcmp(name + n - ending, ".tiktoken") == 0)
		n -= ending;
	for (size_t i = 0; i < NAME_SIZE - 1 && i < n; i++)
		loaded.name[i] = name[i] > ' ' && name[i] < 0x7F && name[i] != '"' && name[i] != '\\' ?
			name[i] : '_';
}

int store_tokenizer_load(const char *path, struct why *why)
{
	size_t len;
	char *text = read_all(path, &len, why);
	struct reading r = { .mask = 1023, .why = why };
	if (!text)
		return STORE_EINVAL;
	while (r.mask < len / 4) /* a line has 4 bytes at least, and slots stay half empty */
		r.mask = 2 * r.mask + 1;
	r.bytes = malloc(len + 4);
	r.slot = calloc(r.mask + 1, sizeof *r.slot);
	int err = r.bytes && r.slot ? take_lines(&r, text, len) : STORE_ENOMEM;
	free(text);
	if (err) {
		free(r.bytes);
		free(r.slot);
		return err;
	}
	free(loaded.bytes);
	free(loaded.slot);
	loaded.bytes = r.bytes;
	loaded.slot = r.slot;
	loaded.mask = r.mask;
	loaded.longest = r.longest;
	memset(loaded.name, 0, sizeof loaded.name);
	keep_name(path);
	return 0;
}
