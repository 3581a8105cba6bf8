/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked when, of whom, what holds how long, and who is told: with a clock that stands
 * still, and the test in place of name servers and of what messages say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "base/clock.h"
#include "dns/nameserver.h"
#include "dns/resolution.h"
#include "dns/resolvers.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 600, APART_MS = 1000000 };

/* ---- in place of name servers ---------------------------------------------------------------- */

static struct {
	struct nameserver *ns;
	struct dns_query *query;
	enum dns_type type;
	bool stream;
} asked[MOST];
static unsigned asked_count;
static enum dns_said said;
static struct dns_answer_records records;

const char *dns_library(void)
{
	return "the test";
}

size_t dns_question_write(const char *name, enum dns_type type, uint16_t id, unsigned payload,
			  unsigned char *to)
{
	(void)name, (void)id, (void)payload;
	to[0] = (unsigned char)type;
	return DNS_HEAD;
}

enum dns_said dns_answer_read(struct span bytes, const char *name, enum dns_type type,
			      const struct dns_answer_records **to)
{
	(void)bytes, (void)name, (void)type;
	*to = &records;
	return said;
}

int nameserver_ask(struct nameserver *ns, struct dns_query *query, const unsigned char *bytes,
		   size_t len, bool stream)
{
	(void)len;
	assert_null(query->port);
	assert_true(asked_count < MOST);
	query->port = (struct dns_port *)ns; /* something is under way */
	asked[asked_count].ns = ns;
	asked[asked_count].query = query;
	asked[asked_count].type = (enum dns_type)bytes[0];
	asked[asked_count++].stream = stream;
	return 0;
}

void nameserver_forget(struct dns_query *query)
{
	query->port = NULL;
}

void nameserver_close(struct nameserver *ns)
{
	(void)ns;
}

/* ---- the world --------------------------------------------------------------------------------
 */

static struct resolvers section;
static struct nameserver servers[2];
static struct dns_requester requester;
static unsigned told;
static enum dns_status told_status;
static bool told_change;
static uint64_t start_ms; /* of this test: no clock goes back */

static void resolved(struct dns_requester *r, struct resolution *res)
{
	(void)r;
	told++;
	told_status = res->status;
	told_change = res->changed;
}

static int setup(void **state)
{
	(void)state;
	start_ms += APART_MS;
	clock_freeze(start_ms);
	assert_int_equal(loop_init(20), 0);
	memset(&section, 0, sizeof(section));
	memset(servers, 0, sizeof(servers));
	memset(&requester, 0, sizeof(requester));
	section.name = "dns";
	section.nameservers = servers;
	section.count = 2;
	servers[0].next = &servers[1];
	section.retries = 3;
	section.resolve_ms = 1000;
	section.retry_ms = 300;
	section.payload = 512;
	list_init(&section.resolutions);
	requester.again = true;
	requester.resolved = resolved;
	asked_count = told = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	resolutions_end(&section);
	loop_free();
	return 0;
}

/* Moves the clock, a millisecond at a time, and lets the loop turn. */
static void pass(unsigned ms)
{
	loop_turn(0);
	while (ms--) {
		clock_advance(1);
		loop_turn(0);
	}
}

static void has(unsigned count, const char *const *addresses)
{
	unsigned i;

	memset(&records, 0, sizeof(records));
	said = DNS_SAID_RECORDS;
	records.count = count;
	for (i = 0; i < count; i++) {
		records.record[i].v4.family = AF_INET;
		assert_int_equal(inet_pton(AF_INET, addresses[i], &records.record[i].v4.v4), 1);
	}
}

static void has_one(const char *address)
{
	has(1, &address);
}

/* The question of that number is answered by what the test has said. */
static void answer(unsigned number)
{
	assert_true(number < asked_count && asked[number].query->port);
	asked[number].query->heard(asked[number].query, (struct span){ "0123456789ab", DNS_HEAD });
}

static struct resolution *want(void)
{
	assert_null(resolution_want(&section, "a.test", DNS_A, &requester));
	assert_non_null(requester.resolution);
	loop_turn(0);
	return requester.resolution;
}

/* ---- tests ------------------------------------------------------------------------------------
 */

