/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments of streams: a kind of filters that writes down what it hears, and makes streams wait or
 * end wherever they may be. Three lines of it, two of the frontend and one of the backend. Clients
 * are fake, streams, exchanges and the server are real. */
#include "stream/moments.h"

#include "base/clock.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"
#include "filter/filter.h"
#include "proxy/proxy.h"
#include "stream/filtering.h"
#include "stream/timeouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED = 8, PATIENCE = 20000, QUIET = 30 };

/* ---- the listener --------------------------------------------------------------------------- */

static const char *const names[MOMENTS] = {
	[MOMENT_BEGUN] = "BEGUN", [MOMENT_REQUEST] = "REQUEST", [MOMENT_BACKEND] = "BACKEND",
	[MOMENT_RULED] = "RULED", [MOMENT_CONNECTED] = "CONNECTED", [MOMENT_SENT] = "SENT",
	[MOMENT_RESPONSE] = "RESPONSE", [MOMENT_ANSWER] = "ANSWER",
	[MOMENT_ANSWERED] = "ANSWERED",
};
static const enum moment asked_at[] = { MOMENT_REQUEST, MOMENT_BACKEND, MOMENT_RULED,
					MOMENT_CONNECTED, MOMENT_RESPONSE, MOMENT_ANSWER };
static char heard[4000];
static unsigned states;        /* that are alive */
static char who;               /* which line says something else than that it goes on */
static enum moment when;       /* ... and at which moment */
static enum moment_said what;  /* SAID_GOES_ON: none does */
static bool answers;           /* SAID_ENDS comes with an answer */

static void hear_add(const char *line, const char *text)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s%s%s", len ? " " : "", line, text);
}

static void fake_begin(struct filter *f)
{
	(void)f;
	states++;
}

static void fake_end(struct filter *f)
{
	hear_add(f->line->data, "ENDED");
	states--;
}

static enum moment_said fake_hear(struct filter *f, enum moment moment)
{
	const char *line = f->line->data;
	struct stream *s = stream_of(f->set->relay);

	hear_add(line, names[moment]);
	if (what == SAID_GOES_ON || *line != who || moment != when)
		return SAID_GOES_ON;
	if (answers)
		exchange_reply(s->exchange, reply_new(s->exchange, 299, NULL, span_of("")));
	return what;
}

static struct pool fake_pool = POOL_INIT("fake", sizeof(struct filter));

static int fake_parse(struct statement *st, struct proxy *px, struct filter_line *line)
{
	(void)px;
	line->data = st->words[st->at - 1].text + strlen("lua.");
	return 0;
}

static const struct filter_kind fake_kind = {
	.name = "lua",
	.parse = fake_parse,
	.pool = &fake_pool,
	.moments = (1u << MOMENTS) - 1,
	.hear = fake_hear,
	.begin = fake_begin,
	.end = fake_end,
};

/* ---- a subscriber that says the same each time it is asked ------------------------------------ */

static struct {
	unsigned at;             /* AT_MOMENT: where it says something */
	enum moment_said what;
	bool answers, serves;    /* SAID_ENDS comes with an answer; with a service, at REQUEST */
	unsigned times[MOMENTS]; /* it was asked */
} stubborn;

static unsigned stubborn_wants(const struct proxy *px, bool is_backend)
{
	return !is_backend && !strcmp(px->name, "s") ? (1u << MOMENTS) - 1 : 0;
}

static uint16_t service_flags;
static struct framing service_framing;

static void service_close(struct end *end, bool reset)
{
	(void)end;
	(void)reset;
}

static const struct message_ops service_ops = {
	.end = { .name = "service", .close = service_close },
};

static int service_open(struct exchange *x, struct end *end)
{
	(void)x;
	end_set_applet(end, &service_ops.end, &service_framing, &service_flags, &service_framing);
	return 0;
}

