/* SPDX-License-Identifier: BSD-2-Clause */
/* force-persist and ignore-persist (manual 4.2). */
#ifndef STREAM_PERSIST_RULES_H
#define STREAM_PERSIST_RULES_H

#include "config/config.h"
#include "proxy/part.h"

#include <stdbool.h>

struct cond;
struct stream;
struct stream_extra;

/* In the order of their lines. */
struct persist_rule {
	struct persist_rule *next;
	bool ignore;
	struct cond *cond;
	struct location loc;
};

struct persist_rules {
	struct persist_rule *first;
};

extern struct proxy_part persist_rules_part;
/* NULL: it has none. */
static inline const struct persist_rules *persist_rules_of(const struct proxy *px)
{
	return proxy_part(px, &persist_rules_part);
}

/* The first that holds: extra's persist_forced or persist_ignored. */
void persist_rules_apply(struct stream *s, struct stream_extra *extra);

#endif
