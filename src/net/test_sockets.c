/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets for unit tests of what moves bytes. */
#include "net/test_sockets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <unistd.h>

void test_tcp_pair(int fds[2], int bufsize)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	socklen_t len = sizeof(sin);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(l, (struct sockaddr *)&sin, sizeof(sin)), 0);
	/* A system's default may pace: with small buffers each window then waits for a timer. */
	setsockopt(l, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	if (bufsize)
		setsockopt(l, SOL_SOCKET, SO_RCVBUF, &bufsize, sizeof(bufsize));
	assert_int_equal(listen(l, 1), 0);
	getsockname(l, (struct sockaddr *)&sin, &len);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fds[0], IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	if (bufsize)
		setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &bufsize, sizeof(bufsize));
	assert_int_equal(connect(fds[0], (struct sockaddr *)&sin, sizeof(sin)), 0);
	fds[1] = accept(l, NULL, NULL);
	assert_true(fds[1] >= 0);
	close(l);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
}