static enum moment_said stubborn_hear(struct stream *s, enum moment moment)
{
	if (strcmp(s->origin->frontend->name, "s"))
		return SAID_GOES_ON;
	assert_true(++stubborn.times[moment] < 10); /* it would be asked for ever */
	if (!(stubborn.at & 1u << moment))
		return SAID_GOES_ON;
	if (stubborn.serves && moment == MOMENT_REQUEST)
		exchange_serve(s->exchange, "<TEST>", service_open, NULL);
	else if (stubborn.answers)
		exchange_reply(s->exchange, reply_new(s->exchange, 299, NULL, span_of("")));
	return stubborn.what;
}

static const struct subscriber stubborn_subscriber = {
	.name = "stubborn",
	.moments = (1u << MOMENTS) - 1,
	.wants = stubborn_wants,
	.hear = stubborn_hear,
};

/* The list of this program. */
const struct subscriber *const subscribers[] = {
	&stubborn_subscriber,
	&filtering_subscriber,
	NULL,
};

static void says(char line, enum moment moment, enum moment_said said)
{
	heard[0] = 0;
	who = line;
	when = moment;
	what = said;
	answers = false;
}

/* What the one line has heard, or all of them. */
static const char *heard_by(char line)
{
	static char own[sizeof(heard)];
	char all[sizeof(heard)], *word, *rest = all;

	own[0] = 0;
	memcpy(all, heard, sizeof(all));
	while ((word = strsep(&rest, " ")))
		if (*word == line)
			sprintf(own + strlen(own), "%s%s", own[0] ? " " : "", word + 1);
	return own;
}

static unsigned times_heard(char line, enum moment moment)
{
	const char *at = heard_by(line);
	unsigned n = 0;

	for (; (at = strstr(at, names[moment])); at++)
		n += at[strlen(names[moment])] == ' ' || !at[strlen(names[moment])];
	return n;
}

/* It waits at that one, and none behind it has come. */
static void waits_at(unsigned i)
{
	assert_int_equal(times_heard('a', asked_at[i]), 1);
	while (++i < ARRAY_LEN(asked_at))
		assert_int_equal(times_heard('a', asked_at[i]), 0);
}

/* ---- the server: "GET /n" has n bytes, other bytes come back -------------------------------- */

struct asked {
	int fd;            /* -1: none */
	char head[512];
	size_t got;
};

static int listening;
static unsigned requests, breaks; /* breaks: so many requests end without a word */
static struct asked asked[ASKED];

static void asked_leave(struct asked *a)
{
	close(a->fd);
	*a = (struct asked){ .fd = -1 };
}

static void asked_answer(struct asked *a)
{
	size_t n = strtoul(a->head + 5, NULL, 10), i;
	char answer[2000];
	int len = snprintf(answer, 100, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);

	requests++;
	a->got = 0;
	if (breaks && breaks--) {
		asked_leave(a);
		return;
	}
	for (i = 0; i < n; i++)
		answer[(size_t)len + i] = test_byte(n, i);
	assert_int_equal(send(a->fd, answer, (size_t)len + n, MSG_NOSIGNAL), (size_t)len + n);
}

static void asked_read(struct asked *a)
{
	ssize_t got = recv(a->fd, a->head + a->got, sizeof(a->head) - 1 - a->got, MSG_DONTWAIT);

	if (got == 0 || (got < 0 && errno != EAGAIN))
		asked_leave(a);
	if (got <= 0)
		return;
	a->got += (size_t)got;
	a->head[a->got] = 0;
	if (strncmp(a->head, "GET /", 5)) {
		assert_int_equal(send(a->fd, a->head, a->got, MSG_NOSIGNAL), a->got);
		a->got = 0;
		requests++;
	} else if (strstr(a->head, "\r\n\r\n")) {
		asked_answer(a);
	}
}

static void turns(unsigned n)
{
	unsigned i;

	while (n--) {
		for (i = 0; i < ASKED; i++) {
			if (asked[i].fd < 0)
				asked[i].fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
			else
				asked_read(&asked[i]);
		}
		world_turn(0);
	}
}

