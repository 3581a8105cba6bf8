/* SPDX-License-Identifier: BSD-2-Clause */
/* The pump between two bare ends: position-dependent bytes both ways at once, in every mode,
 * with random sizes and pauses, small kernel buffers, half-closes; and between two fake ends
 * that speak messages, so that nothing above an end assumes a stream of bytes. */
#include "relay/pump.h"

#include "base/clock.h"
#include "event/timer.h"
#include "net/test_sockets.h"
#include "net/window.h"
#include "relay/message_end.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "relay/pump_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RELAYS = 12, MOST_BYTES = 3 << 20 };
/* Passes only when something is broken: the timers of the kernel may be in between. */
enum { PATIENCE_US = 120000000 };

/* One side of the world outside: writes a row of bytes, checks the row that it reads. */
struct peer {
	int fd;
	uint64_t to_send, sent, expected, received;
	unsigned seed_out, seed_in;
	bool closed, eof;
};

struct pair {
	struct relay relay;
	struct peer client, server;
	bool client_done, server_done;
};

static unsigned rnd_state = 12345;

static unsigned rnd(unsigned below)
{
	rnd_state = rnd_state * 1103515245u + 12345u;
	return (rnd_state >> 8) % below;
}

static unsigned char byte_at(unsigned seed, uint64_t pos)
{
	uint64_t x = (pos / 7 + seed) * 0x9e3779b97f4a7c15u;

	return (unsigned char)((x >> 32) + pos);
}

static void peer_write(struct peer *p)
{
	unsigned char buf[70000];
	size_t n = 1 + rnd(rnd(4) ? 3000 : sizeof(buf)), i;
	ssize_t sent;

	if (p->closed || rnd(3) == 0)
		return;
	if (n > p->to_send - p->sent)
		n = (size_t)(p->to_send - p->sent);
	for (i = 0; i < n; i++)
		buf[i] = byte_at(p->seed_out, p->sent + i);
	sent = n ? send(p->fd, buf, n, MSG_NOSIGNAL) : 0;
	if (sent > 0)
		p->sent += (uint64_t)sent;
	else if (n)
		assert_int_equal(errno, EAGAIN);
	if (p->sent == p->to_send) {
		shutdown(p->fd, SHUT_WR);
		p->closed = true;
	}
}

static void peer_read(struct peer *p)
{
	unsigned char buf[50000];
	ssize_t n, i;

	if (p->eof || rnd(3) == 0)
		return;
	n = recv(p->fd, buf, 1 + rnd(sizeof(buf)), 0);
	if (n < 0) {
		assert_int_equal(errno, EAGAIN);
		return;
	}
	p->eof = n == 0;
	for (i = 0; i < n; i++)
		assert_int_equal(buf[i], byte_at(p->seed_in, p->received + (uint64_t)i));
	p->received += (uint64_t)n;
}

static void pair_notice(struct relay *relay, struct pump *pump)
{
	struct pair *pair = container_of(relay, struct pair, relay);

	assert_false(pump->flags & (PUMP_READ_ERROR | PUMP_WRITE_ERROR | PUMP_NO_MEMORY));
	pair->client_done = relay->request.flags & PUMP_FINISHED;
	pair->server_done = relay->response.flags & PUMP_FINISHED;
	if (pair->client_done && pair->server_done)
		relay_close(relay, false, false);
}

static void relay_end_attach(struct end *end, int fd)
{
	struct conn *conn = conn_new();

	assert_non_null(conn);
	assert_int_equal(conn_attach(conn, &fd, CONN_WRITABLE | CONN_TCP, NULL), 0);
	end_take_conn(end, &conn);
}

static void pair_start(struct pair *pair, unsigned n, enum pump_mode mode)
{
	int c[2], s[2], bufsize = n % 3 ? 0 : 4096;

	memset(pair, 0, sizeof(*pair));
	test_tcp_pair(c, bufsize);
	test_tcp_pair(s, bufsize);
	pair->client = (struct peer){ .fd = c[0], .to_send = rnd(MOST_BYTES), .seed_out = n,
				      .seed_in = n + 1000 };
	pair->server = (struct peer){ .fd = s[1], .to_send = n % 4 ? rnd(MOST_BYTES) : 0,
				      .seed_out = n + 1000, .seed_in = n };
	relay_init(&pair->relay);
	relay_notice = pair_notice;
	relay_end_attach(&pair->relay.client, c[1]);
	relay_end_attach(&pair->relay.server, s[0]);
	pair->relay.request.mode = pair->relay.response.mode = (uint8_t)mode;
	pair->relay.request.flags |= PUMP_OPEN;
	pair->relay.response.flags |= PUMP_OPEN;
	pump_allow(&pair->relay.request, UINT64_MAX);
	pump_allow(&pair->relay.response, UINT64_MAX);
}

