/* SPDX-License-Identifier: MIT */
/* Numbers of vectors: what counts of a text, unit length, products.  Pure. */
#include <math.h>
#include <openssl/sha.h>
#include <string.h>

#include "store/vectors/vector_file.h"

void vector_cut(const char *text, size_t *len)
{
	if (*len <= VECTOR_TEXT_MOST)
		return;
	*len = VECTOR_TEXT_MOST;
	for (int i = 0; i < 3 && ((unsigned char)text[*len] & 0xc0) == 0x80; i++)
		--*len;
}

void store_vector_hash(const char *text, size_t *len, unsigned char hash[VECTOR_HASH])
{
	vector_cut(text, len);
	SHA256((const unsigned char *)text, *len, hash);
}

bool vector_unit(const float *in, int dims, float *out)
{
	double sum = 0;
	for (int i = 0; i < dims; i++)
		sum += (double)in[i] * (double)in[i];
	if (!isfinite(sum) || sum <= 0)
		return false;
	double length = sqrt(sum);
	for (int i = 0; i < dims; i++)
		out[i] = (float)((double)in[i] / length);
	return true;
}

/* Four numbers at once, on any machine: the compiler knows how. */
typedef float four __attribute__((vector_size(16)));

static four times(const float *a, const float *b)
{
	four x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x * y;
}

/* Four sums that do not wait for each other. */
float vector_dot(const float *a, const float *b, size_t dims)
{
	four s = { 0 }, t = { 0 }, u = { 0 }, v = { 0 };
	size_t i = 0;
	for (; i + 16 <= dims; i += 16) {
		s += times(a + i, b + i);
		t += times(a + i + 4, b + i + 4);
		u += times(a + i + 8, b + i + 8);
		v += times(a + i + 12, b + i + 12);
	}
	s += t + (u + v);
	float sum = s[0] + s[1] + s[2] + s[3];
	for (; i < dims; i++)
		sum += a[i] * b[i];
	return sum;
}

bool vector_model_ok(const struct vector_model *m)
{
	size_t len = m && m->name ? strnlen(m->name, VECTOR_MODEL_MOST + 1) : 0;
	return len > 0 && len <= VECTOR_MODEL_MOST && m->dims > 0 && m->dims <= VECTOR_DIMS_MOST;
}
