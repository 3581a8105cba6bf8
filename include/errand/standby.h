/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that have served an errand, and wait for the next one to the same host. */
#ifndef ERRAND_STANDBY_H
#define ERRAND_STANDBY_H

#include <stdbool.h>

struct conn;
struct errand_target;

/* One to that target, with nothing to read; NULL: there is none. fresh: only one that has waited for
 * less than a second, which its server has hardly closed meanwhile. */
struct conn *standby_take(const struct errand_target *target, bool fresh);
/* Takes over a connection that has nothing under way; the pointer becomes NULL. */
void standby_give(const struct errand_target *target, struct conn **conn);
void standby_close_all(void);

#endif
