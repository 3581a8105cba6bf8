/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking name servers: ask_cares.c, or ask_none.c in a build without c-ares. For lookup.c alone. */
#ifndef DNS_ASK_H
#define DNS_ASK_H

#include "dns/lookup.h"

struct dns_servers;
struct err;

/* In each process that serves, while it has its rights. 0, or -1 and err. */
int dns_ask_begin(const struct dns_servers *servers, struct err *err);
/* Every question that is left ends without a word. */
void dns_ask_end(void);

/* Asks for the addresses of a family (AF_INET, AF_INET6). dns_asked is called once, maybe before this
 * returns: result is DNS_FOUND, DNS_UNKNOWN, DNS_FAILED or DNS_SILENT. */
void dns_ask(const char *name, int family, void *whose);
struct ask_answer {
	enum dns_result result;
	unsigned count, ttl; /* ttl in seconds, the least of all records */
	const struct addr *addr;
};
extern void (*dns_asked)(void *whose, int family, const struct ask_answer *answer);

#endif
