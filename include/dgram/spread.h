/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of several sockets on one port (SO_REUSEPORT) gets a datagram: always the same one for one
 * client, whatever other sockets join the port behind them. */
#ifndef DGRAM_SPREAD_H
#define DGRAM_SPREAD_H

#include "base/result.h"

struct sock_filter;

/* So many instructions at most. */
enum { SPREAD_MOST = 24 };

/* The program (room for SPREAD_MOST) that names one of the first n sockets of the port by the
 * client's address and port. Returns its length. */
unsigned short spread_program(struct sock_filter *program, unsigned n);
/* Installs it for the whole port; fd: one of its sockets, bound. 0, or -1 with errno. */
MUST_USE int spread_attach(int fd, unsigned n);

#endif
