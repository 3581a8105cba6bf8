/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of entries that come together (a file, a payload) and are likely to go together: pieces of
 * it go back to the system when the last entry in them has gone, while malloc would keep what a
 * million small ones have left. */
#ifndef EXPR_PATTERN_SLAB_H
#define EXPR_PATTERN_SLAB_H

#include <stddef.h>

struct pattern_slab;

/* size bytes, aligned for any type, in the open slab or in a new one, which becomes *open. *from:
 * what slab_give takes. *from NULL: the bytes came from malloc, as large pieces do, and all without
 * open. NULL: out of memory. */
void *slab_take(struct pattern_slab **open, size_t size, struct pattern_slab **from);
void slab_give(struct pattern_slab *from, void *memory);
/* Of the piece that was taken last nothing behind this end (aligned for any type) is needed. */
void slab_trim(struct pattern_slab *from, const void *end);
/* Nothing more is taken from it. */
void slab_close(struct pattern_slab **open);

#endif
