/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges over a link that has no socket (net/link.h): a fake connection says addresses, a path
 * and TLS facts. Whole requests and responses pass, with a real server on loopback behind them,
 * which writes down what fetches have said of the link. */
#include "net/link.h"

#include "config.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"
#include "net/addr.h"
#include "proxy/proxy.h"
#include "tls/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 20000, BODY = 3000 };

/* ---- the link --------------------------------------------------------------------------------- */

struct fake {
	bool tls;
	uint32_t mark;
	unsigned hops, vanished;
	int tos;
};

static bool fake_local(const void *of, struct addr *addr)
{
	(void)of;
	*addr = (struct addr){ .family = AF_INET, .port = 8443 };
	return inet_pton(AF_INET, "192.0.2.80", &addr->v4) == 1;
}

static bool fake_path(const void *of, struct link_path *path)
{
	(void)of;
	*path = (struct link_path){ .rtt_us = 12345, .rttvar_us = 678, .lost = 3 };
	return true;
}

static void fake_set_mark(void *of, uint32_t mark)
{
	struct fake *f = of;

	f->mark = mark;
}

static void fake_set_tos(void *of, bool ipv6, int tos)
{
	struct fake *f = of;

	assert_false(ipv6);
	f->tos = tos;
}

static void fake_vanish(void *of, unsigned hops)
{
	struct fake *f = of;

	f->vanished++;
	f->hops = hops;
}

static struct span fake_bytes(const void *of, enum tls_bytes which, char *memory, size_t size)
{
	(void)of;
	switch (which) {
	case TLS_BYTES_VERSION:
		return span_of("TLSv1.3");
	case TLS_BYTES_CIPHER:
		return span_of("TLS_AES_128_GCM_SHA256");
	case TLS_BYTES_ALPN:
		return span_of("h3");
	case TLS_BYTES_SNI:
		return span_of("fake.example");
	case TLS_BYTES_CLIENT_RANDOM:
		assert_true(size >= 2);
		memcpy(memory, "\x01\xfe", 2);
		return (struct span){ memory, 2 };
	default:
		return (struct span){ NULL, 0 };
	}
}

static bool fake_number(const void *of, enum tls_number which, int64_t *number)
{
	(void)of;
	*number = which == TLS_NUMBER_KEY_BITS_USED ? 128 : 1;
	return which == TLS_NUMBER_KEY_BITS_USED || which == TLS_NUMBER_RESUMED;
}

static const struct tls_link_ops fake_tls_ops = { .bytes = fake_bytes, .number = fake_number };

static const struct tls_link_ops *fake_tls(const void *of)
{
	const struct fake *f = of;

	return f->tls ? &fake_tls_ops : NULL;
}

static const struct link_ops fake_link_ops = {
	.local = fake_local,
	.original_dst = fake_local,
	.path = fake_path,
	.tls = fake_tls,
	.set_mark = fake_set_mark,
	.set_tos = fake_set_tos,
	.vanish = fake_vanish,
};

/* ---- the server: answers any request with BODY bytes ------------------------------------------ */

static int listening, client = -1;
static char head[2048];
static size_t head_len;

static void server_answer(void)
{
	char answer[BODY + 100];
	size_t len, i;

	len = (size_t)snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n",
			       BODY);
	for (i = 0; i < BODY; i++)
		answer[len + i] = test_byte(BODY, i);
	assert_int_equal(send(client, answer, len + BODY, MSG_NOSIGNAL), len + BODY);
}

static void server_turn(void)
{
	ssize_t got;

	if (client < 0)
		client = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
	if (client < 0)
		return;
	got = recv(client, head + head_len, sizeof(head) - 1 - head_len, 0);
	if (got <= 0)
		return;
	head_len += (size_t)got;
	head[head_len] = 0;
	if (strstr(head, "\r\n\r\n"))
		server_answer();
}

static int begin(void **state)
{
	char text[1500];
	unsigned port;

	(void)state;
	listening = world_listen(&port);
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 5s\n timeout client 60s\n timeout server 60s\n"
		 "frontend f\n"
		 " http-request silent-drop rst-ttl 3 if { path /1 }\n"
		 " http-request set-mark 0x17\n http-request set-tos 0x20\n"
		 " http-request set-header x-addr %%[src]:%%[src_port],%%[dst]:%%[dst_port]\n"
		 " http-request set-header x-rtt %%[fc_rtt(us)],%%[fc_rttvar(us)],%%[fc_lost]\n"
		 " http-request set-header x-is %%[ssl_fc]\n"
		 " http-request set-header x-log %%sslv,%%sslc\n"
#ifdef HAVE_OPENSSL
		 " http-request set-header x-tls %%[ssl_fc_protocol],%%[ssl_fc_cipher],"
		 "%%[ssl_fc_alpn],%%[ssl_fc_sni],%%[ssl_fc_client_random,hex],"
		 "%%[ssl_fc_use_keysize],%%[ssl_fc_is_resumed],%%[ssl_fc_has_sni]\n"
		 " http-request set-header x-none <%%[ssl_fc_session_id,hex]%%[ssl_c_s_dn]"
		 "%%[ssl_fc_alg_keysize]%%[ssl_fc_cipherlist_str]>\n"
#endif
		 " default_backend b\n"
		 "backend b\n http-reuse always\n server s 127.0.0.1:%u\n", port);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	if (client >= 0)
		close(client);
	close(listening);
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void open_fake(struct wire *w, struct fake *f)
{
	wire_open(w, world_frontend("f"));
	w->origin.src = (struct addr){ .family = AF_INET, .port = 4711 };
	assert_int_equal(inet_pton(AF_INET, "198.51.100.7", &w->origin.src.v4), 1);
	w->link = (struct link){ &fake_link_ops, f };
}

