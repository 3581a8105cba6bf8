/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients of HTTP/2 over a connection of TCP, behind which stand real streams, exchanges and a
 * server of HTTP/1 on loopback. GET /n is answered with n bytes; POST with chunks and a trailer. */
#include "session/h2_carrier.h"

#include "base/clock.h"
#include "base/pool.h"
#include "exchange/test_world.h"
#include "http/h2_frame.h"
#include "http/hpack.h"
#include "net/listener.h"
#include "net/test_sockets.h"
#include "proxy/proxy.h"
#include "session/admission.h"
#include "session/session.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED = 8, STREAMS = 8, ROOM = 1 << 16, PATIENCE = 200000, LARGE = 300000, QUIET = 40 };

/* ---- the server ------------------------------------------------------------------------- */

struct asked {
	int fd;             /* -1: none */
	char text[4096];    /* of the request */
	size_t got;
	size_t size, sent;  /* of the answer, head included; size 0: no request yet */
	bool held;          /* it says nothing at present */
};

static int listening;
static struct asked asked[ASKED];
static bool hold_all; /* who asks now is held */
static char last_request[4096];

static const char post_answer[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
				  "5\r\nthere\r\n0\r\nSum: 9\r\n\r\n";

static char byte_at(size_t n, size_t at)
{
	return (char)('a' + (n * 7 + at / 3) % 26);
}

static size_t answer_head(char head[64], size_t n)
{
	return (size_t)snprintf(head, 64, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
}

static void asked_leave(struct asked *a)
{
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct asked){ .fd = -1 };
}

static bool asked_is_whole(const struct asked *a)
{
	const char *last = a->got < 4 ? "" : a->text + a->got - 4;

	return !strcmp(last, "\r\n\r\n") &&
	       (strncmp(a->text, "POST ", 5) || strstr(a->text, "\r\n0\r\n"));
}

static void asked_read(struct asked *a)
{
	ssize_t got = recv(a->fd, a->text + a->got, sizeof(a->text) - 1 - a->got, MSG_DONTWAIT);
	char head[64];

	if (got == 0 || (got < 0 && errno != EAGAIN))
		asked_leave(a);
	if (got <= 0)
		return;
	a->got += (size_t)got;
	a->text[a->got] = 0;
	if (!asked_is_whole(a))
		return;
	memcpy(last_request, a->text, a->got + 1);
	a->size = sizeof(post_answer) - 1;
	if (!strncmp(a->text, "GET /", 5)) {
		a->size = strtoul(a->text + 5, NULL, 10);
		a->size += answer_head(head, a->size);
	}
	a->sent = a->got = 0;
	a->held = hold_all;
}

static size_t get_piece(const struct asked *a, char *piece, size_t room)
{
	size_t n = strtoul(a->text + 5, NULL, 10), len, i;
	char head[64];

	len = answer_head(head, n);
	for (i = 0; i < room && a->sent + i < a->size; i++)
		piece[i] = a->sent + i < len ? head[a->sent + i] : byte_at(n, a->sent + i - len);
	return i;
}

static void asked_answer(struct asked *a)
{
	char piece[4096];
	size_t len = a->size;
	ssize_t sent;

	if (a->text[0] == 'P')
		memcpy(piece, post_answer, len);
	else
		len = get_piece(a, piece, sizeof(piece));
	sent = send(a->fd, piece, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN)
		asked_leave(a);
	if (sent <= 0)
		return;
	a->sent += (size_t)sent;
	if (a->sent == a->size || a->text[0] == 'P')
		a->size = 0;
}

static void server_turn(void)
{
	struct asked *a;

	for (a = asked; a < asked + ASKED; a++) {
		if (a->fd < 0)
			a->fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
		else if (!a->size)
			asked_read(a);
		else if (!a->held)
			asked_answer(a);
	}
}

/* Who is asked for n bytes; NULL: nobody yet. */
static struct asked *server_of(size_t n)
{
	struct asked *a;

	for (a = asked; a < asked + ASKED; a++)
		if (a->fd >= 0 && a->size && strtoul(a->text + 5, NULL, 10) == n)
			return a;
	return NULL;
}

static void server_release(void)
{
	unsigned i;

	hold_all = false;
	for (i = 0; i < ASKED; i++)
		asked[i].held = false;
}

/* ---- the client ------------------------------------------------------------------------- */

/* What came on one stream. */
struct heard {
	size_t n, got;  /* bytes asked for, bytes that came */
	unsigned status;
	bool ended, reset;
	char body[64];  /* its beginning */
	char trailers[64];
};

static int fd = -1;
static char in[ROOM];
static size_t in_len;
static struct h2_reader reader;
static struct field_table table;
static struct heard heard[STREAMS];
static bool goaway;

static struct heard *on(uint32_t stream)
{
	assert_true(stream % 2 && stream / 2 < STREAMS);
	return &heard[stream / 2];
}

static void put(const char *bytes, size_t len)
{
	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
}

static void frame(enum h2_type type, unsigned flags, uint32_t stream, const void *bytes, size_t len)
{
	char all[H2_FRAME_HEADER + 1000];

	assert_true(len <= 1000);
	h2_write_header(all, type, flags, stream, (uint32_t)len);
	if (len)
		memcpy(all + H2_FRAME_HEADER, bytes, len);
	put(all, H2_FRAME_HEADER + len);
}

static void ask(uint32_t stream, const char *method, size_t n, unsigned flags)
{
	char block[500], path[30];
	struct hpack_writer w = { block, block + sizeof(block), false };

	*on(stream) = (struct heard){ .n = n };
	snprintf(path, sizeof(path), "/%zu", n);
	hpack_write_pseudo(&w, PSEUDO_METHOD, span_of(method));
	hpack_write_pseudo(&w, PSEUDO_SCHEME, span_of("http"));
	hpack_write_pseudo(&w, PSEUDO_PATH, span_of(path));
	hpack_write_pseudo(&w, PSEUDO_AUTHORITY, span_of("a"));
	frame(H2_HEADERS, flags | H2_END_HEADERS, stream, block, (size_t)(w.at - block));
}

static void get(uint32_t stream, size_t n)
{
	ask(stream, "GET", n, H2_END_STREAM);
}

static void hear_fields(struct heard *h, struct span block)
{
	static struct field fields[64];
	static char memory[4096];
	struct hpack_fields list = { .fields = fields, .max = 64, .memory = memory,
				     .room = sizeof(memory), .limit = UINT64_MAX };
	unsigned i;

	assert_int_equal(hpack_read(&table, block, &list), HPACK_OK);
	for (i = 0; i < list.count; i++) {
		if (!h->status) /* three digits, no NUL behind them */
			h->status = (unsigned)(fields[i].value.ptr[0] - '0') * 100 +
				    (unsigned)(fields[i].value.ptr[1] - '0') * 10 +
				    (unsigned)(fields[i].value.ptr[2] - '0');
		else if (h->got)
			snprintf(h->trailers, sizeof(h->trailers), "%.*s=%.*s",
				 (int)fields[i].name.len, fields[i].name.ptr,
				 (int)fields[i].value.len, fields[i].value.ptr);
	}
}

static void hear_bytes(struct heard *h, struct span bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++, h->got++) {
		if (h->got < sizeof(h->body) - 1)
			h->body[h->got] = bytes.ptr[i];
		if (h->n && h->status == 200)
			assert_int_equal(bytes.ptr[i], byte_at(h->n, h->got));
	}
}

