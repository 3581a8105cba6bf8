/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of connections to servers by itself: who gets which, by the facts that are said of an
 * exchange. There is neither an exchange nor a stream; connections are objects without a socket. */
#include "exchange/idle.h"

#include "base/clock.h"
#include "base/str.h"
#include "http/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdlib.h>

enum { MANY = CARRIER_OF(PROTO_H2), DELAY_MS = 5000 };

static struct proxy proxy;
static struct server server;
static struct origin anna, bert;
static struct addr here, there;
static unsigned retired;

static void made_retire(struct server_conn *sc)
{
	idle_leave(sc);
	idle_ended(sc);
	free(sc);
	retired++;
}

/* One exchange at a time; many of them at once. */
static const struct server_carrier_ops one_carrier = { .name = "one", .retire = made_retire };
static const struct server_carrier_ops many_carrier = { .name = "many", .many = true, .retire = made_retire };

static struct addr addr_at(const char *text)
{
	struct addr a = { .family = AF_INET, .port = 80 };

	assert_int_equal(inet_pton(AF_INET, text, &a.v4), 1);
	return a;
}

static int begin(void **state)
{
	(void)state;
	server_carriers[CARRIER_USUAL] = &one_carrier;
	server_carriers[MANY] = &many_carrier;
	here = addr_at("192.0.2.1");
	there = addr_at("192.0.2.2");
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	proxy = (struct proxy){ .set.max_session_conns = 2 };
	server = (struct server){ .proxy = &proxy,
				  .set = { .max_reuse = -1, .pool_max_conn = -1,
					   .pool_purge_delay = DELAY_MS, .pool_low_conn = 9 } };
	list_init(&server.idle);
	anna = (struct origin){ .frontend = &proxy };
	bert = (struct origin){ .frontend = &proxy };
	retired = 0;
	return 0;
}

/* Nothing is left, and nothing counted. */
static int tear_down(void **state)
{
	(void)state;
	idle_close_server(&server);
	idle_close_origin(&anna);
	idle_close_origin(&bert);
	assert_int_equal(server.conns, 0);
	assert_int_equal(server.idle_count, 0);
	assert_int_equal(server.idle_used, 0);
	assert_int_equal(server.idle_safe, 0);
	timer_cancel(&server.idle_timer);
	return 0;
}

/* A later request of a client that is nobody in particular. */
static struct idle_facts facts_of(struct origin *origin)
{
	return (struct idle_facts){ .server = &server, .origin = origin, .to = &here, .reuse = REUSE_SAFE };
}

static struct server_conn *find(const struct idle_facts *facts)
{
	struct span name = { "", 0 };
	struct server_conn *sc = NULL;

	if (idle_has_private(facts->origin))
		sc = idle_find_private(facts, name);
	return sc ? sc : idle_find(facts, name);
}

/* A new one, at work. */
static struct server_conn *made(const struct idle_facts *facts)
{
	struct server_conn *sc = calloc(1, sizeof(*sc));

	assert_non_null(sc);
	idle_describe(sc, facts, (uint16_t)server.moves);
	idle_used(sc);
	return sc;
}

/* Its exchange is over, and it waits. */
static void rest(struct server_conn *sc, struct origin *origin)
{
	idle_unused(sc, origin);
	assert_true(idle_may_wait(sc, true));
	idle_join(sc);
}

static struct server_conn *waiting(const struct idle_facts *facts)
{
	struct server_conn *sc = made(facts);

	rest(sc, facts->origin);
	return sc;
}

/* It carries an exchange, and waits again. */
static void serves(struct server_conn *sc, struct origin *origin)
{
	list_remove(&sc->node);
	idle_taken(sc);
	rest(sc, origin);
}

