/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets before they are connections. Called by proxy/ and check/ for connections to servers. */
#include "net/sock.h"

#include "net/netns.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

struct sock_tune sock_tune;

int sock_open(int family, const char *namespace)
{
	return netns_socket(namespace, family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

bool sock_set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

void sock_keepalive(int fd, int cnt, unsigned idle_s, unsigned intvl_s)
{
	sock_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (cnt)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPCNT, cnt);
	if (idle_s)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, (int)idle_s);
	if (intvl_s)
		sock_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, (int)intvl_s);
}
