/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections "resolvers" (manual 5.3.2): name servers, and how long what they said last holds. What
 * they are asked is in dns/resolution.h. See doc/internals/names.md.
 */
#ifndef DNS_RESOLVERS_H
#define DNS_RESOLVERS_H

#include "base/list.h"
#include "config/config.h"
#include "net/addr.h"
#include "net/conn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct nameserver_line;
struct statement;

enum dns_hold { HOLD_NX, HOLD_OBSOLETE, HOLD_OTHER, HOLD_REFUSED, HOLD_TIMEOUT, HOLD_VALID, HOLDS };

enum nameserver_count {
#define COUNT(name, help) COUNT_##name,
#include "dns/nameserver_counts.def"
#undef COUNT
	NAMESERVER_COUNTS
};
extern const char *const nameserver_count_names[];

struct nameserver {
	struct nameserver *next;
	struct resolvers *resolvers;
	const char *name;
	struct addr addr;
	bool stream;               /* it is asked over TCP alone */
	struct nameserver_line
		*line;             /* over TCP: what the words behind its address say; NULL: none */
	unsigned maxconn;          /* connections of a process; 0: any number */
	unsigned number;           /* among all of all sections */
	struct list ports;         /* struct dns_port (nameserver.c) of this process */
};

struct resolvers {
	struct list node;
	const char *name;
	struct location loc;
	struct nameserver *nameservers; /* in the order of the file */
	unsigned count;            /* of them */
	unsigned hold_ms[HOLDS];
	int retries;               /* questions in a row before an error counts */
	unsigned resolve_ms, retry_ms;
	int payload;
	bool implicit;             /* "default" of /etc/resolv.conf: no section has that name */
	struct list resolutions;   /* of this process: dns/resolution.c */
};

/* How name servers are reached that have words of server lines; installed by
 * stream/nameserver_words.c, since folders below know neither these words nor TLS. */
struct nameserver_way {
	/* The words behind the address: sets ns->line and ns->maxconn. 0, or -1 after a report. */
	int (*parse)(struct statement *st, struct nameserver *ns);
	/* A connection is begun; NULL: there will be none. */
	struct conn *(*dial)(struct nameserver *ns, void *owner, void (*ready)(struct conn *));
	/* It is connected: may bytes pass? IO_AGAIN: asked again behind the next event. `first':
	 * since this moment. */
	enum io (*shake)(struct nameserver *ns, struct conn *conn, bool first);
};
extern const struct nameserver_way *nameserver_way;

extern const struct module resolvers_module;

/* Of a configuration that is being completed, behind the reading of all files; NULL: there is none
 * of that name. */
struct resolvers *resolvers_find(struct config *cfg, const char *name);
/* Behind a problem: which may be meant. */
void resolvers_suggest(struct config *cfg, const char *name);
/* All of them that run, struct resolvers. */
const struct list *resolvers_running(void);

/* Counts of all processes. */
void nameserver_add(const struct nameserver *ns, enum nameserver_count what);
uint64_t nameserver_sum(const struct nameserver *ns, enum nameserver_count what);

#endif
