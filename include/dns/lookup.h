/* SPDX-License-Identifier: BSD-2-Clause */
/* From names of hosts to their addresses, while serving: nobody waits in it. A name is looked for in
 * /etc/hosts, then asked of the name servers of /etc/resolv.conf; both files are read at the start,
 * before the process gives up its rights. Answers are kept for their TTL. */
#ifndef DNS_LOOKUP_H
#define DNS_LOOKUP_H

#include "base/list.h"
#include "base/str.h"
#include "net/addr.h"

#include <stdbool.h>

enum dns_result {
	DNS_FOUND,
	DNS_UNKNOWN, /* there is no such name, or it has no address */
	DNS_FAILED,  /* the servers refuse, or say nonsense */
	DNS_SILENT,  /* they have not answered in time */
	DNS_FULL,    /* too many names are asked for, or no memory */
	DNS_OFF,     /* no name server is known, or the build has no way to ask */
};

enum { DNS_ADDRS = 32,       /* of a name: more are left out */
       DNS_MS = 5000 };      /* most that an answer takes */

struct dns_answer {
	enum dns_result result;
	unsigned count;              /* DNS_FOUND: at least one */
	struct addr addr[DNS_ADDRS]; /* without ports, of both families */
};

struct dns_entry;
struct resolvers;

/* Whoever waits for an answer embeds it. Zeroed: it waits for nothing. */
struct dns_lookup {
	struct list node;
	struct dns_entry *entry; /* NULL: it waits for nothing */
	/* The answer has come: called once, by a task; the lookup is over before. The answer is good
	 * until it returns. */
	void (*done)(struct dns_lookup *lookup, const struct dns_answer *answer);
};

/* The answer, where it is at hand or cannot be had: good until the next call. NULL: lookup->done,
 * which the caller has set, is called later. An address is its own answer. */
const struct dns_answer *dns_look(struct dns_lookup *lookup, struct span name);
/* Nobody waits any more. */
void dns_cancel(struct dns_lookup *lookup);

/* Somebody will look names up: set before the configuration is complete. Else nothing is read. */
extern bool dns_wanted;
extern bool dns_asks; /* false: /etc/hosts is all there is */
/* Whose name servers are asked, in the place of those of /etc/resolv.conf; NULL: these. Set before the
 * configuration is complete; over TCP only where answers do not fit. */
extern const struct resolvers *dns_resolvers;
/* "c-ares 1.18.1"; NULL: this build asks nobody. */
const char *dns_library(void);

struct err;
/* What the module does with the two files at the start, for tests. 0, or -1 and err: no memory. */
int dns_read(struct span of_hosts, struct span of_resolv, struct err *err);
extern const struct module dns_module;
/* The beginning of a file, to be freed; NULL with errno: it cannot be read. For resolvers.c. */
char *dns_file_read(const char *path, size_t most, size_t *len);

/* What the process has asked. */
struct dns_stats {
	uint64_t looked, cached, asked; /* looked up; answered at once, by what was kept; questions */
};
extern struct dns_stats dns_stats;

#endif