static bool pair_over(const struct pair *p)
{
	return p->client.eof && p->server.eof && p->client_done && p->server_done;
}

static void soak(enum pump_mode mode, unsigned pipes)
{
	static struct pair pairs[RELAYS];
	const uint64_t until = clock_read_us() + PATIENCE_US;
	unsigned i, over = 0;

	pipes_init(pipes, 0);
	for (i = 0; i < RELAYS; i++)
		pair_start(&pairs[i], i, mode);
	while (over < RELAYS) {
		assert_true(clock_read_us() < until);
		for (i = over = 0; i < RELAYS; i++) {
			peer_write(&pairs[i].client);
			peer_write(&pairs[i].server);
			peer_read(&pairs[i].client);
			peer_read(&pairs[i].server);
			over += pair_over(&pairs[i]);
		}
		loop_turn(0);
	}
	for (i = 0; i < RELAYS; i++) {
		assert_int_equal(pairs[i].server.received, pairs[i].client.to_send);
		assert_int_equal(pairs[i].client.received, pairs[i].server.to_send);
		close(pairs[i].client.fd);
		close(pairs[i].server.fd);
	}
	assert_int_equal(pipe_stats.used, 0);
	assert_true(pipe_stats.high_water <= pipes);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

static int setup(void **state)
{
	(void)state;
	return loop_init(64);
}

static int teardown(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

static void copying_loses_nothing(void **state)
{
	(void)state;
	soak(PUMP_COPY, 0);
	assert_int_equal(relay_stats.spliced, 0);
}

static void splicing_loses_nothing(void **state)
{
	uint64_t before = relay_stats.spliced;

	(void)state;
	soak(PUMP_SPLICE, 500);
	assert_true(relay_stats.spliced > before);
}

static void adapting_loses_nothing(void **state)
{
	(void)state;
	soak(PUMP_ADAPTIVE, 500);
}

static void one_pipe_for_all_loses_nothing(void **state)
{
	uint64_t before = relay_stats.fallback_no_pipe;

	(void)state;
	soak(PUMP_SPLICE, 1);
	assert_true(relay_stats.fallback_no_pipe > before);
}

static void note_notice(struct relay *relay, struct pump *pump)
{
	(void)relay;
	(void)pump;
}

static void fill(int fd)
{
	static char junk[65536];

	while (send(fd, junk, sizeof(junk), MSG_NOSIGNAL) > 0)
		continue;
}

/* It is looked at once, and only where it receives. */
static void the_window_of_who_sends_much_is_bounded(void **state)
{
	const uint64_t before = window_bounded;
	struct relay relay;
	int c[2], s[2], i;

	(void)state;
	pipes_init(4, 0);
	memset(&relay, 0, sizeof(relay));
	test_tcp_pair(c, 0);
	test_tcp_pair(s, 0);
	relay_init(&relay);
	relay_notice = note_notice;
	relay_end_attach(&relay.client, c[1]);
	relay_end_attach(&relay.server, s[0]);
	relay.request.mode = PUMP_ADAPTIVE;
	relay.request.flags = PUMP_OPEN;
	pump_allow(&relay.request, UINT64_MAX);
	assert_int_equal(send(c[0], "small", 5, 0), 5);
	for (i = 0; i < 5; i++)
		loop_turn(0);
	assert_int_equal(pump_bytes(&relay.request), 5);
	assert_int_equal(window_bounded, before);
	for (i = 0; i < 50; i++) {
		fill(c[0]);
		loop_turn(0);
	}
	assert_true(relay.request.spliced > 0);
	assert_int_equal(window_bounded, before + 1);
	assert_true(*relay.client.flags & CONN_BOUNDED);
	assert_false(*relay.server.flags & CONN_BOUNDED);
	relay_close(&relay, false, false);
	close(c[0]);
	close(s[1]);
	loop_turn(0);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

/* ---- a server that breaks off ------------------------------------------------------------ */

/* The request's sink fails; what the server had sent before must still come out of it. */
static void a_failed_write_leaves_what_can_be_read(void **state)
{
	static char answer[100000], heard[100000];
	size_t got = 0, sent = 0;
	struct relay relay;
	int c[2], s[2], i;
	ssize_t n;

	(void)state;
	pipes_init(4, 0);
	memset(&relay, 0, sizeof(relay));
	memset(answer, 'a', sizeof(answer));
	test_tcp_pair(c, 0);
	test_tcp_pair(s, 0);
	relay_init(&relay);
	relay_notice = note_notice;
	relay_end_attach(&relay.client, c[1]);
	relay_end_attach(&relay.server, s[0]);
	relay.request.mode = relay.response.mode = PUMP_SPLICE;
	relay.request.flags = PUMP_OPEN;
	pump_allow(&relay.request, UINT64_MAX);
	while ((n = send(s[1], answer + sent, sizeof(answer) - sent, MSG_NOSIGNAL)) > 0)
		sent += (size_t)n;
	assert_true(sent > 0);
	for (i = 0; i < 50; i++) {
		fill(c[0]);
		loop_turn(0);
	}
	close(s[1]); /* with bytes unread: a RST */
	for (i = 0; i < 50 && !(relay.request.flags & PUMP_WRITE_ERROR); i++) {
		fill(c[0]);
		loop_turn(1);
	}
	assert_true(relay.request.flags & PUMP_WRITE_ERROR);
	relay.response.flags = PUMP_OPEN;
	pump_allow(&relay.response, UINT64_MAX);
	task_wake(&relay.task);
	for (i = 0; i < 200 && got < sent; i++) {
		loop_turn(1);
		while (got < sent && (n = recv(c[0], heard, sizeof(heard), 0)) > 0)
			got += (size_t)n;
	}
	assert_int_equal(got, sent);
	assert_true(relay.response.flags & PUMP_READ_ERROR);
	relay_close(&relay, false, false);
	close(c[0]);
	loop_turn(0);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

/* The server's end is closed while the request's pump is open and holds bytes: whoever runs either
 * pump then finds nothing to do. */
static void a_closed_end_stops_who_writes_to_it(void **state)
{
	struct relay relay;
	int c[2], s[2], i;

	(void)state;
	memset(&relay, 0, sizeof(relay));
	test_tcp_pair(c, 0);
	test_tcp_pair(s, 4096);
	relay_init(&relay);
	relay_notice = note_notice;
	relay_end_attach(&relay.client, c[1]);
	relay_end_attach(&relay.server, s[0]);
	relay.request.mode = relay.response.mode = PUMP_COPY;
	relay.request.flags = relay.response.flags = PUMP_OPEN;
	pump_allow(&relay.request, UINT64_MAX);
	pump_allow(&relay.response, UINT64_MAX);
	for (i = 0; i < 50; i++) {
		fill(c[0]);
		loop_turn(0);
	}
	assert_true(pump_held(&relay.request) > 0);
	end_close(&relay.server, false);
	assert_int_equal(pump_held(&relay.request), 0);
	assert_int_equal(*relay.server.flags, 0);
	fill(c[0]);
	for (i = 0; i < 50; i++)
		loop_turn(0);
	pump_run(&relay.request);
	pump_run(&relay.response);
	relay.request.flags = PUMP_OPEN;
	*relay.client.flags |= CONN_READABLE;
	pump_run(&relay.request);
	relay_close(&relay, false, false);
	close(c[0]);
	close(s[1]);
	loop_turn(0);
}

/* ---- no pipe to be had ------------------------------------------------------------------- */

/* The system is not asked again for each piece. */
static void a_refused_pipe_is_not_asked_for_at_once(void **state)
{
	struct rlimit limit, none;
	struct pipe *pipe;

	(void)state;
	clock_freeze(clock_now_ms);
	pipes_init(2, 0);
	pipes_free();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_null(pipe_take());
	assert_null(pipe_take());
	assert_int_equal(pipe_stats.none, 2);
	assert_int_equal(pipe_stats.failed, 1);
	clock_advance(1000);
	assert_null(pipe_take());
	assert_int_equal(pipe_stats.failed, 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	clock_advance(1000);
	pipe = pipe_take();
	assert_non_null(pipe);
	pipe_give(&pipe);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

/* ---- a pipe with bytes in it ------------------------------------------------------------- */

/* Leaves bytes behind in a pipe; its descriptor, which may be closed now. */
static int leave_bytes(void)
{
	static char secret[300000];
	struct pipe *pipe = pipe_take();
	int fd;

	assert_non_null(pipe);
	fd = pipe->read_fd;
	assert_int_equal(write(pipe->write_fd, secret, sizeof(secret)), sizeof(secret));
	pipe->held = sizeof(secret);
	pipe_give(&pipe);
	assert_null(pipe);
	return fd;
}

/* Nobody gets what was left behind; and the pipe is not lost, as another might be refused. */
static void dirty_pipes_are_emptied(void **state)
{
	struct pipe *pipe;
	char c;
	int fd;

	(void)state;
	pipes_init(2, 0);
	fd = leave_bytes();
	assert_int_equal(pipe_stats.dirty, 1);
	assert_int_equal(pipe_stats.used, 0);
	pipe = pipe_take();
	assert_int_equal(pipe->read_fd, fd);
	assert_int_equal(pipe->held, 0);
	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, EAGAIN);
	pipe_give(&pipe);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

/* Where bytes cannot be thrown away the pipe is. */
static void or_closed(void **state)
{
	struct rlimit limit, none;
	int fd;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	pipes_init(0, 0); /* no descriptor to throw into */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	pipe_stats.max = 1;
	fd = leave_bytes();
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(pipe_stats.free, 0);
	pipes_free();
	pipe_stats = (struct pipe_stats){ 0 };
}

/* ---- ends that speak messages ------------------------------------------------------------ */

struct message {
	const char *start; /* its start line, all that this test needs of a head */
	size_t body_len;   /* announced */
	bool chunked;      /* the end comes as an event of its own */
};

/* Gives a row of messages, takes a row of messages. Bodies come in pieces of at most 5 bytes. */
struct fake {
	uint16_t flags;
	struct framing framing;
	const struct message *in;  /* the message being read */
	const char *body;
	size_t at;
	char out[256];
	size_t out_len;
	unsigned ends, closes;
	char mores[16];            /* of each send: 'm' where more follow */
	unsigned sends;
	enum held_next next;       /* of what fake_held gives */
};

static enum io fake_head_in(struct end *end, struct message *msg)
{
	struct fake *f = end_applet(end);

	if (!f->in->start)
		return IO_EOF;
	*msg = *f->in;
	f->at = 0;
	f->flags |= CONN_READABLE;
	return IO_OK;
}

static enum io fake_head_out(struct end *end, struct message *msg)
{
	struct fake *f = end_applet(end);

	f->out_len += (size_t)snprintf(f->out + f->out_len, sizeof(f->out) - f->out_len, "<%s>",
				       msg->start);
	return IO_OK;
}

static enum io fake_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct fake *f = end_applet(end);
	size_t n = f->in->body_len - f->at;

	if (!n) {
		f->flags &= (uint16_t)~CONN_READABLE;
		f->body += f->in->body_len;
		f->in++;
		return IO_EOF;
	}
	n = n < 5 ? n : 5;
	n = n < size ? n : size;
	memcpy(buf, f->body + f->at, n);
	f->at += n;
	*got = n;
	return IO_OK;
}

static enum io fake_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct fake *f = end_applet(end);

	f->mores[f->sends++ % sizeof(f->mores)] = more ? 'm' : '.';
	len = len > 3 ? 3 : len; /* a sink that takes little */
	memcpy(f->out + f->out_len, buf, len);
	f->out_len += len;
	*sent = len;
	return IO_OK;
}

static void fake_finish(struct end *end)
{
	struct fake *f = end_applet(end);

	f->ends++;
	f->out[f->out_len++] = '|';
}

static void fake_close(struct end *end, bool reset)
{
	struct fake *f = end_applet(end);

	(void)reset;
	f->closes++;
}

static const struct message_ops fake_ops = {
	.end = {
		.name = "fake",
		.recv = fake_recv,
		.send = fake_send,
		.finish = fake_finish,
		.close = fake_close,
	},
	.head_in = fake_head_in,
	.head_out = fake_head_out,
};

static unsigned notices;

static void count_notice(struct relay *relay, struct pump *pump)
{
	(void)relay;
	(void)pump;
	notices++;
}

/* What an exchange does with a message: the head by itself, the body by the pump. */
static void pass_message(struct relay *relay)
{
	struct pump *pump = &relay->request;
	struct message msg;
	int turns = 0;

	assert_int_equal(end_head_in(&relay->client, &msg), IO_OK);
	assert_int_equal(end_head_out(&relay->server, &msg), IO_OK);
	pump->flags = PUMP_OPEN;
	pump_allow(pump, msg.chunked ? UINT64_MAX : msg.body_len + 1);
	while (!(pump->flags & PUMP_FINISHED)) {
		assert_true(turns++ < 100);
		pump_run(pump);
		loop_turn(0);
	}
}

static void messages_pass_one_by_one(void **state)
{
	static const struct message messages[] = {
		{ "one", 11, false }, { "empty", 0, false }, { "two", 8, true }, { 0 }
	};
	struct fake from = { .flags = CONN_READABLE, .in = messages,
			     .body = "hello world12345678" };
	struct fake to = { .flags = CONN_WRITABLE };
	struct relay relay;

	(void)state;
	memset(&relay, 0, sizeof(relay));
	relay_init(&relay);
	relay_notice = count_notice;
	end_set_applet(&relay.client, &fake_ops.end, &from, &from.flags, &from.framing);
	end_set_applet(&relay.server, &fake_ops.end, &to, &to.flags, &to.framing);
	notices = 0;
	pass_message(&relay);
	assert_string_equal(to.out, "<one>hello world|");
	pass_message(&relay);
	pass_message(&relay);
	assert_string_equal(to.out, "<one>hello world|<empty>|<two>12345678|");
	assert_int_equal(to.ends, 3);
	assert_int_equal(notices, 3);
	relay_close(&relay, false, false);
	assert_int_equal(from.closes + to.closes, 2);
}

static bool fake_held(struct end *end, struct span *bytes, enum held_next *next)
{
	struct fake *f = end_applet(end);

	*bytes = (struct span){ f->body + f->at, f->in->body_len - f->at };
	*next = f->next;
	return bytes->len;
}

static void fake_give(struct end *end, size_t n)
{
	struct fake *f = end_applet(end);

	f->at += n;
	if (f->at == f->in->body_len)
		f->flags &= (uint16_t)~CONN_HELD;
}

/* What the source gives next in this turn leaves together with what it holds, unless it may not. */
static void what_follows_at_once_leaves_together(void **state)
{
	static const struct message messages[] = { { "one", 3, false }, { 0 } };
	static const struct { enum held_next next; bool closes; size_t allowed; const char *mores; } cases[] = {
		{ HELD_MAYBE, true, 3, "." }, { HELD_LAST, false, 3, "." },
		{ HELD_LAST, true, 3, "m" }, { HELD_LAST, true, 2, "." },
		{ HELD_FOLLOWS, false, 3, "m" }, { HELD_FOLLOWS, false, 2, "." },
	};
	struct end_ops ops = fake_ops.end;
	struct relay relay;
	size_t i;

	(void)state;
	ops.held = fake_held;
	ops.give = fake_give;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct fake from = { .flags = CONN_READABLE | CONN_HELD, .in = messages,
				     .body = "abc" };
		struct fake to = { .flags = CONN_WRITABLE };

		from.next = cases[i].next;
		to.framing.closes = cases[i].closes;
		memset(&relay, 0, sizeof(relay));
		relay_init(&relay);
		relay_notice = count_notice;
		end_set_applet(&relay.client, &ops, &from, &from.flags, &from.framing);
		end_set_applet(&relay.server, &fake_ops.end, &to, &to.flags, &to.framing);
		relay.request.flags = PUMP_OPEN;
		pump_allow(&relay.request, cases[i].allowed);
		pump_run(&relay.request);
		assert_string_equal(to.mores, cases[i].mores);
		relay_close(&relay, false, false);
	}
}

static enum io broken_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct fake *f = end_applet(end);
	enum io r = f->at < f->in->body_len ? fake_recv(end, buf, size, got) : IO_ERR;

	if (r == IO_ERR)
		f->flags &= (uint16_t)~CONN_READABLE;
	return r;
}

/* A sink that keeps all back until its socket takes bytes. */
static enum io keeping_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct fake *f = end_applet(end);

	(void)buf;
	(void)more;
	f->framing.held = true;
	*sent = len;
	return IO_OK;
}

static enum io keeping_flush(struct end *end)
{
	struct fake *f = end_applet(end);

	if (!f->closes) /* stands for room here */
		return IO_AGAIN;
	f->framing.held = false;
	return IO_OK;
}

/* A source breaks off while the sink keeps bytes back: that is told when they have left. */
static void a_break_is_told_behind_what_is_kept(void **state)
{
	static const struct message messages[] = { { "one", 3, false }, { 0 } };
	struct fake from = { .flags = CONN_READABLE, .in = messages, .body = "abc" };
	struct fake to = { .flags = CONN_WRITABLE };
	struct end_ops source = fake_ops.end, sink = fake_ops.end;
	struct relay relay;

	(void)state;
	source.recv = broken_recv;
	sink.send = keeping_send;
	sink.flush = keeping_flush;
	memset(&relay, 0, sizeof(relay));
	relay_init(&relay);
	relay_notice = count_notice;
	end_set_applet(&relay.client, &source, &from, &from.flags, &from.framing);
	end_set_applet(&relay.server, &sink, &to, &to.flags, &to.framing);
	relay.request.flags = PUMP_OPEN;
	pump_allow(&relay.request, UINT64_MAX);
	pump_run(&relay.request);
	assert_true(relay.request.flags & PUMP_READ_ERROR);
	assert_false(relay.request.flags & PUMP_FINISHED);
	notices = 0;
	to.closes = 1;
	end_ready(&relay.server);
	assert_true(relay.request.flags & PUMP_FINISHED);
	assert_false(to.framing.held);
	assert_int_equal(to.ends, 0);
	assert_int_equal(notices, 1);
	relay_close(&relay, false, false);
}

/* Nothing passes beyond what was allowed, not even into a buffer. */
static void no_byte_beyond_what_is_allowed(void **state)
{
	static const struct message messages[] = { { "one", 11, false }, { 0 } };
	struct fake from = { .flags = CONN_READABLE, .in = messages, .body = "hello world" };
	struct fake to = { .flags = CONN_WRITABLE };
	struct relay relay;
	int i;

	(void)state;
	memset(&relay, 0, sizeof(relay));
	relay_init(&relay);
	relay_notice = count_notice;
	end_set_applet(&relay.client, &fake_ops.end, &from, &from.flags, &from.framing);
	end_set_applet(&relay.server, &fake_ops.end, &to, &to.flags, &to.framing);
	relay.request.flags = PUMP_OPEN;
	pump_allow(&relay.request, 7);
	for (i = 0; i < 20; i++) {
		pump_run(&relay.request);
		loop_turn(0);
	}
	assert_string_equal(to.out, "hello w");
	assert_int_equal(from.at, 7);
	assert_true(relay.request.flags & PUMP_DONE);
	pump_allow(&relay.request, UINT64_MAX);
	for (i = 0; i < 20; i++) {
		pump_run(&relay.request);
		loop_turn(0);
	}
	assert_string_equal(to.out, "hello world|");
	relay_close(&relay, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copying_loses_nothing),
		cmocka_unit_test(splicing_loses_nothing),
		cmocka_unit_test(adapting_loses_nothing),
		cmocka_unit_test(one_pipe_for_all_loses_nothing),
		cmocka_unit_test(what_follows_at_once_leaves_together),
		cmocka_unit_test(a_failed_write_leaves_what_can_be_read),
		cmocka_unit_test(a_closed_end_stops_who_writes_to_it),
		cmocka_unit_test(the_window_of_who_sends_much_is_bounded),
		cmocka_unit_test(dirty_pipes_are_emptied),
		cmocka_unit_test(or_closed),
		cmocka_unit_test(messages_pass_one_by_one),
		cmocka_unit_test(a_break_is_told_behind_what_is_kept),
		cmocka_unit_test(no_byte_beyond_what_is_allowed),
		/* Last, since it stops the clock. */
		cmocka_unit_test(a_refused_pipe_is_not_asked_for_at_once),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
