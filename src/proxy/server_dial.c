/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets towards servers: source address, interface, namespace, options, connect. */
#include "proxy/server_dial.h"

#include "net/netns.h"
#include "net/sock.h"
#include "proxy/proxy.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

static const struct source_conf *dial_source(const struct server *server)
{
	if (server->set.source.set)
		return &server->set.source;
	return server->proxy->set.source.set ? &server->proxy->set.source : NULL;
}

static void dial_options(const struct server *server, bool bytes, int fd)
{
	const struct proxy_settings *px = &server->proxy->set;

	sock_wish(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (px->options.on & OPT_SRVTCPKA)
		sock_keepalive(fd, px->srvtcpka_cnt, px->srvtcpka_idle / 1000,
			       px->srvtcpka_intvl / 1000);
	if (server->set.tcp_ut)
		sock_wish(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)server->set.tcp_ut);
	if (bytes && server->set.options.on & SRV_TFO)
		sock_wish(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1);
	if (proxy_spares_ack(px, OPT_SMART_CONNECT))
		sock_wish(fd, IPPROTO_TCP, TCP_QUICKACK, 0);
	if (sock_tune.rcvbuf_server)
		sock_wish(fd, SOL_SOCKET, SO_RCVBUF, (int)sock_tune.rcvbuf_server);
	if (sock_tune.sndbuf_server)
		sock_wish(fd, SOL_SOCKET, SO_SNDBUF, (int)sock_tune.sndbuf_server);
}

/* Where the rights do not suffice they stay as they are. */
static void dial_mark(const struct dial_packets *packets, uint16_t family, int fd)
{
	if (packets->has_mark)
		sock_wish(fd, SOL_SOCKET, SO_MARK, (int)packets->mark);
	if (packets->has_tos && family == AF_INET6)
		sock_wish(fd, IPPROTO_IPV6, IPV6_TCLASS, packets->tos);
	else if (packets->has_tos)
		sock_wish(fd, IPPROTO_IP, IP_TOS, packets->tos);
}

static bool dial_sends_datagrams(int fd)
{
	socklen_t len = sizeof(int);
	int type = 0;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_DGRAM;
}

