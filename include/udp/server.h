/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions at servers: which one a session gets, how it is counted there, sockets that lead there.
 */
#ifndef UDP_SERVER_H
#define UDP_SERVER_H

#include "base/result.h"
#include "base/str.h"
#include "net/addr.h"
#include "proxy/server.h"
#include "proxy/server_dial.h"

#include <stdbool.h>

struct udp_lb;
struct udp_port;
struct udp_spare;

/* What a session that takes another one's place is to have; zeroed: nothing. */
struct udp_wish {
	const struct server *avoid; /* not this server, if there is another one */
	struct server *keep;        /* this one, if it has room */
};

/* payload: of the first datagram, for rules. Takes a slot of the server. NULL: none has one. */
struct server *udp_server_choose(struct udp_port *port, const struct addr *client,
				 const struct addr *local, struct span payload,
				 const struct udp_wish *wish);
/* A session has a slot of the server, and a socket: counted. */
void udp_server_count(struct server *server);
/* It has ended. */
void udp_server_release(struct server *server);
void udp_server_observe(struct server *server, enum observed what);
/* Where it is for who has sent to that address: the same one, if it is at "*"; a port that was not
 * given, or as an offset, follows theirs. */
struct addr udp_server_addr(const struct server *server, const struct addr *local);
/* A socket to there. */
MUST_USE enum dial_result udp_server_dial(struct server *server, const struct addr *client,
					  const struct addr *local, int *fd);

/* Of its "source": a single port, which two sessions of a client cannot have at once. */
MUST_USE bool udp_server_names_port(const struct udp_lb *lb, const struct server *server);
/* A port, or some: they may all be in use. */
MUST_USE bool udp_server_has_ports(const struct udp_lb *lb, const struct server *server);
/* Sessions of the one can hold ports that the other wants: they have the same "source", or part of
 * it. */
MUST_USE bool udp_server_shares_ports(const struct udp_lb *lb, const struct server *one,
				      const struct server *other);

/* proxy-responses 0: a session ends with the datagram that began it, and nobody reads its socket.
 * The next one may have it, unless it shows its client to the server. */
MUST_USE bool udp_server_forgets(const struct udp_lb *lb, const struct server *server);
/* -1: there is none for the server. */
MUST_USE int udp_spare_take(struct udp_lb *lb, const struct server *server);
void udp_spare_give(struct udp_lb *lb, const struct server *server, int fd);
void udp_spare_drop(struct udp_spare *spare);

#endif
