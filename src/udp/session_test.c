/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions by themselves: how they are found, who makes room, when their time is over, what their
 * counts end. Their sockets are real, and nobody sends. */
#include "udp/session.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "dgram/quarantine.h"
#include "event/timer.h"
#include "lb/balance.h"
#include "net/bind_conf.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/test_config.h"
#include "share/segment.h"
#include "udp/port.h"
#include "udp/scan.h"
#include "udp/udp_conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct module *const list[] = { &environment_module, &udp_words_module, &bind_module,
					     &proxy_module, &server_module, &lb_module, NULL };
static struct config *cfg;
static struct proxy *px;
static struct udp_lb *lb;
static struct udp_port port;

/* lines: of the section, beside those of its servers a and b. */
static void begin(const char *lines)
{
	struct err err = { "" };
	struct bind_conf *bind;
	char memory[1000];
	unsigned turn;
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "udp-lb u\n dgram-bind 127.0.0.1:1\n timeout client 30s\n"
		    " timeout server 10s\n server a 127.0.0.1:9\n server b 127.0.0.1:9\n%s", lines);
	clock_freeze(100000);
	assert_int_equal(loop_init(20), 0);
	cfg = test_config_serve(list, t.ptr);
	assert_int_equal(lb_module.prepare(cfg, NULL, &err), 0);
	px = proxy_find(proxies_running, "u", PROXY_BACKEND);
	lb = udp_lb_of(px);
	assert_int_equal(udp_sessions_start(lb, cfg->arena), 0);
	bind = list_first(&px->binds, struct bind_conf, node);
	port = (struct udp_port){ .lb = lb, .number = 1, .dgram = { .claim = -1,
				  .listener = list_first(&bind->listeners, struct listener, node) } };
	port.dgram.listener->port = &port.dgram;
	for (turn = 0; turn < UDP_TURNS; turn++)
		list_init(&port.turns[turn]);
	list_append(&lb->ports, &port.node);
}

static int end(void **state)
{
	(void)state;
	udp_sessions_end_all(END_KILLED);
	loop_turn(0); /* frees them */
	timer_cancel(&lb->timer);
	assert_int_equal(lb->count, 0);
	assert_int_equal(px->fe->current, 0);
	assert_int_equal(px->be->current, 0);
	assert_int_equal(px->be->served, 0);
	assert_int_equal(port.dgram.listener->current, 0);
	assert_int_equal(px->servers->tally->current + px->servers->next->tally->current, 0);
	segment_free(&proxies_running->segment);
	proxies_running = NULL;
	config_free(&cfg);
	loop_free();
	return 0;
}

static struct dgram_key key_of(unsigned client)
{
	struct dgram_key key = { .port = (uint16_t)(client + 1), .number = port.number };

	key.client.s6_addr[12] = 10;
	key.client.s6_addr[15] = (uint8_t)(client >> 8);
	return key;
}

static struct udp_session *found(unsigned client)
{
	struct dgram_key key = key_of(client);

	return udp_session_find(lb, &key);
}

static struct udp_session *begun(unsigned client)
{
	struct dgram_key key = key_of(client);
	struct udp_session *s = udp_session_begin(&port, &key, (struct span){ "x", 1 });

	assert_non_null(s);
	return s;
}

static void test_found_by_its_key(void **state)
{
	struct udp_session *s;
	struct dgram_key key;
	unsigned i;

	(void)state;
	begin("");
	key = key_of(7);
	assert_null(found(7));
	s = begun(7);
	assert_ptr_equal(found(7), s);
	assert_null(found(8));
	for (i = 0; i < sizeof(key); i++) { /* whatever differs */
		((uint8_t *)&key)[i] ^= 0x80;
		assert_null(udp_session_find(lb, &key));
		((uint8_t *)&key)[i] ^= 0x80;
	}
	assert_ptr_equal(udp_session_find(lb, &key), s);
	assert_int_equal(px->fe->current, 1);
	udp_session_end(s, END_NORMAL);
	assert_null(found(7));
}

static void test_many(void **state)
{
	enum { MANY = 300 };
	struct udp_session *all[MANY];
	unsigned i;

	(void)state;
	begin(" maxconn 1000\n");
	lb->mask = 15; /* long chains */
	for (i = 0; i < MANY; i++)
		all[i] = begun(i);
	for (i = 0; i < MANY; i += 3)
		udp_session_end(all[i], END_NORMAL);
	for (i = 0; i < MANY; i++)
		assert_ptr_equal(found(i), i % 3 ? all[i] : NULL);
	for (i = 0; i < MANY; i += 3) {
		all[i] = begun(i);
		assert_ptr_equal(found(i), all[i]);
	}
	assert_int_equal(lb->count, MANY);
	assert_int_equal(px->servers->tally->current, MANY / 2);
}

