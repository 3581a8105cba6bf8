/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces into buffers; called by the service for each read of the response. Walks over many
 * objects may find nothing to say for a long time: they are cut short, too. */
#include "stats/report.h"

#include "base/bug.h"

void report_init(struct report *r, bool (*say)(void *, struct text *, bool), void *state)
{
	r->say = say;
	r->state = state;
	r->done = false;
	r->held = r->given = 0;
}

static size_t report_give(struct report *r, char *buf, size_t size)
{
	size_t n = r->held - r->given;

	if (n > size)
		n = size;
	memcpy(buf, r->piece + r->given, n);
	r->given += n;
	return n;
}

size_t report_fill(struct report *r, char *buf, size_t size)
{
	size_t len = report_give(r, buf, size);
	bool resumed = true;
	struct text out;

	for (int i = 0; i < REPORT_STEPS && len < size && !r->done; i++) {
		text_init(&out, r->piece, sizeof(r->piece));
		r->done = !r->say(r->state, &out, resumed);
		BUG_ON(out.cut);
		r->held = out.len;
		r->given = 0;
		resumed = false;
		len += report_give(r, buf + len, size - len);
	}
	return len;
}
