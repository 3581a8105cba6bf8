/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a configuration with two small modules: what is set, which problems are reported,
 * where, and that each has one message. */
#include "config/config.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/load.h"
#include "config/module.h"

#include "base/arena.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* -- a language ------------------------------------------------------------------------ */

struct numbers {
	int number;
	unsigned ms, seconds, positive;
	size_t size;
	bool flag;
	int color;
	const char *name;
	struct options options;
};
static const char *const colors[] = { "red", "green", NULL };

struct web {
	struct numbers set;
	char words[200]; /* what stmt_words found */
	int ended;
};

static int parse_words(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	if (!stmt_need(st, "address"))
		return -1;
	return stmt_words(st, SCOPE_BIND, object);
}

static int parse_note(struct statement *st, const struct keyword *kw, void *object)
{
	struct web *web = object;

	strcat(strcat(web->words, kw->name), " ");
	if (!kw->args)
		return 0;
	if (!stmt_need(st, kw->args))
		return -1;
	return 0;
}

static int parse_silent_failure(struct statement *st, const struct keyword *kw, void *object)
{
	(void)st;
	(void)kw;
	(void)object;
	return -1;
}

#define AT(field) .offset = offsetof(struct web, set.field)
static const struct keyword web_keywords[] = {
	{ .name = "number", .scope = SCOPE_PROXY, .parse = set_int, AT(number), .min = -5,
	  .max = 5 },
	{ .name = "any", .scope = SCOPE_PROXY, .parse = set_int, AT(number) },
	{ .name = "positive", .scope = SCOPE_PROXY, .parse = set_unsigned, AT(positive) },
	{ .name = "timeout one", .scope = SCOPE_FRONT, .parse = set_duration, AT(ms) },
	{ .name = "timeout two", .scope = SCOPE_FRONT, .parse = set_seconds, AT(seconds),
	  .min = 1, .max = 10000 },
	{ .name = "size", .scope = SCOPE_PROXY, .parse = set_size, AT(size), .flags = KW_ONCE },
	{ .name = "flag", .scope = SCOPE_PROXY, .parse = set_flag, AT(flag),
	  .flags = KW_NO | KW_DEFAULT, .dflt = "on" },
	{ .name = "color", .scope = SCOPE_PROXY, .parse = set_enum, AT(color), .names = colors },
	{ .name = "name", .scope = SCOPE_PROXY, .parse = set_string, AT(name), .args = "<name>" },
	{ .name = "option a", .scope = SCOPE_PROXY, .parse = set_bit, AT(options), .bit = 1,
	  .flags = KW_NO | KW_DEFAULT },
	{ .name = "option b", .scope = SCOPE_PROXY, .parse = set_bit, AT(options), .bit = 2,
	  .flags = KW_NO | KW_DEFAULT },
	{ .name = "option b c", .scope = SCOPE_PROXY, .parse = set_bit, AT(options), .bit = 4 },
	{ .name = "backonly", .scope = SCOPE_BACKEND, .parse = set_int, AT(number) },
	{ .name = "bind", .scope = SCOPE_FRONTEND, .parse = parse_words },
	{ .name = "wrong", .scope = SCOPE_PROXY, .parse = parse_silent_failure },
	{ .name = "plain", .scope = SCOPE_BIND, .parse = parse_note },
	{ .name = "pair", .scope = SCOPE_BIND, .parse = parse_note },
	{ .name = "pair of", .scope = SCOPE_PROXY, .parse = parse_note },
	{ .name = "level", .scope = SCOPE_BIND, .parse = parse_note, .args = "level" },
	{ .name = "narrow", .scope = SCOPE_BIND, .parse = set_int, AT(number), .min = -5, .max = 5,
	  .args = "<number>" },
	{ .name = NULL },
};

static struct web web;

static void *web_begin(struct statement *st)
{
	if (!stmt_need(st, "name"))
		return NULL;
	memset(&web, 0, sizeof(web));
	return &web;
}

static void web_end(struct config *cfg, void *object)
{
	(void)cfg;
	((struct web *)object)->ended++;
}

