/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of servers, looked up while serving (manual 5.3; doc/internals/names.md). One process of the
 * service asks: the one that checks. What it learns goes through the ordered log.
 */
#ifndef NAMES_SERVER_NAMES_H
#define NAMES_SERVER_NAMES_H

#include "event/change.h"
#include "proxy/server.h"

extern const struct module names_words_module; /* names_conf.c; finishes ahead of proxy_module */
extern const struct module names_module;       /* asks, in the process that does */
extern struct server_part names_server_part;
extern const struct change_kind names_change;

/* Another host for a server, in every process: "set server fqdn". by: as the log says it. 0, or -1 and
 * err; said: what has been done. */
int server_set_hostname(struct server *s, const char *name, const char *by, struct text *said,
			struct err *err);
/* The server's check has got no connection in time: its name may have another address by now. */
void server_name_hurry(struct server *s);

/* ---- between names.c and names_change.c ------------------------------------------------------- */

/* What is done to a server. */
enum names_op { NAMES_ADDR,       /* another address; it is up again, where it had none */
		NAMES_UNRESOLVED, /* it has none any more: text is the reason */
		NAMES_SERVICE,    /* it stands for a host of a service: text is its name */
		NAMES_GONE,       /* its host is not one of the service any more */
		NAMES_WEIGHT,     /* of a service */
		NAMES_OPS };
struct names_step {
	uint8_t op;         /* enum names_op */
	struct addr addr;   /* ADDR: port 0: it stays; SERVICE: the port, and the address if it is known */
	unsigned weight;    /* SERVICE, WEIGHT */
	const char *text;   /* UNRESOLVED, SERVICE */
	const char *by;     /* ADDR: "dns/ns1", "DNS cache" */
};
/* Adds a step to what is submitted by the next names_submit. */
void names_add(struct server *s, const struct names_step *step);
/* Submits what was added. done is called once for each change that it became, with its error. */
void names_submit(change_done *done);
/* How many of these are under way. */
extern unsigned names_under_way;
/* A name, a host or an address has been changed by somebody else. names.c. */
void names_changed(struct server *s);

#endif
