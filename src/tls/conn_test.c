/* SPDX-License-Identifier: BSD-2-Clause */
/* Two connections with TLS that talk to each other over loopback: bytes that depend on their
 * position in pieces of any size, sockets that are full, ends, failures. */
#include "tls/conn.h"

#include "base/clock.h"
#include "base/result.h"
#include "net/conn_link.h"
#include "net/test_sockets.h"
#include "tls/layer.h"
#include "tls/link.h"
#include "tls/memory.h"
#include "tls/records.h"
#include "tls/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static SSL_CTX *server_ctx, *client_ctx;
static unsigned rnd_state = 4711;

static unsigned rnd(unsigned below)
{
	rnd_state = rnd_state * 1103515245u + 12345u;
	return (rnd_state >> 8) % below;
}

static unsigned char byte_at(uint64_t pos)
{
	return (unsigned char)(((pos / 251) * 0x9e3779b97f4a7c15u >> 32) + pos);
}

static void fill(unsigned char *buf, size_t len, uint64_t pos)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = byte_at(pos + i);
}

static void check(const unsigned char *buf, size_t len, uint64_t pos)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != byte_at(pos + i))
			fail_msg("byte %llu is wrong", (unsigned long long)(pos + i));
}

static void make_certificate(SSL_CTX *ctx)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *x = X509_new();

	ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
	X509_gmtime_adj(X509_getm_notBefore(x), 0);
	X509_gmtime_adj(X509_getm_notAfter(x), 86400);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
				   (const unsigned char *)"test", -1, -1, 0);
	X509_set_issuer_name(x, X509_get_subject_name(x));
	assert_true(X509_sign(x, key, EVP_sha256()) > 0);
	assert_int_equal(SSL_CTX_use_cert_and_key(ctx, x, key, NULL, 1), 1);
	X509_free(x);
	EVP_PKEY_free(key);
}

