/* SPDX-License-Identifier: BSD-2-Clause */
/* The carrier of HTTP/2: one client's connection, whose streams are lent ends at once. */
#ifndef SESSION_H2_CARRIER_H
#define SESSION_H2_CARRIER_H

struct session;

/* The connection in session->conn, of which nothing was read, speaks HTTP/2: takes over the
 * session. No session begins so yet but those of tests (doc/internals/http2.md). */
void h2_carrier_begin(struct session *session);

#endif
