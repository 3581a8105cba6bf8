/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and 5xx responses of a proxy over the last five minutes: what the small curves of the
 * stats page show. */
#ifndef STATS_HISTORY_H
#define STATS_HISTORY_H

#include "config/module.h"

#include <stdbool.h>
#include <stdint.h>

struct proxy;
struct proxy_part;
struct text;

enum {
	HISTORY_SAMPLES = 60,
	HISTORY_STEP_MS = 5000,   /* between two samples */
	HISTORY_LATELY = 12,      /* samples of the last minute */
};

struct history {
	uint64_t requests, errors; /* of the counters, when the last sample was taken */
	unsigned count;            /* samples that are there */
	unsigned next;             /* place of the next one */
	uint32_t requests_of[HISTORY_SAMPLES], errors_of[HISTORY_SAMPLES];
};

/* The history begins: the counters stand there. */
void history_begin(struct history *h, uint64_t requests, uint64_t errors);
/* The counters have come there within so many steps (1 or more), each of which gets the same share.
 * Counters that were cleared give zeroes. */
void history_add(struct history *h, uint64_t requests, uint64_t errors, unsigned steps);
/* Were there 5xx responses within the last minute? */
bool history_fails(const struct history *h);
/* Says the curve as SVG; nothing while there are fewer than two samples. what: "Requests". */
void history_say(const struct history *h, const char *what, struct text *out);

/* That of a proxy: of its frontend, or of its backend if it has none. NULL: none is kept, which is
 * so where no section has a stats page, and where memory was short. */
const struct history *history_of(const struct proxy *px);
/* The proxy goes: its history is given back. */
void history_drop(struct proxy *px);

/* Takes the samples. */
extern const struct module history_module;
extern struct proxy_part history_proxy_part;

#endif
