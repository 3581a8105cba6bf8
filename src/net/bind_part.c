/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of parts that bind lines have. */
#include "net/bind_part.h"

#include "base/bug.h"

struct part_table bind_table = { .what = "a bind line", .at = offsetof(struct bind_conf, parts),
				 .own = offsetof(struct bind_conf, own_parts),
				 .places = BIND_PARTS_PLACES };

void bind_parts_install(struct bind_part *const *parts)
{
	for (; *parts; parts++)
		part_place(&(*parts)->kind);
}
