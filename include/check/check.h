/* SPDX-License-Identifier: BSD-2-Clause */
/* Health checks: when a server is asked, what its answers make of its health. How it is asked
 * is a table of operations; a plain TCP connection is one such table. Manual 4.2 "option
 * tcp-check" and following, 5.2 "check", "inter", "rise", "fall", "observe". */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "config/module.h"
#include "event/timer.h"
#include "proxy/server.h"

struct check;
struct conn;

extern const struct module check_module; /* start: begins to check what is to be checked */

struct check_ops {
	const char *name;
	/* The connection stands. Reports a result (check_report), now or in a later call. */
	void (*connected)(struct check *check);
	/* Bytes or an end have come. NULL: what connected reports ends the check. */
	void (*readable)(struct check *check);
	enum check_status timeout; /* result when the time is over after connecting */
};

struct check {
	struct server *server;
	const struct check_ops *ops;
	struct conn *conn;    /* while one is running */
	struct timer timer;   /* the next one, or the end of the one that is running */
	uint64_t started_us;
	bool connected;
};

extern const struct check_ops check_tcp_ops;

/* A result of the running check; closes its connection, changes the server's health, sets the
 * time of the next. info: what the system or the server said, or NULL. */
void check_report(struct check *check, enum check_status status, const char *info);
/* "Layer4 check passed" and so on. */
const char *check_status_sentence(enum check_status status);

#endif