static void test_the_longest_silent_makes_room(void **state)
{
	unsigned i;

	(void)state;
	begin(" maxconn 3\n");
	for (i = 0; i < 3; i++) {
		begun(i);
		clock_advance(10);
	}
	udp_session_touch(found(0), UDP_SERVER);
	clock_advance(10);
	udp_session_touch(found(1), UDP_CLIENT); /* its server has spoken: it is as lively */
	begun(3);
	assert_null(found(2));
	assert_non_null(found(0));
	assert_non_null(found(1));
	clock_advance(10);
	begun(4);
	assert_null(found(0));
	assert_int_equal(lb->count, 3);
	assert_int_equal(px->fe->counters.connections_max, 3);
}

/* A flood of clients whom nobody answers: three quarters of the places are those of others. */
static void test_the_unanswered_make_room_first(void **state)
{
	unsigned i;

	(void)state;
	begin(" maxconn 8\n");
	for (i = 0; i < 5; i++) {
		udp_session_touch(begun(i), UDP_CLIENT);
		udp_session_count_out(found(i), 1, 1);
		clock_advance(10);
	}
	udp_session_touch(found(0), UDP_SERVER); /* asks again, after its answer */
	for (i = 100; i < 200; i++) {
		begun(i);
		clock_advance(10);
	}
	for (i = 0; i < 5; i++)
		assert_non_null(found(i));
	assert_non_null(found(197));
	assert_non_null(found(198));
	assert_non_null(found(199));
	assert_int_equal(lb->count, 8);
	assert_int_equal(port.unanswered, 3);
	for (i = 200; i < 208; i++) { /* those who are answered need not go for each other */
		udp_session_touch(begun(i), UDP_CLIENT);
		udp_session_count_out(found(i), 1, 1);
		clock_advance(10);
	}
	assert_null(found(0));
	assert_int_equal(port.unanswered, 0);
	assert_int_equal(lb->count, 8);
	begun(300); /* nor for one that waits for its first answer: the longest silent goes */
	begun(301);
	assert_non_null(found(300));
	assert_null(found(200));
}

/* Where nobody answers, none is more than another. */
static void test_no_answers(void **state)
{
	(void)state;
	begin(" maxconn 2\n proxy-requests 100\n proxy-responses 0\n");
	begun(0);
	clock_advance(10);
	begun(1);
	clock_advance(10);
	udp_session_touch(found(0), UDP_SERVER);
	begun(2);
	assert_non_null(found(0));
	assert_null(found(1));
}

static unsigned scanned(void)
{
	struct udp_scan scan = { 0 };
	struct udp_session *s;
	unsigned n = 0;

	while (!udp_scan_over(&scan))
		for (s = udp_scan_next(&scan); s; s = s->next)
			n++;
	return n;
}

static void test_scans_have_those_that_wait(void **state)
{
	struct udp_session *all[60];
	unsigned i;

	(void)state;
	begin(" proxy-requests 1\n");
	for (i = 0; i < 60; i++) {
		all[i] = begun(i % 2);
		udp_session_count_in(all[i], 1, 10);
		assert_null(found(i % 2));
		assert_int_equal(scanned(), i + 1);
	}
	for (i = 0; i < 60; i++) {
		assert_ptr_equal(udp_session_by_id(all[i]->id), all[i]);
		udp_session_end(all[i], END_KILLED);
		assert_int_equal(scanned(), 59 - i);
	}
}

static void test_follows_its_server(void **state)
{
	struct udp_session *s, *old;

	(void)state;
	begin("");
	old = begun(0);
	assert_false(udp_session_is_astray(old));
	old->server->state->addr.port++;
	assert_true(udp_session_is_astray(old));
	s = udp_session_follow(old, (struct span){ "x", 1 });
	assert_ptr_equal(found(0), s);
	assert_ptr_equal(s->server, old->server);
	assert_false(udp_session_is_astray(s));
	assert_int_equal(scanned(), 2); /* an answer of the old address may come */
	clock_advance(5000);
	udp_session_touch(old, UDP_CLIENT); /* which does not lengthen its life */
	udp_session_count_out(old, 1, 1);
	udp_session_touch(s, UDP_CLIENT);
	clock_advance(5000);
	timer_run();
	assert_int_equal(lb->count, 1);
	s->server->state->addr.port++;
	old = s;
	s = udp_session_follow(s, (struct span){ "x", 1 });
	assert_int_equal(lb->count, 1); /* it was answered: nothing is waited for */
	assert_true(old->src.fd < 0);
	assert_ptr_equal(found(0), s);
}

/* A port that follows the client's, here 1. */
static void test_follows_its_offset(void **state)
{
	struct server_state *st;
	struct udp_session *s;

	(void)state;
	begin("");
	s = begun(0);
	st = s->server->state;
	st->port_offset = 8; /* the same port, said otherwise */
	st->port_follows = true;
	assert_false(udp_session_is_astray(s));
	st->port_offset = 18;
	assert_true(udp_session_is_astray(s));
	s = udp_session_follow(s, (struct span){ "x", 1 });
	assert_int_equal(s->server_addr.port, 19);
	assert_false(udp_session_is_astray(s));
	st->port_follows = false;
	assert_true(udp_session_is_astray(s));
}