/* Two sockets for datagrams that share a port would get each other's. */
static int dial_bind(int fd, const struct addr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(addr, &ss);

	if (!dial_sends_datagrams(fd))
		sock_wish(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	return bind(fd, (struct sockaddr *)&ss, len);
}

/* One port of the range after the other, beginning behind the last one used. */
static int dial_bind_range(struct server *server, const struct source_conf *src, int fd)
{
	unsigned count = src->last_port - src->addr.port + 1u, i;
	struct addr addr = src->addr;

	for (i = 0; i < count; i++) {
		addr.port = (uint16_t)(src->addr.port + (server->next_source_port + i) % count);
		if (dial_bind(fd, &addr) == 0) {
			server->next_source_port = (uint16_t)((server->next_source_port + i + 1) % count);
			return 0;
		}
		if (errno != EADDRINUSE)
			return -1;
	}
	return -1;
}

/* The address that a transparent source shows to the server. Checks show their own, and so does
 * who comes for a client that has none. */
static bool dial_usesrc(const struct source_conf *src, const struct addr *client, struct addr *addr)
{
	if (!client || src->usesrc == USESRC_NONE)
		return false;
	*addr = src->usesrc == USESRC_ADDR ? src->usesrc_addr : *client;
	if (src->usesrc == USESRC_CLIENTIP || src->usesrc == USESRC_HDR)
		addr->port = 0;
	return addr->family == AF_INET || addr->family == AF_INET6;
}

static int dial_transparent(const struct addr *addr, int fd)
{
	bool v6 = addr->family == AF_INET6;

	if (!sock_set(fd, v6 ? SOL_IPV6 : SOL_IP, v6 ? IPV6_TRANSPARENT : IP_TRANSPARENT, 1))
		return -1;
	if (!addr->port)
		sock_wish(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	return dial_bind(fd, addr);
}

static int dial_from(struct server *server, const struct source_conf *src,
		     const struct addr *client, int fd)
{
	struct addr addr = src->addr, shown;

	if (src->interface && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, src->interface,
					 (socklen_t)strlen(src->interface) + 1) < 0)
		return -1;
	if (dial_usesrc(src, client, &shown))
		return dial_transparent(&shown, fd);
	if (addr.family == AF_UNSPEC)
		return 0;
	if (!client && dial_sends_datagrams(fd))
		addr.port = 0; /* a check: sessions need the ports, which nobody can share */
	else if (src->last_port > src->addr.port)
		return dial_bind_range(server, src, fd);
	if (!addr.port)
		sock_wish(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	return dial_bind(fd, &addr);
}

static enum dial_result dial_failed(int *fd, enum dial_result result)
{
	int saved = errno;

	close(*fd);
	*fd = -1;
	errno = saved;
	return result;
}

static enum dial_result dial_connect(const struct addr *to, int *fd)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(to, &ss);

	if (connect(*fd, (struct sockaddr *)&ss, len) == 0 || errno == EINPROGRESS)
		return DIAL_STARTED;
	if (errno == EADDRNOTAVAIL || errno == EADDRINUSE || errno == ENOBUFS || errno == ENOMEM ||
	    (errno == EAGAIN && to->family != AF_UNIX))
		return dial_failed(fd, DIAL_RESOURCE);
	return dial_failed(fd, DIAL_REFUSED);
}

/* The server has lost its address since it was chosen, or is forced upon somebody. There is no
 * socket for that, and a worker may not even ask for one. */
static bool dial_nowhere(const struct addr *to, int *fd)
{
	*fd = -1;
	errno = EDESTADDRREQ;
	return to->family == AF_UNSPEC;
}

static enum dial_result dial_once(struct server *server, const struct source_conf *src,
				  const struct addr *to, const struct addr *client,
				  const char *netns, bool bytes,
				  const struct dial_packets *packets, int *fd)
{
	if (dial_nowhere(to, fd))
		return DIAL_REFUSED;
	if (!netns_is_any(server->set.namespace))
		netns = server->set.namespace;
	*fd = sock_open(to->family, netns);
	if (*fd < 0)
		return DIAL_RESOURCE;
	if (to->family != AF_UNIX) {
		dial_options(server, bytes, *fd);
		if (packets)
			dial_mark(packets, to->family, *fd);
		if (!client)
			sock_wish(*fd, IPPROTO_TCP, TCP_QUICKACK, 0);
		if (src && dial_from(server, src, client, *fd) < 0)
			return dial_failed(fd, DIAL_SOURCE);
	}
	return dial_connect(to, fd);
}

/* client NULL: a check. A port of a range may be bound twice, but not connected twice to the same
 * address: then the next one is tried. */
static enum dial_result dial(struct server *server, const struct addr *to,
			     const struct addr *client, const char *netns, bool bytes,
			     const struct dial_packets *packets, int *fd)
{
	const struct source_conf *src = dial_source(server);
	unsigned tries = src && src->addr.port ? src->last_port - src->addr.port + 1u : 0;
	enum dial_result result;

	do {
		result = dial_once(server, src, to, client, netns, bytes, packets, fd);
		if (result != DIAL_RESOURCE || errno != EADDRNOTAVAIL || !tries)
			return result;
	} while (--tries > 0);
	return DIAL_SOURCE;
}

enum dial_result server_dial(struct server *server, const struct addr *to,
			     const struct addr *client, const char *netns, bool bytes,
			     const struct dial_packets *packets, int *fd)
{
	return dial(server, to, client, netns, bytes, packets, fd);
}

static void dial_datagram_buffers(int fd)
{
	if (sock_tune.rcvbuf_server)
		sock_wish(fd, SOL_SOCKET, SO_RCVBUF, (int)sock_tune.rcvbuf_server);
	if (sock_tune.sndbuf_server)
		sock_wish(fd, SOL_SOCKET, SO_SNDBUF, (int)sock_tune.sndbuf_server);
}

enum dial_result server_dial_datagrams(struct server *server, const struct addr *to,
				       const struct addr *client, int *fd)
{
	const struct source_conf *src = dial_source(server);

	if (dial_nowhere(to, fd))
		return DIAL_REFUSED;
	*fd = sock_open_datagrams(to->family, server->set.namespace);
	if (*fd < 0)
		return DIAL_RESOURCE;
	dial_datagram_buffers(*fd);
	if (src && dial_from(server, src, client, *fd) < 0)
		return dial_failed(fd, DIAL_SOURCE);
	return dial_connect(to, fd);
}

enum dial_result server_dial_check(struct server *server, const struct addr *to, int *fd)
{
	return dial(server, to, NULL, NULL, false, NULL, fd);
}
