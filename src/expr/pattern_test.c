/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of patterns that change while the program runs: whatever was added, changed and removed
 * before, in whatever version, a lookup finds what it finds in a set that was made of the patterns
 * that are left. */
#include "expr/pattern_change.h"
#include "expr/pattern_cache.h"

#include "base/arena.h"
#include "base/err.h"
#include "event/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 3000, LOOKUPS = 40 };

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

static struct pattern_set *copy_of(const struct pattern_ref *ref, enum match match,
				   struct arena *arena, unsigned flags)
{
	struct pattern_set *copy = pattern_set_new(match, arena);
	const struct pattern_entry *e;
	struct err err;

	for (e = ref->current->first; e; e = e->next)
		assert_int_equal(pattern_add(copy, e->text, e->value->text, OP_EQUAL, flags, &err), 0);
	assert_int_equal(ref->current->count, copy->table.count);
	return copy;
}

static void compare(const struct pattern_ref *ref, const struct pattern_use *use)
{
	struct arena *arena = arena_new(4096);
	enum match match = use->set->match;
	const struct pattern_set *fresh = copy_of(ref, match, arena, use->flags);
	const struct pattern *found, *expected;
	struct sample smp, again;
	char text[64];
	int i;

	for (i = 0; i < LOOKUPS; i++) {
		make_sample(match, &smp, text, sizeof(text));
		again = smp;
		found = pattern_match(use->set, &smp);
		expected = pattern_match(fresh, &again);
		assert_int_equal(found != NULL, expected != NULL);
		if (!found)
			continue;
		assert_string_equal(found->text, expected->text);
		assert_string_equal(found->value, expected->value);
	}
	arena_free(&arena);
}

/* -- a file without a configuration ----------------------------------------------------------- */

struct file {
	struct arena *arena;
	struct pattern_ref ref;
	struct pattern_use uses[2];
};

static void file_begin(struct file *f, enum match match, unsigned flags)
{
	int i;

	*f = (struct file){ .arena = arena_new(4096) };
	f->ref = (struct pattern_ref){ .path = "f", .key = "mf", .kind = PATTERN_VALUES, .use_count = 2,
				       .uses = &f->uses[0] };
	for (i = 0; i < 2; i++) {
		f->uses[i] = (struct pattern_use){ .set = pattern_set_new(match, f->arena),
						   .flags = i ? flags : 0 };
		f->uses[i].set->table.exact.arena = f->uses[i].set->table.folded.arena = NULL;
	}
	f->uses[0].next = &f->uses[1];
	f->ref.current = version_new(&f->ref, 0);
	free(f->ref.current->tables);
	f->ref.current->tables = NULL;
	pattern_refs_running = &f->ref;
}

static void file_end(struct file *f)
{
	pattern_refs_release(&f->ref);
	arena_free(&f->arena);
}

static char heard[512], answer[512];

static void hear(void *arg, const char *error, const char *said, size_t len)
{
	(void)arg;
	snprintf(heard, sizeof(heard), "%s", error ? error : "");
	snprintf(answer, sizeof(answer), "%.*s", (int)len, said);
}

static const char *ask_all(struct pattern_command c)
{
	c.key = "mf";
	pattern_submit(&c, hear, NULL);
	loop_turn(0);
	return heard;
}
#define ask(...) ask_all((struct pattern_command){ __VA_ARGS__ })

/* -- claims ----------------------------------------------------------------------------------- */

static void change(struct file *f, enum match match)
{
	char text[64], value[16], id[32];
	const struct pattern_entry *e;

	make_text(match, text, sizeof(text));
	snprintf(value, sizeof(value), "%u", below(1000));
	e = version_entry(f->ref.current, text);
	if (e)
		assert_string_equal(e->text, text);
	snprintf(id, sizeof(id), "%llx", e ? (unsigned long long)e->id : 0ULL);
	if (!e || !below(4))
		assert_string_equal(ask(.change = PATTERN_INSERT, .text = text, .value = value), "");
	else if (below(2))
		assert_string_equal(ask(.change = PATTERN_ASSIGN, .text = text, .value = value,
					.id = below(2) ? id : NULL), "");
	else
		assert_string_equal(ask(.change = PATTERN_REMOVE, .text = text,
					.id = below(2) ? id : NULL), "");
	if (!below(50))
		loop_turn(0); /* some of what was removed is freed */
}