static void hear_frame(enum h2_result result, const struct h2_read *r)
{
	bool ends = (r->frame.flags & H2_END_STREAM) && (result == H2_WHOLE || r->last);

	assert_int_not_equal(result, H2_BAD);
	if (result == H2_PIECE)
		hear_bytes(on(r->frame.stream), r->payload);
	else if (r->frame.type == H2_HEADERS)
		hear_fields(on(r->frame.stream), r->payload);
	else if (r->frame.type == H2_RST_STREAM)
		on(r->frame.stream)->reset = true;
	else if (r->frame.type == H2_GOAWAY)
		goaway = true;
	else if (r->frame.type == H2_SETTINGS && !(r->frame.flags & H2_ACK))
		frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	if ((result == H2_PIECE || r->frame.type == H2_HEADERS) && ends)
		on(r->frame.stream)->ended = true;
}

static void hear(void)
{
	struct span rest = { in, 0 };
	enum h2_result result;
	struct h2_read r;
	ssize_t n = recv(fd, in + in_len, ROOM - in_len, MSG_DONTWAIT);

	if (n > 0)
		in_len += (size_t)n;
	rest.len = in_len;
	while ((result = h2_read(&reader, &rest, &r)) != H2_MORE)
		hear_frame(result, &r);
	memmove(in, rest.ptr, rest.len);
	in_len = rest.len;
}

