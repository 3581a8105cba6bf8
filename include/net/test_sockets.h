/* SPDX-License-Identifier: BSD-2-Clause */
/* For unit tests. */
#ifndef NET_TEST_SOCKETS_H
#define NET_TEST_SOCKETS_H

/* A connected pair of TCP sockets on loopback, both non-blocking. What is sent into the first is
 * buffered in bufsize bytes on each side; 0: as usual. */
void test_tcp_pair(int fds[2], int bufsize);

#endif