static int setup(void **state)
{
	(void)state;
	server_ctx = SSL_CTX_new(TLS_server_method());
	client_ctx = SSL_CTX_new(TLS_client_method());
	make_certificate(server_ctx);
	SSL_CTX_set_mode(server_ctx, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_id_context(server_ctx, (const unsigned char *)"t", 1);
	return loop_init(64);
}

static int teardown(void **state)
{
	(void)state;
	SSL_CTX_free(server_ctx);
	SSL_CTX_free(client_ctx);
	loop_free();
	assert_int_equal(tls_stats.current, 0);
	return 0;
}

static void nothing(struct conn *conn)
{
	(void)conn;
}

static struct conn *attach(int *fd)
{
	struct conn *conn = conn_new();

	assert_int_equal(conn_attach(conn, fd, CONN_WRITABLE | CONN_TCP, nothing), 0);
	return conn;
}

struct pair {
	struct conn *client, *server;
};

static struct pair pair_new(int bufsize)
{
	const struct tls_stats before = tls_stats;
	struct pair p;
	int fds[2];

	test_tcp_pair(fds, bufsize);
	p.client = attach(&fds[0]);
	p.server = attach(&fds[1]);
	assert_int_equal(tls_layer_start(p.client, SSL_new(client_ctx), false), 0);
	assert_int_equal(tls_layer_start(p.server, SSL_new(server_ctx), true), 0);
	assert_int_equal(tls_stats.accepts, before.accepts + 1);
	assert_int_equal(tls_stats.connects, before.connects + 1);
	assert_int_equal(tls_stats.current, before.current + 2);
	return p;
}

static void shake_hands(struct pair *p)
{
	const struct tls_stats before = tls_stats;
	enum io c = IO_AGAIN, s = IO_AGAIN;
	int turns;

	for (turns = 0; turns < 1000 && (c != IO_OK || s != IO_OK); turns++) {
		if (c != IO_OK)
			c = tls_conn_handshake(p->client);
		assert_true(c == IO_OK || c == IO_AGAIN);
		loop_turn(1);
		if (s != IO_OK)
			s = tls_conn_handshake(p->server);
		assert_true(s == IO_OK || s == IO_AGAIN);
	}
	assert_int_equal(c, IO_OK);
	assert_int_equal(s, IO_OK);
	assert_int_equal(tls_stats.accepted, before.accepted + 1);
	assert_int_equal(tls_stats.connected, before.connected + 1);
}

static void pair_close(struct pair *p)
{
	conn_close(&p->client, true);
	conn_close(&p->server, true);
	loop_turn(0);
}

/* Sends a piece of any size and form; returns how much was taken. */
static size_t send_some(struct conn *conn, uint64_t pos, size_t most)
{
	static unsigned char buf[70000];
	size_t n = 1 + rnd(rnd(3) ? 2000 : 65000), head, sent = 0;
	struct iovec pieces[2];
	enum io r;

	if (!(conn->flags & CONN_WRITABLE))
		return 0;
	if (n > most)
		n = most;
	fill(buf, n, pos);
	head = rnd((unsigned)n + 1);
	pieces[0] = (struct iovec){ buf, head };
	pieces[1] = (struct iovec){ buf + head, n - head };
	r = rnd(2) ? conn_send(conn, buf, n, rnd(2), &sent) :
		     conn_send_pieces(conn, pieces, 2, false, &sent);
	assert_true(r == IO_OK || r == IO_AGAIN);
	assert_true(sent <= n);
	return r == IO_OK ? sent : 0;
}

static size_t receive_some(struct conn *conn, uint64_t pos)
{
	static unsigned char buf[70000];
	size_t got = 0;
	enum io r;

	if (!(conn->flags & CONN_READABLE))
		return 0;
	r = conn_recv(conn, buf, 1 + rnd(rnd(3) ? 3000 : sizeof(buf)), &got);
	if (r == IO_AGAIN) {
		assert_false(conn->flags & CONN_READABLE);
		return 0;
	}
	assert_int_equal(r, IO_OK);
	check(buf, got, pos);
	return got;
}

static void talk(int bufsize)
{
	enum { BYTES = 3 << 20 };
	uint64_t to_server = 0, at_server = 0, to_client = 0, at_client = 0;
	struct pair p = pair_new(bufsize);

	shake_hands(&p);
	while (at_server < BYTES || at_client < BYTES) {
		if (to_server < BYTES && rnd(3))
			to_server += send_some(p.client, to_server, BYTES - to_server);
		if (to_client < BYTES && rnd(3))
			to_client += send_some(p.server, to_client, BYTES - to_client);
		if (rnd(3))
			at_server += receive_some(p.server, at_server);
		if (rnd(3))
			at_client += receive_some(p.client, at_client);
		loop_turn(0);
	}
	pair_close(&p);
}

static void bytes_pass_both_ways(void **state)
{
	(void)state;
	talk(0);
}

static void bytes_pass_through_small_sockets(void **state)
{
	(void)state;
	talk(4096);
}

static void records_may_be_short(void **state)
{
	(void)state;
	tls_records.most = 1400;
	talk(0);
	tls_records.most = 0;
}

static unsigned longest;

/* Of data that was sent: the size of each record (its header is shown). */
static void see_record(int written, int version, int type, const void *buf, size_t len, SSL *ssl,
		       void *arg)
{
	const unsigned char *head = buf;
	unsigned size;

	(void)version, (void)ssl, (void)arg;
	if (!written || type != SSL3_RT_HEADER || len != 5 || head[0] != SSL3_RT_APPLICATION_DATA)
		return;
	size = (unsigned)head[3] << 8 | head[4];
	longest = size > longest ? size : longest;
}

static unsigned longest_of(struct pair *p, size_t size)
{
	static unsigned char buf[65536];
	size_t sent, total = 0;
	uint64_t received = 0;
	int turns;

	longest = 0;
	for (turns = 0; turns < 10000 && received < size; turns++) {
		if (total < size && conn_send(p->client, buf, size - total, false, &sent) == IO_OK)
			total += sent;
		while (p->server->flags & CONN_READABLE &&
		       conn_recv(p->server, buf, sizeof(buf), &sent) == IO_OK)
			received += sent;
		loop_turn(1);
	}
	assert_int_equal(received, size);
	return longest;
}

/* tune.ssl.maxrecord: at the beginning, and behind a pause. */
static void first_records_may_be_short(void **state)
{
	struct pair p = pair_new(0);

	(void)state;
	tls_records.first = 1400;
	tls_records.idle_ms = 600000; /* longer than any machine takes for this */
	shake_hands(&p);
	SSL_set_msg_callback(tls_link_ssl(conn_link(p.client)), see_record);
	assert_in_range(longest_of(&p, 30000), 1400, 1500);
	longest_of(&p, 60000);
	assert_true(longest_of(&p, 60000) > 16000);
	container_of(p.client->layer, struct tls_conn, layer)->sent_ms -= tls_records.idle_ms + 1;
	assert_in_range(longest_of(&p, 30000), 1400, 1500);
	tls_records.first = 0;
	tls_records.idle_ms = 1000;
	pair_close(&p);
}

/* Everything that was taken arrives, though the socket was full when it was closed. */
static void what_was_taken_survives_the_close(void **state)
{
	static unsigned char buf[65536];
	struct pair p = pair_new(4096);
	uint64_t received = 0;
	size_t sent = 0, total = 0, got;
	enum io r;

	(void)state;
	shake_hands(&p);
	do {
		fill(buf, sizeof(buf), total);
		r = conn_send(p.client, buf, sizeof(buf), false, &sent);
		total += r == IO_OK ? sent : 0;
	} while (r == IO_OK);
	assert_true(total >= sizeof(buf));
	conn_close(&p.client, false);
	for (;;) {
		loop_turn(10);
		if (!(p.server->flags & CONN_READABLE))
			continue;
		r = conn_recv(p.server, buf, sizeof(buf), &got);
		if (r == IO_AGAIN)
			continue;
		if (r != IO_OK)
			break;
		check(buf, got, received);
		received += got;
	}
	assert_int_equal(r, IO_EOF);
	assert_int_equal(received, total);
	pair_close(&p);
}

static enum io wait_recv(struct conn *conn, void *buf, size_t size, size_t *got)
{
	enum io r;
	int turns;

	for (turns = 0; turns < 10000; turns++) {
		if (conn->flags & CONN_READABLE) {
			r = conn_recv(conn, buf, size, got);
			if (r != IO_AGAIN)
				return r;
		}
		loop_turn(10);
	}
	return IO_AGAIN;
}

static void an_end_leaves_the_other_way_open(void **state)
{
	struct pair p = pair_new(0);
	char buf[100];
	size_t n;

	(void)state;
	shake_hands(&p);
	assert_int_equal(conn_send(p.client, "question", 8, true, &n), IO_OK);
	conn_shut(p.client);
	assert_int_equal(wait_recv(p.server, buf, sizeof(buf), &n), IO_OK);
	assert_int_equal(n, 8);
	assert_int_equal(wait_recv(p.server, buf, sizeof(buf), &n), IO_EOF);
	assert_int_equal(conn_send(p.server, "answer", 6, false, &n), IO_OK);
	conn_close(&p.server, false);
	assert_int_equal(wait_recv(p.client, buf, sizeof(buf), &n), IO_OK);
	assert_memory_equal(buf, "answer", 6);
	assert_int_equal(wait_recv(p.client, buf, sizeof(buf), &n), IO_EOF);
	assert_int_equal(conn_recv(p.client, buf, sizeof(buf), &n), IO_EOF);
	pair_close(&p);
}

/* By close_notify the peer says that it ends; a socket may end without. */
static void an_end_may_be_unsaid(void **state)
{
	char buf[100];
	unsigned how;
	size_t n;

	(void)state;
	for (how = 0; how < 3; how++) {
		struct pair p = pair_new(0);

		shake_hands(&p);
		assert_int_equal(conn_send(p.server, "answer", 6, false, &n), IO_OK);
		assert_false(tls_link_has(conn_link(p.client), TLS_NUMBER_UNSAID));
		if (how == 0)
			conn_close(&p.server, false);
		else if (how == 1)
			conn_raw_shut(p.server);
		else /* the beginning of a record, and no more */
			assert_int_equal(conn_raw_send(p.server, "\x17\x03\x03", 3, false, &n), IO_OK);
		if (how == 2)
			conn_raw_shut(p.server);
		assert_int_equal(wait_recv(p.client, buf, sizeof(buf), &n), IO_OK);
		assert_int_equal(n, 6);
		assert_int_equal(wait_recv(p.client, buf, sizeof(buf), &n), IO_EOF);
		assert_int_equal(tls_link_has(conn_link(p.client), TLS_NUMBER_UNSAID), how > 0);
		assert_int_equal(conn_recv(p.client, buf, sizeof(buf), &n), IO_EOF);
		assert_int_equal(tls_link_has(conn_link(p.client), TLS_NUMBER_UNSAID), how > 0);
		pair_close(&p);
	}
}

static void tickets_are_no_bytes(void **state)
{
	struct pair p = pair_new(0);
	char buf[10];
	size_t n;

	(void)state;
	shake_hands(&p);
	loop_turn(300);
	loop_turn(10);
	assert_true(conn_is_quiet(p.client));
	assert_false(p.client->flags & CONN_READABLE);
	assert_false(conn_at_end(p.client));
	assert_int_equal(conn_send(p.server, "x", 1, false, &n), IO_OK);
	while (conn_is_quiet(p.client))
		loop_turn(10);
	assert_true(p.client->flags & CONN_READABLE);
	assert_int_equal(conn_recv(p.client, buf, sizeof(buf), &n), IO_OK);
	assert_int_equal(n, 1);
	conn_close(&p.server, false);
	while (!conn_at_end(p.client))
		loop_turn(10);
	pair_close(&p);
}

/* What follows the client's last word of the handshake in one segment is not lost. */
static void bytes_behind_the_handshake_are_at_hand(void **state)
{
	struct pair p = pair_new(0);
	enum io c = IO_AGAIN, s = IO_AGAIN;
	char buf[10];
	size_t n;

	(void)state;
	while (c != IO_OK) {
		c = tls_conn_handshake(p.client);
		if (c == IO_OK)
			break;
		loop_turn(10);
		s = tls_conn_handshake(p.server);
		loop_turn(10);
	}
	assert_int_equal(s, IO_AGAIN);
	assert_int_equal(conn_send(p.client, "hello", 5, false, &n), IO_OK);
	loop_turn(10);
	while (tls_conn_handshake(p.server) == IO_AGAIN)
		loop_turn(10);
	assert_int_equal(wait_recv(p.server, buf, sizeof(buf), &n), IO_OK);
	assert_int_equal(n, 5);
	pair_close(&p);
}

static enum io handshake_with(const char *bytes, size_t len, bool closes, enum tls_fault *fault)
{
	struct conn *server;
	enum io r = IO_AGAIN;
	int fds[2], turns;

	test_tcp_pair(fds, 0);
	server = attach(&fds[1]);
	assert_int_equal(tls_layer_start(server, SSL_new(server_ctx), true), 0);
	for (turns = 0; len && turns < 10000 && r == IO_AGAIN; turns++, bytes++, len--) {
		assert_int_equal(send(fds[0], bytes, 1, MSG_NOSIGNAL), 1);
		loop_turn(1);
		r = tls_conn_handshake(server);
	}
	if (closes)
		close(fds[0]);
	for (turns = 0; turns < 1000 && r == IO_AGAIN && closes; turns++) {
		loop_turn(1);
		r = tls_conn_handshake(server);
	}
	*fault = tls_link_fault(conn_link(server));
	conn_close(&server, false);
	if (!closes)
		close(fds[0]);
	loop_turn(0);
	return r;
}

static void faults_are_told_apart(void **state)
{
	static const char http[] = "GET / HTTP/1.1\r\n\r\n";
	static const char part[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
	enum tls_fault fault;

	(void)state;
	assert_int_equal(handshake_with("", 0, true, &fault), IO_EOF);
	assert_int_equal(fault, TLS_FAULT_EMPTY);
	assert_int_equal(handshake_with(part, sizeof(part) - 1, true, &fault), IO_EOF);
	assert_int_equal(fault, TLS_FAULT_CLOSED);
	assert_int_equal(handshake_with(http, sizeof(http) - 1, false, &fault), IO_ERR);
	assert_int_equal(fault, TLS_FAULT_PROTOCOL);
}

static void a_forged_record_breaks_the_connection(void **state)
{
	static const char forged[] = "\x17\x03\x03\x00\x20" "0123456789abcdef0123456789abcdef";
	struct pair p = pair_new(0);
	char buf[10];
	size_t n;

	(void)state;
	shake_hands(&p);
	assert_true(send(p.client->src.fd, forged, sizeof(forged) - 1, MSG_NOSIGNAL) > 0);
	assert_int_equal(wait_recv(p.server, buf, sizeof(buf), &n), IO_ERR);
	assert_int_equal(tls_link_fault(conn_link(p.server)), TLS_FAULT_PROTOCOL);
	assert_int_not_equal(tls_link_error(conn_link(p.server)), 0);
	assert_int_equal(conn_send(p.server, "x", 1, false, &n), IO_ERR);
	pair_close(&p);
}

/* What is silent is folded, wakes when it is looked at or spoken to, and may end as it is. */
static void silent_connections_rest(void **state)
{
	const unsigned before = tls_stats.folded, after = tls_tune.silence_ms;
	struct pair p = pair_new(0);
	char buf[10];
	size_t n;
	int turns;

	(void)state;
	shake_hands(&p);
	tls_tune.silence_ms = 1;
	for (turns = 0; turns < 2000 && tls_memory_started && tls_stats.folded < before + 2; turns++) {
		DROPPED(conn_is_quiet(p.client), "it takes in what has come");
		loop_turn(10);
	}
	tls_tune.silence_ms = after;
	if (tls_memory_started)
		assert_int_equal(tls_stats.folded, before + 2);
	assert_true(span_equal(tls_link_text(conn_link(p.server), TLS_BYTES_VERSION), span_of("TLSv1.3")));
	if (tls_memory_started)
		assert_int_equal(tls_stats.folded, before + 1);
	assert_int_equal(conn_send(p.server, "awake", 5, false, &n), IO_OK);
	assert_int_equal(wait_recv(p.client, buf, sizeof(buf), &n), IO_OK);
	assert_int_equal(n, 5);
	assert_memory_equal(buf, "awake", 5);
	pair_close(&p);
	assert_int_equal(tls_stats.folded, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_connections_rest),
		cmocka_unit_test(bytes_pass_both_ways),
		cmocka_unit_test(bytes_pass_through_small_sockets),
		cmocka_unit_test(records_may_be_short),
		cmocka_unit_test(first_records_may_be_short),
		cmocka_unit_test(what_was_taken_survives_the_close),
		cmocka_unit_test(an_end_leaves_the_other_way_open),
		cmocka_unit_test(an_end_may_be_unsaid),
		cmocka_unit_test(tickets_are_no_bytes),
		cmocka_unit_test(bytes_behind_the_handshake_are_at_hand),
		cmocka_unit_test(faults_are_told_apart),
		cmocka_unit_test(a_forged_record_breaks_the_connection),
	};

	int failed;

	tls_memory_start();
	failed = cmocka_run_group_tests_name("awake", tests, setup, teardown);
	tls_tune.silence_ms = 0; /* between any two turns of the loop */
	return failed + cmocka_run_group_tests_name("resting", tests, setup, teardown);
}