static void change_version(struct file *f, enum match match)
{
	char number[16], text[64];
	unsigned n;

	assert_string_equal(ask(.change = PATTERN_PREPARE), "");
	snprintf(number, sizeof(number), "%u", f->ref.next_version);
	for (n = below(30); n; n--) {
		make_text(match, text, sizeof(text));
		assert_string_equal(ask(.change = PATTERN_INSERT, .version = number, .text = text,
					.value = "1"), "");
	}
	if (below(3))
		assert_string_equal(ask(.change = PATTERN_COMMIT, .version = number), "");
	else if (below(2))
		assert_string_equal(ask(.change = PATTERN_CLEAR, .version = number), "");
}

static void walk(enum match match, unsigned flags)
{
	int i, steps = match == MATCH_REG ? STEPS / 20 : STEPS;
	struct file f;

	seed = (uint32_t)match * 7 + flags;
	file_begin(&f, match, flags);
	for (i = 0; i < steps; i++) {
		change(&f, match);
		if (i % 100 == 99)
			change_version(&f, match);
		if (i % 20 == 0) {
			compare(&f.ref, &f.uses[0]);
			compare(&f.ref, &f.uses[1]);
		}
	}
	assert_string_equal(ask(.change = PATTERN_CLEAR), "");
	assert_int_equal(f.ref.current->count, 0);
	compare(&f.ref, &f.uses[1]);
	file_end(&f);
}

static void test_walks(void **state)
{
	static const enum match matches[] = { MATCH_STR, MATCH_BEG, MATCH_END, MATCH_SUB, MATCH_DIR,
					      MATCH_DOM, MATCH_REG, MATCH_IP, MATCH_INT };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		walk(matches[i], 0);
		walk(matches[i], PATTERN_ICASE);
	}
}

static const char *value_of(const struct file *f, const char *key)
{
	struct sample smp = { .type = SMP_STR, .str = span_of(key) };
	const struct pattern *p = pattern_match(f->uses[0].set, &smp);

	return p ? p->value : "-";
}

static void test_versions(void **state)
{
	struct file f;

	(void)state;
	file_begin(&f, MATCH_STR, 0);
	ask(.change = PATTERN_INSERT, .text = "k", .value = "old");
	assert_string_equal(ask(.change = PATTERN_INSERT, .version = "1", .text = "k", .value = "v"),
			    "Version number in the future, please use 'prepare map' before.");
	ask(.change = PATTERN_PREPARE);
	assert_string_equal(answer, "New version created: 1\n");
	ask(.change = PATTERN_PREPARE);
	ask(.change = PATTERN_INSERT, .version = "1", .text = "k", .value = "one");
	ask(.change = PATTERN_INSERT, .version = "2", .text = "k", .value = "two");
	assert_string_equal(value_of(&f, "k"), "old");
	assert_string_equal(ask(.change = PATTERN_COMMIT, .version = "2"), "");
	assert_string_equal(value_of(&f, "k"), "two");
	assert_string_equal(ask(.change = PATTERN_COMMIT, .version = "1"), "Version number out of range.");
	assert_string_equal(ask(.change = PATTERN_COMMIT, .version = "3"), "Version number out of range.");
	assert_null(version_find(&f.ref, 1));
	file_end(&f);
}

