/* SPDX-License-Identifier: BSD-2-Clause */
/* ACLs and conditions: what the reference says of them (reg-tests/expr/acls.txt), how
 * conditions combine, when they wait, and the messages about wrong ones. A word of our own,
 * "test if ...", brings conditions in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bug.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/module.h"
#include "expr/acl.h"
#include "expr/expr_conf.h"
#include "expr/test_rows.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "proxy/proxy.h"

static struct cond *parsed;
static unsigned test_where;
static struct view view;

static int parse_test(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	return cond_parse(st, NULL, test_where, "test", &parsed);
}

static const struct keyword test_keywords[] = {
	{ .name = "test", .scope = SCOPE_GLOBAL, .parse = parse_test },
	{ 0 },
};

static const struct module test_module = { .name = "test", .keywords = test_keywords };

static const struct module *const test_modules[] = { &environment_module, &proxy_module,
						     &expr_conf_module, &expr_module, &test_module, NULL };

/* Reads "test <words>"; NULL: refused. The generation stays for the evaluation. */
static struct config *read_cond(const char *words)
{
	struct config *cfg = config_new(test_modules, false);
	char text[2048];
	int len = snprintf(text, sizeof(text), "global\n\ttest %s\n", words);

	assert_non_null(cfg);
	parsed = NULL;
	if (config_read_text(cfg, "test", text, (size_t)len) || cfg->diag->count[DIAG_ERROR])
		config_free(&cfg);
	return cfg;
}

static enum cond_result eval(const char *words, unsigned place)
{
	struct config *cfg = read_cond(words);
	enum cond_result result;

	if (!cfg)
		fail_msg("'%s' was refused", words);
	result = cond_eval(parsed, &view, place);
	config_free(&cfg);
	return result;
}

static int start(void **state)
{
	struct sample num = { .type = SMP_INT, .num = 7 };
	struct sample str = { .type = SMP_STR, .str = span_of("hello") };

	(void)state;
	test_where = AT_ANY;
	var_set(var_name(span_of("proc.num"), NULL), &view, &num, 0);
	var_set(var_name(span_of("proc.str"), NULL), &view, &str, 0);
	return 0;
}

/* -- against the reference -------------------------------------------------------------- */

static const char *verdict(const char *line)
{
	struct config *cfg;
	char words[1024], expanded[1000];
	bool yes;

	test_rows_expand(line, expanded, sizeof(expanded));
	snprintf(words, sizeof(words), "if { %s }", expanded);
	cfg = read_cond(words);
	if (!cfg)
		return "ERR";
	yes = cond_eval(parsed, &view, AT_REQUEST | AT_FINAL) == COND_YES;
	config_free(&cfg);
	return yes ? "yes" : "no";
}

static bool same_verdict(const char *line, const char *recorded)
{
	const char *ours = verdict(line);

	if (!strcmp(ours, recorded))
		return true;
	print_error("%s: %s\n", line, ours);
	return false;
}

static void verdicts_equal_reference(void **state)
{
	(void)state;
	test_rows("acls.txt", same_verdict, 250);
}

/* -- conditions ------------------------------------------------------------------------- */

