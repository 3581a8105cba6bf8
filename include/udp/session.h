/* SPDX-License-Identifier: BSD-2-Clause */
/* A session: what one client sends to one address of a port goes to one server, over a socket of
 * its own, and what comes back goes to the client. */
#ifndef UDP_SESSION_H
#define UDP_SESSION_H

#include "base/list.h"
#include "base/result.h"
#include "base/str.h"
#include "dgram/address.h"
#include "dgram/out.h"
#include "event/loop.h"
#include "net/addr.h"
#include "stream/stream.h"
#include "udp/lb.h"

struct arena;
struct server;
struct dgram_beside;

enum { UDP_NONE = 0xff };
/* In the ids of sessions: streams have others. */
#define UDP_ID_BIT (UINT64_C(1) << (STREAM_ROW_SHIFT - 1))

struct udp_session {
	struct source src;          /* connected to the server */
	struct dgram_key key;       /* by what a datagram finds it; number: of the udp_port */
	struct udp_session *next;   /* in its chain of the table */
	union {
		struct list node;   /* in port->turns */
		struct reap reap;   /* it has ended */
	};
	struct udp_port *port;
	struct server *server;
	struct addr server_addr;    /* to which src leads */
	struct dgram_beside *beside; /* dgram/beside.h: a socket for what its client sends; NULL */
	uint64_t id;
	uint64_t start_ms, last_ms; /* clock_now_ms: it began; somebody has sent */
	uint64_t bytes_in, bytes_out;
	uint32_t requests, responses; /* datagrams of the client, of the server */
	uint8_t turn;               /* enum udp_turn */
	uint8_t first, last;        /* its messages in the batch at hand; UDP_NONE */
	uint8_t waiting;            /* how many these are */
	bool apart;                 /* in lb->apart, not in lb->table */
	bool left; /* its server has another address now: it ends with its answers */
	bool several;               /* more than one answer is likely to come at a time */
	struct dgram_way way;       /* to its client; and to its server, as to rows */
};

struct udp_sessions_stats {
	uint64_t dropped;   /* datagrams: no server, no room, too large, socket full */
};
extern struct udp_sessions_stats udp_stats;

/* Installed by port.c. Sends what the batch at hand has for the session. */
extern void (*udp_forward)(struct udp_session *s);

/* Makes ready for sessions, in a process that serves; the table lies in the arena. 0, or -1: no
 * random numbers. */
MUST_USE int udp_sessions_start(struct udp_lb *lb, struct arena *arena);
/* NULL: there is none. */
struct udp_session *udp_session_find(const struct udp_lb *lb, const struct dgram_key *key);
/* A fresh one; payload: of the datagram that wants it, for rules. NULL: no server has room, or
 * something ran out; counted. */
struct udp_session *udp_session_begin(struct udp_port *port, const struct dgram_key *key,
				      struct span payload);
/* Its server has failed: another one, if there is one, takes its place. NULL: none, it has ended.
 */
struct udp_session *udp_session_again(struct udp_session *s, struct span payload);
/* Has it had proxy-requests datagrams, and waits for no answer? It is found only where another one
 * could not be opened beside it: its server is shown the client's port. */
MUST_USE bool udp_session_is_spent(const struct udp_session *s);
/* Does its socket lead to an address that its server had before? */
MUST_USE bool udp_session_is_astray(const struct udp_session *s);
/* Then another one, to the present address, takes its place. Answers that are under way still come.
 * NULL: there is none. */
struct udp_session *udp_session_follow(struct udp_session *s, struct span payload);
/* Somebody has sent, and the other one has the turn now: UDP_SERVER or UDP_CLIENT. */
void udp_session_touch(struct udp_session *s, enum udp_turn turn);
/* So many datagrams of so many bytes went to the server, or came from it; may end the session. */
void udp_session_count_in(struct udp_session *s, unsigned n, uint64_t bytes);
void udp_session_count_out(struct udp_session *s, unsigned n, uint64_t bytes);
/* The server's host says that nobody is there. */
void udp_session_refused(struct udp_session *s);
/* Counts, logs, frees at the end of the turn. */
void udp_session_end(struct udp_session *s, enum reason reason);
/* By the id of show sess; NULL: gone. */
struct udp_session *udp_session_by_id(uint64_t id);
/* All that are on the server now. */
void udp_sessions_end_server(const struct server *server, enum reason reason);
void udp_sessions_end_all(enum reason reason);
/* Calls fn for those of a section. fn may end the one that it is called with. */
void udp_sessions_each(struct udp_lb *lb, void (*fn)(struct udp_session *s, void *arg), void *arg);
/* When its time is over (clock_now_ms), unless somebody sends. */
uint64_t udp_session_deadline(const struct udp_session *s);
/* Client, and the address that it has sent to. */
static inline void udp_session_addrs(const struct udp_session *s, struct addr *client,
				     struct addr *local)
{
	dgram_addrs(&s->port->dgram, &s->key, client, local);
}
/* By which it reaches its client. */
MUST_USE int udp_session_client_fd(const struct udp_session *s);

#endif
