/* SPDX-License-Identifier: BSD-2-Clause */
/* What ICMP messages say of the way to a server (ip(7), IP_RECVERR). Without being asked the kernel
 * tells of a closed port alone, not of a host or a network that cannot be reached. */
#ifndef DGRAM_ERRORS_H
#define DGRAM_ERRORS_H

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

enum dgram_error {
	DGRAM_ERROR_NONE,    /* of no message: the call itself has failed */
	DGRAM_ERROR_PASSING, /* the path has another MTU, a datagram was too long under way */
	DGRAM_ERROR_REFUSED, /* there is nobody, or no way */
};

/* A connected socket that was just made is to be told of all of them. */
void dgram_errors_hear(int fd, uint16_t family);
/* Takes all messages that wait there, so that neither the poller nor the next call has more to
 * tell: what they say. */
MUST_USE enum dgram_error dgram_errors_take(int fd);
/* errno of a call: may a message have said so? */
MUST_USE bool dgram_error_is_refusal(int error);

#endif
