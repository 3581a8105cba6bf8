/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups, with answers of the test in place of name servers: what is asked once, kept, given up, and
 * bounded, whoever cancels or asks from wherever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/module.h"
#include "dns/ask.h"
#include "event/loop.h"

#include <stdio.h>

/* ---- in place of c-ares --------------------------------------------------------------------- */

enum { MOST = 600 };

static struct {
	void *whose;
	int family;
} asks[MOST];
static unsigned ask_count, left;
static bool at_once;

void (*dns_asked)(void *whose, int family, const struct ask_answer *answer);

const char *dns_library(void)
{
	return "the test";
}

int dns_ask_begin(const struct dns_servers *servers, struct err *err)
{
	(void)servers;
	(void)err;
	return 0;
}

void dns_ask_end(void)
{
}

static void answer(void *whose, int family, enum dns_result result, unsigned ttl)
{
	static struct addr addr;
	struct ask_answer got = { result, result == DNS_FOUND, ttl, &addr };

	addr.family = (uint16_t)family;
	dns_asked(whose, family, &got);
}

void dns_ask(const char *name, int family, void *whose)
{
	(void)name;
	if (at_once) {
		answer(whose, family, DNS_FAILED, 0);
		return;
	}
	assert_true(ask_count < MOST);
	asks[ask_count].whose = whose;
	asks[ask_count++].family = family;
}

/* The oldest question of that family that is left. */
static void say(int family, enum dns_result result, unsigned ttl)
{
	unsigned i;

	for (i = left; i < ask_count && (!asks[i].whose || asks[i].family != family); i++)
		;
	assert_true(i < ask_count);
	answer(asks[i].whose, family, result, ttl);
	asks[i].whose = NULL;
	while (left < ask_count && !asks[left].whose)
		left++;
}

/* ---- who waits ------------------------------------------------------------------------------ */

struct waiter {
	struct dns_lookup lookup;
	unsigned told, count;
	enum dns_result result;
	struct waiter *cancels, *looks; /* from within */
	const struct dns_answer *got;
};

static struct waiter a, b, c;

static void done(struct dns_lookup *lookup, const struct dns_answer *said)
{
	struct waiter *w = container_of(lookup, struct waiter, lookup);

	w->told++;
	w->result = said->result;
	w->count = said->count;
	assert_null(lookup->entry);
	if (w->cancels)
		dns_cancel(&w->cancels->lookup);
	if (w->looks)
		w->looks->got = dns_look(&w->looks->lookup, span_of("a.test"));
}

static const struct dns_answer *look(struct waiter *w, const char *name)
{
	w->lookup.done = done;
	return dns_look(&w->lookup, span_of(name));
}

static int begin(void **state)
{
	struct err err;

	(void)state;
	clock_freeze(1000);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&c, 0, sizeof(c));
	dns_wanted = true;
	ask_count = left = 0;
	at_once = false;
	if (loop_init(16) < 0 ||
	    dns_read(span_of("192.0.2.9 hosted.test"), span_of("nameserver 192.0.2.1"), &err) < 0)
		return -1;
	return dns_module.start(NULL, NULL, &err);
}

static int end(void **state)
{
	(void)state;
	dns_module.stop();
	loop_free();
	return 0;
}

