/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets before they are connections. Called by proxy/ and check/ for connections to servers. */
#include "net/sock.h"

#include "base/result.h"
#include "net/netns.h"
#include "net/orphan.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct sock_tune sock_tune;

static int reserve = -1;

/* Of a file of its own, not a copy: the system as a whole may have run out, too. */
bool sock_reserve(void)
{
	if (reserve < 0)
		reserve = eventfd(0, EFD_CLOEXEC);
	return reserve >= 0;
}

int sock_open_datagrams(int family, const char *namespace)
{
	const int type = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int fd = netns_socket(namespace, family, type, 0);

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || !orphan_cut())
		return fd;
	return netns_socket(namespace, family, type, 0);
}

/* The reserve goes first, then the oldest connection that nobody uses. False: errno stays. */
COLD static bool sock_make_room(void)
{
	if (reserve < 0)
		return orphan_cut();
	close(reserve);
	reserve = -1;
	return true;
}

int sock_open(int family, const char *namespace)
{
	const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int fd = netns_socket(namespace, family, type, 0);
	unsigned tries = 2; /* a reserve with a number above a limit that was lowered makes no room */

	while (unlikely(fd < 0 && (errno == EMFILE || errno == ENFILE) && tries-- && sock_make_room()))
		fd = netns_socket(namespace, family, type, 0);
	return fd;
}

bool sock_set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

void sock_wish(int fd, int level, int option, int value)
{
	DROPPED(sock_set(fd, level, option, value), "that is what a wish is");
}

void sock_keepalive(int fd, int cnt, unsigned idle_s, unsigned intvl_s)
{
	sock_wish(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (cnt)
		sock_wish(fd, IPPROTO_TCP, TCP_KEEPCNT, cnt);
	if (idle_s)
		sock_wish(fd, IPPROTO_TCP, TCP_KEEPIDLE, (int)idle_s);
	if (intvl_s)
		sock_wish(fd, IPPROTO_TCP, TCP_KEEPINTVL, (int)intvl_s);
}
