/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular expressions over PCRE2. Its memory comes from the arena of the configuration, which
 * frees it; code made for the processor lives as long as the process. Called by patterns and
 * converters. Matching allocates nothing. */
#include "expr/regex.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "event/loop.h"
#include "log/log.h"

#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	JIT_STACK_MIN = 32 << 10,
	JIT_STACK_MAX = 1 << 20,
	STEPS_FREE = 100,  /* that any search may take, and ... */
	STEPS_A_BYTE = 2,  /* ... for each byte of the text: one that backtracks little */
	STEPS_GROW = 8,    /* one that needs more begins again, with so many times as many */
	STEPS_SLOWER = 8,  /* a step of code that is not compiled takes so many times as long */
};

struct regex {
	pcre2_code *code;
	const char *text;
	bool *told;     /* the log knows that it was given up */
	bool compiled;  /* for the processor */
};

uint64_t regex_given_up;
uint32_t regex_steps = REGEX_STEPS;

static void *regex_alloc(PCRE2_SIZE size, void *arena)
{
	return arena_alloc(arena, size);
}

static void regex_keep(void *memory, void *arena)
{
	(void)memory;
	(void)arena;
}

/* One for the process: a match is over before the next begins. Taken with the first expression, so
 * that none is needed while rules run. */
static pcre2_match_data *match_data;
/* With more stack than the 32 kB that compiled code has by default: they end with long texts. */
static pcre2_match_context *match_context;

static bool match_prepare(void)
{
	pcre2_jit_stack *stack;

	if (match_data)
		return true;
	match_data = pcre2_match_data_create(REGEX_GROUPS, NULL);
	match_context = pcre2_match_context_create(NULL);
	stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
	if (match_context && stack)
		pcre2_jit_stack_assign(match_context, NULL, stack);
	return match_data && match_context;
}

struct regex *regex_compile(const char *pattern, bool ignore_case, struct arena *arena,
			    struct err *err)
{
	return regex_compile_as(pattern, ignore_case, REGEX_SAID, arena, err);
}

struct regex *regex_compile_as(const char *pattern, bool ignore_case, enum regex_said said,
			       struct arena *arena, struct err *err)
{
	pcre2_general_context *general = pcre2_general_context_create(regex_alloc, regex_keep, arena);
	/* Without a context it would be the library's own memory. */
	pcre2_compile_context *ctx = general ? pcre2_compile_context_create(general) : NULL;
	struct regex *re = arena_alloc(arena, sizeof(*re));
	unsigned char reason[160];
	PCRE2_SIZE offset;
	int code;

	if (!general || !ctx || !re || !match_prepare()) {
		err_set(err, "out of memory");
		return NULL;
	}
	re->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
				 ignore_case ? PCRE2_CASELESS : 0, &code, &offset, ctx);
	if (!re->code) {
		pcre2_get_error_message(code, reason, sizeof(reason));
		if (said == REGEX_SAID_SHORT)
			err_set(err, "regex '%s' is invalid (error=%s, erroffset=%zu).", pattern,
				(char *)reason, (size_t)offset);
		else
			err_set(err, "regular expression '%s' is wrong at character %zu: %s", pattern,
			(size_t)offset + 1, (char *)reason);
		return NULL;
	}
	re->text = arena_strdup(arena, pattern);
	re->told = arena_alloc(arena, sizeof(*re->told));
	if (!re->text || !re->told) {
		err_set(err, "out of memory");
		regex_forget(re);
		return NULL;
	}
	re->compiled = !pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	return re;
}

void regex_forget(struct regex *re)
{
	pcre2_code_free(re->code); /* what is not of the arena: the processor's */
	re->code = NULL;
}

COLD static void regex_give_up(const struct regex *re, int code)
{
	unsigned char reason[160];

	regex_given_up++;
	if (*re->told)
		return;
	*re->told = true;
	pcre2_get_error_message(code, reason, sizeof(reason));
	log_process(LOG_L_WARNING, "regular expression '%s' was given up (%s): whether it matches is not known; "
		    "rules that refuse take it that it does, all others that it does not. Further ones are "
		    "counted (RegexGivenUp)", re->text, (char *)reason);
}

static int regex_try(const struct regex *re, struct span text, size_t offset, uint64_t steps)
{
	PCRE2_SPTR subject = (PCRE2_SPTR)(text.ptr ? text.ptr : "");

	if (!re->compiled)
		steps /= STEPS_SLOWER;
	pcre2_set_match_limit(match_context, steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX);
	return pcre2_match(re->code, subject, text.len, offset, 0, match_data, match_context);
}

/* Searches for which nobody sets regex_steps share those of a turn of the loop. */
static void regex_new_turn(void)
{
	static uint64_t turn;

	if (turn == loop_stats.turns)
		return;
	turn = loop_stats.turns;
	regex_steps = REGEX_STEPS;
}

/* It needs more steps than any search has. Each time it begins again it may take more. How many it
 * has taken in the end PCRE2 does not tell: all that it might have taken are charged. */
COLD static int regex_go_on(const struct regex *re, struct span text, size_t offset,
			    uint64_t free_steps)
{
	uint64_t most, steps = free_steps;
	int n = PCRE2_ERROR_MATCHLIMIT;

	regex_new_turn();
	most = free_steps + regex_steps;
	while (n == PCRE2_ERROR_MATCHLIMIT && steps < most) {
		steps = steps * STEPS_GROW < most ? steps * STEPS_GROW : most;
		n = regex_try(re, text, offset, steps);
	}
	regex_steps -= (uint32_t)(steps - free_steps);
	return n;
}

static int regex_run(const struct regex *re, struct span text, size_t offset)
{
	uint64_t steps = STEPS_FREE + (uint64_t)STEPS_A_BYTE * text.len;
	int n = regex_try(re, text, offset, steps);

	if (unlikely(n == PCRE2_ERROR_MATCHLIMIT))
		n = regex_go_on(re, text, offset, steps);
	if (unlikely(n < PCRE2_ERROR_NOMATCH))
		regex_give_up(re, n);
	return n;
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

static bool escapes_byte(const char *s, const char *end)
{
	return *s == 'x' && end - s >= 3 && str_hex_digit(s[1]) >= 0 && str_hex_digit(s[2]) >= 0;
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
	if (escapes_byte(s, end)) {
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

void regex_escapes(struct text *out, struct span piece)
{
	const char *p = piece.ptr, *end = p + piece.len;

	while (p < end) {
		if (*p != '\\') {
			text_char(out, *p++);
			continue;
		}
		if (++p == end || *p == '\\' || (*p >= '0' && *p <= '9') || escapes_byte(p, end))
			text_char(out, '\\');
		text_char(out, p < end ? *p : '\\');
		p++;
	}
}
