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
struct text;

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
	struct timer timer;   /* the next one, or the end of the one that is running; not armed:
			       * in maintenance or paused */
	uint64_t started_us, started_ms;
	bool connected;
};

extern const struct check_ops check_tcp_ops;

/* A result of the running check; closes its connection, changes the server's health, sets the
 * time of the next. For the operations. */
void check_report(struct check *check, enum check_status status);
/* Checks of the server stop, or go on: "disable health", "enable health". */
void check_pause(struct server *server, bool paused);

/* "Layer4 check passed" and so on. */
const char *check_status_sentence(enum check_status status);
/* What the system said of the last check that failed, such as "Connection refused"; nothing
 * when there is nothing to say. Column last_chk. */
void check_say_cause(const struct server *server, struct text *t);

#endif