static void await(const struct end *const *end)
{
	unsigned i;

	for (i = 0; *end && i < PATIENCE; i++)
		turns(1);
	assert_null(*end);
}

static void lane_await(struct lane *lane)
{
	await((const struct end *const *)&lane->end);
}

/* ---- a client of bytes ---------------------------------------------------------------------- */

struct bytes_client {
	struct origin origin;
	struct timer timer;
	struct end *end;     /* NULL: it has ended */
	struct stream *stream;
	uint16_t flags;
	const char *says;    /* NULL: all was said */
	char got[100];
	size_t len;
};

static enum io bytes_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct bytes_client *c = end_applet(end);

	*got = c->says ? strlen(c->says) : 0;
	c->flags &= (uint16_t)~CONN_READABLE;
	if (!c->says)
		return c->flags & CONN_RDHUP ? IO_EOF : IO_AGAIN;
	assert_true(*got < size);
	memcpy(buf, c->says, *got);
	c->says = NULL;
	return IO_OK;
}

static enum io bytes_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct bytes_client *c = end_applet(end);

	(void)more;
	assert_true(c->len + len < sizeof(c->got));
	memcpy(c->got + c->len, buf, len);
	*sent = len;
	c->len += len;
	return IO_OK;
}

static void bytes_finish(struct end *end)
{
	(void)end;
}

static void bytes_close(struct end *end, bool reset)
{
	struct bytes_client *c = end_applet(end);

	(void)reset;
	c->end = NULL;
}

static const struct end_ops bytes_ops = {
	.name = "test",
	.recv = bytes_recv,
	.send = bytes_send,
	.finish = bytes_finish,
	.close = bytes_close,
};

static bool bytes_lend(struct origin *origin, struct end *end, struct buf **held)
{
	struct bytes_client *c = container_of(origin, struct bytes_client, origin);

	(void)held;
	c->end = end;
	c->stream = stream_of(container_of(end, struct relay, client));
	c->flags = CONN_READABLE | CONN_WRITABLE;
	end_set_applet(end, &bytes_ops, c, &c->flags, NULL);
	return true;
}

static void bytes_ended(struct origin *origin)
{
	(void)origin;
}

static const struct carrier_ops bytes_carrier = {
	.name = "test", .lend = bytes_lend, .ended = bytes_ended,
};

static void bytes_expired(struct timer *timer)
{
	struct bytes_client *c = container_of(timer, struct bytes_client, timer);

	if (c->end)
		stream_timer(c->stream);
}

static void bytes_open(struct bytes_client *c, const char *text)
{
	*c = (struct bytes_client){
		.origin = { .carrier = &bytes_carrier, .frontend = world_frontend("t"),
			    .accepted_ms = clock_now_ms, .accepted = clock_wall() },
		.says = text,
	};
	c->origin.session_vars = &c->origin.vars;
	c->origin.src.family = AF_UNSPEC;
	timer_init(&c->timer, bytes_expired);
	assert_true(stream_start(&c->origin, &c->timer));
}

static void bytes_leave(struct bytes_client *c)
{
	c->flags |= CONN_READABLE | CONN_RDHUP;
	end_ready(c->end);
	await((const struct end *const *)&c->end);
	timer_cancel(&c->timer);
	origin_free(&c->origin);
}

/* ---- the world ------------------------------------------------------------------------------ */

