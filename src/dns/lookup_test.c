/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups, with the test in place of resolutions: what is known without asking, what both families
 * say one after the other, and who cancels or asks from wherever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/module.h"
#include "dns/lookup.h"
#include "dns/resolvers.h"
#include "event/loop.h"

#include <stdio.h>
#include <string.h>

/* ---- in place of resolutions ---------------------------------------------------------------- */

enum { MOST = 16 };

static struct resolvers section = { .count = 1 };
static struct dns_held held[20];
static struct resolution valid = { .status = STATUS_VALID, .held = held };
static struct resolution failed = { .status = STATUS_TIMEOUT, .held = held, .count = 1 };
static struct {
	struct dns_requester *r;
	enum dns_type type;
} asks[MOST];
static unsigned ask_count;
static enum dns_type kept; /* whose answer is at hand */
static bool no_memory;

struct resolution *resolution_want(struct resolvers *resolvers, const char *name,
				   enum dns_type type, struct dns_requester *r)
{
	(void)name;
	assert_ptr_equal(resolvers, &section);
	assert_true(r->alone && !r->again && !r->resolution);
	if (no_memory)
		return NULL;
	assert_true(ask_count < MOST);
	r->resolution = &valid;
	asks[ask_count].r = r;
	asks[ask_count++].type = type;
	return NULL;
}

const struct resolution *resolution_at_hand(const struct resolvers *resolvers, const char *name,
					    enum dns_type type)
{
	(void)name;
	assert_ptr_equal(resolvers, &section);
	valid.wanted = type;
	valid.count = 1;
	return type == kept ? &valid : NULL;
}

void resolution_leave(struct dns_requester *r)
{
	unsigned i;

	for (i = 0; i < ask_count && r->resolution; i++)
		if (asks[i].r == r)
			asks[i].r = NULL;
	r->resolution = NULL;
}

/* The oldest question of that type that is left is answered: by so many addresses; 0: it fails. */
static void say(enum dns_type type, unsigned count)
{
	struct resolution *res = count ? &valid : &failed;
	struct dns_requester *r;
	unsigned i;

	for (i = 0; i < ask_count && (!asks[i].r || asks[i].type != type); i++)
		;
	assert_true(i < ask_count);
	r = asks[i].r;
	asks[i].r = NULL;
	valid.count = count;
	res->wanted = type;
	r->resolution = NULL;
	r->resolved(r, res);
}

static unsigned waiting(void)
{
	unsigned i, n = 0;

	for (i = 0; i < ask_count; i++)
		n += asks[i].r != NULL;
	return n;
}

/* ---- who waits ------------------------------------------------------------------------------ */

struct waiter {
	struct dns_lookup lookup;
	unsigned told, count;
	uint16_t first;
	struct waiter *cancels; /* from within */
	bool again;
};

static struct waiter a, b;

static void done(struct dns_lookup *lookup, const struct dns_answer *said)
{
	struct waiter *w = container_of(lookup, struct waiter, lookup);

	w->told++;
	w->count = said->count;
	w->first = said->count ? said->addr[0].family : 0;
	assert_false(lookup->waits);
	if (w->cancels)
		dns_cancel(&w->cancels->lookup);
	if (w->again)
		assert_null(dns_look(lookup, span_of("a.test")));
	else
		memset(lookup, 0xa5, sizeof(*lookup)); /* it may be freed */
	w->again = false;
}

static const struct dns_answer *look(struct waiter *w, const char *name)
{
	memset(&w->lookup, 0, sizeof(w->lookup));
	w->lookup.done = done;
	return dns_look(&w->lookup, span_of(name));
}

