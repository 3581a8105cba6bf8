/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a sample of each proxy's requests and 5xx responses every five seconds, in each process
 * that serves, from the counters that all processes share. A process begins with an empty history.
 * Shown by the stats page; without a page in the configuration nothing is kept.
 */
#include "stats/history.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/str.h"
#include "event/timer.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "stats/page.h"
#include "tally/tally.h"

/* -- samples --------------------------------------------------------------------------------- */

void history_begin(struct history *h, uint64_t requests, uint64_t errors)
{
	*h = (struct history){ .requests = requests, .errors = errors };
}

/* How far a counter has come; one that was cleared has come nowhere. */
static uint64_t history_step(uint64_t *last, uint64_t now)
{
	uint64_t step = now > *last ? now - *last : 0;

	*last = now;
	return step;
}

static void history_put(struct history *h, uint64_t requests, uint64_t errors)
{
	h->requests_of[h->next] = requests < UINT32_MAX ? (uint32_t)requests : UINT32_MAX;
	h->errors_of[h->next] = errors < UINT32_MAX ? (uint32_t)errors : UINT32_MAX;
	h->next = (h->next + 1) % HISTORY_SAMPLES;
	if (h->count < HISTORY_SAMPLES)
		h->count++;
}

void history_add(struct history *h, uint64_t requests, uint64_t errors, unsigned steps)
{
	uint64_t more = history_step(&h->requests, requests);
	uint64_t bad = history_step(&h->errors, errors);

	/* All samples that there is room for say the same. */
	for (unsigned left = steps < HISTORY_SAMPLES ? steps : HISTORY_SAMPLES; left; left--)
		history_put(h, more / steps, (bad + steps - 1) / steps);
}

/* The sample that is so many behind the newest. */
static unsigned history_place(const struct history *h, unsigned ago)
{
	return (h->next + HISTORY_SAMPLES - 1 - ago) % HISTORY_SAMPLES;
}

bool history_fails(const struct history *h)
{
	for (unsigned ago = 0; ago < HISTORY_LATELY && ago < h->count; ago++)
		if (h->errors_of[history_place(h, ago)])
			return true;
	return false;
}

/* -- the curve ------------------------------------------------------------------------------- */

enum { CURVE_HEIGHT = 16 };

static uint32_t history_most(const uint32_t *samples)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < HISTORY_SAMPLES; i++)
		if (samples[i] > most)
			most = samples[i];
	return most;
}

/* Of a step, as a rate with one decimal while it is small. */
static void say_rate(struct text *out, uint32_t sample)
{
	uint64_t tenths = (uint64_t)sample * 10 * 1000 / HISTORY_STEP_MS;

	if (tenths < 100 && tenths % 10)
		text_printf(out, "%u.%u", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
	else
		text_printf(out, "%llu", (unsigned long long)(tenths / 10));
}

static void say_title(const struct history *h, const char *what, struct text *out)
{
	unsigned last = history_place(h, 0);

	text_printf(out, "<title>%s a second over the last %u s: ", what,
		    h->count * HISTORY_STEP_MS / 1000);
	say_rate(out, h->requests_of[last]);
	text_str(out, " now, ");
	say_rate(out, history_most(h->requests_of));
	text_str(out, " at most; 5xx: ");
	say_rate(out, h->errors_of[last]);
	text_str(out, " now, ");
	say_rate(out, history_most(h->errors_of));
	text_str(out, " at most</title>");
}

/* 5xx responses are a bar from the ground, at least a pixel of 16. */
static void say_errors(const struct history *h, uint32_t most, struct text *out)
{
	for (unsigned ago = h->count; ago--;) {
		uint64_t n = h->errors_of[history_place(h, ago)];
		unsigned height = (unsigned)(n * CURVE_HEIGHT / most);

		if (n)
			text_printf(out, "M%u %dv-%u", HISTORY_SAMPLES - 1 - ago, CURVE_HEIGHT,
				    height > 2 ? height : 2);
	}
}

void history_say(const struct history *h, const char *what, struct text *out)
{
	uint32_t most = history_most(h->requests_of), bad = history_most(h->errors_of);

	if (h->count < 2)
		return;
	most = most > bad ? most : bad;
	text_printf(out, "<svg class=\"h%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=none "
			 "role=img>", history_fails(h) ? " bad" : "", HISTORY_SAMPLES - 1,
		    CURVE_HEIGHT);
	say_title(h, what, out);
	if (most) {
		text_str(out, "<path d=\"");
		for (unsigned ago = h->count; ago--;) {
			uint64_t n = h->requests_of[history_place(h, ago)];

			text_printf(out, "%c%u %u", ago == h->count - 1 ? 'M' : 'L',
				    HISTORY_SAMPLES - 1 - ago,
				    CURVE_HEIGHT - (unsigned)(n * CURVE_HEIGHT / most));
		}
		text_str(out, "\"/>");
	}
	if (bad) {
		text_str(out, "<path class=e d=\"");
		say_errors(h, most, out);
		text_str(out, "\"/>");
	}
	text_str(out, "</svg>");
}

/* -- of all proxies -------------------------------------------------------------------------- */

struct proxy_part history_proxy_part = { PROXY_PART("history", 0), .free = history_drop };
static struct pool history_pool = POOL_INIT("history", sizeof(struct history));
static struct timer history_timer;
static uint64_t history_due; /* of the next sample */

const struct history *history_of(const struct proxy *px)
{
	return proxy_part(px, &history_proxy_part);
}

void history_drop(struct proxy *px)
{
	struct history *h = proxy_part(px, &history_proxy_part);

	if (!h)
		return;
	pool_give(&history_pool, &h);
	proxy_part_set(px, &history_proxy_part, NULL);
}

static void history_sample(struct proxy *px, unsigned steps)
{
	const struct proxy_tally *tally = px->fe ? px->fe : px->be;
	struct history *h = proxy_part(px, &history_proxy_part);
	bool http = px->set.mode == MODE_HTTP;
	uint64_t requests, errors;

	if (!tally)
		return;
	requests = counter_sum(http ? &tally->counters.requests : &tally->counters.sessions);
	errors = http ? counter_sum(&tally->counters.responses_5xx) : 0;
	if (h) {
		history_add(h, requests, errors, steps);
		return;
	}
	h = pool_take(&history_pool);
	proxy_part_set(px, &history_proxy_part, h);
	if (h)
		history_begin(h, requests, errors);
}

static void history_fire(struct timer *timer)
{
	unsigned steps = (unsigned)((clock_now_ms - history_due) / HISTORY_STEP_MS) + 1;
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		history_sample(px, steps);
	history_due += (uint64_t)steps * HISTORY_STEP_MS;
	timer_set(timer, history_due);
}

static int history_start(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;

	(void)data;
	(void)err;
	list_for_each(px, &all->list, node) {
		if (!page_of(px) || px->set.disabled)
			continue;
		history_due = clock_now_ms;
		timer_init(&history_timer, history_fire);
		timer_set(&history_timer, history_due);
		return 0;
	}
	return 0;
}

static void history_stop(void)
{
	struct proxy *px;

	if (!history_timer.fire)
		return;
	timer_cancel(&history_timer);
	list_for_each(px, &proxies_running->list, node)
		history_drop(px);
}

const struct module history_module = {
	.name = "history",
	.start = history_start,
	.stop = history_stop,
};
