/* SPDX-License-Identifier: BSD-2-Clause */
/* The carrier of HTTP/2: one client's connection, whose streams are lent ends at once. */
#ifndef SESSION_H2_CARRIER_H
#define SESSION_H2_CARRIER_H

struct session;

/* The connection in session->conn speaks HTTP/2: takes over the session. session->held: what was
 * received on it already; NULL: nothing. */
void h2_carrier_begin(struct session *session);
/* The process stops: all connections are told that no stream begins any more, and are closed behind
 * the last one. */
void h2_carrier_finish(void);
/* Closes all of them; their streams have ended. */
void h2_carrier_close_all(void);

#endif
