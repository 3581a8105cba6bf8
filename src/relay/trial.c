/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way of moving pays? Called by rest.c while large transfers make up the work.
 *
 * A way is compared with the one that is kept, in pairs of windows, one behind the other, in
 * changing order. What the sockets hold carries over from a window to the next, so each begins with
 * a time that does not count. A way takes the place of the other when it is surely not slower, and
 * is faster or takes less CPU; a way that takes more CPU must surely be faster. Trying costs time
 * when the way is bad, so time that may be lost is an allowance, earned by time under load: a bad
 * way costs at most about a hundredth of the speed. A way that is kept is compared with the first,
 * splicing without a rest, now and then, and dropped when it surely no longer pays. After a pause
 * all ways are tried anew. */
#include "relay/trial.h"

#include <string.h>

enum {
	SETTLE_US = 5000,
	MEASURE_US = 15000,
	LATE_US = 3000,         /* a window that ends so much later was a pause */
	FIRST_US = 20000,       /* the load itself settles */
	CHECK_US = 400000,      /* from one comparison of the kept way to the next */
	PAUSE_US = 4000000,     /* from the end of a series of tries to the next, and twice that
				 * ... */
	PAUSE_MOST_US = 32000000,
	EARNS = 100,            /* one part of the time under load may be lost */
	ALLOWANCE_US = 8000,
	MEMORY = 12,            /* pairs that a moving average spans */
	PAIRS_SURE = 8,         /* fewer prove no way as good */
	PAIRS_WORSE = 3,        /* fewer prove no way bad */
	PAIRS_MOST = 24,
};

static const double SLOWER = 0.01; /* less is not called slower */
static const double FASTER = 0.03; /* less is called as fast */
static const double SUSPECT = 0.05;
static const double SAVES = 0.03;  /* less CPU than that is not worth it; more is dear */

const struct trial_way trial_ways[TRIAL_WAYS] = {
	{ 0, false, false },
	{ 150, true, false },
	{ 300, true, false },
	{ 50, true, false },
	{ 150, false, false },
	{ 0, false, true },
};

static void trial_use(struct trial *trial, int phase, unsigned way, uint64_t due_us)
{
	trial->phase = phase;
	trial->way = way;
	trial->due_us = due_us;
}

static void trial_keep(struct trial *trial, uint64_t due_us)
{
	trial_use(trial, TRIAL_KEEPS, trial->kept, due_us);
}

/* A window of a pair begins; every other pair begins with the candidate. */
static void trial_window(struct trial *trial, uint64_t now_us)
{
	bool odd = trial->records[trial->candidate].pairs & 1;

	trial->with = odd != trial->second;
	trial_use(trial, TRIAL_SETTLES, trial->with ? trial->candidate : trial->base,
		  now_us + SETTLE_US);
}

static void trial_pair(struct trial *trial, uint64_t now_us)
{
	trial->second = false;
	trial_window(trial, now_us);
}

static void trial_pass_over_kept(struct trial *trial)
{
	trial->base = trial->kept;
	trial->candidate += trial->candidate == trial->kept;
}

/* The next of a series that is not kept. False: it was the last. */
static bool trial_next(struct trial *trial)
{
	trial_pass_over_kept(trial);
	return trial->candidate < TRIAL_WAYS;
}

static void trial_series(struct trial *trial)
{
	memset(trial->records, 0, sizeof(trial->records));
	trial->candidate = 1;
	trial->pause_end_us = 0;
	trial_pass_over_kept(trial);
}

void trial_begin(struct trial *trial, uint64_t now_us)
{
	trial->kept = 0;
	trial->pause_us = PAUSE_US;
	trial->allowance_us = ALLOWANCE_US;
	trial->earned_us = now_us;
	trial_series(trial);
	trial_keep(trial, now_us + FIRST_US);
}

/* A share of the time since the last call may be lost by trying. */
static void trial_earn(struct trial *trial, uint64_t now_us)
{
	trial->allowance_us += (double)(now_us - trial->earned_us) / EARNS;
	trial->earned_us = now_us;
	if (trial->allowance_us > ALLOWANCE_US)
		trial->allowance_us = ALLOWANCE_US;
}

/* with, relative to without; between -2 and 2. */
static double trial_difference(const double pair[2])
{
	double sum = pair[0] + pair[1];

	return sum > 0 ? 2 * (pair[1] - pair[0]) / sum : 0;
}

static void trial_note(struct trial_record *record, double speed, double cpu)
{
	double off = speed - record->speed, part;

	record->pairs++;
	part = 1.0 / (record->pairs < MEMORY ? record->pairs : MEMORY);
	record->speed += off * part;
	record->speed_spread += (off * (speed - record->speed) - record->speed_spread) * part;
	record->cpu += (cpu - record->cpu) * part;
}

/* Is the speed found so far from the bound that chance does not explain it? errors: so many
 * standard errors, positive when above the bound, negative when below. */
