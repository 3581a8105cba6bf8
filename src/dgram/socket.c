/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets for datagrams on the port of a listener: its own, and further ones beside it. */
#include "dgram/socket.h"

#include "dgram/spread.h"
#include "net/listen_socket.h"
#include "net/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* To which of its addresses a client has sent: answers come from there. */
static const char *hear_of_addresses(const struct listener *l, int fd)
{
	const int on = 1;

	if (!addr_is_any(&l->addr))
		return NULL;
	if (l->addr.family == AF_INET6)
		return setsockopt(fd, SOL_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on)) ?
			       "IPV6_RECVPKTINFO" : NULL;
	return setsockopt(fd, SOL_IP, IP_PKTINFO, &on, sizeof(on)) ? "IP_PKTINFO" : NULL;
}

const char *dgram_socket_bound(const struct listener *l, int fd)
{
	const char *what = hear_of_addresses(l, fd);

	if (!what && spread_attach(fd, l->shards) < 0)
		what = "SO_ATTACH_REUSEPORT_CBPF";
	return what;
}

/* Bound to own, connected to peer. -1 with errno. */
static int open_beside(const struct listener *l, const struct addr *own, const struct addr *peer)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(peer, &ss);
	int fd = listen_socket_further(l, own), saved;

	if (fd < 0)
		return -1;
	if (!hear_of_addresses(l, fd) && connect(fd, (struct sockaddr *)&ss, len) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static bool is_bound_to(int fd, const struct addr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct addr bound;

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		return false;
	addr_from_sockaddr(&bound, &ss, len);
	bound.scope_id = addr->scope_id;
	return addr_equal(&bound, addr);
}

/* Where the port is bound to any address, connecting chooses one by the way to the peer, which is
 * mostly right. Bound to the address from the beginning the socket would get what others send there
 * until it is connected. */
int dgram_socket_beside(const struct listener *l, const struct addr *local, const struct addr *peer)
{
	int fd = open_beside(l, &l->addr, peer);

	if (fd < 0 || is_bound_to(fd, local))
		return fd;
	close(fd);
	return open_beside(l, local, peer);
}
