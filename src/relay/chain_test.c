/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of filters on a pump between two bare ends: filters that hold, limit, change, look, end
 * early and fail, in many orders, with small kernel buffers and random pieces; what comes out is
 * what the filters make of it, in order, and where nobody looks it goes through pipes. */
#include "relay/chain.h"

#include "base/clock.h"
#include "net/test_sockets.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "relay/pump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Passes only when something is broken: the timers of the kernel may be in between. */
enum { PATIENCE_US = 120000000 };

/* The first six may stand anywhere. */
enum kind { HOLDER, LIMIT, DOUBLER, LOOKER, KEEPER, HEEDER, ENDER, FAILER };
enum { ANYWHERE = 6, KEEPS = 5000 };

struct member {
	struct pump_filter filter;
	uint64_t count;   /* bytes that it let pass */
	uint64_t until;   /* of a limit: nothing before; of ENDER and FAILER: so many bytes */
	bool told;        /* of the last byte */
	/* Of KEEPER and HEEDER: what they have taken and not given; does it sleep until it is asked? */
	char kept[2 * SCRATCH_SIZE];
	size_t has;
	bool last, sleeps;
	bool late;        /* a HEEDER that gives nothing before the end */
	unsigned most;    /* of a LIMIT: at a time */
};

struct world {
	struct relay relay;
	struct pump_chain chain;
	struct member members[4];
	unsigned members_used;
	int client, server;
	uint64_t to_send, sent, received;
	unsigned copies;   /* each byte comes out so often */
	bool eof;
	unsigned noticed;    /* PUMP_* of the request */
};

static unsigned rnd_state = 4321;

static unsigned rnd(unsigned below)
{
	rnd_state = rnd_state * 1103515245u + 12345u;
	return (rnd_state >> 8) % below;
}

static unsigned char byte_at(uint64_t pos)
{
	return (unsigned char)((pos * 0x9e3779b97f4a7c15u) >> 40);
}

/* ---- the filters --------------------------------------------------------------------------- */

static struct member *member_of(struct pump_filter *f)
{
	return container_of(f, struct member, filter);
}

static bool hold(struct pump_filter *f, struct filter_piece *p)
{
	assert_false(member_of(f)->told);
	p->taken = p->len ? rnd((unsigned)p->len + 1) : 0;
	member_of(f)->told = p->last && p->taken == p->len;
	return true;
}

static bool look(struct pump_filter *f, struct filter_piece *p)
{
	assert_false(member_of(f)->told);
	p->taken = p->len;
	member_of(f)->count += p->len;
	member_of(f)->told = p->last;
	return true;
}

static bool twice(struct pump_filter *f, struct filter_piece *p)
{
	size_t i;

	assert_true(p->len <= FILTER_MOST);
	assert_true(2 * p->len <= p->room);
	assert_false(member_of(f)->told);
	for (i = 0; i < p->len; i++)
		p->out[2 * i] = p->out[2 * i + 1] = p->bytes[i];
	p->taken = p->len;
	p->made = 2 * p->len;
	member_of(f)->told = p->last;
	return true;
}

/* Takes bytes into its own memory, and gives them when it likes. The end is kept, too. */
static bool keep(struct pump_filter *f, struct filter_piece *p)
{
	struct member *m = member_of(f);
	size_t n = p->len < KEEPS - m->has ? p->len : KEEPS - m->has;

	assert_false(m->told);
	if (n)
		memcpy(m->kept + m->has, p->bytes, n);
	m->has += n;
	p->taken = n;
	m->last |= p->last && n == p->len;
	n = rnd(3) && !(m->last && rnd(2)) ? 0 : m->has;
	memcpy(p->out, m->kept, n);
	memmove(m->kept, m->kept + n, m->has - n);
	m->has -= n;
	p->made = n;
	p->stays = m->last ? m->has || rnd(2) : m->has && rnd(2);
	m->sleeps = p->waits = m->has < KEEPS && p->stays && rnd(2);
	m->told = m->last && !p->stays;
	return true;
}

