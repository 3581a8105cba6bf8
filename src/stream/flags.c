/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags that cannot be together end the process: empty in builds without probes. Called by the
 * runner behind each step. */
#include "stream/flags.h"

#ifdef PROBES
#include "base/bug.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"

#define IMPLIES(a, b) BUG_ON((a) && !(b));
#define EXCLUDES(a, b) BUG_ON((a) && (b));

void stream_flags_hold(const struct stream *s)
{
	const struct stream_extra *e = s->extra;

#include "stream/flags.def"
	if (s->kind->flags_hold)
		s->kind->flags_hold(s);
}
#endif
