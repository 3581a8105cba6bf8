/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is ejected, by what was counted in an interval: the arithmetic alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/outlier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct eject_conf errors = { .error_rate = 10, .requests = 20, .most = 30,
					  .time = 30000, .max_time = 100000 };
static const struct eject_conf slow = { .slower = 300, .requests = 20, .most = 50,
					.time = 30000, .max_time = 100000 };

/* "100/20/5": 100 tries, 20 failed, 5 ms each; "-" in front: not usable, "o": out. */
static unsigned judged(const struct eject_conf *conf, const char *text, char *verdicts)
{
	static struct outlier servers[16];
	unsigned answered, failed, ms, i, n = 0, found;
	const char *p = text;

	for (; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		char mark = *p == '-' || *p == 'o' ? *p++ : 0;

		assert_int_equal(sscanf(p, "%u/%u/%u", &answered, &failed, &ms), 3);
		servers[n++] = (struct outlier){ .answered = answered, .failed = failed,
						 .us = (answered - failed) * UINT64_C(1000) * ms,
						 .usable = !mark, .out = mark == 'o' };
	}
	found = outlier_find(conf, servers, n);
	for (i = 0; i < n; i++)
		verdicts[i] = ".es"[servers[i].why];
	verdicts[n] = 0;
	return found;
}

static void assert_judged(const struct eject_conf *conf, const char *text, const char *expected)
{
	char verdicts[17];
	unsigned found = judged(conf, text, verdicts), i, letters = 0;

	assert_string_equal(verdicts, expected);
	for (i = 0; expected[i]; i++)
		letters += expected[i] != '.';
	assert_int_equal(found, letters);
}

static void errors_are_compared_with_the_others(void **state)
{
	(void)state;
	assert_judged(&errors, "100/20/5 100/0/5 100/0/5 100/0/5", "e...");
	assert_judged(&errors, "100/9/5 100/0/5 100/0/5 100/0/5", "....");
	assert_judged(&errors, "100/10/5 100/0/5 100/0/5 100/0/5", "e...");
	/* All err alike: it is the application, and nobody is better. */
	assert_judged(&errors, "100/50/5 100/55/5 100/48/5 100/52/5", "....");
	assert_judged(&errors, "100/100/0 100/50/5 100/50/5 100/50/5", "e...");
	/* Slowness is not asked for. */
	assert_judged(&errors, "100/0/5000 100/0/5 100/0/5 100/0/5", "....");
}

static void slowness_is_compared_with_the_others(void **state)
{
	(void)state;
	assert_judged(&slow, "100/0/55 100/0/5 100/0/6 100/0/4", "s...");
	assert_judged(&slow, "100/0/14 100/0/5 100/0/6 100/0/5", "....");
	assert_judged(&slow, "100/0/15 100/0/5 100/0/6 100/0/5", "s...");
	/* Three times as long, but no more than noise. */
	assert_judged(&slow, "100/0/4 100/0/1 100/0/1 100/0/1", "....");
	assert_judged(&slow, "100/0/6 100/0/0 100/0/0 100/0/0", "s...");
	/* Quick errors make nobody slow. */
	assert_judged(&slow, "100/99/6 100/0/5 100/0/5 100/0/5", "....");
}

static void few_requests_say_nothing(void **state)
{
	(void)state;
	assert_judged(&errors, "19/19/5 100/0/5 100/0/5 100/0/5", "....");
	assert_judged(&errors, "20/19/5 19/0/5 19/0/5 19/0/5", "....");
	assert_judged(&errors, "20/19/5 20/0/5 0/0/0 0/0/0", "e...");
	assert_judged(&errors, "0/0/0 0/0/0", "..");
	assert_judged(&errors, "", "");
	assert_judged(&errors, "1000/1000/0", ".");
}