static bool trial_sure(const struct trial_record *record, double bound, double errors)
{
	unsigned pairs = record->pairs < MEMORY ? record->pairs : MEMORY;
	double distance = record->speed - bound;

	if ((distance > 0) != (errors > 0))
		return false;
	return distance * distance * pairs >= errors * errors * record->speed_spread;
}

/* It takes more CPU than the first way: it must be faster, else as fast. */
static bool trial_is_dear(const struct trial_record *record)
{
	return record->cpu > SAVES;
}

static bool trial_is_bad(const struct trial_record *record)
{
	return record->pairs >= PAIRS_WORSE &&
	       trial_sure(record, trial_is_dear(record) ? FASTER : -SLOWER, -1.5);
}

static bool trial_is_good(const struct trial_record *record)
{
	return record->pairs >= PAIRS_SURE &&
	       (trial_is_dear(record) ? trial_sure(record, FASTER, 2) :
					trial_sure(record, -SLOWER, 1));
}

/* All ways were tried: the next series comes later, and later each time. What is kept is compared
 * with the first from now on. */
static void trial_pause(struct trial *trial, uint64_t now_us)
{
	memset(&trial->records[trial->kept], 0, sizeof(trial->records[0]));
	trial->pause_end_us = now_us + trial->pause_us;
	if (trial->pause_us < PAUSE_MOST_US)
		trial->pause_us *= 2;
}

/* What it takes to be worth a change. */
static bool trial_is_worth_it(const struct trial_record *record)
{
	return record->speed > FASTER || record->cpu < -SAVES;
}

/* Verdict on the candidate of a series. True: there is one. */
static bool trial_decide(struct trial *trial)
{
	const struct trial_record *record = &trial->records[trial->candidate];

	if (trial_is_good(record)) {
		if (trial_is_worth_it(record))
			trial->kept = trial->candidate;
		return true;
	}
	return trial_is_bad(record) || record->pairs >= PAIRS_MOST;
}

/* How long no way is tried, so that the time under load earns what trying has cost. */
static uint64_t trial_debt_us(const struct trial *trial)
{
	return trial->allowance_us < 0 ? (uint64_t)(-trial->allowance_us * EARNS) : 0;
}

/* A comparison that looks bad is followed by another at once: perhaps the load has changed. */
static void trial_after_check(struct trial *trial, uint64_t now_us, double speed)
{
	if (trial_is_bad(&trial->records[trial->kept])) {
		trial->kept = 0;
		trial->pause_us = PAUSE_US;
		trial_pause(trial, now_us);
	} else if (speed < -SUSPECT) {
		trial_pair(trial, now_us);
		return;
	}
	trial_keep(trial, now_us + CHECK_US);
}

/* A pair is complete. */
static void trial_after_pair(struct trial *trial, uint64_t now_us)
{
	double speed = trial_difference(trial->speed);

	trial_note(&trial->records[trial->candidate], speed, trial_difference(trial->cost));
	trial->allowance_us += speed * (SETTLE_US + MEASURE_US);
	if (trial->pause_end_us) {
		trial_after_check(trial, now_us, speed);
		return;
	}
	if (trial_decide(trial) && (trial->candidate++, !trial_next(trial))) {
		trial_pause(trial, now_us);
		trial_keep(trial, now_us + CHECK_US);
	} else if (trial->allowance_us < 0) {
		trial_keep(trial, now_us + trial_debt_us(trial));
	} else {
		trial_pair(trial, now_us);
	}
}

/* The time of the kept way is over: what is to be compared now? */
static void trial_compare(struct trial *trial, uint64_t now_us)
{
	if (trial->pause_end_us && now_us >= trial->pause_end_us)
		trial_series(trial);
	if (trial->pause_end_us) {
		trial->candidate = trial->kept;
		trial->base = 0;
	}
	if (trial->candidate != trial->base)
		trial_pair(trial, now_us);
	else
		trial_keep(trial, trial->pause_end_us);
}

static void trial_measured(struct trial *trial, const struct trial_mark *now)
{
	unsigned with = trial->with;
	double bytes = (double)(now->bytes - trial->from.bytes);
	double us = (double)(now->us - trial->from.us);

	trial->speed[with] = bytes / us;
	trial->cost[with] = bytes > 0 ? (double)(now->cpu_ns - trial->from.cpu_ns) / bytes : 0;
	if (trial->second) {
		trial_after_pair(trial, now->us);
	} else {
		trial->second = true;
		trial_window(trial, now->us);
	}
}

void trial_step(struct trial *trial, const struct trial_mark *now)
{
	bool late = now->us > trial->due_us + LATE_US;

	if (now->us < trial->due_us)
		return;
	if (late && trial->phase != TRIAL_KEEPS) {
		trial->earned_us = now->us;
		trial_window(trial, now->us);
		return;
	}
	trial_earn(trial, now->us);
	switch (trial->phase) {
	case TRIAL_KEEPS:
		trial_compare(trial, now->us);
		break;
	case TRIAL_SETTLES:
		trial->from = *now;
		trial_use(trial, TRIAL_MEASURES, trial->way, now->us + MEASURE_US);
		break;
	case TRIAL_MEASURES:
		trial_measured(trial, now);
		break;
	}
}
