/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of patterns that change while the program runs: whatever was added, changed and removed before,
 * a lookup finds what it finds in a set that was made of the patterns that are left. */
#include "expr/pattern.h"

#include "base/arena.h"
#include "base/err.h"
#include "event/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { STEPS = 3000, LOOKUPS = 40 };

static const int source, other; /* two files */
static uint32_t seed;

static unsigned below(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Few of them, so that they meet again, and begin and end alike. */
static void make_text(enum match match, char *text, size_t size)
{
	static const char *const words[] = { "a", "ab", "abc", "Abc", "bc", "c", "/a/", "x.y" };

	if (match == MATCH_IP && below(4))
		snprintf(text, size, "10.%u.%u.0/%u", below(3), below(3), 8 + below(17));
	else if (match == MATCH_IP)
		snprintf(text, size, below(2) ? "2001:db8::%u" : "2001:db8::/%u", 32 + below(9));
	else if (match == MATCH_INT)
		snprintf(text, size, "%u:%u", below(5), 5 + below(5));
	else
		snprintf(text, size, "%s%s", words[below(8)], below(2) ? words[below(8)] : "");
}

static void make_sample(enum match match, struct sample *smp, char *text, size_t size)
{
	*smp = (struct sample){ .type = SMP_STR };
	if (match == MATCH_INT) {
		smp->type = SMP_INT;
		smp->num = below(12);
		return;
	}
	if (match == MATCH_IP)
		snprintf(text, size, below(3) ? "10.%u.%u.%u" : "2001:db8:%u:%u::%u", below(4), below(4),
			 below(4));
	else
		make_text(match, text, size);
	smp->str = span_of(text);
}

static struct pattern_set *copy_of(const struct pattern_set *set, enum match match,
				   struct arena *arena, unsigned flags)
{
	struct pattern_set *copy = pattern_set_new(match, arena);
	const struct pattern *p;
	struct err err;

	for (p = pattern_first(set); p; p = p->next)
		assert_int_equal(pattern_add(copy, p->text, p->value, OP_EQUAL, flags, &err), 0);
	assert_int_equal(pattern_count(copy), pattern_count(set));
	return copy;
}

static void compare(const struct pattern_set *set, enum match match, unsigned flags)
{
	struct arena *arena = arena_new(4096);
	const struct pattern_set *fresh = copy_of(set, match, arena, flags);
	const struct pattern *found, *expected;
	struct sample smp, again;
	char text[64];
	int i;

	for (i = 0; i < LOOKUPS; i++) {
		make_sample(match, &smp, text, sizeof(text));
		again = smp;
		found = pattern_match(set, &smp);
		expected = pattern_match(fresh, &again);
		assert_int_equal(found != NULL, expected != NULL);
		if (!found)
			continue;
		assert_string_equal(found->text, expected->text);
		assert_string_equal(found->value, expected->value);
	}
	arena_free(&arena);
}

static void change(struct pattern_set *set, enum match match, unsigned flags)
{
	const void *from = below(3) ? &source : &other;
	char text[64], value[16];
	struct pattern *p;
	struct err err;

	make_text(match, text, sizeof(text));
	snprintf(value, sizeof(value), "%u", below(1000));
	p = pattern_find(set, text, from);
	if (p)
		assert_string_equal(p->text, text);
	if (!p || !below(4))
		assert_int_equal(pattern_add_running(set, text, value, flags, from, &err), 0);
	else if (below(2))
		assert_int_equal(pattern_change_value(set, p, value, flags, &err), 0);
	else
		pattern_remove(set, p);
}

static void walk(enum match match, unsigned flags)
{
	struct arena *arena = arena_new(4096);
	struct pattern_set *set = pattern_set_new(match, arena);
	struct pattern *p;
	char text[64], value[16];
	struct err err;
	int i;

	seed = (uint32_t)match * 7 + flags;
	pattern_set_source(set, &source);
	for (i = 0; i < 20; i++) {
		make_text(match, text, sizeof(text));
		snprintf(value, sizeof(value), "%d", i);
		assert_int_equal(pattern_add(set, text, value, OP_EQUAL, flags, &err), 0);
	}
	for (i = 0; i < (match == MATCH_REG ? STEPS / 20 : STEPS); i++) {
		change(set, match, flags);
		if (i % 20 == 0)
			compare(set, match, flags);
	}
	while ((p = (struct pattern *)pattern_first(set)))
		pattern_remove(set, p);
	assert_int_equal(pattern_count(set), 0);
	compare(set, match, flags);
	loop_turn(0); /* what was removed is freed */
	arena_free(&arena);
}

static void test_walks(void **state)
{
	static const enum match matches[] = { MATCH_STR, MATCH_BEG, MATCH_END, MATCH_SUB, MATCH_DIR,
					      MATCH_DOM, MATCH_REG, MATCH_IP, MATCH_INT };
	size_t i;

	(void)state;
	assert_int_equal(loop_init(16), 0);
	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		walk(matches[i], 0);
		walk(matches[i], PATTERN_ICASE);
	}
	loop_free();
}

static bool part_found(const char *part, const char *text, unsigned flags)
{
	struct arena *arena = arena_new(4096);
	struct pattern_set *set = pattern_set_new(MATCH_SUB, arena);
	struct sample smp = { .type = SMP_STR, .str = span_of(text) };
	struct err err;
	bool found;

	assert_int_equal(pattern_add(set, part, NULL, OP_EQUAL, flags, &err), 0);
	found = pattern_match(set, &smp) != NULL;
	arena_free(&arena);
	return found;
}

static void test_parts(void **state)
{
	(void)state;
	assert_true(part_found("Bot", "a googlebOT", PATTERN_ICASE));
	assert_true(part_found("bot", "BoBot", PATTERN_ICASE));
	assert_true(part_found("b", "B", PATTERN_ICASE));
	assert_true(part_found("1b", "a1B", PATTERN_ICASE));
	assert_false(part_found("bot", "BoBo", PATTERN_ICASE));
	assert_false(part_found("@a", "`A", PATTERN_ICASE)); /* they differ by the bit of the case */
	assert_false(part_found("bot", "a googlebOT", 0));
	assert_true(part_found("bOT", "a googlebOT", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
