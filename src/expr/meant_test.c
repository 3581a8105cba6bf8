/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of other languages: what is meant is there, and what means nothing is said of nothing. */
#include "expr/meant.h"

#include "config/environment.h"
#include "config/load.h"
#include "config/module.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "proxy/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

static struct config *cfg;

static int setup(void **state)
{
	static const struct module *const test_modules[] = { &environment_module, &proxy_module,
							&expr_conf_module, &expr_module, NULL };

	(void)state;
	cfg = config_new(test_modules, false);
	return cfg ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	config_free(&cfg);
	return 0;
}

static void fetch(const char *name, const char *wanted)
{
	const char *meant = fetch_meant(span_of(name));

	if (!wanted)
		assert_null(meant);
	else
		assert_string_equal(meant, wanted);
}

static void fetches(void **state)
{
	(void)state;
	fetch("remote_addr", "src");
	fetch("http_host", "req.hdr(host)");
	fetch("https", "ssl_fc");
	fetch("Host", NULL);       /* nobody writes names so: they are exact */
	fetch("hos", NULL);
	fetch("hostx", NULL);
	fetch("", NULL);
	fetch("src", NULL);        /* it is one of ours */
	assert_null(fetch_meant((struct span){ "hostname", 3 }));
	assert_string_equal(fetch_meant((struct span){ "hostname", 4 }), "req.hdr(host)");
}

static void criterion(const char *name, const char *wanted)
{
	char memory[64];
	bool found = criterion_meant(span_of(name), memory, sizeof(memory));

	assert_int_equal(found, wanted != NULL);
	if (wanted)
		assert_string_equal(memory, wanted);
}

static void criteria(void **state)
{
	(void)state;
	criterion("path_begins", "path_beg");
	criterion("path_begins_with", "path_beg"); /* the longest ending: not "with" */
	criterion("path_starts", "path_beg");
	criterion("url_contains", "url_sub");
	criterion("path_regex", "path_reg");
	criterion("path_domain", "path_dom");
	criterion("path_equals", "path"); /* no ending at all */
	criterion("src_is", "src");
	criterion("nothing_begins", NULL);  /* there is no such fetch */
	criterion("path_wobbles", NULL);
	criterion("path_", NULL);
	criterion("begins", NULL);          /* of what? */
	criterion("_begins", NULL);
	criterion("", NULL);
}

static void what_does_not_fit_is_not_said(void **state)
{
	char memory[64];

	(void)state;
	assert_false(criterion_meant(span_of("path_begins"), memory, 8)); /* "path_beg" and a NUL */
	assert_true(criterion_meant(span_of("path_begins"), memory, 9));
	assert_false(criterion_meant(span_of("path_begins"), memory, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches),
		cmocka_unit_test(criteria),
		cmocka_unit_test(what_does_not_fit_is_not_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