static int begin(void **state)
{
	char text[2000];
	unsigned port, i;

	(void)state;
	filter_script_kind = &fake_kind;
	listening = world_listen(&port);
	for (i = 0; i < ASKED; i++)
		asked[i] = (struct asked){ .fd = -1 };
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 5s\n timeout client 60s\n"
		 " timeout server 60s\n retry-on empty-response\n"
		 "frontend f\n http-request deny if { path /0 }\n filter lua.a\n filter lua.b\n"
		 " default_backend b\n"
		 "frontend hasty\n timeout client 50ms\n filter lua.a\n default_backend hasty\n"
		 "backend hasty\n timeout server 50ms\n server s 127.0.0.1:%u\n"
		 "backend b\n filter lua.c\n http-reuse always\n server s 127.0.0.1:%u\n"
		 "frontend s\n default_backend b\n"
		 "listen t\n mode tcp\n filter lua.a\n server s 127.0.0.1:%u\n", port, port, port);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	world_end();
	for (i = 0; i < ASKED; i++)
		if (asked[i].fd >= 0)
			close(asked[i].fd);
	close(listening);
	filter_script_kind = NULL;
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	says(0, MOMENT_BEGUN, SAID_GOES_ON);
	memset(&stubborn, 0, sizeof(stubborn));
	breaks = requests = 0;
	return 0;
}

static int nothing_left(void **state)
{
	(void)state;
	turns(3);
	assert_int_equal(states, 0);
	assert_int_equal(streams_count, 0);
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

#define WHOLE "BEGUN REQUEST BACKEND RULED CONNECTED SENT RESPONSE ANSWER ANSWERED ENDED"

/* The second request of a connection begins afresh. */
static void a_request_meets_all(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < 2; i++) {
		heard[0] = 0;
		lane = wire_ask(&w, 0, 100);
		lane_await(lane);
		lane_is_whole(lane);
		assert_string_equal(heard_by('a'), WHOLE);
		assert_string_equal(heard_by('b'), WHOLE);
		assert_string_equal(heard_by('c'), strstr(WHOLE, "BACKEND"));
	}
	wire_close(&w);
}

/* Three ends at once over one connection: one waits, the others go on. */
static void one_waits_for_itself(void **state)
{
	struct wire w;
	struct lane *a, *b;

	(void)state;
	wire_open(&w, world_frontend("f"));
	says('c', MOMENT_RULED, SAID_WAITS);
	a = wire_ask(&w, 0, 10);
	turns(QUIET);
	what = SAID_GOES_ON;
	b = wire_ask(&w, 1, 20);
	lane_await(b);
	lane_is_whole(b);
	assert_non_null(a->end);
	stream_wake(a->stream);
	lane_await(a);
	lane_is_whole(a);
	wire_close(&w);
}

/* In the order of the lines; those in front of the one that waits are not asked again. */
static void lines_have_an_order(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	says('b', MOMENT_RULED, SAID_WAITS);
	lane = wire_ask(&w, 0, 10);
	turns(QUIET);
	stream_wake(lane->stream);
	turns(QUIET);
	assert_non_null(strstr(heard, "aRULED bRULED bRULED"));
	assert_null(strstr(heard, "cRULED"));
	what = SAID_GOES_ON;
	stream_wake(lane->stream);
	lane_await(lane);
	assert_non_null(strstr(heard, "aRULED bRULED bRULED bRULED cRULED aCONNECTED bCONNECTED "
				      "cCONNECTED"));
	assert_int_equal(times_heard('a', MOMENT_RULED), 1);
	wire_close(&w);
}

static void it_waits_anywhere(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < ARRAY_LEN(asked_at); i++) {
		requests = 0;
		says('a', asked_at[i], SAID_WAITS);
		lane = wire_ask(&w, 0, 500);
		turns(QUIET);
		assert_non_null(lane->end);
		assert_int_equal(lane->status, 0);
		assert_int_equal(requests, asked_at[i] > MOMENT_CONNECTED);
		waits_at(i);
		stream_wake(lane->stream);
		turns(QUIET);
		assert_non_null(lane->end);
		what = SAID_GOES_ON;
		stream_wake(lane->stream);
		lane_await(lane);
		lane_is_whole(lane);
		assert_int_equal(times_heard('a', asked_at[i]), 3);
		assert_int_equal(times_heard('b', asked_at[i]), 1);
		assert_int_equal(requests, 1);
	}
	wire_close(&w);
}

