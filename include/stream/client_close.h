/* SPDX-License-Identifier: BSD-2-Clause */
/* How a client's connection is closed, whoever closes it. */
#ifndef STREAM_CLIENT_CLOSE_H
#define STREAM_CLIENT_CLOSE_H

#include <stdbool.h>

struct conn;
struct proxy;
struct relay;

/* Closes it so that no byte of an answer is lost (net/linger.h, conn_part), for as long as the
 * frontend's "timeout client-fin" or "timeout client" says; "option nolinger": at once. may_send:
 * requests may come, or lie there, that nobody will read. Clears the caller's pointer; a NULL there
 * is allowed. */
void client_close(struct conn **conn, const struct proxy *frontend, bool may_send);
/* The same for the connection of the client's end, which is forgotten. An end without a connection
 * of its own (HTTP/2, an applet), or whose bytes the kernel relays, is left as it is. */
void client_close_end(struct relay *relay, const struct proxy *frontend, bool may_send);

#endif