static void test_time(void **state)
{
	(void)state;
	begin("");
	begun(0);
	begun(1);
	udp_session_touch(found(1), UDP_CLIENT);
	assert_int_equal(udp_session_deadline(found(0)), clock_now_ms + 10000);
	assert_int_equal(udp_session_deadline(found(1)), clock_now_ms + 30000);
	clock_advance(6000);
	udp_session_touch(found(0), UDP_SERVER);
	clock_advance(9999);
	timer_run();
	assert_non_null(found(0));
	clock_advance(1);
	timer_run();
	assert_null(found(0));
	assert_non_null(found(1));
	clock_advance(13999);
	timer_run();
	assert_non_null(found(1));
	clock_advance(1);
	timer_run();
	assert_null(found(1));
	clock_advance(DGRAM_QUARANTINE_MS); /* their ports are free again */
	timer_run();
	assert_true(timer_next() == UINT64_MAX);
}

static void test_counts(void **state)
{
	struct udp_session *s;

	(void)state;
	begin(" proxy-requests 3\n proxy-responses 2\n");
	s = begun(0);
	udp_session_count_in(s, 2, 20);
	udp_session_count_out(s, 4, 40); /* one more of the client may come */
	assert_ptr_equal(found(0), s);
	udp_session_count_in(s, 1, 10);
	assert_null(found(0)); /* the next one begins another session */
	assert_int_equal(lb->count, 1);
	udp_session_count_out(s, 1, 10);
	assert_int_equal(lb->count, 1);
	udp_session_count_out(s, 1, 10);
	assert_int_equal(lb->count, 0);
	assert_int_equal(px->fe->counters.bytes_in, 30);
	assert_int_equal(px->fe->counters.bytes_out, 60);
}

static int datagram_socket(struct addr *addr)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	*addr = (struct addr){ .family = AF_INET, .port = ntohs(sin.sin_port), .v4 = sin.sin_addr };
	return fd;
}

static void nothing(struct task *task)
{
	(void)task;
}

/* Its session is over with it, and goes at the end of the turn. */
static void test_an_answer_leaves_before_its_session_goes(void **state)
{
	struct task other;
	struct addr client_addr, server_addr, port_addr;
	struct sockaddr_in to;
	socklen_t len = sizeof(to);
	struct udp_session *s;
	struct dgram_key key;
	int client, server;
	char byte = 0;

	(void)state;
	begin(" proxy-requests 1\n proxy-responses 1\n");
	assert_int_equal(udp_ports_start(), 0);
	client = datagram_socket(&client_addr);
	server = datagram_socket(&server_addr);
	port.dgram.listener->src.fd = datagram_socket(&port_addr);
	px->servers->state->addr = px->servers->next->state->addr = server_addr;
	key = (struct dgram_key){ .port = htons(client_addr.port), .number = port.number };
	memcpy(&key.client.s6_addr[12], &client_addr.v4, sizeof(client_addr.v4));
	s = udp_session_begin(&port, &key, (struct span){ "x", 1 });
	assert_non_null(s);
	udp_session_count_in(s, 1, 1);
	assert_int_equal(getsockname(s->src.fd, (struct sockaddr *)&to, &len), 0);
	assert_int_equal(sendto(server, "a", 1, 0, (struct sockaddr *)&to, len), 1);
	task_init(&other, nothing);
	loop_limit_tasks(1);
	task_wake(&other); /* that which sends answers has to wait for the next turn */
	loop_turn(1000);
	loop_limit_tasks(0);
	assert_int_equal(lb->count, 0);
	assert_int_equal(recv(client, &byte, 1, 0), 1);
	assert_int_equal(byte, 'a');
	close(client);
	close(server);
	close(port.dgram.listener->src.fd);
	port.dgram.listener->src.fd = -1;
}

static void test_ends_of_a_server(void **state)
{
	struct server *a;
	unsigned i;

	(void)state;
	begin("");
	a = px->servers;
	for (i = 0; i < 10; i++)
		begun(i);
	udp_sessions_end_server(a, END_KILLED);
	assert_int_equal(a->tally->current, 0);
	assert_int_equal(lb->count, 5);
	for (i = 0; i < 10; i++)
		assert_true(!found(i) || found(i)->server != a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_found_by_its_key, end),
		cmocka_unit_test_teardown(test_many, end),
		cmocka_unit_test_teardown(test_the_longest_silent_makes_room, end),
		cmocka_unit_test_teardown(test_the_unanswered_make_room_first, end),
		cmocka_unit_test_teardown(test_no_answers, end),
		cmocka_unit_test_teardown(test_scans_have_those_that_wait, end),
		cmocka_unit_test_teardown(test_follows_its_server, end),
		cmocka_unit_test_teardown(test_follows_its_offset, end),
		cmocka_unit_test_teardown(test_time, end),
		cmocka_unit_test_teardown(test_counts, end),
		cmocka_unit_test_teardown(test_an_answer_leaves_before_its_session_goes, end),
		cmocka_unit_test_teardown(test_ends_of_a_server, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
