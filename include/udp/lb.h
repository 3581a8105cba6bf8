/* SPDX-License-Identifier: BSD-2-Clause */
/* A section "udp-lb", and what this process has of it: the sockets on its ports, and the sessions of
 * its clients. For the files of udp/, and for who shows sessions. See doc/internals/udp.md. */
#ifndef UDP_LB_H
#define UDP_LB_H

#include "base/bug.h"
#include "base/list.h"
#include "dgram/port.h"
#include "event/timer.h"
#include "net/addr.h"
#include "proxy/part.h"

#include <stdbool.h>
#include <stdint.h>

struct server;
struct udp_session;

enum { UDP_PAYLOAD = 1472 };

/* A connected socket that a session of a datagram without answer has left for the next one. */
enum { UDP_SPARES = 16 };
struct udp_spare {
	const struct server *server; /* NULL: there is none */
	struct addr addr;            /* where it leads to */
	int fd;
};

struct udp_lb {
	struct proxy *proxy;
	unsigned requests;          /* datagrams of a client's session; 0: no limit */
	int responses;              /* answers to each of them; -1: no limit */
	unsigned payload;           /* the largest datagram that passes, either way */
	/* Of this process. */
	struct list ports;          /* struct udp_port.node */
	struct udp_session **table; /* by hash; mask + 1 chains */
	struct udp_session **apart; /* those whose client's next datagram is not theirs: by id */
	uint32_t mask;
	unsigned count;             /* sessions */
	struct udp_spare spares[UDP_SPARES]; /* by the server's number */
	struct timer timer;         /* looks for those whose time is over */
};

extern struct proxy_part udp_part;
/* NULL: the proxy is another section. */
static inline struct udp_lb *udp_lb_of(const struct proxy *px)
{
	return proxy_part(px, &udp_part);
}

/* May rows of clients pass as one (dgram/rows.h), which limits of datagrams would cut through? */
static inline bool udp_gathers(const struct udp_lb *lb)
{
	return !lb->requests;
}

/* Those of servers: a session that ends with its answers reads a few, one by one. */
static inline bool udp_gathers_answers(const struct udp_lb *lb)
{
	return !lb->requests && lb->responses < 0;
}

/* Whose turn it is: a session waits for the server since its client has sent, or the other way
 * round; or for the first answer of all. */
enum udp_turn { UDP_SERVER, UDP_CLIENT, UDP_UNANSWERED, UDP_TURNS };

/* A socket of a dgram-bind line. */
struct udp_port {
	struct dgram_port dgram;
	struct list node;
	struct udp_lb *lb;
	uint16_t number;         /* in the keys of sessions */
	struct list turns[UDP_TURNS]; /* struct udp_session.node: longest silent first */
	unsigned unanswered;     /* how many turns[UDP_UNANSWERED] has */
};

static inline struct udp_port *udp_port_of(const struct dgram_port *port)
{
	return container_of((struct dgram_port *)(uintptr_t)port, struct udp_port, dgram);
}

#endif
