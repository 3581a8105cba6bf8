/* SPDX-License-Identifier: BSD-2-Clause */
/* Which names are like a word: slips, short forms, beginnings, parts; and when it says nothing. */
#include "config/suggest.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

static void means_of(const char *const *names, const char *word, const char *wanted)
{
	char memory[200];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	assert_int_equal(suggest_of(&t, word, names), *wanted != 0);
	if (*wanted)
		assert_string_equal(memory, wanted);
}

static const char *const words[] = { "maxconn", "maxqueue", "set-header", "add-header",
				     "replace-header", "admin", "use_backend", "balance",
				     "timeout", "redirect", NULL };

static void means(const char *word, const char *wanted)
{
	means_of(words, word, wanted);
}

static void slips(void **state)
{
	(void)state;
	means("maxcnon", "'maxconn'");    /* neighbours were swapped */
	means("maxcon", "'maxconn'");     /* one is missing */
	means("maxconnn", "'maxconn'");   /* one is too many */
	means("ballance", "'balance'");
	means("TIMEOUT", "'timeout'");    /* case */
	means("Set-Header", "'set-header'");
	means("use-backend", "'use_backend'");
	means("timeuot", "'timeout'");
}

/* Of a word of three letters one may be wrong, of two none: "in" is like half of the language. */
static void short_words_need_more(void **state)
{
	static const char *const names[] = { "id", "as", "src", NULL };

	(void)state;
	means_of(names, "ip", "");
	means_of(names, "srv", "'src'");
	means_of(names, "xyz", "");
	means_of(names, "ID", "'id'");
}

static void the_nearest_wins(void **state)
{
	static const char *const names[] = { "http-respond", "http-request", "http-response",
					     NULL };

	(void)state;
	means_of(names, "http-reqest", "'http-request'");
	means_of(names, "http-respons", "'http-respond'"); /* as near as the last one: the first */
	means_of(names, "http-responce", "'http-response'");
}

static void short_forms(void **state)
{
	(void)state;
	means("set-hdr", "'set-header'");
	means("rdir", "");            /* it begins with "rd", the name does not */
	means("redir", "'redirect'");
	means("mxc", "");
	means("balnce", "'balance'");
}

static void beginnings(void **state)
{
	(void)state;
	means("adm", "'admin'");
	means("max", "'maxconn' or 'maxqueue'");
	means("balance-by", "'balance'"); /* it begins with a name */
	means("m", "");                   /* one letter says too little */
}

/* Names of people: capitals and how they begin say more than their order. */
static void names_of_people(void **state)
{
	static const char *const names[] = { "Shop_A", "Shop_B", "be_static", "stats", NULL };

	(void)state;
	means_of(names, "shop_c", "'Shop_A'");
	means_of(names, "shop", "'Shop_A' or 'Shop_B'");
	means_of(names, "STATIC", "'be_static'");
	means_of(names + 3, "STATISTICS", "");
	means_of(names, "BE", "'be_static'");
}

static void a_name_is_said_once(void **state)
{
	struct suggestion s = suggest_begin("max");
	char memory[100];
	struct text t;

	(void)state;
	suggest_name(&s, "maximum");
	suggest_name(&s, NULL);
	suggest_name(&s, "maximum");
	text_init(&t, memory, sizeof(memory));
	assert_true(suggest_put(&s, &t));
	assert_string_equal(memory, "'maximum'");
}

static void parts(void **state)
{
	static const char *const many[] = { "aaa-header", "bbb-header", "ccc-header", "ddd-header",
					    "eee-header", NULL };

	(void)state;
	means("header", "'set-header', 'add-header' or 'replace-header'");
	means("backend", "'use_backend'");
	means("ead", "");                 /* not a part between signs */
	means_of(many, "header", "");     /* too many to name */
	means_of(many + 1, "header", 
		 "'bbb-header', 'ccc-header', 'ddd-header' or 'eee-header'");
}

static void nothing_is_like_it(void **state)
{
	static const char *const none[] = { NULL };

	(void)state;
	means("", "");
	means("proxy_pass", "");
	means_of(none, "maxconn", "");
}

static void one_begins_with_the_other(void **state)
{
	(void)state;
	assert_true(suggest_begins("path", "path_beg"));
	assert_true(suggest_begins("path_begins", "path_beg"));
	assert_true(suggest_begins("same", "same"));
	assert_false(suggest_begins("pat", "path_beg")); /* fewer than four letters */
	assert_false(suggest_begins("patch", "path_beg"));
	assert_false(suggest_begins("", "path"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips),
		cmocka_unit_test(short_words_need_more),
		cmocka_unit_test(the_nearest_wins),
		cmocka_unit_test(short_forms),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(names_of_people),
		cmocka_unit_test(a_name_is_said_once),
		cmocka_unit_test(parts),
		cmocka_unit_test(nothing_is_like_it),
		cmocka_unit_test(one_begins_with_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
