/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of one port, over loopback: a client's datagrams always come to the same one, whatever
 * joins the port. */
#include "dgram/spread.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { SOCKETS = 4, CLIENTS = 60 };

union any_addr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int family;
static union any_addr port;
static socklen_t addr_len;

static int opened(void)
{
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)), 0);
	assert_int_equal(bind(fd, &port.sa, addr_len), 0);
	assert_int_equal(getsockname(fd, &port.sa, &addr_len), 0);
	return fd;
}

/* Which of the sockets has it; -1: none. */
static int receiver(const int *fds, int count)
{
	char byte;
	int i;

	for (i = 0; i < count; i++)
		if (recv(fds[i], &byte, 1, 0) == 1)
			return i;
	return -1;
}

static int client_of(const union any_addr *to)
{
	int fd = socket(to->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &to->sa, sizeof(*to)), 0);
	return fd;
}

static void to_one_socket_each(const union any_addr *to)
{
	int fds[SOCKETS + CLIENTS], clients[CLIENTS], where[CLIENTS], counts[SOCKETS] = { 0 }, i;
	union any_addr from;
	socklen_t len;

	for (i = 0; i < SOCKETS; i++)
		fds[i] = opened();
	assert_int_equal(spread_attach(fds[0], SOCKETS), 0);
	for (i = 0; i < CLIENTS; i++) {
		union any_addr at = *to;

		if (at.sa.sa_family == AF_INET)
			at.v4.sin_port = port.v4.sin_port; /* at the same place in both */
		else
			at.v6.sin6_port = port.v6.sin6_port;
		clients[i] = client_of(&at);
		assert_int_equal(send(clients[i], "x", 1, 0), 1);
		where[i] = receiver(fds, SOCKETS);
		assert_in_range(where[i], 0, SOCKETS - 1);
		counts[where[i]]++;
	}
	for (i = 0; i < SOCKETS; i++)
		assert_in_range(counts[i], CLIENTS / SOCKETS / 4, CLIENTS / SOCKETS * 3);
	/* Others join. Until they are connected they get nothing, then what is theirs. */
	for (i = 0; i < CLIENTS / 2; i++)
		fds[SOCKETS + i] = opened();
	for (i = 0; i < CLIENTS; i++) {
		assert_int_equal(send(clients[i], "x", 1, 0), 1);
		assert_int_equal(receiver(fds, SOCKETS + CLIENTS / 2), where[i]);
	}
	for (i = 0; i < CLIENTS / 2; i++) {
		len = sizeof(from);
		assert_int_equal(getsockname(clients[i], &from.sa, &len), 0);
		if (from.sa.sa_family != family)
			continue; /* a mapped address: tried by the tests of udp-lb */
		assert_int_equal(connect(fds[SOCKETS + i], &from.sa, len), 0);
		where[i] = SOCKETS + i;
	}
	for (i = 0; i < CLIENTS; i++) {
		assert_int_equal(send(clients[i], "x", 1, 0), 1);
		assert_int_equal(receiver(fds, SOCKETS + CLIENTS / 2), where[i]);
		close(clients[i]);
	}
	for (i = 0; i < SOCKETS + CLIENTS / 2; i++)
		close(fds[i]);
}

static void of_ipv4(void **state)
{
	union any_addr to;

	(void)state;
	family = AF_INET;
	memset(&port, 0, sizeof(port));
	port.v4.sin_family = AF_INET;
	port.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	addr_len = sizeof(port.v4);
	to = port;
	to_one_socket_each(&to);
}

static void of_ipv6(void **state)
{
	union any_addr to;

	(void)state;
	family = AF_INET6;
	memset(&port, 0, sizeof(port));
	port.v6.sin6_family = AF_INET6;
	port.v6.sin6_addr = in6addr_loopback;
	addr_len = sizeof(port.v6);
	to = port;
	to_one_socket_each(&to);
}

static void of_ipv4_at_a_socket_for_both(void **state)
{
	union any_addr to = { .v4 = { .sin_family = AF_INET } };

	(void)state;
	family = AF_INET6;
	memset(&port, 0, sizeof(port));
	port.v6.sin6_family = AF_INET6;
	addr_len = sizeof(port.v6);
	to.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to_one_socket_each(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_ipv4),
		cmocka_unit_test(of_ipv6),
		cmocka_unit_test(of_ipv4_at_a_socket_for_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
