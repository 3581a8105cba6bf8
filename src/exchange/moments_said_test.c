/* SPDX-License-Identifier: BSD-2-Clause */
/* What a subscriber of moments may say again and again, at one moment or at all of them: nobody
 * asks for ever, and the client is told once. Clients are fake, servers are scripted sockets. */
#include "stream/moments.h"

#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "exchange/test_client.h"
#include "exchange/test_heard.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "stream/subscriber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>

enum { BODY = 100 };

/* ---- the subscriber: says the same each time it is asked ----------------------------------- */

static struct {
	unsigned at;             /* AT_MOMENT: where it says something */
	enum moment_said what;
	bool answers, serves;    /* SAID_ENDS comes with an answer; with a service, at REQUEST */
	unsigned times[MOMENTS]; /* it was asked */
} stubborn;

static unsigned stubborn_wants(const struct config *cfg, const struct proxy *px, bool is_backend)
{
	(void)cfg;
	(void)px;
	return is_backend ? 0 : (1u << MOMENTS) - 1;
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
	NULL,
};

/* ---- the world ------------------------------------------------------------------------------ */

static int begin(void **state)
{
	(void)state;
	served_world_begin(SERVED_HTTP
			   "frontend s\n default_backend b\n"
			   "backend b\n http-reuse always\n server s abns@%s\n");
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	memset(&stubborn, 0, sizeof(stubborn));
	served_afresh();
	return 0;
}

static int nothing_left(void **state)
{
	(void)state;
	turns(3);
	assert_int_equal(streams_count, 0);
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Whatever is said at a moment each time: it is asked once a stream, and the client is told. */
static void it_says_the_same_each_time(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("s"));
	for (i = 0; i < ASKED_AT; i++) {
		bool late = asked_at[i] > MOMENT_CONNECTED;

		memset(&stubborn, 0, sizeof(stubborn));
		stubborn.at = 1u << asked_at[i];
		stubborn.what = SAID_ENDS;
		stubborn.answers = true;
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		assert_int_equal(lane->status, 299);
		assert_int_equal(stubborn.times[asked_at[i]], 1);
		stubborn.answers = false;
		stubborn.what = SAID_REFUSES;
		lane = wire_ask(&w, 0, BODY);
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
	for (i = 0; i < ASKED_AT; i++)
		stubborn.at |= 1u << asked_at[i];
	stubborn.what = SAID_ENDS;
	stubborn.answers = true;
	lane = wire_ask(&w, 0, BODY);
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
	lane = wire_ask(&w, 0, BODY);
	lane_await(lane);
	assert_int_equal(lane->status, 0);
	assert_int_equal(stubborn.times[MOMENT_CONNECTED], 1);
	assert_int_equal(stubborn.times[MOMENT_ENDED], 1);
	assert_int_equal(served.asked, 0);
	wire_close(&w);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, afresh, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(it_says_the_same_each_time),
		EACH(it_answers_everywhere),
		EACH(it_ends_a_service),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