static const struct section web_sections[] = {
	{ .name = "frontend", .scope = SCOPE_FRONTEND, .begin = web_begin, .end = web_end },
	{ .name = "listen", .scope = SCOPE_FRONTEND | SCOPE_BACKEND, .begin = web_begin },
	{ .name = "defaults", .scope = SCOPE_DEFAULTS, .begin = web_begin },
	{ .name = NULL },
};

static struct location finish_where;

static int web_finish(struct config *cfg, void *data)
{
	(void)data;
	return finish_where.file ? config_error(cfg, &finish_where, "cross reference") : 0;
}

static const struct module web_module = { .name = "web", .keywords = web_keywords,
					  .sections = web_sections, .finish = web_finish };

static const struct keyword core_keywords[] = {
	{ .name = "limit", .scope = SCOPE_GLOBAL, .parse = set_int, .flags = KW_ONCE,
	  .offset = offsetof(struct numbers, number) },
	{ .name = "first", .scope = SCOPE_GLOBAL, .parse = set_int, .flags = KW_FIRST,
	  .offset = offsetof(struct numbers, number) },
	{ .name = NULL },
};
static void *core_begin(struct statement *st);
static const struct section core_sections[] = {
	{ .name = "global", .scope = SCOPE_GLOBAL, .begin = core_begin },
	{ .name = NULL },
};
static void core_init(struct config *cfg, void *data)
{
	(void)cfg;
	((struct numbers *)data)->number = 42;
}
static const struct module core_module = { .name = "core", .keywords = core_keywords,
					   .sections = core_sections, .init = core_init,
					   .data_size = sizeof(struct numbers) };
static void *core_begin(struct statement *st)
{
	return config_data(st->cfg, &core_module);
}

static const struct module *const language[] = { &core_module, &web_module, NULL };

/* -- helpers --------------------------------------------------------------------------- */

static struct config *cfg;

static int setup(void **state)
{
	(void)state;
	memset(&web, 0, sizeof(web));
	finish_where.file = NULL;
	cfg = config_new(language, true);
	return cfg ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	config_free(&cfg);
	assert_null(cfg);
	return 0;
}

static int read_text(const char *text)
{
	return config_read_text(cfg, "t.cfg", text, strlen(text));
}

/* All problems as "line:column severity message [hint]\n". */
static const char *problems(void)
{
	static char buf[8000];
	const struct problem *p;
	struct text t;

	text_init(&t, buf, sizeof(buf));
	for (p = cfg->diag->first; p; p = p->next)
		text_printf(&t, "%u:%u %s %s%s%s%s\n", p->place.line, p->place.column,
			    diag_severity_name(p->severity), p->message, p->hint ? " [" : "",
			    p->hint ? p->hint : "", p->hint ? "]" : "");
	return buf;
}

#define EXPECT(text, want)                              \
	do {                                            \
		read_text(text);                        \
		assert_string_equal(problems(), want);  \
	} while (0)

/* -- tests ----------------------------------------------------------------------------- */

static void test_setters(void **state)
{
	(void)state;
	assert_int_equal(read_text("frontend x\n number -5\n timeout one 2s\n timeout two 3\n"
				   " size 64k\n flag\n color green\n name 'a b'\n positive 7\n"),
			 0);
	assert_string_equal(problems(), "");
	assert_int_equal(web.set.number, -5);
	assert_int_equal(web.set.ms, 2000);
	assert_int_equal(web.set.seconds, 3000);
	assert_int_equal(web.set.size, 65536);
	assert_true(web.set.flag);
	assert_int_equal(web.set.color, 1);
	assert_string_equal(web.set.name, "a b");
	assert_int_equal(web.set.positive, 7);
	assert_int_equal(web.ended, 1);
}

static void test_durations_round_up(void **state)
{
	(void)state;
	read_text("frontend x\n timeout one 1us\n");
	assert_int_equal(web.set.ms, 1);
	read_text("frontend x\n timeout one 1000us\n");
	assert_int_equal(web.set.ms, 1);
	read_text("frontend x\n timeout one 2147483647\n");
	assert_int_equal(web.set.ms, 2147483647);
	assert_string_equal(problems(), "");
}

