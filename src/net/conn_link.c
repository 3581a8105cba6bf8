/* SPDX-License-Identifier: BSD-2-Clause */
/* What a connection answers to those who do not have it (net/link.h): it asks the kernel, by the
 * socket. Nothing is kept. One inside the program has no socket: it knows nothing. */
#include "net/conn_link.h"

#include "net/addr.h"
#include "net/sock.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

bool conn_link_local(const void *of, struct addr *addr)
{
	return conn_local_addr(of, addr);
}

bool conn_link_original_dst(const void *of, struct addr *addr)
{
	return conn_original_dst(of, addr);
}

bool conn_link_path(const void *of, struct link_path *path)
{
	const struct conn *conn = of;
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(conn->src.fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return false;
	*path = (struct link_path){
		.rtt_us = info.tcpi_rtt,
		.rttvar_us = info.tcpi_rttvar,
		.min_rtt_us = info.tcpi_min_rtt,
		.unacked = info.tcpi_unacked,
		.sacked = info.tcpi_sacked,
		.lost = info.tcpi_lost,
		.retrans = info.tcpi_retrans,
		.fackets = info.tcpi_fackets,
		.reordering = info.tcpi_reordering,
		.unsent = info.tcpi_notsent_bytes,
	};
	return true;
}

const struct tls_link_ops *conn_link_tls(const void *of)
{
	const struct conn *conn = of;

	return conn->layer ? conn->layer->ops->tls : NULL;
}

struct link_shown conn_link_shown(const void *of)
{
	const struct conn *conn = of;

	return (struct link_shown){ conn->src.fd, conn->flags };
}

void conn_link_set_mark(void *of, uint32_t mark)
{
	const struct conn *conn = of;

	sock_wish(conn->src.fd, SOL_SOCKET, SO_MARK, (int)mark);
}

void conn_link_set_tos(void *of, bool ipv6, int tos)
{
	const struct conn *conn = of;

	if (ipv6)
		sock_wish(conn->src.fd, IPPROTO_IPV6, IPV6_TCLASS, tos);
	else
		sock_wish(conn->src.fd, IPPROTO_IP, IP_TOS, tos);
}

/* Packets that are still sent pass so many hops. */
static void limit_hops(int fd, unsigned hops)
{
	sock_wish(fd, IPPROTO_IP, IP_TTL, (int)hops);
	sock_wish(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, (int)hops);
}

/* What has come is acknowledged first: the peer would send it again, and be told by the kernel that
 * nobody is there. Where the rights do not suffice for no packet at all, what is sent when it is
 * closed does not pass the first router. */
void conn_link_vanish(void *of, unsigned hops)
{
	struct conn *conn = of;
	int fd = conn->src.fd;

	if (fd < 0)
		return;
	conn->flags |= CONN_VANISHES;
	sock_wish(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
	if (hops)
		limit_hops(fd, hops);
	else if (!sock_set(fd, IPPROTO_TCP, TCP_REPAIR, 1))
		limit_hops(fd, 1);
}

void conn_link_acknowledge(void *of)
{
	conn_ack_now(of);
}

bool conn_link_at_end(const void *of)
{
	return conn_at_end(of);
}

bool conn_link_is_quiet(void *of)
{
	return conn_is_quiet(of);
}

/* Of one that is broken, or is no TCP, closing takes nothing away that the peer would have got. */
bool conn_link_drained(const void *of)
{
	const struct conn *conn = of;

	return conn->flags & (CONN_ERROR | CONN_BROKEN) || !conn_unacknowledged(conn);
}

void conn_link_discard(void *of)
{
	conn_discard(of);
}

const struct link_ops conn_link_ops = { CONN_LINK_ROWS };
