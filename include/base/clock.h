/* SPDX-License-Identifier: BSD-2-Clause */
/* The time as the loop sees it: read once a turn, so that asking for it costs a load. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/time.h>

/* Milliseconds of the monotonic clock at the start of this turn of the loop; never 0. */
extern uint64_t clock_now_ms;

/* Reads the monotonic clock; the loop calls it after each poll. */
void clock_update(void);
/* Wall clock at the first question of this turn. Steps of the system's clock are followed. */
struct timeval clock_wall(void);
/* Microseconds of the monotonic clock, read now (a call to the kernel's vDSO). */
uint64_t clock_read_us(void);
/* What clock_now_ms would be if it were updated now: for a time that may not be over too soon, in a turn
 * that has taken some time. */
uint64_t clock_read_ms(void);

/* Tests: from now on the clock stands still at ms and moves only by clock_advance. */
void clock_freeze(uint64_t ms);
void clock_advance(uint64_t ms);

#endif
