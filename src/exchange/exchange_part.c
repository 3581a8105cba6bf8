/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of parts that exchanges have, made for those that need it. */
#include "exchange/exchange_part.h"

#include "base/arena.h"

struct part_table exchange_table = { .what = "an exchange",
				     .at = offsetof(struct exchange_parts, places),
				     .own = offsetof(struct exchange_parts, own),
				     .places = EXCHANGE_PARTS_PLACES };

void exchange_parts_install(struct exchange_part *const *parts)
{
	for (; *parts; parts++)
		part_place(&(*parts)->kind);
}

void *exchange_part_make(struct exchange *x, struct exchange_part *part)
{
	if (!x->parts)
		x->parts = arena_alloc(x->arena, sizeof(*x->parts));
	return x->parts ? part_make(x->parts, &part->kind, x->arena) : NULL;
}