static void turn(void)
{
	server_turn();
	world_turn(0);
	if (fd >= 0)
		hear();
}

#define AWAIT(what)                                                \
	do {                                                       \
		unsigned i_;                                       \
		for (i_ = 0; !(what) && i_ < PATIENCE; i_++)       \
			turn();                                    \
		assert_true(what);                                 \
	} while (0)

static uint64_t in_use(const char *name)
{
	const struct pool *pool;

	for (pool = pool_first(); pool; pool = pool->next)
		if (!strcmp(pool->name, name))
			return pool->used;
	return 0;
}

static const char *entrance = "f"; /* the frontend of the next client */

static struct session *session_made(void)
{
	struct bind_conf *bind = container_of(world_frontend(entrance)->binds.next,
					      struct bind_conf, node);
	struct listener *l = container_of(bind->listeners.next, struct listener, node);
	struct addr from = { .family = AF_INET, .v4.s_addr = htonl(0x7f000009), .port = 9 };
	struct session *se;

	admission_take(l);
	se = session_new(l, &from);
	assert_non_null(se);
	return se;
}

/* told: addresses as out of a PROXY header; NULL: none. */
static void client_open(const struct addr *told)
{
	struct session *se = session_made();
	struct conn *conn = conn_new();
	char window[H2_WINDOW_SIZE];
	int fds[2], on = 1;

	test_tcp_pair(fds, 0);
	setsockopt(fds[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* as of those accepted */
	fd = fds[0];
	in_len = 0;
	goaway = false;
	reader = (struct h2_reader){ .max = H2_FRAME_LEAST };
	field_table_init(&table, HPACK_DEFAULT);
	assert_int_equal(conn_attach(conn, &fds[1], CONN_WRITABLE | CONN_TCP, NULL), 0);
	if (told)
		assert_true(session_set_addrs(se, told, told));
	se->conn = conn;
	h2_carrier_begin(se);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, "\0\4\x7f\xff\xff\xff", 6);
	put(window, (size_t)(h2_write_window(window, 0, 1 << 30) - window));
}

/* Nothing of it is left; some exchanges are kept for the next stream. */
static void client_gone(void)
{
	AWAIT(!in_use("session"));
	assert_int_equal(in_use("http/2 carrier"), 0);
	assert_int_equal(in_use("lane"), 0);
	assert_int_equal(in_use("http/2 connection"), 0);
	assert_int_equal(in_use("http/2 stream"), 0);
	assert_int_equal(in_use("stream"), 0);
	assert_int_equal(in_use("peer address"), 0);
	assert_int_equal(in_use("buffer"), 0);
	assert_int_equal(in_use("small buffer"), 0);
	assert_int_equal(streams_count, 0);
}

static void client_close(void)
{
	close(fd);
	fd = -1;
	field_table_free(&table);
	client_gone();
}

static void is_whole(uint32_t stream)
{
	const struct heard *h = on(stream);

	assert_true(h->ended);
	assert_false(h->reset);
	assert_int_equal(h->status, 200);
	assert_int_equal(h->got, h->n);
}

/* ---- the world -------------------------------------------------------------------------- */

static int begin(void **state)
{
	char text[1000];
	unsigned port, i;

	(void)state;
	listening = world_listen(&port);
	for (i = 0; i < ASKED; i++)
		asked[i] = (struct asked){ .fd = -1 };
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 50s\n timeout client 600s\n"
		 " timeout server 600s\nfrontend f\n bind 127.0.0.1:1\n"
		 " http-request deny if { path /0 }\n"
		 " http-request set-header From \"%%[src] %%[fc_src]\"\n"
		 " default_backend b\n"
		 "frontend k\n bind 127.0.0.1:1\n timeout http-request 7s\n"
		 " timeout http-keep-alive 3s\n timeout client 20s\n timeout client-fin 4s\n"
		 " default_backend b\n"
		 "frontend r\n bind 127.0.0.1:1\n timeout http-request 7s\n timeout client 20s\n"
		 " default_backend b\n"
		 "frontend c\n bind 127.0.0.1:1\n timeout client 20s\n default_backend b\n"
		 "backend b\n http-reuse always\n server s 127.0.0.1:%u\n", port);
	clock_freeze(1000000);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	world_end();
	for (i = 0; i < ASKED; i++)
		asked_leave(&asked[i]);
	close(listening);
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------ */

static void bodies_come_to_the_byte(void **state)
{
	uint64_t requests = world_frontend("f")->fe->counters.requests;

	(void)state;
	client_open(NULL);
	get(1, 5);
	AWAIT(on(1)->ended);
	is_whole(1);
	assert_non_null(strstr(last_request, "GET /5 HTTP/1.1\r\n"));
	assert_non_null(strstr(last_request, "127.0.0.9 127.0.0.9\r\n"));
	get(3, LARGE);
	AWAIT(on(3)->ended);
	is_whole(3);
	get(5, 0); /* denied by a rule */
	AWAIT(on(5)->ended);
	assert_int_equal(on(5)->status, 403);
	assert_true(on(5)->got > 0);
	assert_int_equal(world_frontend("f")->fe->counters.requests, requests + 3);
	assert_int_equal(in_use("lane"), 0);
	client_close();
}

/* The last one ends first; the first one stops in the middle of its body until the others have
 * ended. */
static void three_at_once_end_in_any_order(void **state)
{
	(void)state;
	client_open(NULL);
	hold_all = true;
	get(1, LARGE);
	get(3, 100000);
	get(5, 10);
	AWAIT(server_of(LARGE) && server_of(100000) && server_of(10));
	assert_int_equal(streams_count, 3);
	hold_all = false;
	server_of(10)->held = false;
	AWAIT(on(5)->ended);
	server_of(LARGE)->held = false;
	AWAIT(on(1)->got > 0);
	server_of(LARGE)->held = true;
	server_of(100000)->held = false;
	AWAIT(on(3)->ended);
	assert_false(on(1)->ended);
	server_of(LARGE)->held = false;
	AWAIT(on(1)->ended);
	is_whole(1);
	is_whole(3);
	is_whole(5);
	client_close();
}

static void one_reset_leaves_the_others(void **state)
{
	(void)state;
	client_open(NULL);
	hold_all = true;
	get(1, 1000);
	get(3, LARGE);
	get(5, 20);
	AWAIT(server_of(1000) && server_of(LARGE) && server_of(20));
	server_of(LARGE)->held = false;
	AWAIT(on(3)->got > 0);
	server_of(LARGE)->held = true;
	frame(H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4); /* waits for its head */
	AWAIT(streams_count == 2);
	frame(H2_RST_STREAM, 0, 3, "\0\0\0\x8", 4); /* in the middle of its body */
	AWAIT(streams_count == 1);
	server_release();
	AWAIT(on(5)->ended);
	is_whole(5);
	assert_int_equal(on(1)->status, 0);
	assert_false(on(3)->ended);
	get(7, 77);
	AWAIT(on(7)->ended);
	is_whole(7);
	client_close();
}

/* One waits for its head, one is in the middle of its body, one has not sent its own yet. */
static void the_connection_dies_under_all(void **state)
{
	uint64_t aborts = world_frontend("f")->fe->counters.client_aborts;

	(void)state;
	client_open(NULL);
	hold_all = true;
	get(1, 1000);
	get(3, LARGE);
	ask(5, "POST", 0, 0);
	ask(7, "POST", 7, 0);
	AWAIT(server_of(1000) && server_of(LARGE) && on(5)->ended);
	server_of(LARGE)->held = false;
	AWAIT(on(3)->got > 0);
	server_of(LARGE)->held = true;
	assert_int_equal(streams_count, 3);
	client_close();
	assert_int_equal(world_frontend("f")->fe->counters.client_aborts, aborts + 3);
	server_release();
}

static void trailers_pass_both_ways(void **state)
{
	(void)state;
	client_open(NULL);
	ask(1, "POST", 0, 0);
	AWAIT(on(1)->ended); /* denied before its body */
	assert_int_equal(on(1)->status, 403);
	ask(3, "POST", 3, 0);
	on(3)->n = 0; /* the answer is no pattern */
	frame(H2_DATA, 0, 3, "hello ", 6);
	turn();
	frame(H2_DATA, 0, 3, "world", 5);
	frame(H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 3, "\0\5check\1""7", 9);
	AWAIT(on(3)->ended);
	assert_int_equal(on(3)->status, 200);
	assert_string_equal(on(3)->body, "there");
	assert_string_equal(on(3)->trailers, "sum=9");
	assert_non_null(strstr(last_request, "hello"));
	assert_non_null(strstr(last_request, "world"));
	assert_non_null(strstr(last_request, "\r\n0\r\ncheck: 7\r\n\r\n"));
	client_close();
}

/* Those of a PROXY header are the client's for each stream, those of the connection stay known. */
static void streams_know_the_addresses(void **state)
{
	struct addr told = { .family = AF_INET, .v4.s_addr = htonl(0xc0000207), .port = 7 };

	(void)state;
	client_open(&told);
	get(1, 5);
	AWAIT(on(1)->ended);
	assert_non_null(strstr(last_request, "192.0.2.7 127.0.0.9\r\n"));
	get(3, 6);
	AWAIT(on(3)->ended);
	assert_non_null(strstr(last_request, "192.0.2.7 127.0.0.9\r\n"));
	client_close();
}

static void what_is_no_http2_is_told(void **state)
{
	(void)state;
	client_open(NULL);
	frame(H2_PING, 0, 0, "1234567", 7);
	AWAIT(goaway);
	client_gone();
	client_close();
}

/* ---- time -------------------------------------------------------------------------------- */

static void passes(uint64_t ms)
{
	unsigned i;

	clock_advance(ms);
	for (i = 0; i < QUIET; i++)
		turn();
}

/* It is told to leave ms from now, and not before; then it has so many more to do so. */
static void has_to_leave(uint64_t ms, uint64_t fin_ms)
{
	passes(0); /* what has ended is given back */
	passes(ms - 1);
	assert_false(goaway);
	passes(1);
	assert_true(goaway);
	passes(fin_ms - 1);
	assert_int_equal(in_use("http/2 carrier"), 1);
	passes(1);
	client_close();
}

/* Until its first request, behind one, and behind the last word of the process. */
static void patience_of(const char *frontend, uint64_t first_ms, uint64_t next_ms, uint64_t fin_ms)
{
	entrance = frontend;
	client_open(NULL);
	has_to_leave(first_ms, fin_ms);
	client_open(NULL);
	get(1, 5);
	AWAIT(on(1)->ended);
	is_whole(1);
	has_to_leave(next_ms, fin_ms);
	entrance = "f";
}

static void who_asks_nothing_has_to_leave(void **state)
{
	(void)state;
	patience_of("k", 7000, 3000, 4000);
	patience_of("r", 7000, 7000, 5000); /* LEAVE_MS of h2/life.c */
	patience_of("c", 20000, 20000, 5000);
}

/* While a request is under way there is no hurry. */
static void who_waits_for_an_answer_stays(void **state)
{
	(void)state;
	entrance = "k";
	client_open(NULL);
	hold_all = true;
	get(1, 1000);
	AWAIT(server_of(1000));
	passes(19000);
	assert_false(goaway);
	server_release();
	AWAIT(on(1)->ended);
	is_whole(1);
	has_to_leave(3000, 4000);
	entrance = "f";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_come_to_the_byte),
		cmocka_unit_test(three_at_once_end_in_any_order),
		cmocka_unit_test(one_reset_leaves_the_others),
		cmocka_unit_test(the_connection_dies_under_all),
		cmocka_unit_test(trailers_pass_both_ways),
		cmocka_unit_test(streams_know_the_addresses),
		cmocka_unit_test(what_is_no_http2_is_told),
		cmocka_unit_test(who_asks_nothing_has_to_leave),
		cmocka_unit_test(who_waits_for_an_answer_stays),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
