/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of what the loop calls. Called by loop.c while it measures; read by the stats socket. One
 * clock reading a call: where one ends the next begins. */
#include "event/profile.h"

#include "event/loop.h"

#include <string.h>
#include <time.h>

struct profile_state profile_state;
void (*profile_switched)(bool runs);

static enum profile_mode mode;
static uint64_t call_ns;
static struct profile_row rows[PROFILE_ROWS];
static unsigned count;
static struct {
	uint64_t turns, cpu_us;
} judged;

static uint64_t read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t profile_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

static uint64_t own_cpu_us(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
}

void profile_turn_begins(void)
{
	profile_state.turn_ns = call_ns = profile_now_ns();
}

static void profile_run(bool on)
{
	if (on == profile_state.runs)
		return;
	profile_state.runs = on;
	profile_turn_begins(); /* the present turn, as far as anybody looks at it */
	loop_measure(on);
	if (profile_switched)
		profile_switched(on);
}

void profile_set(enum profile_mode wanted)
{
	mode = wanted;
	if (mode == PROFILE_ON) {
		memset(rows, 0, sizeof(rows));
		count = 0;
	}
	judged.turns = loop_stats.turns;
	judged.cpu_us = own_cpu_us();
	profile_run(mode == PROFILE_ON);
}

enum profile_mode profile_mode(void)
{
	return mode;
}

void profile_judge(void)
{
	uint64_t turns = loop_stats.turns - judged.turns, cpu_us, mean;

	if (mode != PROFILE_AUTO || turns < PROFILE_TURNS)
		return;
	cpu_us = own_cpu_us();
	mean = (cpu_us - judged.cpu_us) / turns;
	judged.turns = loop_stats.turns;
	judged.cpu_us = cpu_us;
	if (mean >= PROFILE_SLOW_US)
		profile_run(true);
	else if (mean < PROFILE_FAST_US)
		profile_run(false);
}

static struct profile_row *row_of(void (*function)(void))
{
	struct profile_row *row = rows;

	while (row < rows + count && row->function != function)
		row++;
	if (row == rows + PROFILE_ROWS)
		return row - 1;
	if (row == rows + count) {
		count++;
		row->function = function;
	}
	return row;
}

void profile_called(void (*function)(void))
{
	struct profile_row *row = row_of(function);
	uint64_t now = profile_now_ns();

	row->calls++;
	row->lat_ns += call_ns - profile_state.turn_ns;
	row->cpu_ns += now - call_ns;
	call_ns = now;
}

const struct profile_row *profile_rows(unsigned *n)
{
	*n = count;
	return rows;
}