static void test_values_refused(void **state)
{
	(void)state;
	EXPECT("frontend x\n number 6\n number x\n number\n positive -1\n size 5t\n size\n"
	       " timeout one 5x\n timeout one x\n timeout one 25d\n timeout two 11s\n"
	       " color blue\n color gren\n color\n name\n any 2147483648\n",
	       "2:9 error 'number' must be a number from -5 to 5, not '6'\n"
	       "3:9 error 'number' must be a number from -5 to 5, not 'x'\n"
	       "4:9 error 'number' needs a number from -5 to 5\n"
	       "5:11 error 'positive' must be a number from 0 to 4294967295, not '-1'\n"
	       "6:7 error 'size': 't' is no unit of size; there are k, m, g\n"
	       "7:0 notice 'size' was given before; this one counts [the first is at t.cfg:6]\n"
	       "7:7 error 'size' needs a size such as 16384, 64k or 1m\n"
	       "8:14 error 'timeout one': 'x' is no unit of time; there are us, ms, s, m, h, d\n"
	       "9:14 error 'timeout one' must be a time such as 500ms, 30s or 5m, not 'x'\n"
	       "10:14 error 'timeout one': '25d' is more than 2147483647ms (24.8 days)\n"
	       "11:14 error 'timeout two' must be from 1ms to 10000ms, not '11s'\n"
	       "12:8 error 'blue' is not a known value of 'color' [red or green]\n"
	       "13:8 error 'gren' is not a known value of 'color' [did you mean 'green'?]\n"
	       "14:8 error value of 'color' expected here [red or green]\n"
	       "15:7 error <name> of 'name' expected here\n"
	       "16:6 error 'any' must be a number from -2147483648 to 2147483647, not "
	       "'2147483648'\n");
	assert_int_equal(web.set.number, 0); /* what failed set nothing */
}

static void test_bits(void **state)
{
	(void)state;
	read_text("frontend x\n option a\n no option b\n");
	assert_int_equal(web.set.options.on, 1);
	assert_int_equal(web.set.options.given, 3);
	read_text("frontend x\n option a\n option b\n default option a\n");
	assert_int_equal(web.set.options.on, 2);
	assert_int_equal(web.set.options.given, 2);
	assert_string_equal(problems(), "");
}

static void test_longest_name_wins(void **state)
{
	(void)state;
	read_text("frontend x\n option b c\n");
	assert_int_equal(web.set.options.on, 4);
	assert_string_equal(problems(), "");
}

static void test_prefixes(void **state)
{
	(void)state;
	read_text("frontend x\n flag\n no flag\n");
	assert_false(web.set.flag);
	read_text("frontend x\n default flag\n");
	assert_true(web.set.flag);
	EXPECT("frontend x\n no number 5\n default size 4\n no\n no bogus\n",
	       "2:5 error 'no' cannot stand before 'number'\n"
	       "3:10 error 'default' cannot stand before 'size'\n"
	       "4:5 error a word expected behind 'no'\n"
	       "5:5 error unknown word 'bogus'\n");
}

static void test_too_many_words(void **state)
{
	(void)state;
	EXPECT("frontend x y\n number 5 6 7\nglobal z\n",
	       "1:12 error 'y' is one word too many here\n"
	       "2:11 error '6' is one word too many here\n"
	       "3:8 error 'z' is one word too many here\n");
}

