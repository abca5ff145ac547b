/* SPDX-License-Identifier: MIT */
/* A YAML scalar as JSON: what an unquoted word means (YAML 1.2, 10.3.2). */
#include <string.h>

#include "render/format/buf.h"
#include "render/format/frontmatter.h"
#include "render/format/json_key.h"
#include "render/format/utf8.h"

static bool is_one_of(const char *text, size_t len, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (len == strlen(words[i]) && memcmp(text, words[i], len) == 0)
			return true;
	return false;
}

static size_t digits(const char *text, size_t len)
{
	size_t n = 0;
	while (n < len && text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

/* An exponent's length, 0 for none or a broken one. */
static size_t exponent(const char *text, size_t len)
{
	size_t at = 1;
	if (len < 2 || (*text != 'e' && *text != 'E'))
		return 0;
	if (text[at] == '+' || text[at] == '-')
		at++;
	size_t n = digits(text + at, len - at);
	return n > 0 ? at + n : 0;
}

/* A number as JSON writes it (.5 is 0.5); false, and nothing added: it is none. */
static bool add_number(struct buf *out, const char *text, size_t len)
{
	bool negative = len > 0 && *text == '-', point = false;
	size_t at = len > 0 && (*text == '-' || *text == '+');
	const char *whole = text + at, *fraction = "";
	size_t fraction_len = 0, whole_len = digits(whole, len - at);

	at += whole_len;
	if (at < len && text[at] == '.') {
		point = true;
		fraction = text + ++at;
		fraction_len = digits(fraction, len - at);
		at += fraction_len;
	}
	const char *power = text + at;
	size_t power_len = exponent(power, len - at);
	if (whole_len + fraction_len == 0 || at + power_len != len)
		return false;
	if (whole_len > 1 && *whole == '0')
		return false; /* 007 is a code, and octal to some readers */
	if (!json_number_fits(text, len))
		return false;
	buf_adds(out, negative ? "-" : "");
	buf_add(out, whole_len ? whole : "0", whole_len ? whole_len : 1);
	if (point) {
		buf_addc(out, '.');
		buf_add(out, fraction_len ? fraction : "0", fraction_len ? fraction_len : 1);
	}
	buf_add(out, power, power_len);
	return true;
}

void front_add_scalar(struct buf *out, const char *text, size_t len, bool plain)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
	static const char *const truths[] = { "true", "True", "TRUE" };
	static const char *const lies[] = { "false", "False", "FALSE" };

	if (plain && is_one_of(text, len, nulls, 5))
		buf_adds(out, "null");
	else if (plain && is_one_of(text, len, truths, 3))
		buf_adds(out, "true");
	else if (plain && is_one_of(text, len, lies, 3))
		buf_adds(out, "false");
	else if (!plain || !add_number(out, text, len))
		buf_add_json(out, text, len);
}
