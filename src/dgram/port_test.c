/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of a user that is no balancer, on real sockets in a real loop: it says each datagram back.
 * Two sockets of a port, a successor that waits for its claim, a process that leaves, rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "base/clock.h"
#include "dgram/batch.h"
#include "dgram/beside.h"
#include "dgram/burst.h"
#include "dgram/out.h"
#include "dgram/port.h"
#include "dgram/serve.h"
#include "dgram/socket.h"
#include "event/loop.h"
#include "net/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TALKS = 4, CLIENTS = 24 };

/* One client of a port. */
struct talk {
	struct dgram_way way;
	struct dgram_key key;
	struct dgram_beside *beside; /* NULL: by the port's socket */
};

/* A port, and what came to it. */
struct echo {
	struct dgram_port dgram;
	struct listener listener;
	struct talk talks[TALKS];
	unsigned talk_count, datagrams, messages;
	int last_error;
};

static struct dgram_batch batch;
static struct dgram_out out;
static struct bind_conf bind_line;
static unsigned dropped_count;

static void dropped(struct dgram_way *way, unsigned datagrams)
{
	(void)way;
	dropped_count += datagrams;
}

static struct echo *echo_of(struct dgram_port *port)
{
	return container_of(port, struct echo, dgram);
}

static struct talk *talk_of(struct echo *e, const struct dgram_key *key)
{
	unsigned i;

	for (i = 0; i < e->talk_count; i++)
		if (!memcmp(&e->talks[i].key, key, sizeof(*key)))
			return &e->talks[i];
	if (e->talk_count == TALKS)
		return NULL;
	e->talks[i].key = *key;
	e->talk_count++;
	return &e->talks[i];
}

/* A message goes back as it came: by the places of `out', which read from sockets otherwise. */
static void say_back(struct echo *e, unsigned i)
{
	struct dgram_key key = dgram_batch_key(&batch, &e->dgram, i);
	struct talk *t = talk_of(e, &key);
	int fd = t && t->beside ? dgram_beside_fd(t->beside) : e->listener.src.fd;
	struct iovec pieces[DGRAM_ROW_MOST];
	unsigned n = dgram_batch_cut(&batch, i, pieces), at;

	e->messages++;
	e->datagrams += n;
	for (at = 0; t && at < n; at++) {
		memcpy(out.iov[out.count].iov_base, pieces[at].iov_base, pieces[at].iov_len);
		out.msgs[out.count].msg_len = (unsigned)pieces[at].iov_len;
		out.msgs[out.count].msg_hdr.msg_controllen = 0;
		assert_int_equal(dgram_out_take(&out, out.count, DGRAM_PAYLOAD_MOST, &e->dgram,
						&key,
						fd, &t->way), 1);
	}
	dgram_out_soon(&out);
}

static void receive(struct dgram_port *port, int fd, unsigned batches)
{
	int n, i;

	do {
		n = dgram_batch_receive(&batch, fd);
		for (i = 0; i < n; i++)
			say_back(echo_of(port), (unsigned)i);
	} while (n == DGRAM_BATCH && --batches);
}

static void flush(void)
{
	dgram_out_flush(&out);
}

static bool gathers(const struct dgram_port *port)
{
	(void)port;
	return true;
}

static void part(struct dgram_port *port)
{
	struct echo *e = echo_of(port);
	struct addr client, local;
	unsigned i;

	assert_true(port->leaves);
	for (i = 0; i < e->talk_count; i++) {
		dgram_addrs(port, &e->talks[i].key, &client, &local);
		e->talks[i].beside = dgram_beside_open(port, &local, &client);
		assert_non_null(e->talks[i].beside);
	}
}

static void mixed(struct dgram_port *port, int error)
{
	echo_of(port)->last_error = error;
}

static const struct dgram_user user = { receive, flush, gathers, part, mixed };

/* ---- ports and clients ------------------------------------------------------------------- */

static int setup(void **state)
{
	(void)state;
	memset(&bind_line, 0, sizeof(bind_line));
	list_init(&bind_line.listeners);
	bind_line.mode = bind_line.uid = bind_line.gid = -1;
	bind_line.dgram = true;
	bind_line.bound = dgram_socket_bound;
	dropped_count = 0;
	clock_update();
	assert_int_equal(loop_init(20), 0);
	if (!batch.memory)
		assert_int_equal(dgram_batch_start(&batch), 0);
	return dgram_out_start(&out, dropped);
}

static int teardown(void **state)
{
	(void)state;
	free(out.memory);
	loop_free();
	return 0;
}

