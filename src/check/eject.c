/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "eject": of the workers the one that checks looks at what all have counted of the servers of a
 * backend, once in an interval, and compares them (outlier.c). What follows goes through the
 * ordered log: each process leaves the server out, and lets it come back. Another one that takes
 * over begins with a new interval, and knows who is out, and until when.
 *
 * Called by its timers and by the log of changes. Never talks to a server.
 */
#include "check/eject.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "check/outlier.h"
#include "config/fragment.h"
#include "config/keyword.h"
#include "event/timer.h"
#include "proxy/facts.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "tally/tally.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512, REASON_SIZE = 160 };

/* A backend that is watched, in the process that checks. */
struct eject {
	struct eject *next;
	struct proxy *proxy;
	struct timer timer;
	uint64_t ends_ms; /* of the interval */
};

static struct eject *ejects;

/* ---- words ------------------------------------------------------------------------------- */

static int parse_word(struct statement *st, const char *word, struct eject_conf *conf)
{
	static const char *const words[] = { "error-rate", "slower-than", "min-requests", "most",
					     "inter", "time", "max-time", NULL };
	unsigned *const times[] = { &conf->inter, &conf->time, &conf->max_time };
	unsigned *const numbers[] = { &conf->error_rate, &conf->slower, &conf->requests,
				      &conf->most };
	static const int least[] = { 1, 101, 1, 1 }, highest[] = { 100, INT_MAX, INT_MAX, 100 };
	int64_t value;
	unsigned i;

	for (i = 0; words[i] && strcmp(words[i], word) != 0; i++)
		;
	if (!words[i])
		return stmt_unknown(st, st->at - 1, "word of 'eject'", words);
	if (i < ARRAY_LEN(numbers)) {
		if (stmt_int(st, word, least[i], highest[i], &value))
			return -1;
		*numbers[i] = (unsigned)value;
		return 0;
	}
	if (stmt_duration(st, word, 'm', times[i - ARRAY_LEN(numbers)]))
		return -1;
	return *times[i - ARRAY_LEN(numbers)] ? 0 : stmt_error(st, st->at - 1,
							       "'%s' must be at least 1 ms", word);
}

static int parse_eject(struct statement *st, const struct keyword *kw, void *object)
{
	struct eject_conf conf = { .requests = 20, .most = 30, .inter = 10000, .time = 30000,
				   .max_time = 300000 }, *kept;
	struct proxy *px = object;
	const char *word;

	(void)kw;
	proxy_part_set(px, &eject_conf_part, NULL);
	if (st->no)
		return 0;
	while ((word = stmt_next(st)))
		if (parse_word(st, word, &conf))
			return -1;
	if (!conf.error_rate && !conf.slower)
		return stmt_error(st, st->at - 1, "'eject' needs 'error-rate', 'slower-than' or "
				  "both");
	if (conf.max_time < conf.time) {
		config_notice(st->cfg, &st->loc,
			      "'max-time' of 'eject' is less than 'time', and counts as "
			      "much: no ejection takes longer than the first");
		conf.max_time = conf.time;
	}
	kept = proxy_part_make(px, &eject_conf_part, st->cfg->arena);
	*kept = conf;
	return 0;
}

static const struct keyword eject_keywords[] = {
	{ "eject", SCOPE_BACK, KW_NO, "[error-rate <percent>] [slower-than <percent>] [<param>...]",
	  parse_eject, .dflt = "off",
	  .help = "leaves servers out for a while that do worse than the others" },
	{ 0 },
};

/* ---- changes: in every process ----------------------------------------------------------- */

enum { EJECT_OUT, EJECT_BACK, EJECT_CALM };

struct eject_frame {
	char path[PATH_SIZE];
	uint32_t what, why, ms;
	uint64_t own, others, answered;
};