/* Numbers wrap: 4294967295 is followed by 0. */
static void test_version_numbers_wrap(void **state)
{
	struct file f;

	(void)state;
	file_begin(&f, MATCH_STR, 0);
	f.ref.current->number = f.ref.next_version = UINT32_MAX - 1;
	ask(.change = PATTERN_PREPARE);
	assert_string_equal(answer, "New version created: 4294967295\n");
	ask(.change = PATTERN_PREPARE);
	assert_string_equal(answer, "New version created: 0\n");
	assert_string_equal(ask(.change = PATTERN_INSERT, .version = "0", .text = "k", .value = "v"), "");
	assert_string_equal(ask(.change = PATTERN_COMMIT, .version = "0"), "");
	assert_string_equal(value_of(&f, "k"), "v");
	assert_string_equal(ask(.change = PATTERN_COMMIT, .version = "4294967295"),
			    "Version number out of range.");
	file_end(&f);
}

static void load(const char *token, const char *lines, size_t len)
{
	assert_string_equal(ask(.change = PATTERN_LOAD_BEGIN, .id = token), "");
	ask(.change = PATTERN_LOAD_LINES, .id = token, .rest = lines, .rest_len = len);
}

static void test_payload_is_whole(void **state)
{
	struct file f;

	(void)state;
	file_begin(&f, MATCH_REG, 0);
	load("1.1.1", "a\0one\0b(\0two\0", 13);
	assert_string_equal(heard, "line 2: regex 'b(' is invalid (error=missing closing parenthesis, "
				   "erroffset=2).");
	ask(.change = PATTERN_LOAD_END, .id = "1.1.1");
	assert_int_equal(f.ref.current->count, 0);
	load("1.1.1", "a\0one\0b\0two\0", 12);
	load("2.7.1", "c\0one\0", 6);
	assert_int_equal(f.ref.current->count, 0);
	pattern_loads_abandon(2); /* who loads c has died */
	loop_turn(0);
	assert_string_equal(ask(.change = PATTERN_LOAD_MERGE, .id = "1.1.1"), "");
	ask(.change = PATTERN_LOAD_END, .id = "1.1.1");
	assert_int_equal(f.ref.current->count, 2);
	assert_string_equal(ask(.change = PATTERN_LOAD_MERGE, .id = "2.7.1"),
			    "The payload was interrupted: nothing more of it is taken.");
	file_end(&f);
}

/* Whoever reads meets what stays once, whatever goes and comes; a version stays until it was
 * read. */
static void test_reading(void **state)
{
	struct pattern_reader r;
	char text[16];
	struct file f;
	int i, met = 0;

	(void)state;
	file_begin(&f, MATCH_STR, 0);
	for (i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%d", i);
		ask(.change = PATTERN_INSERT, .text = text, .value = "v");
	}
	reader_begin(&r, f.ref.current);
	for (i = 0; r.at; i++) {
		assert_int_equal(atoi(r.at->text), i * 2);
		snprintf(text, sizeof(text), "%d", i * 2 + 1);
		r.at = r.at->next;
		ask(.change = PATTERN_REMOVE, .text = text);
		loop_turn(0);
	}
	assert_int_equal(i, 50);
	reader_end(&r);
	reader_begin(&r, f.ref.current);
	ask(.change = PATTERN_CLEAR);
	for (i = 0; i < 20; i++)
		loop_turn(0);
	for (; r.at; r.at = r.at->next)
		met++;
	assert_int_equal(met, 50);
	reader_end(&r);
	loop_turn(0);
	file_end(&f);
}

/* The result of a lookup may be used until the turn ends. */
static void test_results_stay(void **state)
{
	const char *value;
	struct file f;
	struct err err;

	(void)state;
	file_begin(&f, MATCH_STR, 0);
	ask(.change = PATTERN_INSERT, .text = "k", .value = "v");
	value = value_of(&f, "k");
	assert_int_equal(entry_set_value(&f.ref, version_entry(f.ref.current, "k"), "w", &err), 0);
	assert_string_equal(value_of(&f, "k"), "w");
	version_drop(version_switch(version_new(&f.ref, 0)));
	assert_string_equal(value_of(&f, "k"), "-");
	assert_string_equal(value, "v");
	file_end(&f);
}

