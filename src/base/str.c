/* SPDX-License-Identifier: BSD-2-Clause */
/* Text helpers: bounded appending, whole numbers, distance between words. */
#include "base/str.h"

#include "base/bug.h"
#include "base/encode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

size_t str_whole(const char *s, size_t len)
{
	size_t behind = 0, needed;
	unsigned char c;

	while (behind < 3 && behind < len && (s[len - behind - 1] & 0xc0) == 0x80)
		behind++;
	if (behind == len)
		return len;
	c = (unsigned char)s[len - behind - 1];
	needed = c < 0xc2 || c > 0xf4 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	return needed > behind ? len - behind - 1 : len;
}

int str_cut(const char *s, size_t most)
{
	size_t len = strnlen(s, most + 1);

	return (int)(len > most ? str_whole(s, most) : len);
}

int str_char(const char *s)
{
	size_t len = utf8_len(s, strnlen(s, 4));

	return len ? (int)len : 1;
}

void text_init(struct text *t, char *memory, size_t size)
{
	BUG_ON(size < 1);
	*t = (struct text){ .ptr = memory, .size = size };
	memory[0] = 0;
}

void text_add(struct text *t, const char *s, size_t len)
{
	size_t room = t->size - 1 - t->len;

	if (len > room) {
		len = room;
		t->cut = true;
	}
	if (len) /* s may be NULL then */
		memcpy(t->ptr + t->len, s, len);
	t->len += len;
	t->ptr[t->len] = 0;
}

void text_str(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void text_char(struct text *t, char c)
{
	if (t->len + 1 >= t->size) {
		t->cut = true;
		return;
	}
	t->ptr[t->len++] = c;
	t->ptr[t->len] = 0;
}

void text_num(struct text *t, int64_t n)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	if (n >= 0 && n < 10) {
		text_char(t, (char)('0' + n));
		return;
	}
	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (n < 0)
		*--p = '-';
	text_add(t, p, (size_t)(digits + sizeof(digits) - p));
}

void text_digits(struct text *t, unsigned n, unsigned count)
{
	char digits[10];
	unsigned i;

	BUG_ON(count > sizeof(digits));
	for (i = count; i--; n /= 10)
		digits[i] = (char)('0' + n % 10);
	text_add(t, digits, count);
}

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	size_t room = t->size - t->len;
	int n = vsnprintf(t->ptr + t->len, room, fmt, ap);

	if (n < 0)
		return;
	if ((size_t)n >= room) {
		t->cut = true;
		t->len = t->size - 1;
	} else {
		t->len += (size_t)n;
	}
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* One row of the alignment, of as many columns as may still end within the limit; those beside
 * them are beyond it. Returns the least of the row. */
static unsigned distance_row(const char *a, const char *b, size_t i, size_t from, size_t to,
			     const unsigned *before, const unsigned *last, unsigned *row)
{
	unsigned least = ~0u;
	size_t j;

	for (j = from; j <= to; j++) {
		row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
		    before[j - 2] + 1 < row[j])
			row[j] = before[j - 2] + 1;
		if (row[j] < least)
			least = row[j];
	}
	return least;
}

/* Optimal string alignment over three rows, as far as the limit can still be kept: what is
 * further from the diagonal than it is beyond it. */
unsigned str_distance(const char *a, const char *b, unsigned limit)
{
	enum { MAX = 64 };
	unsigned rows[3][MAX + 2], *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t la = strlen(a), lb = strlen(b), i, from, to;
	unsigned least, least_before = 0;

	if (la > MAX || lb > MAX || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (i = 0; i <= lb + 1; i++)
		last[i] = (unsigned)i;
	for (i = 1; i <= la; i++, least_before = least) {
		from = i > limit ? i - limit : 1;
		to = lb < limit || lb - limit < i ? lb : i + limit;
		row[from - 1] = from == 1 ? (unsigned)i : limit + 1;
		least = distance_row(a, b, i, from, to, before, last, row);
		if (from == 1 && row[0] < least)
			least = row[0];
		row[to + 1] = limit + 1;
		if (least > limit && least_before >= limit)
			return limit + 1;
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[lb] > limit ? limit + 1 : last[lb];
}

bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *value)
{
	char *end;
	long long n;

	if (*s != '-' && (*s < '0' || *s > '9'))
		return false;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno || end == s || *end || n < min || n > max)
		return false;
	*value = n;
	return true;
}