static void serve(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->end && i < PATIENCE; i++) {
		server_turn();
		world_turn(0);
	}
	assert_null(lane->end);
}

static void server_saw(const char *line)
{
	if (!strstr(head, line))
		fail_msg("'%s' is not in:\n%s", line, head);
}

static void fetches_ask_the_link(void **state)
{
	struct fake f = { .tls = true };
	struct wire w;
	struct lane *lane;

	(void)state;
	head_len = 0;
	open_fake(&w, &f);
	lane = wire_ask(&w, 0, BODY);
	serve(lane);
	lane_is_whole(lane);
	server_saw("\r\nx-addr: 198.51.100.7:4711,192.0.2.80:8443\r\n");
	server_saw("\r\nx-rtt: 12345,678,3\r\n");
	server_saw("\r\nx-is: 1\r\n");
	server_saw("\r\nx-log: TLSv1.3,TLS_AES_128_GCM_SHA256\r\n");
#ifdef HAVE_OPENSSL
	server_saw("\r\nx-tls: TLSv1.3,TLS_AES_128_GCM_SHA256,h3,fake.example,01FE,128,1,1\r\n");
	server_saw("\r\nx-none: <>\r\n");
#endif
	assert_int_equal(f.mark, 0x17);
	assert_int_equal(f.tos, 0x20);
	assert_int_equal(f.vanished, 0);
	wire_close(&w);
}

static void without_tls_nothing_is_known_of_it(void **state)
{
	struct fake f = { .tls = false };
	struct wire w;
	struct lane *lane;

	(void)state;
	head_len = 0;
	open_fake(&w, &f);
	lane = wire_ask(&w, 0, BODY);
	serve(lane);
	lane_is_whole(lane);
	server_saw("\r\nx-is: 0\r\n");
	server_saw("\r\nx-log: ,\r\n");
#ifdef HAVE_OPENSSL
	server_saw("\r\nx-tls: ,,,,,,0,0\r\n");
#endif
	wire_close(&w);
}

/* No link at all: the program's own client, and rules that ask. */
static void no_link_may_be_asked(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	head_len = 0;
	open_fake(&w, NULL);
	w.link = (struct link){ NULL, NULL };
	lane = wire_ask(&w, 0, BODY);
	serve(lane);
	lane_is_whole(lane);
	server_saw("\r\nx-addr: 198.51.100.7:4711,:\r\n");
	server_saw("\r\nx-rtt: ,,\r\n");
	server_saw("\r\nx-is: 0\r\n");
	wire_close(&w);
}

static void silent_drop_is_done_by_the_link(void **state)
{
	struct fake f = { .tls = true };
	struct wire w;
	struct lane *lane;

	(void)state;
	open_fake(&w, &f);
	lane = wire_ask(&w, 0, 1);
	serve(lane);
	assert_int_equal(lane->status, 0);
	assert_int_equal(f.vanished, 1);
	assert_int_equal(f.hops, 3);
	wire_close(&w);
}

/* Rows that are missing, and no row at all. */
static void what_no_row_answers_is_not_known(void **state)
{
	static const struct link_ops no_rows = { .local = NULL };
	const struct link links[] = { { &no_rows, NULL }, { NULL, NULL } };
	struct link_path path;
	struct addr addr;
	uint64_t count;
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_false(link_local(links[i], &addr));
		assert_false(link_original_dst(links[i], &addr));
		assert_false(link_path(links[i], &path));
		assert_false(link_glitches(links[i], &count));
		assert_int_equal(link_show(links[i]).number, -1);
		assert_false(link_at_end(links[i]));
		assert_true(link_is_quiet(links[i]));
		assert_true(link_drained(links[i]));
		assert_false(tls_link_is(links[i]));
		assert_int_equal(tls_link_fault(links[i]), TLS_FAULT_NONE);
		assert_int_equal(tls_link_error(links[i]), 0);
		assert_null(tls_link_ssl(links[i]));
		link_set_mark(links[i], 1);
		link_set_tos(links[i], true, 1);
		link_vanish(links[i], 1);
		link_acknowledge(links[i]);
		link_discard(links[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches_ask_the_link),
		cmocka_unit_test(without_tls_nothing_is_known_of_it),
		cmocka_unit_test(no_link_may_be_asked),
		cmocka_unit_test(silent_drop_is_done_by_the_link),
		cmocka_unit_test(what_no_row_answers_is_not_known),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
