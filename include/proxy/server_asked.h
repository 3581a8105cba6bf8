/* SPDX-License-Identifier: BSD-2-Clause */
/* What people ask of a server at run time: the same for the stats socket, the stats page and
 * scripts. As the ordered log makes a change. */
#ifndef PROXY_SERVER_ASKED_H
#define PROXY_SERVER_ASKED_H

#include "proxy/server.h"

struct err;
struct text;

/* "set server state": in service; out of it, but for sessions that a cookie sends; out altogether. */
void server_make_ready(struct server *s);
void server_make_drain(struct server *s);
void server_make_maint(struct server *s);
/* "set server health": up, stopping or down (op), whatever its checks have found; reason: what the
 * log says. False: it follows another server, and has no health of its own. */
bool server_force_health(struct server *s, enum server_op op, const char *reason);
/* Its address, and its port ("8080", or "+10", "-10": the client's, plus or minus that; NULL: it
 * stays), by whom the log says. said: what has changed. 0, or -1 and err: the address is none. */
int server_set_addr(struct server *s, const char *text, const char *port, const char *by,
		    struct text *said, struct err *err);
/* "set weight": "50", or "50%" of the configured one. 0, or -1 and err. */
int server_set_weight(struct server *s, const char *text, struct err *err);
/* "set maxconn server": 0, or -1 and err: the text is no number of sessions. */
int server_set_maxconn(struct server *s, const char *text, struct err *err);

#endif
