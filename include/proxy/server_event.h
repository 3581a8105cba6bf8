/* SPDX-License-Identifier: BSD-2-Clause */
/* One transition of a server, and the line that the log gets for it. For proxy/server_change.c. */
#ifndef PROXY_SERVER_EVENT_H
#define PROXY_SERVER_EVENT_H

#include "proxy/server.h"

struct server_event {
	struct server *server;
	const struct server *via;  /* it follows this one; NULL: by itself */
	const char *reason;        /* as server_set_up takes it */
	const struct check_state *found; /* by this check; NULL: by none */
	bool was_usable, was_down; /* before */
	uint8_t op_before;         /* enum server_op */
	bool had_servers;          /* the backend had a usable one before */
	unsigned admin_before;
	unsigned active, backup;   /* usable servers of the backend afterwards */
	unsigned sessions;         /* on it, before any were ended */
	unsigned requeued;         /* streams that were taken from a queue */
};

/* It went up, down or into stopping; entered maintenance; left it. */
void server_log_op(const struct server_event *ev);
void server_log_maint(const struct server_event *ev);
void server_log_ready(const struct server_event *ev);
void server_log_drain(const struct server_event *ev); /* entered or left */
void server_log_ejection(const struct server_event *ev); /* begun or over */
/* In maintenance, in drain as before, only by whom has changed. */
void server_log_still_maint(const struct server_event *ev);
void server_log_still_drain(const struct server_event *ev);

#endif
