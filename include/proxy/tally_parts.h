/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/proxy/tally*.c have from each other; the rest of the program reads proxy/tally.h. */
#ifndef PROXY_TALLY_PARTS_H
#define PROXY_TALLY_PARTS_H

#include "share/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rate;
struct server;

/* tally_join.c: of a kind of slot that is in use. */
size_t tally_size(enum segment_kind kind);
/* to is what both come to: rates as they read at now_ms. */
void tally_join(enum segment_kind kind, void *to, const void *from, uint64_t now_ms);
void tally_join_rate(struct rate *to, const struct rate *from, uint64_t now_ms);

/* tally.c: what others count for this process (idle connections; tally_collect) goes to its
 * tallies. Whether anything moved, or may do so by itself. */
bool tally_note_idle(const struct server *s);
bool tally_note_counted(void);

/* tally_top.c: rate_risen of several processes. */
void tally_rate_risen(struct rate *rate, uint64_t before);

#endif
