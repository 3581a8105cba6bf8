/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates in cookies of persistence, of clients that have several of these: which dates count, and
 * what the client is told anew. Clients are sockets of the Unix family, servers are scripted. The
 * clock of the dates goes on. */
#include "session/test_visitor.h"

#include "exchange/persist.h"
#include "exchange/test_served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEP_SECONDS = 4, TRIES = 5, IDLE_STEPS = 30 * 60 / STEP_SECONDS,
       LIFE_STEPS = 8 * 3600 / STEP_SECONDS, DAY_STEPS = 24 * 3600 / STEP_SECONDS };

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       "listen dated\n bind 127.0.0.1:1\n"
		       " cookie SRV insert indirect maxidle 30m maxlife 8h\n"
		       " server s abns@%s cookie one\n"
		       "listen dateless\n bind 127.0.0.1:2\n cookie SRV insert indirect\n"
		       " server s abns@%s cookie one\n");
	return 0;
}

static uint32_t now(void)
{
	return (uint32_t)((uint64_t)time(NULL) / STEP_SECONDS) & ((1 << 30) - 1);
}

/* As a cookie has it; the fourth one behind this takes its place. */
static const char *date(uint32_t at)
{
	static char texts[4][COOKIE_DATE_LEN + 1];
	static unsigned next;
	char *text = texts[next++ % 4];

	cookie_date_write(text, at);
	return text;
}

/* What a client with these cookies is answered, but for the status. */
static const char *answered(const char *section, const char *cookies)
{
	char request[300];
	const char *answer;
	int client;

	served_afresh();
	snprintf(request, sizeof(request), "GET /0 HTTP/1.1\r\nHost: a\r\nCookie: %s\r\n\r\n", cookies);
	client = visitor_comes(section, request);
	answer = visitor_hears(client);
	visitor_leaves(client);
	assert_memory_equal(answer, "HTTP/1.1 200 OK\r\n", 17);
	return answer + 17;
}

/* It gets the cookie anew, with the date of now and this first one; 0: now. */
static void first_date_is(const char *cookies, uint32_t first)
{
	const char *answer;
	char expected[200];
	uint32_t before;
	unsigned i = 0;

	do {
		before = now();
		answer = answered("dated", cookies);
	} while (before != now() && ++i < TRIES);
	snprintf(expected, sizeof(expected),
		 "Content-Length: 0\r\nSet-Cookie: SRV=one|%s|%s; path=/\r\n\r\n", date(before),
		 date(first ? first : before));
	assert_string_equal(answer, expected);
}

static void the_first_date_stays(void **state)
{
	uint32_t first = now() - 1000;
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=one|%s|%s", date(now() - 10), date(first));
	first_date_is(cookies, first);
	first_date_is("SRV=one", 0);
	first_date_is("OTHER=x", 0);
}

static void the_cookie_counts_that_leads_to_a_server(void **state)
{
	uint32_t first = now() - 1000;
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s; SRV=one", date(now() - 10), date(first));
	first_date_is(cookies, 0);
	snprintf(cookies, sizeof(cookies), "SRV=two; SRV=one|%s|%s", date(now() - 10), date(first));
	first_date_is(cookies, first);
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s; SRV=one|%s|%s", date(now() - 10),
		 date(first - 10), date(now() - 20), date(first));
	first_date_is(cookies, first);
	snprintf(cookies, sizeof(cookies), "SRV=one|%s|%s; SRV=two|%s|%s", date(now() - 10),
		 date(first), date(now() - 20), date(first - 10));
	first_date_is(cookies, first);
}

/* Those of one that leads nowhere are none of the new one. */
static void a_new_cookie_has_new_dates(void **state)
{
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s", date(now() - 10), date(now() - 1000));
	first_date_is(cookies, 0);
}

/* These dates are of a cookie that counts; or not. They are told to the second of their clock. */
static void counts(bool does, uint32_t last, uint32_t first)
{
	uint32_t before, at;
	const char *answer;
	char cookies[100], expected[200];
	unsigned i = 0;

	do {
		at = before = now();
		snprintf(cookies, sizeof(cookies), "SRV=one|%s|%s", date(at + last), date(at + first));
		answer = answered("dated", cookies);
	} while (before != now() && ++i < TRIES);
	snprintf(expected, sizeof(expected),
		 "Content-Length: 0\r\nSet-Cookie: SRV=one|%s|%s; path=/\r\n\r\n", date(at),
		 date(does ? at + first : at));
	assert_string_equal(answer, expected);
}

/* As long as the line says; and a day into the future, for clocks differ. */
static void dates_have_their_time(void **state)
{
	(void)state;
	counts(true, 0u - IDLE_STEPS, 0u - 1);
	counts(false, 0u - IDLE_STEPS - 1, 0u - 1);
	counts(true, 0u - 1, 0u - LIFE_STEPS);
	counts(false, 0u - 1, 0u - LIFE_STEPS - 1);
	counts(true, 0u - 1, DAY_STEPS);
	counts(false, 0u - 1, DAY_STEPS + 1);
	counts(true, DAY_STEPS, 0u - 1);
	counts(false, DAY_STEPS + 1, 0u - 1);
}

static void a_date_that_nobody_wants_goes(void **state)
{
	static const char none[] = "Content-Length: 0\r\n\r\n";
	static const char without[] = "Content-Length: 0\r\nSet-Cookie: SRV=one; path=/\r\n\r\n";
	char cookies[100];

	(void)state;
	assert_string_equal(answered("dateless", "SRV=one"), none);
	snprintf(cookies, sizeof(cookies), "SRV=one|%s", date(now()));
	assert_string_equal(answered("dateless", cookies), without);
	snprintf(cookies, sizeof(cookies), "SRV=one||%s", date(now()));
	assert_string_equal(answered("dateless", cookies), without);
	snprintf(cookies, sizeof(cookies), "SRV=two|%s; SRV=one", date(now()));
	assert_string_equal(answered("dateless", cookies), none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_date_stays),
		cmocka_unit_test(the_cookie_counts_that_leads_to_a_server),
		cmocka_unit_test(a_new_cookie_has_new_dates),
		cmocka_unit_test(dates_have_their_time),
		cmocka_unit_test(a_date_that_nobody_wants_goes),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
