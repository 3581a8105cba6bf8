/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict over the servers of a backend. Called by eject.c once in an interval; it knows
 * neither clocks nor processes. */
#include "check/outlier.h"

#include <stdlib.h>

enum { SERVERS_MOST = 4096 }; /* whose median is found; further ones are not compared with */

static bool measured(const struct eject_conf *conf, const struct outlier *s)
{
	return s->answered && s->answered >= conf->requests;
}

/* In hundredths of a percent. */
static uint64_t error_share(const struct outlier *s)
{
	return s->failed >= s->answered ? 10000 : s->failed * 10000 / s->answered;
}

static uint64_t mean_us(const struct outlier *s)
{
	return s->answered > s->failed ? s->us / (s->answered - s->failed) : 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct values {
	uint64_t sorted[SERVERS_MOST];
	unsigned count;
};

static void sort_values(struct values *v, const struct eject_conf *conf,
			const struct outlier *servers, unsigned count,
			uint64_t (*value)(const struct outlier *))
{
	unsigned i;

	v->count = 0;
	for (i = 0; i < count && v->count < SERVERS_MOST; i++)
		if (measured(conf, &servers[i]))
			v->sorted[v->count++] = value(&servers[i]);
	qsort(v->sorted, v->count, sizeof(*v->sorted), by_value);
}

/* The median of all but the one that has this value; of two in the middle the lower one. There
 * are at least two. */
static uint64_t median_but(const struct values *v, uint64_t own)
{
	unsigned middle = (v->count - 2) / 2;

	return v->sorted[own <= v->sorted[middle] ? middle + 1 : middle];
}

static bool errs_more(const struct eject_conf *conf, struct outlier *s, uint64_t others)
{
	uint64_t own = error_share(s);

	if (!conf->error_rate || own < others + conf->error_rate * 100ul)
		return false;
	s->why = OUTLIER_ERRORS;
	s->own = own / 100;
	s->others = others / 100;
	return true;
}

static void takes_longer(const struct eject_conf *conf, struct outlier *s, uint64_t others)
{
	uint64_t own = mean_us(s);

	if (!conf->slower || own < others + OUTLIER_LEAST_US || own * 100 < others * conf->slower)
		return;
	s->why = OUTLIER_SLOW;
	s->own = own;
	s->others = others;
}

static bool judge(const struct eject_conf *conf, struct outlier *s, const struct values *shares,
		  const struct values *means)
{
	s->why = OUTLIER_NOT;
	if (!s->usable || !measured(conf, s) || shares->count < 2)
		return false;
	if (!errs_more(conf, s, median_but(shares, error_share(s))))
		takes_longer(conf, s, median_but(means, mean_us(s)));
	return s->why != OUTLIER_NOT;
}

/* Does a stand out more than b? Errors are worse than slowness. */
static bool worse(const struct outlier *a, const struct outlier *b)
{
	if (a->why != b->why)
		return a->why == OUTLIER_ERRORS;
	return a->own - a->others > b->own - b->others;
}

/* How many more may be ejected: the share, rounded down, but one in any case; and one stays. */
static unsigned room(const struct eject_conf *conf, const struct outlier *servers, unsigned count)
{
	unsigned i, usable = 0, out = 0, most;

	for (i = 0; i < count; i++) {
		usable += servers[i].usable;
		out += servers[i].out;
	}
	most = (unsigned)((uint64_t)(usable + out) * conf->most / 100);
	if (!most)
		most = 1;
	most = most > out ? most - out : 0;
	return usable < 2 ? 0 : most < usable ? most : usable - 1;
}

/* Takes back the verdict of the one that stands out least. */
static void spare_one(struct outlier *servers, unsigned count)
{
	struct outlier *least = NULL;
	unsigned i;

	for (i = 0; i < count; i++)
		if (servers[i].why && (!least || worse(least, &servers[i])))
			least = &servers[i];
	if (least)
		least->why = OUTLIER_NOT;
}

unsigned outlier_find(const struct eject_conf *conf, struct outlier *servers, unsigned count)
{
	static struct values shares, means;
	unsigned i, found = 0, most = room(conf, servers, count);

	sort_values(&shares, conf, servers, count, error_share);
	sort_values(&means, conf, servers, count, mean_us);
	for (i = 0; i < count; i++)
		found += judge(conf, &servers[i], &shares, &means);
	for (; found > most; found--)
		spare_one(servers, count);
	return found;
}

unsigned outlier_time(const struct eject_conf *conf, unsigned ejections)
{
	uint64_t ms = (uint64_t)conf->time * (ejections + UINT64_C(1));

	return ms < conf->max_time ? (unsigned)ms : conf->max_time;
}
