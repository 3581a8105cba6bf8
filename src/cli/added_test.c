/* SPDX-License-Identifier: BSD-2-Clause */
/* What a module adds before the configuration is read is found like what the program has: a fetch,
 * a converter, an action, a command; by their names, in help, by words that are nearly theirs. */
#include "base/tables.h"
#include "cli/command.h"
#include "cli/cut.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"
#include "exchange/http_rules.h"
#include "expr/expr.h"
#include "expr/expr_help.h"
#include "expr/names.h"
#include "expr/rule_conf.h"
#include "proxy/proxy.h"
#include "stream/tcp_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static enum expr_result fetch_answer(struct fetch_call *call, struct sample *smp)
{
	(void)call;
	smp->type = SMP_INT;
	smp->num = 42;
	return EXPR_FOUND;
}

static bool convert_double(const struct expr_arg *args, struct sample *smp, const struct view *view,
			   const struct converter *row)
{
	(void)args;
	(void)view;
	(void)row;
	smp->num *= 2;
	return true;
}

static enum action_result run_nothing(const struct rule *rule, struct view *view, unsigned place)
{
	(void)rule;
	(void)view;
	(void)place;
	return ACTION_NEXT;
}

static const struct fetch fetches[] = {
	{ "test_answer", ARGS(0, ARG_NONE), SMP_INT, FROM_PROCESS, fetch_answer,
	  .help = "the answer" },
	{ 0 },
};
static const struct converter converters[] = {
	{ "test_double", ARGS(0, ARG_NONE), SMP_INT, SMP_INT, convert_double, .help = "twice" },
	{ 0 },
};
static const struct action actions[] = {
	{ "test-nothing", .where = AT_REQUESTS, .run = run_nothing, .help = "does nothing" },
	{ 0 },
};
static const struct cli_command commands[] = {
	{ .words = "show nothing", .level = LEVEL_USER, .help = "says nothing" },
	{ .words = "show trace", .level = LEVEL_USER, .help = "was missing" },
	{ 0 },
};

static const struct rule_list *const lists[] = { &http_rule_lists[0], &http_rule_lists[1],
						 &tcp_rule_lists[2], NULL };
static struct err err;

static void add_all(void)
{
	assert_int_equal(expr_add_fetches(fetches, &err), 0);
	assert_int_equal(expr_add_converters(converters, &err), 0);
	assert_int_equal(rule_add_actions(&http_rule_lists[0], actions, &err), 0);
	assert_int_equal(cli_add_commands(commands, &err), 0);
}

static const struct cli_command *command_of(char *first, char *second)
{
	char *words[] = { first, second, NULL };
	int count;

	return cli_find(&cli_tables, words, &count);
}

/* Reads a frontend with this rule; the problems of it. */
static unsigned problems_of(const char *rule, char *said, size_t size)
{
	struct config *cfg = config_new(modules, false);
	const struct problem *p;
	unsigned errors;
	struct text t;

	text_init(&t, said, size);
	text_printf(&t, "frontend f\n mode http\n %s\n", rule);
	config_read_text(cfg, "test", said, t.len);
	config_finish(cfg);
	errors = cfg->diag->count[DIAG_ERROR];
	text_init(&t, said, size);
	for (p = cfg->diag->first; p; p = p->next)
		text_printf(&t, "%s; %s\n", p->message, p->hint ? p->hint : "");
	config_free(&cfg);
	return errors;
}

static void names_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(expr_fetch_find(span_of("test_answer")), &fetches[0]);
	assert_ptr_equal(expr_converter_find(span_of("test_double")), &converters[0]);
	assert_ptr_equal(command_of("show", "nothing"), &commands[0]);
	assert_ptr_equal(command_of("show", "trace"), &commands[1]);
}

static void rules_have_them(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(problems_of("http-request test-nothing if { test_answer,test_double 84 }",
				     said, sizeof(said)), 0);
	assert_int_equal(problems_of("http-response test-nothing", said, sizeof(said)), 1);
	assert_int_equal(problems_of("tcp-request content test-nothing", said, sizeof(said)), 1);
}

static void near_words_lead_to_them(void **state)
{
	char said[1000];

	(void)state;
	assert_string_equal(fetch_nearest(span_of("test_anwser")), "test_answer");
	assert_string_equal(converter_nearest(span_of("test_duoble")), "test_double");
	assert_int_equal(problems_of("http-request test-nothin", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "did you mean 'test-nothing'?"));
	assert_int_equal(problems_of("http-request test-nth", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "did you mean 'test-nothing'?"));
	assert_int_equal(problems_of("http-request set-hdr x y", said, sizeof(said)), 1);
	assert_non_null(strstr(said, "did you mean 'set-header'?"));
}

static void help_knows_them(void **state)
{
	static const char *const action[] = { "test-nothing" };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_true(expr_help_word(out, "test_answer", false));
	assert_true(expr_help_word(out, "test_double", true));
	assert_true(rule_help(out, lists, action, 1, true));
	expr_dump_fetches(out);
	fclose(out);
	assert_non_null(strstr(text, "fetch test_answer: integer"));
	assert_non_null(strstr(text, "converter test_double: integer to integer"));
	assert_non_null(strstr(text, "action test-nothing\n  in:      http-request\n  does nothing"));
	assert_non_null(strstr(text, "\ttest_answer: integer\n"));
	free(text);
}

static void doubles_are_refused(void **state)
{
	static const struct action deny[] = { { "deny", .run = run_nothing }, { 0 } };

	(void)state;
	assert_int_equal(expr_add_fetches(fetches, &err), -1);
	assert_string_equal(err.text, "the fetch 'test_answer' cannot be added: there is one of this "
				      "name");
	assert_int_equal(expr_add_converters(converters, &err), -1);
	assert_string_equal(err.text, "the converter 'test_double' cannot be added: there is one of "
				      "this name");
	assert_int_equal(rule_add_actions(&http_rule_lists[0], deny, &err), -1);
	assert_string_equal(err.text, "the action 'deny' cannot be added: there is one of this name");
	assert_int_equal(cli_add_commands(commands, &err), -1);
	assert_string_equal(err.text, "the command 'show nothing' cannot be added: there is one of "
				      "this name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),	  cmocka_unit_test(rules_have_them),
		cmocka_unit_test(near_words_lead_to_them), cmocka_unit_test(help_knows_them),
		cmocka_unit_test(doubles_are_refused),
	};

	add_all();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
