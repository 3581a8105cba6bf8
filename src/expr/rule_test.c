/* SPDX-License-Identifier: BSD-2-Clause */
/* Rule lists with actions of their own: order, conditions, waiting and going on at the same
 * place, what defaults sections hand on, messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/tables.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/module.h"
#include "expr/expr_conf.h"
#include "expr/rule_conf.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "proxy/proxy.h"

static char trace[64];          /* a letter for each action that ran */
static int waits;               /* how often "slow" still waits */
static struct vars session_vars, stream_vars;
static struct view view = { .session_vars = &session_vars, .stream_vars = &stream_vars };
static struct rule_set *set, *other;

/* -- actions ---------------------------------------------------------------------------- */

static int parse_note(struct statement *st, struct rule *rule, const char *args)
{
	(void)st;
	rule->data = (void *)(uintptr_t)args[1];
	return 0;
}

static enum action_result action_note(const struct rule *rule, struct view *v, unsigned place)
{
	size_t n = strlen(trace);

	(void)v;
	(void)place;
	trace[n] = (char)(uintptr_t)rule->data;
	trace[n + 1] = 0;
	return ACTION_NEXT;
}

static enum action_result action_slow(const struct rule *rule, struct view *v, unsigned place)
{
	(void)rule;
	(void)v;
	return waits-- > 0 && !(place & AT_FINAL) ? ACTION_WAIT : ACTION_NEXT;
}

static const struct action test_actions[] = {
	{ "note", true, AT_ANY, parse_note, action_note, .data = 0 },
	{ "slow", .where = AT_ANY, .run = action_slow },
	{ "elsewhere", .where = AT_RESPONSE, .run = action_slow },
	{ 0 },
};

static struct tables tables = TABLES("action", struct action, test_actions, rule_actions,
				     rule_var_actions);
static const char *const known[] = { "track-sc0", NULL };

static int parse_rule(struct statement *st, const struct keyword *kw, void *object)
{
	static const struct rule_list list = { "rule", AT_REQUEST, &tables, known };

	(void)object;
	return rule_parse(st, NULL, &list, strcmp(kw->name, "rule") ? &other : &set);
}

static const struct keyword test_keywords[] = {
	{ .name = "rule", .scope = SCOPE_GLOBAL, .parse = parse_rule },
	{ .name = "other", .scope = SCOPE_GLOBAL, .parse = parse_rule },
	{ 0 },
};

static const struct module test_module = { .name = "test", .keywords = test_keywords };
static const struct module *const test_modules[] = { &environment_module, &proxy_module,
						     &expr_conf_module, &expr_module, &test_module, NULL };

static struct config *read_rules(const char *lines)
{
	struct config *cfg = config_new(test_modules, false);
	char text[1024];
	int len = snprintf(text, sizeof(text), "global\n%s", lines);

	set = other = NULL;
	trace[0] = 0;
	config_read_text(cfg, "test", text, (size_t)len);
	return cfg;
}

static struct config *read_good(const char *lines)
{
	struct config *cfg = read_rules(lines);

	assert_int_equal(cfg->diag->count[DIAG_ERROR], 0);
	return cfg;
}

static enum rule_result run(struct rule_place *place, bool final)
{
	return rules_run(set, &view, place, final);
}

/* -- tests ------------------------------------------------------------------------------ */

static void rules_run_in_order(void **state)
{
	struct rule_place place = { 0 };
	struct config *cfg = read_good("rule note(a)\nrule note(b) if FALSE\nrule note(c) unless FALSE\n"
				       "rule reject if FALSE\nrule accept if TRUE\nrule note(d)\n");

	(void)state;
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_string_equal(trace, "ac");
	config_free(&cfg);
	cfg = read_good("rule note(a)\nrule reject\nrule note(b)\n");
	assert_int_equal(run(&place, false), RULES_REJECT);
	assert_string_equal(trace, "a");
	config_free(&cfg);
	assert_int_equal(rules_run(NULL, &view, &place, false), RULES_PASS);
}

/* What ran before the wait does not run again. */
static void waiting_keeps_the_place(void **state)
{
	struct rule_place place = { 0 };
	struct config *cfg = read_good("rule note(a)\nrule note(b) if { req.len gt 2 }\nrule note(c)\n"
				       "rule slow\nrule note(d)\n");

	(void)state;
	waits = 1;
	view.request = span_of("x");
	assert_int_equal(run(&place, false), RULES_WAIT);
	assert_string_equal(trace, "a");
	assert_int_equal(run(&place, false), RULES_WAIT);
	view.request = span_of("xyz");
	assert_int_equal(run(&place, false), RULES_WAIT); /* for the action */
	assert_string_equal(trace, "abc");
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_string_equal(trace, "abcd");
	assert_null(place.at);
	config_free(&cfg);
}

/* An action that has begun and waits goes on, whatever its condition would say by then. */
static void an_action_that_waits_is_not_asked_again(void **state)
{
	struct rule_place place = { 0 };
	struct config *cfg = read_good("rule slow if { var(txn.go) -m found }\nrule note(a)\n");
	struct sample smp = { .type = SMP_INT, .num = 1 };
	struct err err;

	(void)state;
	assert_true(var_set(var_name(span_of("txn.go"), &err), &view, &smp, 0));
	waits = 2;
	assert_int_equal(run(&place, false), RULES_WAIT);
	var_unset(var_name(span_of("txn.go"), &err), &view);
	assert_int_equal(run(&place, false), RULES_WAIT);
	assert_int_equal(waits, 0);
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_string_equal(trace, "a");
	waits = 1; /* a list that begins anew asks */
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_int_equal(waits, 1);
	config_free(&cfg);
}