static void say_why(const struct eject_frame *f, unsigned ejection, char *buf)
{
	struct text t;

	text_init(&t, buf, REASON_SIZE);
	text_printf(&t, "for %u ms (ejection %u): ", f->ms, ejection);
	if (f->why == OUTLIER_ERRORS)
		text_printf(&t, "of %llu tries %llu%% failed, of the others' %llu%%",
			    (unsigned long long)f->answered, (unsigned long long)f->own,
			    (unsigned long long)f->others);
	else
		text_printf(&t, "its responses took %llu us, the others' %llu us",
			    (unsigned long long)f->own, (unsigned long long)f->others);
}

static void eject_out(struct server *s, const struct eject_frame *f)
{
	struct server_state *state = s->state;
	char reason[REASON_SIZE];

	if (state->ejections < UINT16_MAX)
		state->ejections++;
	say_why(f, state->ejections, reason);
	if (change_first)
		s->tally->counters.ejections++;
	state->eject_until_ms = clock_now_ms + f->ms;
	server_eject(s, reason);
}

static int eject_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	struct eject_frame f;
	struct server *s;

	(void)said;
	if (len != sizeof(f) || !memchr(bytes, 0, PATH_SIZE))
		return err_set(err, "a broken change");
	memcpy(&f, bytes, sizeof(f));
	s = server_find_path(f.path, err);
	if (!s)
		return -1;
	if (f.what == EJECT_OUT)
		eject_out(s, &f);
	else if (f.what == EJECT_BACK)
		server_set_admin(s, 0, ADMIN_EJECTED);
	else if (s->state->ejections)
		s->state->ejections--;
	if (f.what != EJECT_OUT)
		s->state->eject_until_ms = clock_now_ms;
	return 0;
}

const struct change_kind eject_change = { .name = "ejection", .apply = eject_apply };

static void submit(const struct server *s, unsigned what, const struct outlier *found, unsigned ms)
{
	struct eject_frame f = { .what = what, .ms = ms };

	if (found) {
		f.why = found->why;
		f.own = found->own;
		f.others = found->others;
		f.answered = found->answered;
	}
	snprintf(f.path, sizeof(f.path), "%s/%s", s->proxy->name, s->id);
	change_submit(&eject_change, &f, sizeof(f), NULL, NULL);
}

/* ---- the interval: in the process that checks -------------------------------------------- */

/* Of a server: its counts when the interval began. One that has come since has none, nor one for
 * which there was no memory. */
struct tried {
	uint64_t counts[3];
};

static void tried_free(struct server *s)
{
	free(server_part(s, &tried_part));
	server_part_set(s, &tried_part, NULL);
}

struct server_part tried_part = { SERVER_PART("eject", 0), .free = tried_free };

static void count(const struct server *s, uint64_t tried[3])
{
	const struct server_tally *own = s->tally;

	tried[0] = counter_sum(&own->answered);
	tried[1] = counter_sum(&own->failed);
	tried[2] = counter_sum(&own->answered_us);
}