static void it_is_killed_anywhere(void **state)
{
	unsigned i, how;
	struct wire w;

	(void)state;
	for (how = 0; how < 2; how++)
		for (i = 0; i < ARRAY_LEN(asked_at); i++) {
			struct lane *lane;

			wire_open(&w, world_frontend("f"));
			says('b', asked_at[i], SAID_WAITS);
			lane = wire_ask(&w, 0, 500);
			turns(QUIET);
			if (how)
				stream_end_soon(lane->stream, END_KILLED);
			else
				wire_die(&w);
			if (how)
				turns(QUIET);
			if (lane->end) /* whose request a server has, is told */
				assert_true(how && asked_at[i] > MOMENT_CONNECTED);
			says(0, MOMENT_BEGUN, SAID_GOES_ON);
			lane_await(lane);
			turns(3);
			assert_int_equal(states, 0);
			wire_close(&w);
		}
}

static void it_ends_anywhere(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < ARRAY_LEN(asked_at); i++) {
		bool late = asked_at[i] > MOMENT_CONNECTED;

		requests = 0;
		says('a', asked_at[i], SAID_ENDS);
		answers = true;
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, 299);
		assert_int_equal(requests, late);
		assert_int_equal(times_heard('b', asked_at[i]), 0);
		/* No filter hears of answers. */
		assert_int_equal(times_heard('a', MOMENT_ANSWERED), 0);
		says('b', asked_at[i], SAID_REFUSES);
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, late ? 502 : 400);
		says('b', asked_at[i], SAID_SHORT);
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, 500);
		says('b', asked_at[i], SAID_ENDS); /* without a word */
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, 0);
		says(0, MOMENT_BEGUN, SAID_GOES_ON);
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		lane_is_whole(lane);
	}
	wire_close(&w);
}

/* Whatever is said at a moment each time: it is asked once a stream, and the client is told. */
static void it_says_the_same_each_time(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("s"));
	for (i = 0; i < ARRAY_LEN(asked_at); i++) {
		bool late = asked_at[i] > MOMENT_CONNECTED;

		memset(&stubborn, 0, sizeof(stubborn));
		stubborn.at = 1u << asked_at[i];
		stubborn.what = SAID_ENDS;
		stubborn.answers = true;
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, 299);
		assert_int_equal(stubborn.times[asked_at[i]], 1);
		stubborn.answers = false;
		stubborn.what = SAID_REFUSES;
		lane = wire_ask(&w, 0, 500);
		lane_await(lane);
		assert_int_equal(lane->status, late ? 502 : 400);
		assert_int_equal(stubborn.times[asked_at[i]], 2);
		assert_int_equal(stubborn.times[MOMENT_ENDED], 2);
	}
	wire_close(&w);
}

/* ... and at all of them, so of its own answer, too: what was said last leaves. */
static void it_answers_everywhere(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("s"));
	for (i = 0; i < ARRAY_LEN(asked_at); i++)
		stubborn.at |= 1u << asked_at[i];
	stubborn.what = SAID_ENDS;
	stubborn.answers = true;
	lane = wire_ask(&w, 0, 500);
	lane_await(lane);
	assert_int_equal(lane->status, 299);
	assert_int_equal(stubborn.times[MOMENT_REQUEST], 1);
	assert_int_equal(stubborn.times[MOMENT_ANSWER], 1);
	assert_int_equal(stubborn.times[MOMENT_RESPONSE], 0);
	wire_close(&w);
}

/* A service is there: who says that the stream ends does not mean that. */
static void it_ends_a_service(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("s"));
	stubborn.at = AT_MOMENT(REQUEST) | AT_MOMENT(CONNECTED);
	stubborn.what = SAID_ENDS;
	stubborn.serves = true;
	lane = wire_ask(&w, 0, 500);
	lane_await(lane);
	assert_int_equal(lane->status, 0);
	assert_int_equal(stubborn.times[MOMENT_CONNECTED], 1);
	assert_int_equal(stubborn.times[MOMENT_ENDED], 1);
	assert_int_equal(requests, 0);
	wire_close(&w);
}