static void all_are_asked_and_the_first_answer_counts(void **state)
{
	struct resolution *res = want();

	(void)state;
	assert_int_equal(asked_count, 2);
	assert_ptr_equal(asked[0].ns, &servers[0]);
	assert_ptr_equal(asked[1].ns, &servers[1]);
	has_one("10.0.0.1");
	answer(1);
	assert_int_equal(told, 0); /* by a task */
	assert_null(asked[0].query->port);
	pass(0);
	assert_int_equal(told, 1);
	assert_int_equal(told_status, STATUS_VALID);
	assert_true(told_change);
	assert_ptr_equal(res->by, &servers[1]);
	pass(999);
	assert_int_equal(asked_count, 2);
	pass(1);
	assert_int_equal(asked_count, 4);
	answer(2);
	pass(0);
	assert_int_equal(told, 2);
	assert_false(told_change);
}

static void silence_is_waited_for(void **state)
{
	(void)state;
	want();
	pass(299);
	assert_int_equal(asked_count, 2);
	pass(1);
	assert_int_equal(asked_count, 4);
	pass(300);
	assert_int_equal(asked_count, 6);
	assert_int_equal(told, 0);
	pass(300);
	pass(0);
	assert_int_equal(told, 1);
	assert_int_equal(told_status, STATUS_TIMEOUT);
	assert_int_equal(asked[5].type, DNS_A);
	pass(1000);
	assert_int_equal(asked_count, 8);
}

static void failures_lead_to_the_other_family(void **state)
{
	unsigned i;

	(void)state;
	want();
	said = DNS_SAID_NX;
	answer(0);
	assert_int_equal(asked_count, 2); /* the other one may know it */
	answer(1);
	assert_int_equal(asked_count, 4);
	assert_int_equal(asked[2].type, DNS_AAAA);
	answer(2);
	answer(3);
	assert_int_equal(asked_count, 4); /* the next try waits for its time */
	pass(300);
	assert_int_equal(asked_count, 6);
	assert_int_equal(asked[4].type, DNS_A);
	for (i = 4; i < 8; i++)
		answer(i);
	pass(300);
	for (i = 8; i < 12; i++)
		answer(i);
	pass(0);
	assert_int_equal(told, 1);
	assert_int_equal(told_status, STATUS_NX);
}

static void what_is_held_outlasts_answers_that_lack_it(void **state)
{
	static const char *const two[] = { "10.0.0.1", "10.0.0.2" };
	struct resolution *res;

	(void)state;
	section.hold_ms[HOLD_OBSOLETE] = 1500;
	res = want();
	has(2, two);
	answer(0);
	pass(1000);
	has_one("10.0.0.2");
	answer(2);
	pass(0);
	assert_int_equal(res->count, 2);
	assert_false(told_change);
	pass(1000);
	answer(4);
	pass(0);
	assert_int_equal(res->count, 1); /* seen 2,000 ms ago */
	assert_true(told_change);
}

static void holds_follow_the_kind_of_failure(void **state)
{
	static const struct {
		enum dns_status status;
		enum dns_hold hold;
	} rows[] = { { STATUS_NX, HOLD_NX }, { STATUS_REFUSED, HOLD_REFUSED },
		     { STATUS_TIMEOUT, HOLD_TIMEOUT }, { STATUS_OTHER, HOLD_OTHER } };
	struct resolution *res = want();
	unsigned i;

	(void)state;
	assert_true(resolution_holds(res)); /* nothing has failed yet */
	res->status = STATUS_NX;
	section.hold_ms[HOLD_NX] = 5000;
	assert_false(resolution_holds(res)); /* but nothing was ever valid */
	res->valid_ms = start_ms;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		memset(section.hold_ms, 0, sizeof(section.hold_ms));
		section.hold_ms[rows[i].hold] = 5000;
		res->status = rows[i].status;
		clock_freeze(start_ms + 4999);
		assert_true(resolution_holds(res));
		clock_freeze(start_ms + 5000);
		assert_false(resolution_holds(res));
	}
}

static void who_wants_it_once_is_told_once(void **state)
{
	struct dns_requester second = { .resolved = resolved };

	(void)state;
	section.hold_ms[HOLD_VALID] = 2000;
	requester.again = false;
	want();
	has_one("10.0.0.1");
	answer(0);
	pass(0);
	assert_int_equal(told, 1);
	assert_null(requester.resolution);
	pass(1999);
	assert_int_equal(asked_count, 2); /* nobody wants it again */
	assert_non_null(resolution_want(&section, "a.test", DNS_A, &second));
	assert_null(second.resolution);
	pass(1);
	assert_true(list_empty(&section.resolutions));
	assert_null(resolution_want(&section, "a.test", DNS_A, &second));
	assert_int_equal(asked_count, 4);
	resolution_leave(&second);
	assert_true(list_empty(&section.resolutions));
}

