/* SPDX-License-Identifier: BSD-2-Clause */
/* Which networks and names the options take that tell the server who asked, and what is said of
 * others. All modules read them. */
#include "exchange/forwarded.h"

#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

#define LISTEN "listen l\n bind 127.0.0.1:1\n server s 127.0.0.1:80\n"
enum { ADDRESS_MOST = 63 };

static void option_says(const char *words, const char *expected)
{
	char text[300];

	snprintf(text, sizeof(text), LISTEN " option forwardfor %s\n", words);
	config_says(text, expected);
}

static void is_no_network(const char *network)
{
	char words[120], expected[250];

	snprintf(words, sizeof(words), "except %s", network);
	snprintf(expected, sizeof(expected),
		 "4 error: '%s' is no network such as 10.0.0.0/8 or 2001:db8::/32\n", network);
	option_says(words, expected);
}

static void networks_of_both_families(void **state)
{
	(void)state;
	option_says("except 10.0.0.0/8", "");
	option_says("except 192.0.2.1", "");
	option_says("except 2001:db8::/32", "");
	option_says("except ::1", "");
}

static void other_words_are_none(void **state)
{
	static const char *const words[] = { "10.0.0.0/33", "10.0.0.0/", "nowhere", "::1/129", "::1/",
					     "2001:db8" };
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is_no_network(words[i]);
	option_says("except", "4 error: a network expected here\n");
}

/* Zeros in front change no number of an address, and make it as long as one likes. */
static void an_address_has_a_length(void **state)
{
	char network[ADDRESS_MOST + 10];

	(void)state;
	snprintf(network, sizeof(network), "except %0*d.0.0.1", ADDRESS_MOST - 6, 0);
	option_says(network, "");
	snprintf(network, sizeof(network), "%0*d.0.0.1", ADDRESS_MOST - 5, 0);
	is_no_network(network);
}

static void names_are_tokens(void **state)
{
	(void)state;
	option_says("header X-Client", "");
	option_says("header X:Client", "4 error: 'X:Client' is no name of a header\n");
	option_says("header \"\"", "4 error: '' is no name of a header\n");
	option_says("header", "4 error: the name of a header expected here\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_of_both_families),
		cmocka_unit_test(other_words_are_none),
		cmocka_unit_test(an_address_has_a_length),
		cmocka_unit_test(names_are_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