/* As long as its side may be silent. */
static void a_wait_has_a_limit(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("hasty"));
	says('a', MOMENT_RULED, SAID_WAITS);
	lane = wire_ask(&w, 0, 10);
	for (i = 0; lane->end && i < 500; i++)
		world_turn(10);
	assert_null(lane->end);
	assert_int_equal(lane->status, 400);
	assert_int_equal(requests, 0);
	wire_close(&w);
}

/* Rules answer: what is left of the request is passed over. */
static void an_answer_by_a_rule(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	lane = wire_ask(&w, 0, 0);
	lane_await(lane);
	assert_int_equal(lane->status, 403);
	assert_string_equal(heard_by('a'), "BEGUN REQUEST ENDED");
	assert_string_equal(heard_by('c'), "");
	wire_close(&w);
}

/* The server leaves without a word, twice. */
static void a_request_is_sent_again(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	breaks = 2;
	lane = wire_ask(&w, 0, 10);
	lane_await(lane);
	lane_is_whole(lane);
	assert_int_equal(requests, 3);
	assert_string_equal(heard_by('a'),
			    "BEGUN REQUEST BACKEND RULED CONNECTED SENT CONNECTED SENT CONNECTED "
			    "SENT RESPONSE ANSWER ANSWERED ENDED");
	wire_close(&w);
}

#define BYTES "BEGUN REQUEST BACKEND CONNECTED SENT RESPONSE ANSWER ENDED"

static void bytes_meet_theirs(void **state)
{
	struct bytes_client c;

	(void)state;
	bytes_open(&c, "hello");
	turns(QUIET);
	assert_int_equal(c.len, 5);
	assert_memory_equal(c.got, "hello", 5);
	bytes_leave(&c);
	assert_string_equal(heard_by('a'), BYTES);
}

/* None of them passes meanwhile. */
static void bytes_wait_anywhere(void **state)
{
	struct bytes_client c;
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(asked_at); i++) {
		if (asked_at[i] == MOMENT_RULED)
			continue;
		requests = 0;
		says('a', asked_at[i], SAID_WAITS);
		bytes_open(&c, "hello");
		turns(QUIET);
		assert_int_equal(c.len, 0);
		assert_int_equal(requests, asked_at[i] > MOMENT_CONNECTED);
		waits_at(i);
		what = SAID_GOES_ON;
		stream_wake(c.stream);
		turns(QUIET);
		assert_int_equal(c.len, 5);
		assert_int_equal(times_heard('a', asked_at[i]), 2);
		bytes_leave(&c);
	}
}

static void bytes_end_anywhere(void **state)
{
	static const enum moment_said ends[] = { SAID_ENDS, SAID_REFUSES, SAID_FAULTY, SAID_SHORT,
						 SAID_WAITS };
	struct bytes_client c;
	unsigned i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(asked_at); i++)
		for (k = 0; k < ARRAY_LEN(ends) && asked_at[i] != MOMENT_RULED; k++) {
			says('a', asked_at[i], ends[k]);
			bytes_open(&c, "hello");
			turns(QUIET);
			if (ends[k] == SAID_WAITS) {
				assert_non_null(c.end);
				stream_end_soon(c.stream, END_KILLED);
				turns(3);
			}
			assert_null(c.end);
			assert_int_equal(c.len, 0);
			assert_int_equal(states, 0);
			timer_cancel(&c.timer);
			origin_free(&c.origin);
		}
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, afresh, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_request_meets_all), EACH(one_waits_for_itself), EACH(lines_have_an_order),
		EACH(it_waits_anywhere), EACH(it_is_killed_anywhere), EACH(it_ends_anywhere),
		EACH(it_says_the_same_each_time), EACH(it_answers_everywhere),
		EACH(it_ends_a_service), EACH(a_wait_has_a_limit), EACH(an_answer_by_a_rule), EACH(a_request_is_sent_again),
		EACH(bytes_meet_theirs), EACH(bytes_wait_anywhere), EACH(bytes_end_anywhere),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
