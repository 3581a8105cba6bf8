/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration in service without a socket: for one request. */
#ifndef EXPLAIN_WORLD_H
#define EXPLAIN_WORLD_H

struct config;
struct err;

/* The modules that rules, sessions and streams need are prepared; nothing listens, nobody is
 * checked, asked or told. Time stands still, but for world_wait. 0, or -1 and err. */
int world_prepare(struct config *cfg, struct err *err);
/* One turn of the loop. */
void world_turn(void);
/* So much time passes at once. */
void world_wait(unsigned ms);
void world_end(struct config *cfg);

#endif
