/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions on the wire: sockets of name servers, numbers of questions, and what comes back. For
 * dns/resolution.c alone. */
#ifndef DNS_NAMESERVER_H
#define DNS_NAMESERVER_H

#include "base/list.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct nameserver;
struct dns_port;

/* Whoever asks embeds it. Zeroed: nothing is under way. */
struct dns_query {
	struct list node;
	struct dns_port *port; /* NULL: nothing is under way */
	uint16_t id;
	/* A message with its number has come from there, of at least DNS_HEAD bytes: not looked at any
	 * further. The query goes on until nameserver_forget, which may be called from within. Empty
	 * bytes: the connection is gone, and the query has ended. */
	void (*heard)(struct dns_query *query, struct span bytes);
};

/* Sends the question, under a number of its own from a port of its own, over TCP when stream. bytes:
 * as message.h writes them: their number is replaced. 0, or -1: there is no socket; then nothing is
 * under way. What the network does with it shows by what is heard, or not. */
int nameserver_ask(struct nameserver *ns, struct dns_query *query, const unsigned char *bytes,
		   size_t len, bool stream);
/* Nobody listens any more. */
void nameserver_forget(struct dns_query *query);
/* Closes what is open, and forgets all queries: they have ended without being called. */
void nameserver_close(struct nameserver *ns);

#endif
