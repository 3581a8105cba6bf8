/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket of its own for what one client sends to a port: made when the process ends and its
 * conversations go on, for the port's socket is the successor's then. */
#ifndef DGRAM_BESIDE_H
#define DGRAM_BESIDE_H

#include "base/result.h"

#include <stddef.h>

struct addr;
struct dgram_beside;
struct dgram_port;

/* local: what the client has sent to. NULL with errno. */
struct dgram_beside *dgram_beside_open(struct dgram_port *port, const struct addr *local,
				       const struct addr *client);
MUST_USE int dgram_beside_fd(const struct dgram_beside *beside);
/* Who passes one on keeps none. */
static inline struct dgram_beside *dgram_beside_take(struct dgram_beside **from)
{
	struct dgram_beside *beside = *from;

	*from = NULL;
	return beside;
}
/* NULL is allowed. */
void dgram_beside_close(struct dgram_beside **beside);

#endif
