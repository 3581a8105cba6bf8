/* SPDX-License-Identifier: BSD-2-Clause */
/* Spans of bytes that need no final NUL, and small helpers for text. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const char *ptr;
	size_t len;
};

static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Of a text that is cut behind len bytes, those that are whole characters of UTF-8. */
size_t str_whole(const char *s, size_t len);
/* What messages show of a word that may be long: at most so many bytes of it, whole characters. */
int str_cut(const char *s, size_t most);
#define STR_CUT(s, most) str_cut(s, most), s /* for "%.*s" */
/* The bytes of the character at s, which is not the final NUL: 1 of one that is no UTF-8. */
int str_char(const char *s);

/* Text that is appended to; cut, never overrun, and remembers that it was cut. */
struct text {
	char *ptr;
	size_t size, len; /* len never reaches size; ptr[len] is NUL */
	bool cut;
};

/* Starts an empty text in memory of size bytes (at least 1). */
void text_init(struct text *t, char *memory, size_t size);
/* Nothing may be at NULL: an empty span. */
void text_add(struct text *t, const char *s, size_t len);
void text_str(struct text *t, const char *s);
void text_char(struct text *t, char c);
void text_num(struct text *t, int64_t n);
/* Its last count digits (at most 10), zeros in front. */
void text_digits(struct text *t, unsigned n, unsigned count);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap);

/* The edit distance of two words (insert, delete, replace, swap of neighbours), at most
 * limit + 1: for "did you mean". */
unsigned str_distance(const char *a, const char *b, unsigned limit);

/* Reads a whole decimal number; false when it is none or leaves [min, max]. */
bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *value);

#endif
