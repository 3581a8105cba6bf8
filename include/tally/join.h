/* SPDX-License-Identifier: BSD-2-Clause */
/* What two tallies come to together. For the files of src/tally/. */
#ifndef TALLY_JOIN_H
#define TALLY_JOIN_H

#include "share/segment.h"

#include <stddef.h>
#include <stdint.h>

struct rate;

/* Of a kind of slot that is in use. */
size_t tally_size(enum segment_kind kind);
/* to is what both come to: rates as they read at now_ms. */
void tally_join(enum segment_kind kind, void *to, const void *from, uint64_t now_ms);
void tally_join_rate(struct rate *to, const struct rate *from, uint64_t now_ms);

#endif