static uint64_t risen(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void begin_interval(struct eject *e)
{
	struct server *s;
	struct tried *t;

	for (s = e->proxy->servers; s; s = s->next) {
		t = server_part(s, &tried_part);
		if (!t) {
			t = calloc(1, sizeof(*t));
			server_part_set(s, &tried_part, t);
		}
		if (t)
			count(s, t->counts);
	}
	e->ends_ms = clock_now_ms + eject_conf_of(e->proxy)->inter;
}

static bool is_out(const struct server *s)
{
	return s->state->admin & ADMIN_EJECTED;
}

static struct outlier what_was_counted(const struct server *s)
{
	const struct tried *t = server_part(s, &tried_part);
	uint64_t now[3];

	if (!t)
		return (struct outlier){ .out = is_out(s) };
	count(s, now);
	return (struct outlier){ .answered = risen(now[0], t->counts[0]),
				 .failed = risen(now[1], t->counts[1]),
				 .us = risen(now[2], t->counts[2]),
				 .usable = server_usable(s), .out = is_out(s) };
}

/* An interval has passed: who stands out? Servers may have come and gone in it. */
static void look_at_all(struct eject *e)
{
	const struct eject_conf *conf = eject_conf_of(e->proxy);
	const struct server *s;
	struct outlier *all = calloc(e->proxy->server_count + 1u, sizeof(*all));
	unsigned n = 0, i = 0;

	for (s = e->proxy->servers; s && all && n < e->proxy->server_count; s = s->next)
		all[n++] = what_was_counted(s);
	if (n && outlier_find(conf, all, n))
		for (s = e->proxy->servers; i < n; s = s->next, i++)
			if (all[i].why)
				submit(s, EJECT_OUT, &all[i],
				       outlier_time(conf, s->state->ejections));
	free(all);
	begin_interval(e);
}

/* Whose time is over comes back. Who was well for as long as an ejection takes at first has one
 * less behind it. When is the next one due? */
static uint64_t let_back(const struct eject *e)
{
	const struct eject_conf *conf = eject_conf_of(e->proxy);
	uint64_t next = e->ends_ms, due;
	const struct server *s;

	for (s = e->proxy->servers; s; s = s->next) {
		if (!is_out(s) && !s->state->ejections)
			continue;
		due = s->state->eject_until_ms + (is_out(s) ? 0 : conf->time);
		if (due <= clock_now_ms)
			submit(s, is_out(s) ? EJECT_BACK : EJECT_CALM, NULL, 0);
		else if (due < next)
			next = due;
	}
	return next;
}

static void eject_timer(struct timer *timer)
{
	struct eject *e = container_of(timer, struct eject, timer);
	uint64_t next = let_back(e);

	if (clock_now_ms >= e->ends_ms) {
		look_at_all(e);
		next = e->ends_ms;
	}
	timer_set(timer, next);
}

/* ---- who checks -------------------------------------------------------------------------- */

static void eject_stop_one(struct eject **at)
{
	struct eject *e = *at;
	struct server *s;

	*at = e->next;
	timer_cancel(&e->timer);
	for (s = e->proxy->servers; s; s = s->next)
		tried_free(s);
	free(e);
}

static void eject_stop_all(void)
{
	while (ejects)
		eject_stop_one(&ejects);
}

/* Without memory a backend is not watched: the servers serve as before. */
static void eject_start_one(struct proxy *px)
{
	struct eject *e = calloc(1, sizeof(*e));

	if (!e)
		return;
	e->proxy = px;
	e->next = ejects;
	ejects = e;
	timer_init(&e->timer, eject_timer);
	begin_interval(e);
	timer_set(&e->timer, clock_now_ms);
}

static bool is_watched(const struct proxy *px)
{
	return eject_conf_of(px) && px->caps & PROXY_BACKEND && !px->set.disabled;
}

static int eject_make_backend(struct config *cfg, struct proxy *px)
{
	(void)cfg;
	if (facts_checker.here && is_watched(px))
		eject_start_one(px);
	return 0;
}

static void eject_leave_backend(struct proxy *px)
{
	struct eject **at = &ejects;

	while (*at && (*at)->proxy != px)
		at = &(*at)->next;
	if (*at)
		eject_stop_one(at);
}

struct proxy_part eject_proxy_part = { .make = eject_make_backend,
						 .leave = eject_leave_backend };

static void eject_checker(bool active)
{
	struct proxy *px;

	eject_stop_all();
	if (!active)
		return;
	list_for_each(px, &proxies_running->list, node)
		if (is_watched(px))
			eject_start_one(px);
}

static int eject_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	facts_on_checker(eject_checker);
	if (facts_checker.here)
		eject_checker(true);
	return 0;
}

static void eject_stop(void)
{
	facts_off_checker(eject_checker);
	eject_stop_all();
}

const struct module eject_module = {
	.name = "eject",
	.keywords = eject_keywords,
	.start = eject_start,
	.stop = eject_stop,
};
