/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags that cannot be together end the process: empty in builds without probes. */
#include "exchange/flags.h"

#ifdef PROBES
#include "base/bug.h"
#include "exchange/exchange.h"
#include "stream/extra.h"
#include "stream/stream.h"

#define IMPLIES(a, b) BUG_ON((a) && !(b));
#define EXCLUDES(a, b) BUG_ON((a) && (b));

void exchange_flags_hold(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	if (!x)
		return;
#include "exchange/flags.def"
}
#endif
