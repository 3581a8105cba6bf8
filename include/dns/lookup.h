/* SPDX-License-Identifier: BSD-2-Clause */
/* From names of hosts to their addresses, while serving: nobody waits in it. A name is looked for
 * in /etc/hosts, which is read at the start, before the process gives up its rights; then it is
 * asked for by the words of a section "resolvers" (dns/resolution.h), of both families at once. */
#ifndef DNS_LOOKUP_H
#define DNS_LOOKUP_H

#include "base/str.h"
#include "dns/resolution.h"
#include "event/timer.h"
#include "net/addr.h"

#include <stdbool.h>

enum { DNS_OF_FAMILY = 8, /* addresses of a name that are asked for: more are left out */
       DNS_ADDRS = 2 * DNS_OF_FAMILY };

struct dns_answer {
	unsigned count; /* 0: the name is none, or nobody has said in time what it has */
	struct addr addr[DNS_ADDRS]; /* without ports, of both families */
};

/* Whoever waits for an answer embeds it. Zeroed: it waits for nothing. */
struct dns_lookup {
	struct dns_requester v6, v4; /* as they are under way */
	struct timer timer;          /* how long the second family is waited for */
	bool waits;
	struct dns_answer answer;    /* so far */
	/* The answer has come: called once, from the loop; the lookup is over before, and may be
	 * used again, or be freed. The answer is good until then. */
	void (*done)(struct dns_lookup *lookup, const struct dns_answer *answer);
};

/* The answer, where it is at hand or cannot be had: good until the next call. NULL: lookup->done,
 * which the caller has set, is called later. An address is its own answer. */
const struct dns_answer *dns_look(struct dns_lookup *lookup, struct span name);
/* Nobody waits any more. */
void dns_cancel(struct dns_lookup *lookup);

/* Somebody will look names up: set before the configuration is complete. Else nothing is read. */
extern bool dns_wanted;
/* By whose words name servers are asked; NULL: /etc/hosts is all there is. Set before the
 * configuration is complete. */
extern struct resolvers *dns_resolvers;

struct err;
/* What the module does with /etc/hosts at the start, for tests. 0, or -1 and err: no memory. */
int dns_read(struct span of_hosts, struct err *err);
extern const struct module dns_module;

#endif
