/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of datagrams, between sockaddr, the control messages of the kernel and keys. */
#include "dgram/address.h"

#include "dgram/port.h"
#include "net/listener.h"

#include <arpa/inet.h>
#include <string.h>

_Static_assert(sizeof(struct dgram_key) == 40, "keys have no gaps: they are hashed as bytes");

/* ---- of one that has come ---------------------------------------------------------------- */

static void key_local(const struct msghdr *msg, struct dgram_key *key)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)msg, c)) {
		if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof(info));
			memcpy(&key->local.s6_addr[12], &info.ipi_addr, sizeof(info.ipi_addr));
		} else if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(c), sizeof(info));
			key->local = info.ipi6_addr;
		}
	}
}

struct dgram_key dgram_key_of(const struct dgram_port *port, const union dgram_address *from,
			      const struct msghdr *msg)
{
	struct dgram_key key = { 0 };

	if (from->sa.sa_family == AF_INET) {
		memcpy(&key.client.s6_addr[12], &from->v4.sin_addr, sizeof(from->v4.sin_addr));
		key.port = from->v4.sin_port;
	} else {
		key.client = from->v6.sin6_addr;
		key.port = from->v6.sin6_port;
		key.scope = from->v6.sin6_scope_id;
	}
	if (port->any)
		key_local(msg, &key);
	return key;
}

static struct addr addr_of(const struct dgram_port *port, const struct in6_addr *in,
			   uint32_t scope, uint16_t number)
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

void dgram_addrs(const struct dgram_port *port, const struct dgram_key *key, struct addr *client,
		 struct addr *local)
{
	*client = addr_of(port, &key->client, key->scope, ntohs(key->port));
	*local = port->listener->addr;
	if (port->any)
		*local = addr_of(port, &key->local, key->scope, local->port);
}

/* ---- of one that leaves ------------------------------------------------------------------ */

static void put_local_v4(struct msghdr *msg, union dgram_control *control,
			 const struct in6_addr *local)
{
	struct in_pktinfo info = { 0 };

	memcpy(&info.ipi_spec_dst, &local->s6_addr[12], sizeof(info.ipi_spec_dst));
	control->header = (struct cmsghdr){ .cmsg_level = SOL_IP, .cmsg_type = IP_PKTINFO,
					    .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control->header), &info, sizeof(info));
	msg->msg_controllen = CMSG_SPACE(sizeof(info));
}

static void put_local_v6(struct msghdr *msg, union dgram_control *control,
			 const struct dgram_key *key)
{
	struct in6_pktinfo info = { .ipi6_addr = key->local, .ipi6_ifindex = key->scope };

	control->header = (struct cmsghdr){ .cmsg_level = SOL_IPV6, .cmsg_type = IPV6_PKTINFO,
					    .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control->header), &info, sizeof(info));
	msg->msg_controllen = CMSG_SPACE(sizeof(info));
}

static void put_local(const struct dgram_port *port, const struct dgram_key *key,
		      struct msghdr *msg, union dgram_control *control)
{
	msg->msg_control = NULL;
	msg->msg_controllen = 0;
	if (!port->any)
		return;
	msg->msg_control = control;
	if (port->listener->addr.family == AF_INET)
		put_local_v4(msg, control, &key->local);
	else
		put_local_v6(msg, control, key);
}

static socklen_t put_client(const struct dgram_port *port, const struct dgram_key *key,
			    union dgram_address *to)
{
	if (port->listener->addr.family == AF_INET) {
		to->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = key->port };
		memcpy(&to->v4.sin_addr, &key->client.s6_addr[12], sizeof(to->v4.sin_addr));
		return sizeof(to->v4);
	}
	to->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = key->port,
					.sin6_addr = key->client, .sin6_scope_id = key->scope };
	return sizeof(to->v6);
}

void dgram_address(const struct dgram_port *port, const struct dgram_key *key, struct msghdr *msg,
		   union dgram_address *to, union dgram_control *control)
{
	msg->msg_name = to;
	msg->msg_namelen = put_client(port, key, to);
	put_local(port, key, msg, control);
}