/* Makes two of each byte, and gives what there is room for. */
static bool heed(struct pump_filter *f, struct filter_piece *p)
{
	struct member *m = member_of(f);
	size_t i, n;

	assert_false(m->told);
	for (i = 0; i < p->len; i++)
		m->kept[m->has + 2 * i] = m->kept[m->has + 2 * i + 1] = p->bytes[i];
	m->has += 2 * p->len;
	p->taken = p->len;
	m->last |= p->last;
	n = m->late && !m->last ? 0 : m->has < p->room ? m->has : p->room;
	memcpy(p->out, m->kept, n);
	memmove(m->kept, m->kept + n, m->has - n);
	m->has -= n;
	p->made = n;
	p->stays = m->has && !(m->late && !m->last);
	m->told = m->last && !m->has;
	return true;
}

static bool end_there(struct pump_filter *f, struct filter_piece *p)
{
	struct member *m = member_of(f);

	p->taken = p->len;
	if (m->count + p->len >= m->until) {
		p->taken = (size_t)(m->until - m->count);
		p->ends = true;
	}
	m->count += p->taken;
	return true;
}

static bool fail_there(struct pump_filter *f, struct filter_piece *p)
{
	struct member *m = member_of(f);

	p->taken = p->len;
	m->count += p->len;
	return m->count < m->until;
}

static uint64_t limit_allow(struct pump_filter *f, uint64_t wanted, uint64_t *when_ms)
{
	struct member *m = member_of(f);

	(void)wanted;
	*when_ms = m->until;
	return clock_now_ms < m->until ? 0 : 1 + rnd(m->most);
}

static void limit_passed(struct pump_filter *f, uint64_t bytes)
{
	member_of(f)->count += bytes;
	member_of(f)->until = clock_now_ms + rnd(2);
}

static const struct pump_filter_ops ops[] = {
	[HOLDER] = { .holds = true, .pass = hold },
	[LIMIT] = { .allow = limit_allow, .passed = limit_passed },
	[DOUBLER] = { .changes = true, .pass = twice },
	[LOOKER] = { .pass = look },
	[KEEPER] = { .changes = true, .holds = true, .pass = keep },
	[HEEDER] = { .changes = true, .heeds = true, .pass = heed },
	[ENDER] = { .pass = end_there },
	[FAILER] = { .pass = fail_there },
};

/* ---- the world ----------------------------------------------------------------------------- */

static void notice(struct relay *relay, struct pump *pump)
{
	struct world *w = container_of(relay, struct world, relay);

	if (!pump->is_response)
		w->noticed |= pump->flags & PUMP_NOTICES;
}

static void attach(struct end *end, int fd)
{
	struct conn *conn = conn_new();

	assert_non_null(conn);
	assert_int_equal(conn_attach(conn, &fd, CONN_WRITABLE | CONN_TCP, NULL), 0);
	end_take_conn(end, &conn);
}

static void world_start(struct world *w, uint64_t bytes, enum pump_mode mode)
{
	int c[2], s[2];

	memset(w, 0, sizeof(*w));
	test_tcp_pair(c, rnd(2) ? 32768 : 0);
	test_tcp_pair(s, rnd(2) ? 32768 : 0);
	w->client = c[0];
	w->server = s[1];
	w->to_send = bytes;
	w->copies = 1;
	relay_init(&w->relay);
	relay_notice = notice;
	attach(&w->relay.client, c[1]);
	attach(&w->relay.server, s[0]);
	chain_join(&w->chain, &w->relay.request);
	w->relay.request.mode = (uint8_t)mode;
	w->relay.request.flags |= PUMP_OPEN;
	pump_allow_all(&w->relay.request);
}

static struct member *world_add(struct world *w, enum kind kind)
{
	struct member *m = &w->members[w->members_used];