static void newest_of_the_same_address_and_packets(void **state)
{
	struct idle_facts facts = facts_of(&anna), others = facts_of(&bert);
	struct server_conn *old = waiting(&facts), *marked, *new;

	(void)state;
	facts.packets = 7;
	marked = waiting(&facts);
	facts = facts_of(&anna);
	facts.to = &there;
	waiting(&facts);
	assert_ptr_equal(find(&others), old);
	new = waiting(&others);
	assert_ptr_equal(find(&others), new);
	others.packets = 7;
	assert_ptr_equal(find(&others), marked);
	others.packets = 8;
	assert_null(find(&others));
	assert_int_equal(server.idle_count, 4);
}

/* Which of those that have carried 1, 2 exchanges, or will carry many, may it have (manual 4.2,
 * http-reuse)? The three wait in turn. */
static const struct {
	enum http_reuse reuse;
	bool first, once, twice, many;
} reuses[] = {
	{ REUSE_NEVER, true, false, false, false },
	{ REUSE_NEVER, false, false, false, false },
	{ REUSE_SAFE, true, false, false, false },
	{ REUSE_SAFE, false, true, true, true },
	{ REUSE_AGGRESSIVE, true, false, true, true },
	{ REUSE_AGGRESSIVE, false, true, true, true },
	{ REUSE_ALWAYS, true, true, true, true },
	{ REUSE_ALWAYS, false, true, true, true },
};

static void reuse_allows(struct server_conn *sc, bool (*allowed)(unsigned))
{
	struct idle_facts facts = facts_of(&bert);
	unsigned i;

	for (i = 0; i < sizeof(reuses) / sizeof(*reuses); i++) {
		facts.reuse = reuses[i].reuse;
		facts.first = reuses[i].first;
		assert_ptr_equal(find(&facts), allowed(i) ? sc : NULL);
	}
}

static bool allows_once(unsigned i)
{
	return reuses[i].once;
}

static bool allows_twice(unsigned i)
{
	return reuses[i].twice;
}

static bool allows_many(unsigned i)
{
	return reuses[i].many;
}

static void first_request_takes_what_http_reuse_allows(void **state)
{
	struct idle_facts facts = facts_of(&anna);
	struct server_conn *sc = waiting(&facts);

	(void)state;
	reuse_allows(sc, allows_once);
	serves(sc, &anna);
	assert_int_equal(server.idle_safe, 1);
	reuse_allows(sc, allows_twice);
	idle_close_server(&server);
	sc = made(&facts);
	sc->carrier = MANY;
	rest(sc, &anna);
	reuse_allows(sc, allows_many);
}

/* What it shows to the server is of one client, who may say something else the next time. */
static void personal_one_serves_its_client_alone(void **state)
{
	struct idle_facts facts = facts_of(&anna), others = facts_of(&bert);
	struct server_conn *sc;

	(void)state;
	assert_false(idle_has_private(&anna));
	facts.personal = true;
	facts.mark = others.mark = 5;
	sc = waiting(&facts);
	assert_true(idle_has_private(&anna));
	assert_null(find(&others));
	facts.first = true; /* no matter: it is its own */
	assert_ptr_equal(find(&facts), sc);
	facts.mark = 6;
	assert_null(find(&facts));
	facts.mark = 5;
	facts.packets = 1;
	assert_null(find(&facts));
	facts.packets = 0;
	facts.to = &there;
	assert_null(find(&facts));
	assert_int_equal(server.idle_count, 0);
}

static void never_shared_where_http_reuse_never(void **state)
{
	struct idle_facts facts = facts_of(&anna), others = facts_of(&bert);
	struct server_conn *sc;

	(void)state;
	facts.reuse = REUSE_NEVER;
	sc = waiting(&facts);
	assert_ptr_equal(find(&facts), sc);
	assert_null(find(&others));
}

/* A field of a response says NTLM: the connection under way and all later ones are the origin's. */
static void authenticated_one_stays_with_its_client(void **state)
{
	struct field field = { .name = span_of("www-authenticate"), .value = span_of("ntlm") };
	struct message res = { .fields = &field, .count = 1 };
	struct idle_facts facts = facts_of(&anna), others = facts_of(&bert);
	struct server_conn *shared = waiting(&others), *sc = made(&facts);

	(void)state;
	field.id = field_id(field.name);
	assert_false(idle_binding_challenge(&res, span_of("proxy-authenticate")));
	assert_true(idle_binding_challenge(&res, field.name));
	anna.private_servers = true;
	rest(sc, &anna);
	assert_ptr_equal(find(&others), shared);
	assert_ptr_equal(find(&facts), sc);
	idle_close_origin(&anna);
	assert_null(find(&facts)); /* it takes nobody else's */
	sc = waiting(&facts);
	assert_ptr_equal(sc->origin, &anna);
}