static void the_end_of_waiting_decides(void **state)
{
	struct rule_place place = { 0 };
	struct config *cfg = read_good("rule note(a) if { req.len gt 9 }\nrule note(b) if WAIT_END\n"
				       "rule slow\nrule reject\n");

	(void)state;
	waits = 1;
	assert_int_equal(run(&place, false), RULES_WAIT);
	assert_int_equal(run(&place, true), RULES_REJECT);
	assert_string_equal(trace, "b");
	config_free(&cfg);
}

static void variables_are_kept(void **state)
{
	struct rule_place place = { 0 };
	struct sample smp = { .flags = 0 };
	struct config *cfg = read_good("rule set-var(txn.n) int(5) add(2)\n"
				       "rule set-var(txn.n,ifgt) int(9)\n"
				       "rule set-var-fmt(sess.t) \"<%[var(txn.n)]>\" if { var(txn.n) -m int 7 }\n"
				       "rule set-var(sess.u) var(sess.t)\nrule unset-var(sess.t)\n");

	(void)state;
	assert_int_equal(run(&place, true), RULES_PASS);
	assert_true(var_get(var_name(span_of("sess.u"), NULL), &view, &smp));
	assert_int_equal(smp.str.len, 3);
	assert_memory_equal(smp.str.ptr, "<7>", 3);
	assert_false(var_get(var_name(span_of("sess.t"), NULL), &view, &smp));
	vars_free_scope(&stream_vars, VAR_TXN);
	assert_false(var_get(var_name(span_of("txn.n"), NULL), &view, &smp));
	vars_free(&session_vars);
	assert_int_equal(vars_stats.used, 0);
	config_free(&cfg);
}

/* Limits of finer scopes count in the coarser ones; what does not fit leaves the old value. */
static void variables_are_limited(void **state)
{
	const struct var_name *txn = var_name(span_of("txn.long"), NULL);
	const struct var_name *req = var_name(span_of("req.long"), NULL);
	struct sample small = { .type = SMP_STR, .str = span_of("small") };
	struct sample large = { .type = SMP_STR, .str = { trace, sizeof(trace) } };
	struct sample smp = { .flags = 0 };

	(void)state;
	vars_limits.txn = 150;
	assert_true(var_set(txn, &view, &small, 0));
	assert_true(vars_stats.used < 150 && vars_stats.used > 5);
	assert_false(var_set(req, &view, &large, 0));
	assert_int_equal(vars_stats.failed, 1);
	assert_false(var_set(txn, &view, &(struct sample){ .type = SMP_STR,
			     .str = { (const char *)test_actions, sizeof(test_actions) } }, 0));
	assert_true(var_get(txn, &view, &smp));
	assert_int_equal(smp.str.len, 5);
	vars_limits.txn = 0;
	assert_true(var_set(req, &view, &large, 0));
	vars_free(&stream_vars);
	assert_int_equal(vars_stats.used, 0);
}

static void inherited_rules_come_first(void **state)
{
	struct rule_place place = { 0 };
	struct config *cfg = read_good("rule note(c)\nother note(a)\nother note(b)\nrule note(d)\n");

	(void)state;
	rule_inherit(cfg, NULL, &set, other);
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_string_equal(trace, "abcd");
	trace[0] = 0;
	assert_int_equal(rules_run(other, &view, &place, false), RULES_PASS);
	assert_string_equal(trace, "ab");
	set = NULL;
	trace[0] = 0;
	rule_inherit(cfg, NULL, &set, other);
	assert_int_equal(run(&place, false), RULES_PASS);
	assert_string_equal(trace, "ab");
	config_free(&cfg);
}

static void assert_error(const char *line, const char *message)
{
	struct config *cfg = read_rules(line);

	if (!cfg->diag->first)
		fail_msg("no problem with '%s'", line);
	assert_string_equal(cfg->diag->first->message, message);
	config_free(&cfg);
}

static void messages(void **state)
{
	(void)state;
	assert_error("rule track-sc0 src\n", "'rule track-sc0' is not supported yet");
	assert_error("rule note\n", "'note' is followed by parentheses: (...)");
	assert_error("rule accept(1)\n", "'accept' takes nothing in parentheses");
	assert_error("rule set-var() src\n", "the name of a variable is missing");
	assert_error("rule set-var(txn.a,ifnever) src\n",
		     "'ifnever' is no condition for setting a variable; ifexists, ifnotexists, "
		     "ifempty, ifnotempty, ifset, ifnotset, ifgt and iflt are");
	assert_error("rule set-var(txn.a) res.len\n",
		     "'res.len' looks at the response, which 'rule' rules cannot see");
	assert_error("rule accept when TRUE\n", "'if' or 'unless' is expected here, not 'when'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_run_in_order),
		cmocka_unit_test(waiting_keeps_the_place),
		cmocka_unit_test(an_action_that_waits_is_not_asked_again),
		cmocka_unit_test(the_end_of_waiting_decides),
		cmocka_unit_test(variables_are_kept),
		cmocka_unit_test(variables_are_limited),
		cmocka_unit_test(inherited_rules_come_first),
		cmocka_unit_test(messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
