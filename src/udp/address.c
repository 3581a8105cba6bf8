/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses in the key of a session. */
#include "udp/address.h"

#include "net/listener.h"
#include "udp/lb.h"
#include "udp/session.h"

#include <arpa/inet.h>
#include <string.h>

struct addr udp_port_addr(const struct udp_port *port, const struct in6_addr *in, uint32_t scope,
			  uint16_t number)
{
	struct addr a = { .family = port->listener->addr.family, .port = number };

	if (a.family == AF_INET)
		memcpy(&a.v4, &in->s6_addr[12], sizeof(a.v4));
	else
		a.v6 = *in;
	if (a.family == AF_INET6)
		a.scope_id = scope;
	return a;
}

void udp_session_addrs(const struct udp_session *s, struct addr *client, struct addr *local)
{
	const struct listener *l = s->port->listener;

	*client = udp_port_addr(s->port, &s->key.client, s->key.scope, ntohs(s->key.port));
	*local = l->addr;
	if (s->port->any)
		*local = udp_port_addr(s->port, &s->key.local, s->key.scope, l->addr.port);
}