static void pass(unsigned ms)
{
	clock_advance(ms);
	loop_turn(0);
	loop_turn(0); /* what timers have woken */
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void knows_some_by_itself(void **state)
{
	const struct dns_answer *said;

	(void)state;
	said = look(&a, "192.0.2.1");
	assert_int_equal(said->result, DNS_FOUND);
	assert_int_equal(said->addr[0].family, AF_INET);
	said = look(&a, "Hosted.TEST.");
	assert_int_equal(said->addr[0].v4.s_addr, htonl(0xc0000209));
	said = look(&a, "localhost");
	assert_int_equal(said->count, 2);
	said = look(&a, "x.localhost");
	assert_int_equal(said->count, 2);
	assert_int_equal(look(&a, "a b")->result, DNS_UNKNOWN);
	assert_int_equal(look(&a, "")->result, DNS_UNKNOWN);
	assert_int_equal(ask_count, 0);
	assert_null(look(&a, "xlocalhost"));
	assert_int_equal(ask_count, 2);
}

static void asks_once_for_all(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	assert_null(look(&b, "A.test"));
	assert_int_equal(ask_count, 2);
	say(AF_INET6, DNS_UNKNOWN, 0);
	say(AF_INET, DNS_FOUND, 10);
	assert_int_equal(a.told, 0); /* not from within the answer */
	pass(0);
	assert_int_equal(a.told, 1);
	assert_int_equal(b.told, 1);
	assert_int_equal(b.count, 1);
	assert_int_equal(look(&c, "a.test")->count, 1);
	pass(9999);
	assert_int_equal(look(&c, "a.test")->result, DNS_FOUND);
	pass(1);
	assert_null(look(&c, "a.test"));
	assert_int_equal(ask_count, 4);
}

static void waits_a_little_for_the_other_family(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(AF_INET, DNS_FOUND, 60);
	pass(49);
	assert_int_equal(a.told, 0);
	pass(1);
	assert_int_equal(a.told, 1);
	assert_int_equal(a.count, 1);
	assert_int_equal(look(&b, "a.test")->count, 1);
	say(AF_INET6, DNS_FOUND, 60);
	pass(0);
	assert_int_equal(a.told, 1);
	assert_int_equal(look(&b, "a.test")->count, 2);
}

static void gives_up(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	pass(4999);
	assert_int_equal(a.told, 0);
	pass(1);
	assert_int_equal(a.told, 1);
	assert_int_equal(a.result, DNS_SILENT);
	assert_int_equal(look(&b, "a.test")->result, DNS_SILENT); /* for a second */
	pass(1000);
	assert_null(look(&b, "a.test"));
	assert_int_equal(ask_count, 2); /* the question is still on its way */
	say(AF_INET, DNS_FOUND, 5);
	say(AF_INET6, DNS_FAILED, 0);
	pass(0);
	assert_int_equal(b.result, DNS_FOUND);
}

static void keeps_failures_for_a_second(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(AF_INET, DNS_UNKNOWN, 0);
	say(AF_INET6, DNS_FAILED, 0);
	pass(0);
	assert_int_equal(a.result, DNS_FAILED);
	assert_int_equal(look(&a, "a.test")->result, DNS_FAILED);
	pass(1000);
	at_once = true;
	assert_int_equal(look(&a, "a.test")->result, DNS_FAILED);
	assert_int_equal(look(&a, "b.test")->result, DNS_FAILED);
	pass(0);
	assert_int_equal(a.told, 1);
}

static void does_not_keep_what_may_not_be_kept(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(AF_INET, DNS_FOUND, 0);
	say(AF_INET6, DNS_FOUND, 3600);
	pass(0);
	assert_int_equal(a.count, 2);
	assert_null(look(&b, "a.test"));
}

static void cancels_anywhere(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	dns_cancel(&a.lookup);
	dns_cancel(&a.lookup);
	assert_null(look(&a, "a.test"));
	assert_null(look(&b, "a.test"));
	assert_null(look(&c, "a.test"));
	a.cancels = &b;
	say(AF_INET, DNS_FOUND, 10);
	say(AF_INET6, DNS_FOUND, 10);
	dns_cancel(&c.lookup);
	pass(0);
	assert_int_equal(a.told, 1);
	assert_int_equal(b.told, 0);
	assert_int_equal(c.told, 0);
}

static void looks_from_within(void **state)
{
	(void)state;
	b.lookup.done = done;
	a.looks = &b;
	assert_null(look(&a, "a.test"));
	say(AF_INET, DNS_FOUND, 0);
	say(AF_INET6, DNS_UNKNOWN, 0);
	pass(0);
	assert_int_equal(b.got->count, 1);
	assert_int_equal(ask_count, 2);
}

static void asks_for_so_many_at_once(void **state)
{
	static struct waiter w[257];
	char name[20];
	unsigned i;

	(void)state;
	memset(w, 0, sizeof(w));
	for (i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "n%u.test", i);
		assert_null(look(&w[i], name));
	}
	assert_int_equal(look(&w[256], "more.test")->result, DNS_FULL);
	say(AF_INET, DNS_FOUND, 10);
	say(AF_INET6, DNS_FOUND, 10);
	assert_null(look(&w[256], "more.test"));
}

static void keeps_so_many(void **state)
{
	char name[20];
	unsigned i;

	(void)state;
	for (i = 0; i < 1025; i++) {
		snprintf(name, sizeof(name), "n%u.test", i);
		ask_count = left = 0;
		assert_null(look(&a, name));
		say(AF_INET, DNS_FOUND, 3600);
		say(AF_INET6, DNS_UNKNOWN, 0);
		pass(0);
	}
	ask_count = left = 0;
	assert_non_null(look(&a, "n1024.test"));
	assert_non_null(look(&a, "n1.test"));
	assert_null(look(&a, "n0.test")); /* it was looked up for the last time before all others */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(knows_some_by_itself),
		TEST(asks_once_for_all),
		TEST(waits_a_little_for_the_other_family),
		TEST(gives_up),
		TEST(keeps_failures_for_a_second),
		TEST(does_not_keep_what_may_not_be_kept),
		TEST(cancels_anywhere),
		TEST(looks_from_within),
		TEST(asks_for_so_many_at_once),
		TEST(keeps_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
