/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens connections to servers with everything that their lines and the backend's say of the
 * socket. Used for streams and for health checks. */
#ifndef PROXY_SERVER_DIAL_H
#define PROXY_SERVER_DIAL_H

#include "net/addr.h"

#include <stdbool.h>
#include <stdint.h>

struct server;
struct server_settings;

/* What packets are given, from the first on. */
struct dial_packets {
	bool has_mark, has_tos;
	uint8_t tos;
	uint32_t mark;
};

enum dial_result {
	DIAL_STARTED,  /* connecting (or connected already): *fd */
	DIAL_REFUSED,  /* the address answered at once with a refusal, or cannot be reached */
	DIAL_SOURCE,   /* the source address cannot be used, or all its ports are; errno */
	DIAL_RESOURCE, /* no descriptor, memory, or local port; errno */
};

/* Starts a non-blocking connection to address to. client: of the stream, for transparent sources
 * (usesrc client, clientip, hdr_ip); netns: the client's namespace, for "namespace *"; NULL: ours.
 * bytes: the first ones are at hand. Without them "tfo" is not used: the kernel would wait for
 * them to send its SYN, and the server may be who speaks first. packets: NULL: nothing particular.
 */
enum dial_result server_dial(struct server *server, const struct addr *to,
			     const struct addr *client, const char *netns, bool bytes,
			     const struct dial_packets *packets, int *fd);
/* A connected socket for datagrams towards the server, from where its "source" says. */
enum dial_result server_dial_datagrams(struct server *server, const struct addr *to,
				       const struct addr *client, int *fd);
/* The same for a health check: transparent sources show their own address, and the kernel's
 * acknowledgement of the server's answer is held back, so that a connection that is reset at once
 * is never seen by the server's program. Who sends nothing, but waits for the server's first word,
 * lets it go by conn_ack_now once connected: else it goes after 200 ms. */
enum dial_result server_dial_check(struct server *server, const struct addr *to, int *fd);

#endif
