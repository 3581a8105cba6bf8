/* SPDX-License-Identifier: BSD-2-Clause */
/* Many datagrams in few system calls, on a connected UDP socket. For dns/nameserver.c alone. */
#ifndef DNS_DATAGRAM_H
#define DNS_DATAGRAM_H

#include "base/str.h"

#include <stdbool.h>

enum { DATAGRAMS = 64 }; /* most of one call */

/* Sends messages, each behind its length in two bytes, as over TCP (RFC 1035 4.2.2); at most
 * DATAGRAMS of them. Those of one length go as one, which the kernel cuts up (udp(7), UDP_SEGMENT):
 * their order changes. Returns how many could not be sent. */
unsigned datagrams_send(int fd, const char *bytes, size_t len);

/* Takes up to DATAGRAMS of what has come. got has room for so many, and is good until the next
 * call. How many; -1 with errno: none. */
int datagrams_take(int fd, struct span *got);

#endif
