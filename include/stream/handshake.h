/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes before the first byte of a session's own: the PROXY header of "accept-proxy" and
 * "expect-proxy". For the files of stream/. */
#ifndef STREAM_HANDSHAKE_H
#define STREAM_HANDSHAKE_H

#include <stdbool.h>

struct conn;
struct session;

/* Takes over both until the header is there: then calls session_begin, or closes. */
void handshake_start(struct session *session, struct conn **conn);
/* Closes those of all sessions (soft stop is over), or of one frontend's. */
struct proxy;
void handshakes_end(const struct proxy *frontend); /* NULL: all */

#endif