static void what_was_cut_comes_over_tcp(void **state)
{
	(void)state;
	section.nameservers = &servers[1];
	section.count = 1;
	want();
	pass(200);
	said = DNS_SAID_TRUNCATED;
	answer(0);
	assert_int_equal(asked_count, 2);
	assert_true(asked[1].stream && !asked[0].stream);
	pass(299);
	assert_int_equal(asked_count, 2); /* it has time of its own */
	has_one("10.0.0.1");
	answer(1);
	pass(0);
	assert_int_equal(told_status, STATUS_VALID);
	pass(1000);
	assert_false(asked[2].stream);
}

static void foreign_answers_end_nothing(void **state)
{
	(void)state;
	want();
	said = DNS_SAID_FOREIGN;
	answer(0);
	answer(0);
	has_one("10.0.0.1");
	answer(0);
	pass(0);
	assert_int_equal(told_status, STATUS_VALID);
}

static void many_are_spread(void **state)
{
	static struct dns_requester many[MOST / 2];
	unsigned i, before, after, most = 0;
	char name[32];

	(void)state;
	section.nameservers = &servers[1];
	section.count = 1;
	memset(many, 0, sizeof(many));
	for (i = 0; i < ARRAY_LEN(many); i++) {
		many[i].again = true;
		many[i].resolved = resolved;
		snprintf(name, sizeof(name), "n%u.test", i);
		resolution_want(&section, name, DNS_A, &many[i]);
	}
	before = asked_count;
	for (i = 0; i < 20; i++) {
		pass(1);
		after = asked_count;
		most = after - before > most ? after - before : most;
		before = after;
	}
	assert_int_equal(asked_count, ARRAY_LEN(many)); /* all, within 20 ms */
	assert_in_range(most, 1, 32);
}

static void leaves_at_once(struct dns_requester *r, struct resolution *res)
{
	resolved(r, res);
	resolution_leave(r);
}

static void one_may_leave_while_told(void **state)
{
	struct dns_requester second = { .again = true, .resolved = resolved };

	(void)state;
	requester.resolved = leaves_at_once;
	want();
	assert_null(resolution_want(&section, "a.test", DNS_A, &second));
	said = DNS_SAID_REFUSED;
	section.retries = 1;
	answer(0);
	answer(1);
	answer(2);
	answer(3);
	pass(0);
	assert_int_equal(told, 2);
	assert_null(requester.resolution);
	assert_non_null(second.resolution);
	resolution_leave(&second);
	assert_true(list_empty(&section.resolutions));
}

static void that_there_is_none_is_an_answer_for_one_family(void **state)
{
	struct dns_requester once = { .alone = true, .resolved = resolved };

	(void)state;
	assert_null(resolution_want(&section, "a.test", DNS_A, &once));
	said = DNS_SAID_NONE;
	answer(0);
	said = DNS_SAID_REFUSED;
	answer(1);
	pass(0);
	assert_int_equal(told, 1);
	assert_int_equal(asked_count, 2); /* neither the other family nor again */
	assert_null(resolution_want(&section, "b.test", DNS_A, &once));
	said = DNS_SAID_NX;
	answer(2);
	pass(299);
	assert_int_equal(told, 1);
	pass(1); /* the silent one has had its time */
	pass(0);
	assert_int_equal(told, 2);
	assert_int_equal(told_status, STATUS_NX);
	assert_int_equal(asked_count, 4);
}

static void refusal_is_asked_again_of_one_family(void **state)
{
	struct dns_requester once = { .alone = true, .resolved = resolved };
	unsigned i;

	(void)state;
	assert_null(resolution_want(&section, "a.test", DNS_A, &once));
	want(); /* which is another resolution: it may have the other family */
	assert_int_equal(asked_count, 4);
	resolution_leave(&requester);
	said = DNS_SAID_REFUSED;
	for (i = 0; i < 3; i++) {
		answer(i ? 2 * i + 2 : 0);
		answer(i ? 2 * i + 3 : 1);
		pass(300);
	}
	assert_int_equal(told, 1);
	assert_int_equal(asked_count, 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_are_asked_and_the_first_answer_counts),
		TEST(silence_is_waited_for),
		TEST(failures_lead_to_the_other_family),
		TEST(what_is_held_outlasts_answers_that_lack_it),
		TEST(holds_follow_the_kind_of_failure),
		TEST(who_wants_it_once_is_told_once),
		TEST(what_was_cut_comes_over_tcp),
		TEST(foreign_answers_end_nothing),
		TEST(many_are_spread),
		TEST(one_may_leave_while_told),
		TEST(that_there_is_none_is_an_answer_for_one_family),
		TEST(refusal_is_asked_again_of_one_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
