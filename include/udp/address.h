/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses in the key of a session (udp/session.h). */
#ifndef UDP_ADDRESS_H
#define UDP_ADDRESS_H

#include "net/addr.h"

#include <stdint.h>

struct udp_port;
struct udp_session;

/* An address of a key, of the port's family: IPv4 is not mapped any more. */
struct addr udp_port_addr(const struct udp_port *port, const struct in6_addr *in, uint32_t scope,
			  uint16_t number);
/* Client, and the address that it has sent to. */
void udp_session_addrs(const struct udp_session *s, struct addr *client, struct addr *local);

#endif