static void credentials_of_a_connection(void **state)
{
	static const struct {
		const char *name, *value;
		bool binding;
	} cases[] = { { "authorization", "Negotiate YII", true },
		      { "proxy-authorization", "NTLM TlR", true },
		      { "authorization", "Basic YTpi", false },
		      { "x-authorization", "NTLM TlR", false } };
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct field field = { .name = span_of(cases[i].name), .value = span_of(cases[i].value) };
		struct message req = { .fields = &field, .count = 1 };

		field.id = field_id(field.name);
		assert_int_equal(idle_binding_credentials(&req), cases[i].binding);
	}
}

/* max-session-srv-conns: the oldest goes; none waits for a client that leaves. */
static void private_ones_are_bounded(void **state)
{
	struct idle_facts facts = facts_of(&anna);
	struct server_conn *second, *third;

	(void)state;
	facts.personal = true;
	facts.mark = 1;
	waiting(&facts);
	facts.mark = 2;
	second = waiting(&facts);
	facts.mark = 3;
	third = waiting(&facts);
	assert_int_equal(retired, 1);
	assert_int_equal(server.conns, 2);
	facts.mark = 1;
	assert_null(find(&facts));
	facts.mark = 2;
	assert_ptr_equal(find(&facts), second);
	assert_true(idle_may_wait(third, true));
	assert_false(idle_may_wait(third, false));
	proxy.set.max_session_conns = 0;
	assert_false(idle_may_wait(third, true));
}

/* A connection to where the server was before is used no more. */
static void moved_server_is_connected_anew(void **state)
{
	struct idle_facts facts = facts_of(&anna);
	struct server_conn *sc, *late = made(&facts);

	(void)state;
	facts.personal = true;
	sc = waiting(&facts);
	assert_ptr_equal(find(&facts), sc);
	server.moves = 0x10000;
	assert_null(find(&facts));
	assert_int_equal(retired, 1);
	assert_false(idle_may_wait(late, true));
	idle_unused(late, &anna);
	made_retire(late);
	late = calloc(1, sizeof(*late));
	assert_non_null(late);
	idle_describe(late, &facts, 0xffff); /* begun before the last move */
	assert_int_equal(late->moves, 0xffff);
	made_retire(late);
}

static void shared_ones_wait_within_limits(void **state)
{
	struct idle_facts facts = facts_of(&anna);
	struct server_conn *sc = waiting(&facts);

	(void)state;
	assert_true(idle_may_wait(sc, false)); /* whether its client stays is no matter */
	server.set.pool_max_conn = 1;
	assert_false(idle_may_wait(sc, true));
	server.set.pool_max_conn = -1;
	server.set.max_reuse = 0;
	assert_false(idle_may_wait(sc, true));
	server.set.max_reuse = 1;
	assert_true(idle_may_wait(sc, true));
	server.set.pool_purge_delay = 0;
	assert_false(idle_may_wait(sc, true));
	server.set.pool_purge_delay = DELAY_MS;
	server.set.pool_low_conn = 0; /* one was used at once, one waits */
	assert_false(idle_may_wait(sc, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(newest_of_the_same_address_and_packets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first_request_takes_what_http_reuse_allows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(personal_one_serves_its_client_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_shared_where_http_reuse_never, set_up, tear_down),
		cmocka_unit_test_setup_teardown(authenticated_one_stays_with_its_client, set_up, tear_down),
		cmocka_unit_test(credentials_of_a_connection),
		cmocka_unit_test_setup_teardown(private_ones_are_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(moved_server_is_connected_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(shared_ones_wait_within_limits, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
