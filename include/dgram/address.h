/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has sent to whom: of a datagram that has come to a port, and of one that goes back. */
#ifndef DGRAM_ADDRESS_H
#define DGRAM_ADDRESS_H

#include "net/addr.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct dgram_port;

union dgram_address {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Room for the address of ours that a datagram was sent to, and for the size in a row. */
union dgram_control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(int))];
};

/* Without gaps, so that it can be hashed as bytes. IPv4 addresses are mapped. */
struct dgram_key {
	struct in6_addr client, local; /* local: zero where the port is bound to it */
	uint32_t scope;                /* of a link-local address */
	uint16_t port;                 /* the client's, as in the datagram */
	uint16_t number;               /* the user's: 0 */
};

/* from, and what msg tells of the address of ours. */
struct dgram_key dgram_key_of(const struct dgram_port *port, const union dgram_address *from,
			      const struct msghdr *msg);
/* Both as addresses of the port's family: IPv4 is not mapped any more. */
void dgram_addrs(const struct dgram_port *port, const struct dgram_key *key, struct addr *client,
		 struct addr *local);
/* msg goes to the client, from the address that it has sent to. */
void dgram_address(const struct dgram_port *port, const struct dgram_key *key, struct msghdr *msg,
		   union dgram_address *to, union dgram_control *control);

#endif
