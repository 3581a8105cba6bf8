/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words "stats ..." make of a section's page, what they refuse, and what they warn of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/timer.h"
#include "expr/expr_conf.h"
#include "expr/expr.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"
#include "stats/history.h"
#include "stats/page.h"
#include "stats/page_conf.h"

#include <stdio.h>
#include <string.h>

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &expr_conf_module, &expr_module, &page_module, NULL };
static struct config *cfg;

/* 0, or -1. */
static int load(const char *text)
{
	cfg = config_new(list, false);
	config_read_text(cfg, "test", text, strlen(text));
	return config_finish(cfg);
}

static void loads(const char *text)
{
	if (!load(text))
		return;
	diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
	fail();
}

/* Of the first section that is no defaults. */
static const struct stats_page *page(void)
{
	struct proxies *all = config_data(cfg, &proxy_module);

	return page_of(list_first(&all->list, struct proxy, node));
}

/* -- what they make -------------------------------------------------------------------------- */

static void no_words_no_page(void **state)
{
	(void)state;
	loads("backend f\n mode http\n");
	assert_null(page());
	config_free(&cfg);
}

static void what_holds_unless_it_is_said(void **state)
{
	(void)state;
	loads("backend f\n mode http\n stats enable\n");
	assert_string_equal(page()->uri, "/haproxy?stats");
	assert_string_equal(page()->realm, "HAProxy Statistics");
	assert_false(page()->realm_given);
	assert_int_equal(page()->refresh_ms, 0);
	assert_int_equal(page()->flags, 0);
	assert_int_equal(page()->loc.line, 3);
	assert_null(page()->users);
	assert_null(page()->scopes);
	assert_null(page()->admins);
	assert_null(page()->rules);
	config_free(&cfg);
}

static void has_flags(const char *word, unsigned flags)
{
	char text[200];

	snprintf(text, sizeof(text), "backend f\n mode http\n stats %s\n", word);
	loads(text);
	assert_int_equal(page()->flags, flags);
	config_free(&cfg);
}

static void flags(void **state)
{
	(void)state;
	has_flags("hide-version", PAGE_HIDE_VERSION);
	has_flags("show-legends", PAGE_LEGENDS);
	has_flags("show-modules", PAGE_MODULES);
	has_flags("show-node", PAGE_NODE);
	has_flags("show-desc", PAGE_DESC);
	has_flags("show-desc\n stats show-node\n stats hide-version",
		  PAGE_HIDE_VERSION | PAGE_NODE | PAGE_DESC);
}

static void texts(void **state)
{
	(void)state;
	loads("backend f\n mode http\n stats uri /x?y\n stats realm A\\ realm\n stats refresh 7\n"
	      " stats show-node n.1-2_3\n stats show-desc all  of\tus\n stats scope .\n"
	      " stats scope f\n");
	assert_string_equal(page()->uri, "/x?y");
	assert_string_equal(page()->realm, "A realm");
	assert_true(page()->realm_given);
	assert_int_equal(page()->refresh_ms, 7000);
	assert_string_equal(page()->node, "n.1-2_3");
	assert_string_equal(page()->desc, "all of us");
	assert_string_equal(page()->scopes->name, ".");
	assert_string_equal(page()->scopes->next->name, "f");
	assert_null(page()->scopes->next->next);
	assert_int_equal(cfg->diag->count[DIAG_WARNING], 0);
	config_free(&cfg);
}

/* As browsers send them (RFC 7617, base64 of RFC 4648 with each length of its end). */
static void users(void **state)
{
	static const char *const expected[][2] = {
		{ "a", "YTpi" }, { "ab", "YWI6Yw==" }, { "ab2", "YWIyOmM=" }, { "x", "eDo=" },
	};
	const struct stats_user *u;

	(void)state;
	loads("backend f\n mode http\n stats auth a:b\n stats auth ab:c\n stats auth ab2:c\n"
	      " stats auth a:again\n stats auth x\n");
	u = page()->users;
	for (int i = 0; i < 4; i++, u = u->next) {
		assert_string_equal(u->name, expected[i][0]);
		assert_string_equal(u->credentials, expected[i][1]);
	}
	assert_null(u);
	config_free(&cfg);
}

static void admins_and_rules(void **state)
{
	(void)state;
	loads("backend f\n mode http\n stats admin if TRUE\n stats admin unless FALSE\n"
	      " stats http-request auth realm R if TRUE\n");
	assert_non_null(page()->admins->cond);
	assert_int_equal(page()->admins->loc.line, 3);
	assert_int_equal(page()->admins->next->loc.line, 4);
	assert_null(page()->admins->next->next);
	assert_non_null(page()->rules);
	config_free(&cfg);
}

/* A section with a word of its own has nothing of its defaults. */
static void defaults(void **state)
{
	(void)state;
	loads("defaults\n mode http\n stats uri /above\nbackend f\n");
	assert_string_equal(page()->uri, "/above");
	config_free(&cfg);
	loads("defaults\n mode http\n stats uri /above\n stats scope .\nbackend f\n stats enable\n");
	assert_string_equal(page()->uri, "/haproxy?stats");
	assert_null(page()->scopes);
	assert_int_equal(page()->loc.line, 6);
	config_free(&cfg);
}

/* -- samples of requests --------------------------------------------------------------------- */

/* Timers while it runs with this configuration, and behind its end. */
static void samples(const char *text, unsigned timers)
{
	struct err err = { "" };

	loads(text);
	proxies_running = config_data(cfg, &proxy_module);
	assert_int_equal(history_module.start(cfg, NULL, &err), 0);
	assert_int_equal(timer_count(), timers);
	history_module.stop();
	assert_int_equal(timer_count(), 0);
	proxies_running = NULL;
	config_free(&cfg);
}