	m->most = 200000;
	m->filter.ops = &ops[kind];
	m->filter.place = (uint8_t)w->members_used++;
	chain_link(&w->chain, &m->filter);
	w->copies *= kind == DOUBLER || kind == HEEDER ? 2 : 1;
	return m;
}

static void world_write(struct world *w)
{
	unsigned char buf[60000];
	size_t n = 1 + rnd(rnd(3) ? 2000 : sizeof(buf)), i;
	ssize_t sent;

	if (w->sent == w->to_send)
		return;
	if (n > w->to_send - w->sent)
		n = (size_t)(w->to_send - w->sent);
	for (i = 0; i < n; i++)
		buf[i] = byte_at(w->sent + i);
	sent = send(w->client, buf, n, MSG_NOSIGNAL);
	if (sent > 0)
		w->sent += (uint64_t)sent;
	if (w->sent == w->to_send)
		shutdown(w->client, SHUT_WR);
}

static void world_read(struct world *w)
{
	unsigned char buf[50000];
	ssize_t n, i;

	if (w->eof || rnd(3) == 0)
		return;
	n = recv(w->server, buf, 1 + rnd(sizeof(buf)), 0);
	w->eof = n == 0 || (n < 0 && errno != EAGAIN);
	for (i = 0; i < n; i++)
		assert_int_equal(buf[i], byte_at((w->received + (uint64_t)i) / w->copies));
	w->received += n > 0 ? (uint64_t)n : 0;
}

/* Those that sleep are asked once more. */
static void world_ask(struct world *w)
{
	unsigned i;

	for (i = 0; i < w->members_used; i++) {
		if (!w->members[i].sleeps || rnd(3))
			continue;
		w->members[i].sleeps = false;
		chain_ask(&w->chain, &w->members[i].filter);
		task_wake(&w->relay.task);
	}
}

static void world_run(struct world *w)
{
	const uint64_t until = clock_read_us() + PATIENCE_US;

	while (!w->eof && !(w->noticed & PUMP_NO_MEMORY)) {
		assert_true(clock_read_us() < until);
		world_write(w);
		world_read(w);
		world_ask(w);
		loop_turn(0);
	}
}

static void world_end(struct world *w)
{
	unsigned i;

	chain_leave(&w->chain);
	for (i = 0; i < w->members_used; i++)
		assert_null(w->members[i].filter.held);
	relay_close(&w->relay, false, false);
	close(w->client);
	close(w->server);
	loop_turn(0);
}

/* ---- claims -------------------------------------------------------------------------------- */

static const enum pump_mode modes[] = { PUMP_ADAPTIVE, PUMP_SPLICE, PUMP_COPY };

/* Three filters of six kinds, in each of 216 orders. */
static void any_order_keeps_every_byte(void **state)
{
	struct world w;
	unsigned order, i, copies;

	(void)state;
	for (order = 0; order < ANYWHERE * ANYWHERE * ANYWHERE; order++) {
		world_start(&w, 1 + rnd(300000), modes[order % 3]);
		world_add(&w, (enum kind)(order % ANYWHERE));
		world_add(&w, (enum kind)(order / ANYWHERE % ANYWHERE));
		world_add(&w, (enum kind)(order / ANYWHERE / ANYWHERE));
		copies = w.copies;
		world_run(&w);
		assert_int_equal(w.received, w.to_send * copies);
		for (i = 0; i < 3; i++)
			assert_true(w.members[i].filter.ops == &ops[LIMIT] || w.members[i].told);
		world_end(&w);
	}
}

