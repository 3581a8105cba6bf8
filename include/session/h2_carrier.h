/* SPDX-License-Identifier: BSD-2-Clause */
/* The carrier of HTTP/2: one client's connection, whose streams are lent ends at once. */
#ifndef SESSION_H2_CARRIER_H
#define SESSION_H2_CARRIER_H

struct session;

/* The connection in session->conn speaks HTTP/2: takes over the session. session->held: what was
 * received on it already; NULL: nothing. */
void h2_carrier_begin(struct session *session);
/* The process stops: all connections are told so in the next spread_ms, and are closed behind their
 * last stream. What is on its way is served. */
void h2_carrier_finish(unsigned spread_ms);
/* Closes all of them; their streams have ended. */
void h2_carrier_close_all(void);

#endif
