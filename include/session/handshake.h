/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes before the first byte of a session: TLS, and the headers of "accept-proxy" and
 * "accept-netscaler-cip", "expect-proxy" and "expect-netscaler-cip". */
#ifndef SESSION_HANDSHAKE_H
#define SESSION_HANDSHAKE_H

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

struct bind_part;
struct conn;
struct module;
struct session;

extern const struct module handshake_module; /* the word accept-netscaler-cip */
extern struct bind_part cip_part;

/* Does anything come before the first byte of this session: a header, TLS? */
MUST_USE bool handshake_wanted(const struct session *session);
/* Takes over both until the headers are there: then calls session_begin, or closes. */
void handshake_start(struct session *session, struct conn **conn);
/* Called by TLS (tls_proved): the handshake of a session that has begun with early data is done
 * (ok), or has failed. Counts it, tells the log why, and the session's stream. */
void handshake_proved(struct conn *conn, void *session, bool ok);

/* Totals of the process. */
struct handshake_stats {
	uint64_t taken;   /* headers that were good */
	uint64_t refused; /* connections closed because theirs was not, or did not come */
};
extern struct handshake_stats handshake_stats;

#endif