/* What was found for a text, by the cache or not; "": nothing. */
static const char *matched(const struct pattern_set *set, const char *text)
{
	struct sample smp = { .type = SMP_STR, .str = span_of(text) };
	const struct pattern *p = pattern_match(set, &smp);

	return p ? p->text : "";
}

static bool is_kept(const struct pattern_set *set, const char *text)
{
	const struct pattern *found;

	return pattern_cache_find(set->table.stamp, span_of(text), &found);
}

static void test_results_are_kept(void **state)
{
	static const char *const words[] = { "^/a", "^/b", "c$", "d+" };
	struct arena *arena = arena_new(4096);
	struct pattern_set *set = pattern_set_new(MATCH_REG, arena);
	struct err err;
	char longer[PATTERN_CACHE_TEXT + 2];

	(void)state;
	pattern_cache_resize(8);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pattern_add(set, words[i], NULL, OP_EQUAL, 0, &err), 0);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(matched(set, "/bc"), "^/b");
		assert_string_equal(matched(set, "xdd"), "d+");
		assert_string_equal(matched(set, "x"), "");
		assert_string_equal(matched(set, ""), "");
	}
	assert_true(is_kept(set, "/bc") && is_kept(set, "x") && is_kept(set, ""));
	/* Each change makes all of it unknown. */
	pattern_leave(set, &set->table, set->table.first->next);
	assert_false(is_kept(set, "/bc"));
	assert_string_equal(matched(set, "/bc"), "c$");
	assert_int_equal(pattern_add(set, "^x$", NULL, OP_EQUAL, 0, &err), 0);
	assert_string_equal(matched(set, "x"), "^x$");
	/* Those that do not fit, and none at all. */
	memset(longer, 'd', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	assert_string_equal(matched(set, longer), "d+");
	assert_false(is_kept(set, longer));
	longer[sizeof(longer) - 2] = 0;
	assert_string_equal(matched(set, longer), "d+");
	assert_true(is_kept(set, longer));
	pattern_cache_resize(0);
	assert_string_equal(matched(set, "/a"), "^/a");
	assert_false(is_kept(set, "/a"));
	pattern_cache_resize(PATTERN_CACHE_SIZE);
	arena_free(&arena);
}