/* port 0: any. shard of shards. */
static void open_echo(struct echo *e, const struct addr *addr, unsigned shard, unsigned shards)
{
	struct listen_options opt = { 0 };
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	memset(e, 0, sizeof(*e));
	e->listener.addr = *addr;
	listener_init(&e->listener, &bind_line);
	e->listener.shard = shard;
	e->listener.shards = shards;
	assert_int_equal(listener_open(&e->listener, &opt, NULL), 0);
	assert_int_equal(getsockname(e->listener.src.fd, (struct sockaddr *)&ss, &len), 0);
	addr_from_sockaddr(&e->listener.addr, &ss, len);
}

static void serve(struct echo *e)
{
	dgram_serve(&e->dgram, &e->listener, &user);
	assert_int_equal(listener_start(&e->listener), 0);
}

static void end_echo(struct echo *e)
{
	unsigned i;

	for (i = 0; i < e->talk_count; i++)
		dgram_beside_close(&e->talks[i].beside);
	if (e->listener.src.fd >= 0)
		listener_close(&e->listener);
	loop_turn(0);
}

static int new_client(const struct addr *to)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(to, &ss);
	int fd = socket(to->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&ss, len), 0);
	return fd;
}

static const struct addr loopback = { .family = AF_INET, .v4.s_addr = 0x0100007f };

/* The client says something, and hears it from where it has sent it to. */
static void asks(int client, const char *text)
{
	char back[100];
	int turns = 50;
	ssize_t n;

	assert_int_equal(send(client, text, strlen(text), 0), (ssize_t)strlen(text));
	do {
		loop_turn(20);
		n = recv(client, back, sizeof(back), 0);
	} while (n < 0 && --turns);
	assert_int_equal(n, (ssize_t)strlen(text));
	assert_memory_equal(back, text, (size_t)n);
}

/* ---- tests ------------------------------------------------------------------------------- */

/* What the program of the port says of a client, by hand. */
static unsigned steered_to(int client, unsigned n)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);
	uint32_t x;

	assert_int_equal(getsockname(client, (struct sockaddr *)&sin, &len), 0);
	x = (ntohl(sin.sin_addr.s_addr) + ntohs(sin.sin_port)) * 0x9e3779b1u;
	return (x >> 16) % n;
}

static void two_sockets_share_the_clients_of_a_port(void **state)
{
	static struct echo echoes[2];
	unsigned i, before, row, seen[2] = { 0 };
	int fds[CLIENTS];

	(void)state;
	open_echo(&echoes[0], &loopback, 0, 2);
	open_echo(&echoes[1], &echoes[0].listener.addr, 1, 2);
	assert_int_equal(echoes[0].listener.addr.port, echoes[1].listener.addr.port);
	serve(&echoes[0]);
	serve(&echoes[1]);
	for (i = 0; i < CLIENTS; i++) {
		fds[i] = new_client(&echoes[0].listener.addr);
		row = steered_to(fds[i], 2);
		before = echoes[row].datagrams;
		assert_int_equal(send(fds[i], "x", 1, 0), 1);
		loop_turn(1000);
		assert_int_equal(echoes[row].datagrams, before + 1);
		seen[row]++;
	}
	assert_true(seen[0] && seen[1]);
	for (i = 0; i < CLIENTS; i++)
		close(fds[i]);
	end_echo(&echoes[0]);
	end_echo(&echoes[1]);
	assert_int_equal(dropped_count, 0);
}

/* The successor has the same socket, as after a reload. */
static void inherit(struct echo *to, const struct echo *from)
{
	memset(to, 0, sizeof(*to));
	to->listener.addr = from->listener.addr;
	listener_init(&to->listener, &bind_line);
	to->listener.shards = from->listener.shards;
	to->listener.src.fd = dup(from->listener.src.fd);
	assert_true(to->listener.src.fd >= 0);
	serve(to);
}

static void a_successor_waits_for_the_claim_and_talks_go_on(void **state)
{
	static struct echo old, new;
	int known, later, turns = 100;

	(void)state;
	open_echo(&old, &loopback, 0, 1);
	serve(&old);
	assert_false(old.listener.elsewhere);
	known = new_client(&old.listener.addr);
	later = new_client(&old.listener.addr);
	asks(known, "one");
	inherit(&new, &old);
	assert_true(new.listener.elsewhere);
	asks(known, "two");
	assert_int_equal(old.datagrams, 2);
	assert_int_equal(new.datagrams, 0);
	/* What waits while it leaves is not lost. */
	assert_int_equal(send(known, "three", 5, 0), 5);
	listener_finish(&old.listener);
	assert_true(old.dgram.leaves);
	assert_int_equal(old.datagrams, 3);
	assert_non_null(old.talks[0].beside);
	while (new.listener.elsewhere && --turns)
		loop_turn(10);
	assert_false(new.listener.elsewhere);
	assert_int_equal(recv(known, (char[10]){ 0 }, 10, 0), 5);
	asks(known, "four");
	assert_int_equal(old.datagrams, 4);
	asks(later, "five");
	assert_int_equal(new.datagrams, 1);
	close(known);
	close(later);
	end_echo(&old);
	end_echo(&new);
}