static void test_unknown_words(void **state)
{
	(void)state;
	EXPECT("frontend x\n nmuber 5\n bogus 1\n timeout tow 3\n timeout\n timeout zzzzzz 1\n"
	       " option q\n backonly 3\n limit 4\n clitimeout 5\n redirect location /\n plain\n"
	       " pair\n pair in\n",
	       "2:2 error unknown word 'nmuber' [did you mean 'number'?]\n"
	       "3:2 error unknown word 'bogus'\n"
	       "4:10 error 'tow' cannot follow 'timeout' [did you mean 'timeout two'?]\n"
	       "5:10 error a word expected behind 'timeout' [there are: one, two]\n"
	       "6:10 error 'zzzzzz' cannot follow 'timeout' [there are: one, two]\n"
	       "7:9 error 'q' cannot follow 'option' [there are: a, b, b c]\n"
	       "8:2 warning 'backonly' has no effect in this section and is ignored "
	       "[it belongs in listen and backend]\n"
	       "9:2 error 'limit' is not allowed in this section [it belongs in global]\n"
	       "10:2 error 'clitimeout' is a word of older releases [use 'timeout client']\n"
	       "11:2 error 'redirect' is not supported yet\n"
	       "12:2 error 'plain' is not allowed in this section [it belongs in bind lines]\n"
	       "13:7 error a word expected behind 'pair' [there are: of]\n"
	       "14:7 error 'in' cannot follow 'pair' [there are: of]\n");
}

static void test_words_of_defaults(void **state)
{
	(void)state;
	EXPECT("defaults d\n backonly 3\n bind :80\n",
	       "2:2 error 'backonly' is not allowed in this section [it belongs in listen and backend]\n"
	       "3:2 error 'bind' is not allowed in this section [it belongs in frontend and listen]\n");
}

static void test_broken_section_is_spell_checked(void **state)
{
	(void)state;
	EXPECT("frontend\n number 99\n nmuber 5\n",
	       "1:10 error name expected here\n"
	       "3:2 error unknown word 'nmuber' [did you mean 'number'?]\n");
}

static void test_unsupported_section_once(void **state)
{
	(void)state;
	EXPECT("peers p\n peer a 1.2.3.4:5\n bogus\nfrontend x\n number 1\n",
	       "1:1 error section 'peers' is not supported yet [its lines were not looked at]\n");
	assert_int_equal(web.set.number, 1);
}

static void test_outside_of_sections(void **state)
{
	(void)state;
	EXPECT("number 5\nsecret 5\n",
	       "1:1 error 'number' stands before the first section [each file begins with a "
	       "section such as 'global' or 'frontend']\n");
	assert_null(cfg->diag->first->place.text); /* it may be another file */
}

/* Lines below a misspelt section name are no problems of their own, but for their spelling. */
static void test_misspelt_section(void **state)
{
	(void)state;
	EXPECT("global\nfrontnd x\n number 99\n bind :80\n nmuber 5\nglobal\n limit 1\n",
	       "2:1 error unknown section 'frontnd' [did you mean 'frontend'?]\n"
	       "5:2 error unknown word 'nmuber' [did you mean 'number'?]\n");
}

static void test_section_ends_with_the_file(void **state)
{
	(void)state;
	read_text("frontend x\n number 1");
	assert_int_equal(web.set.number, 1); /* no line feed is needed */
	assert_int_equal(web.ended, 1);
	assert_int_equal(config_read_text(cfg, "b.cfg", "number 2\n", 9), -1);
	assert_int_equal(web.set.number, 1);
}

static void test_global_is_one_object(void **state)
{
	struct numbers *core = config_data(cfg, &core_module);

	(void)state;
	assert_int_equal(core->number, 42); /* by init */
	EXPECT("global\n limit 1\nglobal\n limit 2\n",
	       "4:2 warning 'limit' was given before; this one counts "
	       "[the first is at t.cfg:2]\n");
	assert_int_equal(core->number, 2);
}

static void test_first_changed_nothing(void **state)
{
	struct numbers *core = config_data(cfg, &core_module);

	(void)state;
	EXPECT("global\n limit 42\n limit 1\n limit 2\n",
	       "3:0 notice 'limit' was given before; this one counts [the first is at t.cfg:2]\n"
	       "4:2 warning 'limit' was given before; this one counts "
	       "[the first is at t.cfg:2]\n");
	assert_int_equal(core->number, 2);
}