/* Few entries, many texts and two sets: never a wrong answer, and the last ones are known. */
static void test_results_make_room(void **state)
{
	struct arena *arena = arena_new(4096);
	struct pattern_set *sets[2];
	struct err err;
	char text[16];

	(void)state;
	pattern_cache_resize(16);
	for (size_t i = 0; i < 2; i++) {
		sets[i] = pattern_set_new(MATCH_REG, arena);
		pattern_add(sets[i], "5$", NULL, OP_EQUAL, 0, &err);
		pattern_add(sets[i], i ? "1$" : "^1", NULL, OP_EQUAL, 0, &err);
		pattern_add(sets[i], i ? "2$" : "^2", NULL, OP_EQUAL, 0, &err);
		pattern_add(sets[i], "x", NULL, OP_EQUAL, 0, &err);
	}
	for (int n = 0; n < 3000; n++) {
		snprintf(text, sizeof(text), "%d", n * 7 % 251);
		for (size_t i = 0; i < 2; i++) {
			const char *end = text + strlen(text) - 1;
			char digit = i ? *end : *text;

			if (*end == '5')
				assert_string_equal(matched(sets[i], text), "5$");
			else
				assert_int_equal(*matched(sets[i], text) != 0,
						 digit == '1' || digit == '2');
			assert_true(is_kept(sets[i], text));
		}
	}
	pattern_cache_resize(PATTERN_CACHE_SIZE);
	arena_free(&arena);
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

/* At each place, in texts of each length: what is scanned by 16 bytes, and what is left over. */
static void check_part_everywhere(void)
{
	char text[48];
	size_t len, at;

	for (len = 3; len < sizeof(text); len++)
		for (at = 0; at + 3 <= len; at++) {
			memset(text, 'b', len);
			text[len] = 0;
			memcpy(text + at, "BoT", 3);
			assert_true(part_found("bot", text, PATTERN_ICASE));
			text[at + 2] = 'd';
			assert_false(part_found("bot", text, PATTERN_ICASE));
		}
}

static void test_parts(void **state)
{
	(void)state;
	check_part_everywhere();
	assert_true(part_found("Bot", "a googlebOT", PATTERN_ICASE));
	assert_true(part_found("bot", "BoBot", PATTERN_ICASE));
	assert_true(part_found("b", "B", PATTERN_ICASE));
	assert_true(part_found("1b", "a1B", PATTERN_ICASE));
	assert_false(part_found("bot", "BoBo", PATTERN_ICASE));
	assert_false(part_found("@a", "`A", PATTERN_ICASE)); /* they differ by the bit of the
							      * case */
	assert_false(part_found("bot", "a googlebOT", 0));
	assert_true(part_found("bOT", "a googlebOT", 0));
}

struct part {
	char text[12];
	bool ignore_case;
};

/* Letters of two kinds and both cases: parts meet, and contain each other. */
static void make_part(char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = "abAB"[below(below(8) ? 2 : 4)];
	text[len] = 0;
}

/* Which of them is the first that text contains, without index and pairs; -1: none. */
static int first_part(const struct part *parts, int count, const char *text)
{
	int i;

	for (i = 0; i < count; i++) {
		if (*parts[i].text && (parts[i].ignore_case ? strcasestr(text, parts[i].text) :
							      strstr(text, parts[i].text)))
			return i;
	}
	return -1;
}

/* count of up to lengths bytes (from least on), looked for in texts of up to most: through the index while
 * texts are short and lengths are few, else one after the other. */
static void compare_parts(int count, unsigned least, unsigned lengths, unsigned most)
{
	struct arena *arena = arena_new(4096);
	struct pattern_set *set = pattern_set_new(MATCH_SUB, arena);
	struct part *parts = calloc((size_t)count, sizeof(*parts));
	char text[256], number[12];
	struct err err;
	int i, found[2] = { 0, 0 };

	assert_non_null(parts);
	for (i = 0; i < count; i++) {
		make_part(parts[i].text, least + below(lengths));
		parts[i].ignore_case = below(2);
		snprintf(number, sizeof(number), "%d", i);
		assert_int_equal(pattern_add(set, parts[i].text, number, OP_EQUAL,
					     parts[i].ignore_case ? PATTERN_ICASE : 0, &err), 0);
	}
	for (i = 0; i < 400; i++) {
		struct sample smp = { .type = SMP_STR, .str = { text, below(most + 1) } };
		const struct pattern *p;

		make_part(text, smp.str.len);
		p = pattern_match(set, &smp);
		assert_int_equal(p ? atoi(p->value) : -1, first_part(parts, count, text));
		found[p != NULL]++;
	}
	assert_true(found[0] && found[1]); /* both were tried */
	free(parts);
	arena_free(&arena);
}

static void test_many_parts(void **state)
{
	(void)state;
	seed = 4711;
	pattern_cache_resize(0);
	compare_parts(1, 1, 3, 12);
	compare_parts(5, 0, 6, 40);
	compare_parts(60, 5, 7, 60);
	compare_parts(900, 0, 4, 9); /* by the index, which has no empty part */
	compare_parts(400, 10, 1, 20); /* by the index */
	compare_parts(600, 10, 2, 30); /* up to 18 bytes by the index */
	compare_parts(600, 8, 4, 200); /* up to 9 bytes, and from 65 to 74 */
	compare_parts(2000, 11, 1, 250);
	pattern_cache_resize(PATTERN_CACHE_SIZE);
}

static int begin(void **state)
{
	(void)state;
	return loop_init(16);
}

static int end(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_many_parts),
		cmocka_unit_test(test_results_are_kept),
		cmocka_unit_test(test_results_make_room),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_version_numbers_wrap),
		cmocka_unit_test(test_payload_is_whole),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_results_stay),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