static void conditions_combine(void **state)
{
	(void)state;
	assert_int_equal(eval("if TRUE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if TRUE FALSE", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if TRUE !FALSE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if ! TRUE", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if !! TRUE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if FALSE or TRUE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if FALSE || TRUE FALSE || FALSE", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if FALSE OR !{ int(1) 2 } TRUE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if ! { int(1) 1 }", AT_REQUEST), COND_NO);
	assert_int_equal(eval("unless TRUE", AT_REQUEST), COND_NO);
	assert_int_equal(eval("unless FALSE or FALSE", AT_REQUEST), COND_YES);
	assert_int_equal(cond_eval(NULL, &view, AT_REQUEST), COND_YES);
}

/* Undecided ACLs count only when they matter. */
static void conditions_wait(void **state)
{
	(void)state;
	view.request = span_of("ab");
	assert_int_equal(eval("if WAIT_END", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if !WAIT_END", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("unless WAIT_END", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if WAIT_END FALSE", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if FALSE WAIT_END", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if WAIT_END or TRUE", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if WAIT_END or FALSE", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if WAIT_END", AT_REQUEST | AT_FINAL), COND_YES);
	assert_int_equal(eval("if { req.len gt 1 }", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if { req.len gt 2 }", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if { req.len gt 2 }", AT_REQUEST | AT_FINAL), COND_NO);
	assert_int_equal(eval("if { req.payload(0,3) -m found }", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if { req.payload(0,0) -m bin 616263 }", AT_REQUEST), COND_WAIT);
	assert_int_equal(eval("if { req.payload(0,2) -m bin 616263 }", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if { req.ssl_sni -m found }", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if { req_ssl_ver 3.1 }", AT_REQUEST), COND_NO);
	view.request = (struct span){ "\x16\x03\x01\x00\x20\x01\x00\x00\x1c\x03\x01", 11 };
	assert_int_equal(eval("if { req_ssl_ver 3.1 }", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if { req_ssl_ver 3:3.1 }", AT_REQUEST), COND_YES);
	assert_int_equal(eval("if { req_ssl_ver gt 3.1 }", AT_REQUEST), COND_NO);
	assert_int_equal(eval("if { req.ssl_sni -m found }", AT_REQUEST), COND_WAIT);
	view.request = (struct span){ NULL, 0 };
}

static void local_clients(void **state)
{
	struct addr src = { .family = AF_INET, .port = 1024 };

	(void)state;
	view.src = &src;
	src.v4.s_addr = htonl(0x7f000009);
	assert_int_equal(eval("if LOCALHOST", AT_CONN), COND_YES);
	src.v4.s_addr = htonl(0x0a000009);
	assert_int_equal(eval("if LOCALHOST", AT_CONN), COND_NO);
	assert_int_equal(eval("if { src_port 1024:65535 } { src 10.0.0.0/8 }", AT_CONN), COND_YES);
	src = (struct addr){ .family = AF_INET6, .v6 = IN6ADDR_LOOPBACK_INIT };
	assert_int_equal(eval("if LOCALHOST", AT_CONN), COND_YES);
	src = (struct addr){ .family = AF_UNIX };
	assert_int_equal(eval("if { src 0.0.0.0/0 ::/0 }", AT_CONN), COND_NO);
	view.src = NULL;
}

/* -- messages --------------------------------------------------------------------------- */

/* The first problem of this severity with "test <words>". */
static void assert_problem(const char *words, enum severity severity, const char *message)
{
	struct config *cfg = config_new(test_modules, false);
	const struct problem *p;
	char text[512];
	int len = snprintf(text, sizeof(text), "global\n\ttest %s\n", words);

	config_read_text(cfg, "test", text, (size_t)len);
	for (p = cfg->diag->first; p && p->severity != severity; p = p->next)
		;
	if (!p)
		fail_msg("no problem with '%s'", words);
	assert_string_equal(p->message, message);
	config_free(&cfg);
}

static void messages(void **state)
{
	(void)state;
	assert_problem("when TRUE", DIAG_ERROR, "'if' or 'unless' is expected here, not 'when'");
	assert_problem("if { fcgi.docroot x }", DIAG_ERROR,
		       "fetch 'fcgi.docroot' is not supported yet");
	assert_problem("if { src 1.1.1.1", DIAG_ERROR,
		       "the '}' that closes this ACL is missing (a word of its own)");
	assert_problem("if or TRUE", DIAG_ERROR, "an ACL is expected before 'or'");
	assert_problem("if { ipv6(::1) -m int 1 }", DIAG_ERROR,
		       "-m int cannot be used with values of type ipv6");
	assert_problem("if { int(5) -5 }", DIAG_ERROR, "'-5' is no option of an ACL; '--' stands "
		       "before patterns that begin with '-'");
	assert_problem("if { int(5) }", DIAG_WARNING,
		       "there is no pattern, so this ACL never matches");
	test_where = AT_CONN;
	assert_problem("if { req.len gt 0 }", DIAG_WARNING, "this never matches: 'req.len' looks "
		       "at the request, which 'test' rules cannot see");
	test_where = AT_ANY;
}

/* How many notices and warnings there are with "test <words>", which is right. */
static unsigned told(const char *words)
{
	struct config *cfg = config_new(test_modules, false);
	size_t size = strlen(words) + 32;
	char *text = malloc(size);
	int len = snprintf(text, size, "global\n\ttest %s\n", words);
	unsigned count;

	assert_int_equal(config_read_text(cfg, "test", text, (size_t)len), 0);
	assert_int_equal(cfg->diag->count[DIAG_ERROR], 0);
	count = cfg->diag->count[DIAG_WARNING] + cfg->diag->count[DIAG_NOTICE];
	config_free(&cfg);
	free(text);
	return count;
}

static void words_of_other_languages(void **state)
{
	static const char *const meant[] = {
		"if { hdr(CF-IPCountry) -i lt lv ee }", "if { hdr(x-state) -i ne ny nj }",
		"if { hdr_beg(accept-language) is en de }", "if { hdr(x) ge de fr }",
		"if { hdr(x) -m str is en }", "if { hdr(x) en is de }", "if { path_sub < }",
		"if { url_sub = }", "if { hdr_beg(x) ~ /~ }", "if { path_end ~ .bak }",
		"if { query -m sub <script> == }", "if { hdr(x) == }", "if { hdr(x) is }",
		"if { hdr(x) a == }", "if { hdr(x) -- == a }",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(meant); i++)
		if (told(meant[i]))
			fail_msg("something is said about '%s'", meant[i]);
	assert_problem("if { hdr(x) == a b }", DIAG_WARNING,
		       "'==' is a pattern here, which the value may be equal to");
	assert_problem("if { hdr(x) -i == a }", DIAG_WARNING,
		       "'==' is a pattern here, which the value may be equal to");
	assert_problem("if { hdr(x) is a }", DIAG_NOTICE,
		       "'is' is a pattern here, as is what follows");
}

static void doubts_are_told_once(void **state)
{
	enum { PATTERNS = 8000 };
	char *words = malloc(PATTERNS * 10 + 32);
	size_t len = (size_t)sprintf(words, "if { path");
	int i;

	(void)state;
	for (i = 0; i < PATTERNS; i++)
		len += (size_t)sprintf(words + len, " foo%d", i);
	strcpy(words + len, " }");
	assert_int_equal(told(words), 1);
	free(words);
	assert_int_equal(told("if { path \"\" /a \"\" }"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_equal_reference),
		cmocka_unit_test(conditions_combine),
		cmocka_unit_test(conditions_wait),
		cmocka_unit_test(local_clients),
		cmocka_unit_test(messages),
		cmocka_unit_test(words_of_other_languages),
		cmocka_unit_test(doubts_are_told_once),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