/* Two ill ones of five do not hide each other; who stands out most goes first. */
static void the_share_is_kept(void **state)
{
	const struct eject_conf most = { .error_rate = 10, .requests = 20, .most = 40 };

	(void)state;
	assert_judged(&errors, "100/20/5 100/30/5 100/0/5 100/0/5 100/0/5", ".e...");
	assert_judged(&most, "100/20/5 100/30/5 100/0/5 100/0/5 100/0/5", "ee...");
	assert_judged(&most, "100/20/5 100/30/5 100/40/5 100/0/5 100/0/5 100/0/5 100/0/5",
		      ".ee....");
	/* One is out already. */
	assert_judged(&errors, "o0/0/0 100/30/5 100/0/5 100/0/5 100/0/5", ".....");
	assert_judged(&most, "o0/0/0 100/30/5 100/0/5 100/0/5 100/0/5", ".e...");
	/* One may go in any case, but the last one stays. */
	assert_judged(&errors, "100/30/5 100/0/5", "e.");
	assert_judged(&errors, "100/30/5 -100/0/5", "..");
	assert_judged(&errors, "100/30/5 o100/0/5", "..");
}

static void who_is_not_usable_is_left_alone(void **state)
{
	(void)state;
	assert_judged(&errors, "-100/90/5 100/0/5 100/0/5", "...");
	assert_judged(&errors, "o100/90/5 100/0/5 100/0/5", "...");
}

static void errors_come_before_slowness(void **state)
{
	const struct eject_conf both = { .error_rate = 10, .slower = 200, .requests = 20,
					 .most = 30 };

	(void)state;
	assert_judged(&both, "100/20/5 100/0/900 100/0/5 100/0/5", "e...");
	assert_judged(&both, "100/0/5 100/0/900 100/0/5 100/0/5", ".s..");
	assert_judged(&both, "100/20/900 100/0/5 100/0/5 100/0/5", "e...");
}

static void the_time_grows_to_an_end(void **state)
{
	const struct eject_conf longest = { .time = UINT32_MAX, .max_time = UINT32_MAX };

	(void)state;
	assert_int_equal(outlier_time(&errors, 0), 30000);
	assert_int_equal(outlier_time(&errors, 1), 60000);
	assert_int_equal(outlier_time(&errors, 2), 90000);
	assert_int_equal(outlier_time(&errors, 3), 100000);
	assert_int_equal(outlier_time(&errors, UINT32_MAX), 100000);
	assert_int_equal(outlier_time(&longest, UINT32_MAX), UINT32_MAX);
}

/* Whatever was counted: never all, never more than may be, never one that is out. */
static void anything_may_be_counted(void **state)
{
	static struct outlier servers[5000];
	const struct eject_conf conf = { .error_rate = 1, .slower = 101, .requests = 1,
					 .most = 30 };
	unsigned round, i, n, usable, out, found;

	(void)state;
	srandom(1);
	for (round = 0; round < 60; round++) {
		n = (unsigned)random() % (round ? 50 : 5000);
		for (i = usable = out = 0; i < n; i++) {
			memset(&servers[i], (int)random() & 0xff, sizeof(*servers));
			servers[i].answered >>= random() % 64;
			servers[i].failed >>= random() % 64;
			servers[i].usable = random() % 4 != 0;
			servers[i].out = !servers[i].usable && random() % 2;
			usable += servers[i].usable;
			out += servers[i].out;
		}
		found = outlier_find(&conf, servers, n);
		assert_true(!found || found < usable);
		assert_true(!found || found + out <= (usable + out) * 30 / 100 || found + out == 1);
		for (i = 0; i < n; i++)
			assert_true(!servers[i].why || servers[i].usable);
	}
}

#define TEST cmocka_unit_test

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(errors_are_compared_with_the_others),
		TEST(slowness_is_compared_with_the_others),
		TEST(few_requests_say_nothing),
		TEST(the_share_is_kept),
		TEST(who_is_not_usable_is_left_alone),
		TEST(errors_come_before_slowness),
		TEST(the_time_grows_to_an_end),
		TEST(anything_may_be_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