/* Nobody waits for its socket: what comes from now on is for who has bound one beside it. */
static void a_port_is_left_to_a_socket_beside_it(void **state)
{
	static struct echo old, new;
	int known, later;

	(void)state;
	open_echo(&old, &loopback, 0, 1);
	serve(&old);
	known = new_client(&old.listener.addr);
	asks(known, "one");
	open_echo(&new, &old.listener.addr, 0, 1);
	serve(&new);
	assert_false(new.listener.elsewhere);
	listener_finish(&old.listener);
	assert_int_equal(old.listener.src.fd, -1);
	assert_int_equal(old.last_error, 0);
	asks(known, "two");
	assert_int_equal(old.datagrams, 2);
	later = new_client(&new.listener.addr);
	asks(later, "three");
	assert_int_equal(new.datagrams, 1);
	close(known);
	close(later);
	end_echo(&old);
	end_echo(&new);
}

static void any_address_answers_from_the_one_that_was_asked(void **state)
{
	struct addr to = loopback;
	static struct echo e;
	int client;

	(void)state;
	open_echo(&e, &(struct addr){ .family = AF_INET }, 0, 1);
	serve(&e);
	assert_true(e.dgram.any);
	to.port = e.listener.addr.port;
	to.v4.s_addr = htonl(0x7f000203);
	client = new_client(&to);
	asks(client, "from 127.0.2.3"); /* it is connected: nothing else would come */
	assert_int_equal(e.talk_count, 1);
	close(client);
	end_echo(&e);
}

/* Five datagrams leave as a row; the port takes them apart again, and says each back. */
static void a_burst_leaves_as_a_row(void **state)
{
	static struct dgram_burst burst;
	static struct echo e;
	char text[] = "aaaabbbbccccdddde", back[20];
	int client, i, sent, turns = 50, got = 0;

	(void)state;
	open_echo(&e, &loopback, 0, 1);
	serve(&e);
	client = new_client(&e.listener.addr);
	for (i = 0; i < 5; i++)
		burst.iov[i] = (struct iovec){ &text[4 * i], i < 4 ? 4 : 1 };
	dgram_burst_compose(&burst, 5);
	assert_int_equal(dgram_burst_row(&burst, 0, 5), 5);
	sent = dgram_burst_send(&burst, client, 0, 5, 5);
	if (sent < 0 && (errno == EINVAL || errno == EIO)) { /* this kernel cuts none up */
		sent = dgram_burst_send(&burst, client, 0, 5, 1);
		assert_int_equal(sent, 5);
	}
	assert_int_equal(sent, 5);
	while (got < 5 && turns--) {
		loop_turn(20);
		while (got < 5 && recv(client, back, sizeof(back), 0) == (got < 4 ? 4 : 1)) {
			assert_memory_equal(back, &text[4 * got], got < 4 ? 4 : 1);
			got++;
		}
	}
	assert_int_equal(got, 5);
	assert_int_equal(e.datagrams, 5);
	close(client);
	end_echo(&e);
}

/* Each datagram behind a header of its own. */
static void a_header_stands_in_front_of_each(void **state)
{
	static struct dgram_burst burst;
	static struct echo e;
	int client, i;
	char back[20];

	(void)state;
	open_echo(&e, &loopback, 0, 1);
	client = new_client(&e.listener.addr);
	memcpy(burst.header, "head:", 5);
	burst.header_len = 5;
	burst.iov[0] = (struct iovec){ "ab", 2 };
	burst.iov[1] = (struct iovec){ "cde", 3 };
	dgram_burst_compose(&burst, 2);
	assert_int_equal(dgram_burst_row(&burst, 0, 2), 1);
	assert_int_equal(dgram_burst_send(&burst, client, 0, 2, 1), 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(recv(e.listener.src.fd, back, sizeof(back), 0), 7 + i);
		assert_memory_equal(back, i ? "head:cde" : "head:ab", (size_t)(7 + i));
	}
	close(client);
	end_echo(&e);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_sockets_share_the_clients_of_a_port),
		TEST(a_successor_waits_for_the_claim_and_talks_go_on),
		TEST(a_port_is_left_to_a_socket_beside_it),
		TEST(any_address_answers_from_the_one_that_was_asked),
		TEST(a_burst_leaves_as_a_row),
		TEST(a_header_stands_in_front_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