/* A page is what somebody looks at: without one nothing is sampled. */
static void a_page_is_a_reason_to_sample(void **state)
{
	(void)state;
	samples("backend f\n mode http\n", 0);
	samples("backend f\n mode http\n stats enable\n", 1);
	samples("backend f\n mode http\n disabled\n stats enable\n", 0);
	samples("backend f\n mode http\nbackend g\n mode http\n stats enable\n", 1);
}

/* -- what they say --------------------------------------------------------------------------- */

/* The section is told exactly this, at this line; severity: what of. */
static void told(const char *text, enum severity severity, const char *message, unsigned line)
{
	const struct problem *p;

	assert_int_equal(load(text), severity == DIAG_ERROR ? -1 : 0);
	assert_int_equal(cfg->diag->count[severity], 1);
	for (p = cfg->diag->first; p && p->severity != severity; p = p->next)
		;
	assert_non_null(p);
	assert_string_equal(p->message, message);
	assert_int_equal(p->place.line, line);
	config_free(&cfg);
}

#define F "backend f\n mode http\n stats "

static void words_that_are_refused(void **state)
{
	char text[1200] = F "uri /";

	(void)state;
	told(F "uri\n", DIAG_ERROR, "the beginning of URIs expected here", 3);
	told(F "uri \"/a b\"\n", DIAG_ERROR, "a URI has neither blanks nor control characters", 3);
	told(F "uri \"/\\x7f\"\n", DIAG_ERROR, "a URI has neither blanks nor control characters", 3);
	told(F "realm\n", DIAG_ERROR, "a realm expected here", 3);
	told(F "realm \"a\\x1f\"\n", DIAG_ERROR, "a realm has no control characters", 3);
	told(F "realm \"a\\x7f\"\n", DIAG_ERROR, "a realm has no control characters", 3);
	told(F "auth\n", DIAG_ERROR, "<user>:<password> expected here", 3);
	told(F "scope\n", DIAG_ERROR, "the name of a proxy, or '.' expected here", 3);
	told(F "show-node a/b\n", DIAG_ERROR,
	     "the name of a node has letters, digits, '.', '-' and '_' only", 3);
	told(F "show-node \"\"\n", DIAG_ERROR,
	     "the name of a node has letters, digits, '.', '-' and '_' only", 3);
	told(F "admin\n", DIAG_ERROR, "'if' or 'unless' and a condition are expected", 3);
	memset(text + strlen(text), 'u', PAGE_URI_MAX - 1);
	loads(text);
	assert_int_equal(strlen(page()->uri), PAGE_URI_MAX);
	config_free(&cfg);
	text[strlen(text)] = 'u';
	told(text, DIAG_ERROR, "a URI of more than 1024 characters", 3);
}

static void words_that_are_doubtful(void **state)
{
	(void)state;
	told(F "enable now\n", DIAG_WARNING, "'now' is not used: quote a text that has blanks", 3);
	told(F "uri x\n", DIAG_WARNING, "no request can ask for it: paths begin with '/'", 3);
	told(F "auth x\n", DIAG_WARNING, "no password behind the user: it is an empty one", 3);
	told(F "auth x:\n stats auth x:\n", DIAG_WARNING,
	     "user 'x' is there already: this one is ignored", 4);
}

#undef F

static void sections_that_contradict_themselves(void **state)
{
	static const char both[] = "'stats http-request' stands beside 'stats auth' or 'stats realm' "
				   "in 'f': only one of them can decide who may see the page";

	(void)state;
	told("backend f\n mode http\n stats auth a:\n stats http-request allow\n", DIAG_ERROR, both, 3);
	told("backend f\n mode http\n stats http-request allow\n stats realm a\n", DIAG_ERROR, both, 3);
	told("backend f\n mode tcp\n stats enable\n", DIAG_WARNING,
	     "the stats page of 'f' is never asked for: it is in mode tcp", 3);
}

/* Whoever wanted a password for all pages may not notice that one asks for none. */
static void passwords_that_do_not_hold(void **state)
{
	(void)state;
	told("defaults\n mode http\n stats auth a:\nbackend f\n stats enable\n", DIAG_WARNING,
	     "'stats auth' of the defaults section does not hold for the page of 'f', which has stats "
	     "words of its own: it asks nobody for a password", 5);
	told("defaults d\n mode http\n stats auth a:\ndefaults e from d\n stats enable\n", DIAG_WARNING,
	     "'stats auth' of the defaults section does not hold for the page of 'e', which has stats "
	     "words of its own: it asks nobody for a password", 5);
	loads("defaults\n mode http\n stats auth a:\nbackend f\n stats auth b:\n"
	      "backend g\n stats http-request deny\nbackend h\n");
	assert_int_equal(cfg->diag->count[DIAG_WARNING], 0);
	config_free(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_words_no_page),
		cmocka_unit_test(what_holds_unless_it_is_said),
		cmocka_unit_test(flags),
		cmocka_unit_test(texts),
		cmocka_unit_test(users),
		cmocka_unit_test(admins_and_rules),
		cmocka_unit_test(defaults),
		cmocka_unit_test(a_page_is_a_reason_to_sample),
		cmocka_unit_test(words_that_are_refused),
		cmocka_unit_test(words_that_are_doubtful),
		cmocka_unit_test(sections_that_contradict_themselves),
		cmocka_unit_test(passwords_that_do_not_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
