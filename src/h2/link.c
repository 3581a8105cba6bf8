/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked of a connection of HTTP/2 (net/link.h): its socket answers, but for glitches.
 * And its numbers, for show. */
#include "h2/stream.h"

#include "base/kind.h"
#include "net/conn_link.h"

static bool conn_glitches(const void *of, uint64_t *count)
{
	const struct conn *conn = of;
	const struct h2_conn *c = KIND_OF(const struct h2_conn, conn->owner);

	*count = c->numbers.glitches;
	return true;
}

static const struct link_ops h2_link_ops = { CONN_LINK_ROWS, .glitches = conn_glitches };

struct h2_numbers h2_conn_numbers(const struct h2_conn *c)
{
	return c->numbers;
}

struct link h2_conn_link(const struct h2_conn *c)
{
	return (struct link){ c->conn ? &h2_link_ops : NULL, c->conn };
}
