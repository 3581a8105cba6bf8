/* SPDX-License-Identifier: BSD-2-Clause */
/* How far do bytes belong to a class, or which is the first of some? 16 at a time where the processor can (SSE2 is part of every
 * x86-64), else one by one from the table; the result is the same, and no byte at or behind `end`
 * is read. */
#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

#include "base/bug.h"
#include "http/chars.h"

static inline const char *scan_class(const char *p, const char *end, unsigned classes)
{
	while (p < end && char_is(*p, classes))
		p++;
	return p;
}

static inline const char *scan_bytes_until(const char *p, const char *end, char a, char b, char c)
{
	while (p < end && *p != a && *p != b && *p != c)
		p++;
	return p;
}

#ifdef __SSE2__
#include <emmintrin.h>

/* Bytes from `first` on, `count` of them. */
static inline __m128i scan_range(__m128i v, char first, char count)
{
	__m128i from = _mm_sub_epi8(v, _mm_set1_epi8(first));

	return _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8((char)(count - 1))), from);
}

/* Which of 16 bytes are not CHAR_VALUE. */
static inline unsigned scan_no_value(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i tab = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_andnot_si128(tab, scan_range(v, 0, 32)),
							_mm_cmpeq_epi8(v, _mm_set1_epi8(127))));
}

/* To the first byte that is not CHAR_VALUE. Bytes from `from` on may be read: nearly every request
 * ends with a value, whose last bytes are found together with those before it. */
static inline const char *scan_value(const char *from, const char *p, const char *end)
{
	unsigned mask;

	for (; end - p >= 16; p += 16) {
		mask = scan_no_value(p);
		if (mask)
			return p + __builtin_ctz(mask);
	}
	if (unlikely(end - from < 16))
		return scan_class(p, end, CHAR_VALUE);
	mask = scan_no_value(end - 16) >> (16 - (end - p));
	return mask ? p + __builtin_ctz(mask) : end;
}

/* Which of 16 bytes are a, b or c. */
static inline unsigned scan_which(const char *p, char a, char b, char c)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i either = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)),
				      _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(either, _mm_cmpeq_epi8(v, _mm_set1_epi8(c))));
}

/* To the first byte that is a, b or c. Bytes from `from` on may be read. */
static inline const char *scan_until(const char *from, const char *p, const char *end, char a,
				     char b, char c)
{
	unsigned mask;

	for (; end - p >= 16; p += 16) {
		mask = scan_which(p, a, b, c);
		if (mask)
			return p + __builtin_ctz(mask);
	}
	if (unlikely(end - from < 16))
		return scan_bytes_until(p, end, a, b, c);
	mask = scan_which(end - 16, a, b, c) >> (16 - (end - p));
	return mask ? p + __builtin_ctz(mask) : end;
}

/* To the first byte that is not CHAR_TARGET. */
static inline const char *scan_target(const char *p, const char *end)
{
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i good = _mm_andnot_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('#')),
						scan_range(v, 33, 94));
		int mask = _mm_movemask_epi8(good) ^ 0xffff;

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
	return scan_class(p, end, CHAR_TARGET);
}

/* To the first byte that is not CHAR_TOKEN: letters and "-" quickly, others from the table. */
static inline const char *scan_token(const char *p, const char *end)
{
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i letter = scan_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
		__m128i dash = _mm_cmpeq_epi8(v, _mm_set1_epi8('-'));
		int mask = _mm_movemask_epi8(_mm_or_si128(letter, dash)) ^ 0xffff;

		if (!mask) {
			p += 16;
			continue;
		}
		p += __builtin_ctz((unsigned)mask);
		if (!char_is(*p, CHAR_TOKEN))
			return p;
		p++;
	}
	return scan_class(p, end, CHAR_TOKEN);
}

/* To the first byte that is neither a letter nor a digit, "-" or ".". It may give up before. */
static inline const char *scan_plain_host(const char *p, const char *end)
{
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i letter = scan_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
		__m128i digit = scan_range(v, '0', 10), mark = scan_range(v, '-', 2);
		int mask = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter, digit), mark)) ^ 0xffff;

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
	return p;
}

#else

static inline const char *scan_plain_host(const char *p, const char *end)
{
	(void)end;
	return p;
}

static inline const char *scan_value(const char *from, const char *p, const char *end)
{
	(void)from;
	return scan_class(p, end, CHAR_VALUE);
}

static inline const char *scan_until(const char *from, const char *p, const char *end, char a,
				     char b, char c)
{
	(void)from;
	return scan_bytes_until(p, end, a, b, c);
}

static inline const char *scan_target(const char *p, const char *end)
{
	return scan_class(p, end, CHAR_TARGET);
}

static inline const char *scan_token(const char *p, const char *end)
{
	return scan_class(p, end, CHAR_TOKEN);
}

#endif

#endif