static void test_first_counts_unless_zero(void **state)
{
	struct numbers *core = config_data(cfg, &core_module);

	(void)state;
	EXPECT("global\n first 0\n first 0\n first -1\n first 0\n",
	       "5:2 warning 'first' was given before; the first one counts "
	       "[the first is at t.cfg:4]\n");
	assert_int_equal(core->number, -1);
}

static void test_global_behind_others(void **state)
{
	(void)state;
	read_text("frontend x\nglobal\n");
	assert_string_equal(problems(), "");
	cfg->diag->verbose = true;
	EXPECT("global\n", "1:1 note this section stands behind others: which of its words they "
			    "see is not defined\n");
}

static void test_words_of_a_line(void **state)
{
	(void)state;
	read_text("frontend x\n bind :80 plain level 3 plain\n");
	assert_string_equal(problems(), "");
	assert_string_equal(web.words, "plain level plain ");
}

static void test_words_of_a_line_refused(void **state)
{
	(void)state;
	EXPECT("frontend x\n bind :80 shards 2 proto h2 process 1 plain\n bind :81 plian plain bogus 5 level\n"
	       " bind :82 check\n",
	       "2:11 error 'shards' is not supported yet [nor is 'proto'; nor is 'process']\n"
	       "3:11 error 'plian' is not known on a bind line [did you mean 'plain'?]\n"
	       "3:23 error 'bogus' is not known on a bind line\n"
	       "3:37 error level expected here\n"
	       "4:11 error 'check' is not known on a bind line [it belongs on server lines]\n");
	assert_string_equal(web.words, "plain plain level ");
}

/* What is behind a wrong value is looked at as well; not where the next word was taken for a
 * value. */
static void test_words_behind_a_wrong_value(void **state)
{
	(void)state;
	EXPECT("frontend x\n bind :80 narrow 9 plian plain narrow plain 3 level\n",
	       "2:18 error 'narrow' must be a number from -5 to 5, not '9'\n"
	       "2:20 error 'plian' is not known on a bind line [did you mean 'plain'?]\n"
	       "2:39 error 'narrow' must be a number from -5 to 5, not 'plain'\n"
	       "2:53 error level expected here\n");
}

/* One cause, one message, however many lines have it. */
static void test_repeated_causes(void **state)
{
	struct problem *p;

	(void)state;
	EXPECT("frontend x\n bind :80 shards 2\n redirect location /\n redirect location /\n"
	       " bind :81 shards 2 proto x\n bind :82 proto x shards 2\n clitimeout 5\n clitimeout 6\n"
	       "peers a\npeers b\n",
	       "2:11 error 'shards' is not supported yet\n"
	       "3:2 error 'redirect' is not supported yet\n"
	       "5:20 error 'proto' is not supported yet\n"
	       "7:2 error 'clitimeout' is a word of older releases [use 'timeout client']\n"
	       "9:1 error section 'peers' is not supported yet [its lines were not looked at]\n");
	p = cfg->diag->first;
	assert_int_equal(p->also_count, 2);
	assert_int_equal(p->also->line, 5);
	assert_int_equal(p->also->next->line, 6);
	assert_int_equal(p->next->also->line, 4);
	read_text("frontend y\n option httplog clf\n");
	p = cfg->diag->current;
	assert_string_equal(p->message, "'option httplog' is not supported yet");
	assert_int_equal(p->place.length, 14);
}

static void test_failure_always_has_a_message(void **state)
{
	(void)state;
	EXPECT("frontend x\n wrong\n", "2:2 error 'wrong' cannot be understood\n");
}

static void test_lexical_problems(void **state)
{
	(void)state;
	EXPECT("frontend x\n name \"a\n name b\rc\n number 2\n",
	       "2:7 error this quote is never closed\n"
	       "3:8 warning what follows this carriage return is ignored [lines end with a line "
	       "feed]\n");
	assert_int_equal(web.set.number, 2);
}

