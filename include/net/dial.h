/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection to somewhere that no server line names. */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include <sys/socket.h>

struct conn;

/* A connection is begun, and in the loop: owner and ready are its own. Then conn->flags tell what
 * becomes of it. NULL with errno: there will be none. */
struct conn *net_dial(const struct sockaddr_storage *to, socklen_t len, void *owner,
		      void (*ready)(struct conn *));

#endif