/* Where nobody holds bytes back, all that are there leave at once, however many pieces they were. */
static void what_flows_leaves_at_once(void **state)
{
	static const enum kind kinds[] = { LOOKER, HEEDER };
	const uint64_t until = clock_read_us() + PATIENCE_US;
	enum { BYTES = 20000 };
	struct world w;
	unsigned i;
	int here;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		world_start(&w, BYTES, PUMP_COPY);
		world_add(&w, kinds[i]);
		w.chain.holds = true; /* pieces are small */
		assert_true(chain_most(&w.chain) < BYTES);
		for (here = 0; here < BYTES; ioctl(end_socket(&w.relay.client)->src.fd, FIONREAD, &here)) {
			assert_true(clock_read_us() < until);
			world_write(&w);
		}
		*w.relay.client.flags |= CONN_READABLE;
		pump_run(&w.relay.request);
		assert_int_equal(w.relay.request.copied, BYTES * w.copies);
		assert_int_equal(w.relay.request.calls, 3); /* a first piece, the others, all of them out */
		world_run(&w);
		assert_int_equal(w.received, BYTES * w.copies);
		world_end(&w);
	}
}

/* A limit allows a part of what comes with the end: the others follow by themselves. */
static void what_is_kept_to_the_end_passes_limits(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	for (i = 0; i < 30; i++) {
		world_start(&w, 3000, modes[i % 3]);
		world_add(&w, HEEDER)->late = true;
		world_add(&w, LIMIT)->most = 3000;
		world_run(&w);
		assert_int_equal(w.received, 6000);
		world_end(&w);
	}
}

/* Limits need to see nothing. */
static void limits_leave_bytes_in_pipes(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 8 << 20, PUMP_SPLICE);
	world_add(&w, LIMIT);
	world_add(&w, LIMIT);
	world_run(&w);
	assert_int_equal(w.received, 8 << 20);
	assert_int_equal(w.members[0].count, 8 << 20);
	assert_int_equal(w.members[1].count, 8 << 20);
	assert_true(w.relay.request.spliced > 4 << 20);
	world_end(&w);
}

static void a_message_may_end_early(void **state)
{
	enum kind behind;
	struct world w;
	unsigned i;

	(void)state;
	for (i = 0; i < 2 * ANYWHERE * ANYWHERE; i++) {
		world_start(&w, 500000, modes[i % 3]);
		world_add(&w, (enum kind)(i % ANYWHERE));
		world_add(&w, ENDER)->until = 100001;
		world_add(&w, (enum kind)(i / ANYWHERE % ANYWHERE));
		world_run(&w);
		assert_true(w.chain.cut);
		behind = (enum kind)(i / ANYWHERE % ANYWHERE);
		assert_int_equal(w.received, 100001 * (behind == DOUBLER || behind == HEEDER ? 2 : 1));
		world_end(&w);
	}
}

static void a_filter_may_fail(void **state)
{
	struct world w;

	(void)state;
	world_start(&w, 100000, PUMP_ADAPTIVE);
	world_add(&w, HOLDER);
	world_add(&w, FAILER)->until = 30000;
	world_run(&w);
	assert_true(w.noticed & PUMP_NO_MEMORY);
	assert_true(w.received < 30000);
	world_end(&w);
}

/* More bytes than were promised do not leave, nor an end before all of them. */
static void a_promise_is_kept(void **state)
{
	static const struct {
		uint64_t promised;
		bool fits;
	} cases[] = { { 20000, true }, { UINT64_MAX, true }, { 19999, false }, { 20001, false }, { 0, false } };
	struct world w;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		world_start(&w, 10000, modes[i % 3]);
		world_add(&w, KEEPER);
		world_add(&w, DOUBLER);
		chain_promise(&w.chain, cases[i].promised);
		world_run(&w);
		assert_int_equal(w.chain.misfits, !cases[i].fits);
		assert_int_equal((w.noticed & PUMP_NO_MEMORY) != 0, !cases[i].fits);
		assert_true(w.received <= cases[i].promised);
		assert_true(!cases[i].fits || w.received == 20000);
		world_end(&w);
	}
}

