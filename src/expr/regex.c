/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular expressions over PCRE2. Its memory comes from the arena of the configuration, which
 * frees it; code made for the processor lives as long as the process. Called by patterns and
 * converters. Matching allocates nothing. */
#include "expr/regex.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"

#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct regex {
	pcre2_code *code;
};

static void *regex_alloc(PCRE2_SIZE size, void *arena)
{
	return arena_alloc(arena, size);
}

static void regex_keep(void *memory, void *arena)
{
	(void)memory;
	(void)arena;
}

/* One for the process: a match is over before the next begins. Taken with the first expression, so that
 * none is needed while rules run. */
static pcre2_match_data *match_data;

struct regex *regex_compile(const char *pattern, bool ignore_case, struct arena *arena,
			    struct err *err)
{
	pcre2_general_context *general = pcre2_general_context_create(regex_alloc, regex_keep, arena);
	pcre2_compile_context *ctx = pcre2_compile_context_create(general);
	struct regex *re = arena_alloc(arena, sizeof(*re));
	unsigned char reason[160];
	PCRE2_SIZE offset;
	int code;

	if (!match_data)
		match_data = pcre2_match_data_create(REGEX_GROUPS, NULL);
	if (!match_data) {
		err_set(err, "out of memory");
		return NULL;
	}
	re->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
				 ignore_case ? PCRE2_CASELESS : 0, &code, &offset, ctx);
	if (!re->code) {
		pcre2_get_error_message(code, reason, sizeof(reason));
		err_set(err, "regular expression '%s' is wrong at character %zu: %s", pattern,
			(size_t)offset + 1, (char *)reason);
		return NULL;
	}
	pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE); /* without it: interpreted */
	return re;
}

void regex_forget(struct regex *re)
{
	pcre2_code_free(re->code); /* what is not of the arena: the processor's */
	re->code = NULL;
}

static int regex_run(const struct regex *re, struct span text, size_t offset)
{
	PCRE2_SPTR subject = (PCRE2_SPTR)(text.ptr ? text.ptr : "");

	return pcre2_match(re->code, subject, text.len, offset, 0, match_data, NULL);
}

bool regex_test(const struct regex *re, struct span text)
{
	return regex_run(re, text, 0) >= 0;
}

bool regex_find(const struct regex *re, struct span text, size_t offset,
		struct regex_match *match)
{
	int n = regex_run(re, text, offset), i;
	const PCRE2_SIZE *at;

	if (n < 0)
		return false;
	memset(match, 0, sizeof(*match));
	match->count = n == 0 || n > REGEX_GROUPS ? REGEX_GROUPS : n;
	at = pcre2_get_ovector_pointer(match_data);
	for (i = 0; i < match->count; i++, at += 2) {
		if (at[0] != PCRE2_UNSET && at[1] >= at[0])
			match->group[i] = (struct span){ text.ptr + at[0], at[1] - at[0] };
	}
	return true;
}

/* The escape at s (behind the backslash, s < end); returns how much of it was taken. */
static size_t regex_escape(struct text *out, const char *s, const char *end,
			   const struct regex_match *match)
{
	if (*s >= '0' && *s <= '9') {
		const struct span *g = &match->group[*s - '0'];

		if (g->ptr)
			text_add(out, g->ptr, g->len);
		return 1;
	}
	if (*s == 'x' && end - s >= 3 && str_hex_digit(s[1]) >= 0 && str_hex_digit(s[2]) >= 0) {
		text_char(out, (char)(str_hex_digit(s[1]) << 4 | str_hex_digit(s[2])));
		return 3;
	}
	text_char(out, *s);
	return 1;
}

void regex_expand(struct text *out, struct span replacement, const struct regex_match *match)
{
	const char *p = replacement.ptr, *end = p + replacement.len;

	while (p < end) {
		if (*p == '\\' && p + 1 < end)
			p += 1 + regex_escape(out, p + 1, end, match);
		else
			text_char(out, *p++);
	}
}
