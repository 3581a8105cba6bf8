/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions, for the files of stream/; what others see is in stream/stream.h. */
#ifndef STREAM_SESSION_H
#define STREAM_SESSION_H

#include <stdbool.h>

struct addr;
struct buf;
struct conn;
struct session;

/* Nothing stands before the session's own bytes any more: its rules, then its first stream. Takes
 * over both. */
void session_begin(struct session *session, struct conn **conn);
/* Do its streams carry exchanges? */
bool session_speaks_http(const struct session *session);
/* Takes over the connection, and bytes that were received on it before (NULL: none), and runs
 * the stream as far as it gets. */
void stream_start(struct session *session, struct conn **conn, struct buf **held);
/* The addresses that a PROXY header tells; those of the connection are kept. */
void session_set_addrs(struct session *session, const struct addr *src, const struct addr *dst);
/* Uncounts and frees it; clears the caller's pointer. */
void session_free(struct session **session);

#endif
