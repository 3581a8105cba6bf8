/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk of a request of the program's own: lookup, a stream that asks, its answer. Its owner
 * calls own_request_go whenever it is ready; nothing here calls back otherwise.
 *
 * A stream makes one connection. One that fails is tried again with the next address of the host
 * at once, and with the first one after a second. A request that a kept connection has not
 * answered with a single byte goes once more over a new one, if doing so twice is harmless (RFC
 * 9110 9.2.2). What goes through a backend is tried again by the backend's words alone. */
#include "client/own_request.h"

#include "base/clock.h"
#include "client/client_conf.h"
#include "client/own_host.h"
#include "client/own_stream.h"
#include "config/module.h"
#include "log/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum state { OVER, STARTS, LOOKS_UP, PAUSES, ASKS };

enum { AGAIN_MS = 1000 };
/* What a step says that goes on by itself. */
enum { GOES_ON = -1 };

static struct list under_way = LIST_INIT(under_way);

static void fire(struct timer *timer)
{
	struct own_request *r = container_of(timer, struct own_request, timer);

	r->late = true;
	r->ready(r);
}

static void expire(struct timer *timer)
{
	struct own_request *r = container_of(timer, struct own_request, whole);

	r->expired = true;
	r->ready(r);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void drop(struct own_request *r)
{
	timer_cancel(&r->timer);
	r->late = false;
	if (r->stream)
		own_stream_leave(&r->stream);
}

void own_request_end(struct own_request *r)
{
	if (r->state == OVER)
		return;
	r->state = OVER;
	timer_cancel(&r->whole);
	dns_cancel(&r->lookup);
	drop(r);
	if (r->host)
		own_host_give(&r->host);
	list_remove(&r->node);
}

static void end_all(void)
{
	while (!list_empty(&under_way))
		own_request_end(list_first(&under_way, struct own_request, node));
}

static int fail(struct own_request *r, enum own_fault fault, const char *why)
{
	r->fault = fault;
	r->why = why;
	own_request_end(r);
	return OWN_FAILED;
}

unsigned own_status(enum own_fault fault)
{
	switch (fault) {
	case OWN_LATE:
		return 504;
	case OWN_UNSAID:
		return 400;
	case OWN_BROKEN:
		return 502;
	case OWN_UNKNOWN:
	case OWN_UNREACHED:
		break;
	}
	return 503;
}

static int fail_unreached(struct own_request *r)
{
	return fail(r, OWN_UNREACHED, "no connection to it can be made");
}

static int fail_late(struct own_request *r)
{
	return fail(r, OWN_LATE, "it does not answer in time");
}

static int fail_by_status(struct own_request *r, unsigned status)
{
	if (status == 503)
		return fail_unreached(r);
	if (status == 504)
		return fail_late(r);
	return fail(r, OWN_BROKEN, "it ends the connection in the middle, or its answer is no HTTP");
}

/* ---- where it goes -------------------------------------------------------------------------- */

static void add_family(struct own_request *r, const struct dns_answer *answer, int family,
		       bool others)
{
	unsigned i;

	for (i = 0; i < answer->count && r->count < OWN_ADDRS; i++) {
		if ((answer->addr[i].family == family) == others)
			continue;
		r->addr[r->count] = answer->addr[i];
		r->addr[r->count++].port = (uint16_t)r->target.port;
	}
}

static void take_answer(struct own_request *r, const struct dns_answer *answer)
{
	r->count = r->at = 0;
	add_family(r, answer, client_conf.family, false);
	add_family(r, answer, client_conf.family, true);
	r->state = ASKS;
}

static void looked_up(struct dns_lookup *lookup, const struct dns_answer *answer)
{
	struct own_request *r = container_of(lookup, struct own_request, lookup);

	take_answer(r, answer);
	r->ready(r);
}

static int look_up(struct own_request *r)
{
	const struct dns_answer *answer;

	r->state = LOOKS_UP;
	r->lookup.done = looked_up;
	answer = dns_look(&r->lookup, r->target.host);
	if (!answer)
		return OWN_WAITS;
	take_answer(r, answer);
	return GOES_ON;
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool is_known(const struct own_request *r)
{
	return r->target.backend || r->target.to_len;
}

static bool is_idempotent(const struct own_request *r)
{
	return r->words.method != METHOD_POST && r->words.method != METHOD_OTHER;
}

static int starts(struct own_request *r)
{
	r->host = own_host_take(&r->target);
	if (!r->host)
		return fail_unreached(r);
	r->reuses = r->target.backend ? is_idempotent(r) :
					own_host_waits(r->host, !is_idempotent(r));
	r->state = ASKS;
	return r->reuses || is_known(r) ? GOES_ON : look_up(r);
}

/* A new stream. */
static int ask(struct own_request *r)
{
	r->late = false;
	if (!r->host)
		r->host = own_host_take(&r->target);
	if (!r->host)
		return fail_unreached(r);
	if (!r->reuses && !is_known(r) && !r->count)
		return fail(r, OWN_UNKNOWN, "its name leads to no address");
	if (!r->reuses && !is_known(r))
		own_host_move(r->host, &r->addr[r->at]);
	r->stream = own_stream_begin(r);
	return r->stream ? GOES_ON : fail_unreached(r);
}

/* No connection: the next address, or the first one again in a second. */
static int try_again(struct own_request *r)
{
	bool reused = r->reuses;

	drop(r);
	r->reuses = false;
	if (r->target.backend || r->tries++ >= client_conf.retries)
		return fail_unreached(r);
	if (reused && !is_known(r))
		return look_up(r);
	if (!is_known(r) && ++r->at < r->count)
		return GOES_ON;
	r->at = 0;
	r->state = PAUSES;
	timer_set(&r->timer, clock_now_ms + AGAIN_MS);
	return OWN_WAITS;
}

/* A kept connection was not there any more. */
static int died(struct own_request *r)
{
	bool again = r->reuses && is_idempotent(r);

	if (!again)
		return fail_by_status(r, 502);
	drop(r);
	r->reuses = false;
	return is_known(r) ? GOES_ON : look_up(r);
}

/* What is wrong with a certificate stands in the log, once a second: the answer is 503 alone. */
static int fail_tls(struct own_request *r)
{
	static char memory[300];
	static uint64_t next_ms;
	const char *why = own_stream_why(r->stream);
	struct span host = r->target.host;
	bool v6 = memchr(host.ptr, ':', host.len);

	snprintf(memory, sizeof(memory), "there is no TLS with it: %s", why);
	if (clock_now_ms >= next_ms && !r->target.backend) {
		next_ms = clock_now_ms + 1000;
		log_process(LOG_L_WARNING, "HTTP client: no TLS with %s%.*s%s:%u: %s.",
			    v6 ? "[" : "", (int)host.len, host.ptr, v6 ? "]" : "", r->target.port,
			    why);
	}
	return fail(r, OWN_UNREACHED, memory);
}

static int hears(struct own_request *r)
{
	if (!r->stream)
		return ask(r);
	switch (own_stream_go(r->stream)) {
	case NEWS_NONE:
		return OWN_WAITS;
	case NEWS_HEAD:
		return OWN_HEAD;
	case NEWS_PIECE:
		return OWN_PIECE;
	case NEWS_WHOLE:
		own_request_end(r);
		return OWN_DONE;
	case NEWS_NOTHING:
		return died(r);
	case NEWS_NO_SERVER:
		return try_again(r);
	case NEWS_NO_TLS:
		return fail_tls(r);
	case NEWS_CUT:
		return fail(r, OWN_BROKEN, "it ends TLS without close_notify, so its answer may be cut");
	case NEWS_NO_MEMORY:
		return fail(r, OWN_UNREACHED, "there is no memory for a request to it");
	case NEWS_UNSAID:
		return fail(r, OWN_UNSAID, own_stream_wrong(r->stream));
	case NEWS_FAILED:
		break;
	}
	return fail_by_status(r, own_stream_status(r->stream));
}

/* ---- the walk ------------------------------------------------------------------------------- */

void own_request_begin(struct own_request *r, const struct own_target *target,
	       const struct own_words *words, struct own_limits limits)
{
	void *owner = r->owner;
	void (*ready)(struct own_request *r) = r->ready;

	memset(r, 0, sizeof(*r));
	KIND_IS(struct own_request, r);
	r->owner = owner;
	r->ready = ready;
	r->target = *target;
	r->words = *words;
	r->silence_ms = limits.silence_ms;
	r->state = STARTS;
	timer_init(&r->timer, fire);
	timer_init(&r->whole, expire);
	if (limits.whole_ms)
		timer_set(&r->whole, clock_now_ms + limits.whole_ms);
	list_append(&under_way, &r->node);
}

static int step(struct own_request *r)
{
	switch ((enum state)r->state) {
	case STARTS:
		return starts(r);
	case LOOKS_UP:
		return OWN_WAITS;
	case PAUSES:
		if (!r->late)
			return OWN_WAITS;
		r->state = ASKS;
		return GOES_ON;
	case ASKS:
		return hears(r);
	case OVER:
		break;
	}
	return OWN_FAILED;
}

enum own_step own_request_go(struct own_request *r)
{
	int said;

	if (r->expired && r->state != OVER)
		return (enum own_step)fail_late(r);
	while ((said = step(r)) == GOES_ON)
		;
	return (enum own_step)said;
}

/* ---- the module ----------------------------------------------------------------------------- */

static void stop(void)
{
	end_all();
	own_hosts_end();
}

const struct module own_request_module = { .name = "own requests", .stop = stop };
