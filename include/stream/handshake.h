/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes before the first byte of a session: TLS, and the headers of "accept-proxy" and
 * "accept-netscaler-cip", "expect-proxy" and "expect-netscaler-cip". For the files of stream/, and
 * for those who show its numbers. */
#ifndef STREAM_HANDSHAKE_H
#define STREAM_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

struct conn;
struct session;

/* Does anything come before the first byte of this session: a header, TLS? */
bool handshake_wanted(const struct session *session);
/* Takes over both until the headers are there: then calls session_begin, or closes. */
void handshake_start(struct session *session, struct conn **conn);
/* The handshake of a session that has begun with early data is done (ok), or has failed: counts it,
 * and tells the log why. */
void handshake_ended(struct session *session, struct conn *conn, bool ok);

/* Totals of the process. */
struct handshake_stats {
	uint64_t taken;   /* headers that were good */
	uint64_t refused; /* connections closed because theirs was not, or did not come */
};
extern struct handshake_stats handshake_stats;

#endif