static void test_binary_files_end_early(void **state)
{
	static const char text[] = "frontend x\n\177ELF\0\1\2\n\0\0\n number 3\n";

	(void)state;
	config_read_text(cfg, "t.cfg", text, sizeof(text) - 1);
	assert_string_equal(problems(), "2:5 error a NUL byte cannot be part of a configuration "
					"[is this a text file?]\n");
}

static void test_finish_shows_the_line(void **state)
{
	(void)state;
	read_text("frontend x\n number 1\n");
	finish_where = (struct location){ .file = "t.cfg", .line = 2 };
	assert_int_equal(config_finish(cfg), -1);
	assert_string_equal(problems(), "2:0 error cross reference\n");
	assert_string_equal(cfg->diag->first->place.text, " number 1");
	assert_null(cfg->reader);
}

static void test_pseudo_variables(void **state)
{
	(void)state;
	read_text("global\nfrontend web\n name \"${.FILE}:${.LINE}:${.SECTION}\"\n");
	assert_string_equal(web.set.name, "t.cfg:3:web");
	EXPECT(".notice \"[${.SECTION}]\"\nglobal\n.notice \"[${.SECTION}]\"\n",
	       "1:1 notice []\n3:1 notice [global]\n");
}

static void test_environment(void **state)
{
	(void)state;
	setenv("PENSTOCK_TEST", "from outside", 1);
	read_text("frontend web\n name \"$PENSTOCK_TEST\"\n");
	unsetenv("PENSTOCK_TEST");
	assert_string_equal(web.set.name, "from outside");
	read_text("frontend web\n name \"${PENSTOCK_TEST-nothing}\"\n");
	assert_string_equal(web.set.name, "nothing");
}

/* The usual mistake with variables has its own hint. */
static void test_variables_without_quotes(void **state)
{
	(void)state;
	EXPECT("frontend x\n timeout one ${TIME}\n size '$A'\n",
	       "2:14 error 'timeout one' must be a time such as 500ms, 30s or 5m, not '${TIME}' "
	       "[variables are replaced inside double quotes only]\n"
	       "3:7 error 'size' must be a size such as 16384, 64k or 1m, not '$A'\n");
}

/* So has one that is not set: the message shows nothing of it. */
static void test_variables_not_set(void **state)
{
	(void)state;
	unsetenv("PENSTOCK_UNSET");
	EXPECT("frontend x\n timeout one \"${PENSTOCK_UNSET}\"\n timeout one \"1x$PENSTOCK_UNSET\"\n"
	       " timeout one \"${PENSTOCK_UNSET-1x}\"\n",
	       "2:14 error 'timeout one' must be a time such as 500ms, 30s or 5m, not '' "
	       "[the environment variable 'PENSTOCK_UNSET' is not set]\n"
	       "3:14 error 'timeout one': 'x' is no unit of time; there are us, ms, s, m, h, d "
	       "[the environment variable 'PENSTOCK_UNSET' is not set]\n"
	       "4:14 error 'timeout one': 'x' is no unit of time; there are us, ms, s, m, h, d\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_setters), TEST(test_durations_round_up), TEST(test_values_refused),
		TEST(test_bits), TEST(test_longest_name_wins), TEST(test_prefixes),
		TEST(test_too_many_words), TEST(test_unknown_words),
		TEST(test_words_of_defaults), TEST(test_broken_section_is_spell_checked),
		TEST(test_unsupported_section_once), TEST(test_outside_of_sections),
		TEST(test_misspelt_section), TEST(test_section_ends_with_the_file), TEST(test_global_is_one_object),
		TEST(test_first_changed_nothing), TEST(test_first_counts_unless_zero),
		TEST(test_global_behind_others), TEST(test_words_of_a_line), TEST(test_words_of_a_line_refused),
		TEST(test_words_behind_a_wrong_value),
		TEST(test_failure_always_has_a_message), TEST(test_repeated_causes), TEST(test_lexical_problems),
		TEST(test_binary_files_end_early), TEST(test_finish_shows_the_line),
		TEST(test_pseudo_variables), TEST(test_environment), TEST(test_variables_without_quotes), TEST(test_variables_not_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