/* To a message that has no body filters add what they like: it does not leave. */
static void a_bare_message_stays_bare(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		world_start(&w, 20000, modes[i]);
		world_add(&w, KEEPER);
		world_add(&w, DOUBLER);
		chain_promise_none(&w.chain);
		world_run(&w);
		assert_true(w.members[0].told && w.members[1].told && w.chain.ended);
		assert_false(w.noticed & PUMP_NO_MEMORY);
		assert_int_equal(w.received, 0);
		world_end(&w);
	}
}

/* Who is woken behind the end that another filter has made has nothing to say any more. */
static void who_is_past_the_end_is_not_asked(void **state)
{
	struct world w;
	unsigned i;

	(void)state;
	for (i = 0; i < 60; i++) {
		world_start(&w, 500000, modes[i % 3]);
		world_add(&w, KEEPER);
		world_add(&w, ENDER)->until = 100001;
		world_add(&w, KEEPER);
		while (!w.chain.cut) {
			world_write(&w);
			world_read(&w);
			world_ask(&w);
			loop_turn(0);
		}
		chain_ask(&w.chain, &w.members[0].filter);
		chain_ask(&w.chain, &w.members[1].filter);
		task_wake(&w.relay.task);
		world_run(&w);
		assert_int_equal(w.received, 100001);
		assert_int_equal(w.members[1].count, 100001);
		world_end(&w);
	}
}

/* What was looked at before the pump opened passes the chain like all else. */
static void bytes_looked_at_pass_the_chain(void **state)
{
	const uint64_t until = clock_read_us() + PATIENCE_US;
	struct world w;

	(void)state;
	world_start(&w, 3000, PUMP_ADAPTIVE);
	w.relay.request.flags &= (uint16_t)~PUMP_OPEN;
	w.relay.request.flags |= PUMP_LOOK;
	while (pump_held(&w.relay.request) < 3000) {
		assert_true(clock_read_us() < until);
		world_write(&w);
		loop_turn(0);
		pump_run(&w.relay.request);
	}
	world_add(&w, LOOKER);
	world_add(&w, LIMIT);
	chain_open(&w.chain);
	w.relay.request.flags &= (uint16_t)~PUMP_LOOK;
	w.relay.request.flags |= PUMP_OPEN;
	pump_run(&w.relay.request);
	world_run(&w);
	assert_int_equal(w.received, 3000);
	assert_int_equal(w.members[0].count, 3000);
	assert_int_equal(w.members[1].count, 3000);
	world_end(&w);
}

/* A limit of a day: who has gone meanwhile is noticed all the same. */
static void who_has_gone_is_not_waited_for(void **state)
{
	const uint64_t until = clock_read_us() + PATIENCE_US;
	struct world w;
	unsigned turns;

	(void)state;
	world_start(&w, 10000, PUMP_ADAPTIVE);
	world_add(&w, LIMIT)->until = UINT64_MAX / 2;
	for (turns = 0; turns < 10; turns++) {
		world_write(&w);
		loop_turn(0);
	}
	assert_true(chain_blocks(&w.chain));
	assert_int_equal(w.received, 0);
	setsockopt(w.server, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
	close(w.server);
	w.server = dup(0);
	while (!(w.noticed & PUMP_WRITE_ERROR)) {
		assert_true(clock_read_us() < until);
		loop_turn(0);
	}
	world_end(&w);
}

static int setup(void **state)
{
	(void)state;
	clock_update();
	pipes_init(16, 0);
	return loop_init(64);
}

static int teardown(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_keeps_every_byte),
		cmocka_unit_test(what_flows_leaves_at_once),
		cmocka_unit_test(what_is_kept_to_the_end_passes_limits),
		cmocka_unit_test(limits_leave_bytes_in_pipes),
		cmocka_unit_test(a_message_may_end_early),
		cmocka_unit_test(a_filter_may_fail),
		cmocka_unit_test(a_promise_is_kept),
		cmocka_unit_test(a_bare_message_stays_bare),
		cmocka_unit_test(who_is_past_the_end_is_not_asked),
		cmocka_unit_test(bytes_looked_at_pass_the_chain),
		cmocka_unit_test(who_has_gone_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