static int begin(void **state)
{
	struct err err;
	unsigned i;

	(void)state;
	clock_freeze(1000);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (i = 0; i < ARRAY_LEN(held); i++) {
		held[i].record.v4.family = AF_INET;
		held[i].record.v6.family = AF_INET6;
	}
	dns_wanted = true;
	dns_resolvers = &section;
	ask_count = 0;
	kept = DNS_SRV;
	no_memory = false;
	if (loop_init(16) < 0 || dns_read(span_of("192.0.2.9 hosted.test"), &err) < 0)
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
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void knows_some_by_itself(void **state)
{
	const struct dns_answer *said;

	(void)state;
	said = look(&a, "192.0.2.1");
	assert_int_equal(said->count, 1);
	assert_int_equal(said->addr[0].family, AF_INET);
	said = look(&a, "Hosted.TEST.");
	assert_int_equal(said->addr[0].v4.s_addr, htonl(0xc0000209));
	assert_int_equal(look(&a, "localhost")->count, 2);
	assert_int_equal(look(&a, "x.localhost")->count, 2);
	assert_int_equal(look(&a, "a b")->count, 0);
	assert_int_equal(look(&a, "")->count, 0);
	assert_int_equal(ask_count, 0);
	assert_null(look(&a, "xlocalhost"));
	assert_int_equal(ask_count, 2);
}

static void asks_nobody_without_name_servers(void **state)
{
	struct err err;

	(void)state;
	dns_resolvers = NULL;
	dns_module.start(NULL, NULL, &err);
	assert_int_equal(look(&a, "a.test")->count, 0);
	assert_int_equal(look(&a, "hosted.test")->count, 1);
	assert_int_equal(ask_count, 0);
}

static void tells_when_both_families_have_answered(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(DNS_AAAA, 0);
	assert_int_equal(a.told, 0);
	pass(10000);
	assert_int_equal(a.told, 0);
	say(DNS_A, 1);
	assert_int_equal(a.told, 1);
	assert_int_equal(a.count, 1);
	assert_int_equal(a.first, AF_INET);
}

static void waits_a_little_for_the_other_family(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	assert_null(look(&b, "a.test"));
	say(DNS_A, 1);
	say(DNS_A, 1);
	pass(49);
	say(DNS_AAAA, 2);
	assert_int_equal(a.told, 1);
	assert_int_equal(a.count, 3);
	assert_int_equal(b.told, 0);
	pass(1);
	assert_int_equal(b.told, 1);
	assert_int_equal(b.count, 1);
	assert_int_equal(waiting(), 0); /* nothing is wanted any more */
}

static void tells_of_failure(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(DNS_A, 0);
	say(DNS_AAAA, 0);
	assert_int_equal(a.told, 1);
	assert_int_equal(a.count, 0);
	no_memory = true;
	assert_int_equal(look(&b, "a.test")->count, 0);
}

static void takes_what_is_at_hand(void **state)
{
	const struct dns_answer *said;

	(void)state;
	kept = DNS_A;
	said = look(&a, "a.test");
	assert_int_equal(said->count, 1);
	assert_int_equal(said->addr[0].family, AF_INET);
	kept = DNS_AAAA;
	assert_int_equal(look(&a, "a.test")->count, 1);
	assert_int_equal(ask_count, 0);
}

static void takes_so_many_of_each_family(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	say(DNS_AAAA, ARRAY_LEN(held));
	say(DNS_A, ARRAY_LEN(held));
	assert_int_equal(a.count, DNS_ADDRS);
}

static void cancels_anywhere(void **state)
{
	(void)state;
	assert_null(look(&a, "a.test"));
	dns_cancel(&a.lookup);
	dns_cancel(&a.lookup);
	assert_int_equal(waiting(), 0);
	assert_null(look(&a, "a.test"));
	assert_null(look(&b, "a.test"));
	a.cancels = &b;
	say(DNS_A, 1);
	say(DNS_AAAA, 1);
	assert_int_equal(a.told, 1);
	assert_int_equal(waiting(), 0);
	pass(60);
	assert_int_equal(b.told, 0);
}

static void looks_from_within(void **state)
{
	(void)state;
	a.again = true;
	assert_null(look(&a, "a.test"));
	say(DNS_A, 1);
	say(DNS_AAAA, 0);
	assert_int_equal(a.told, 1);
	assert_int_equal(waiting(), 2);
	say(DNS_A, 1);
	pass(50);
	assert_int_equal(a.told, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(knows_some_by_itself),
		TEST(asks_nobody_without_name_servers),
		TEST(tells_when_both_families_have_answered),
		TEST(waits_a_little_for_the_other_family),
		TEST(tells_of_failure),
		TEST(takes_what_is_at_hand),
		TEST(takes_so_many_of_each_family),
		TEST(cancels_anywhere),
		TEST(looks_from_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
