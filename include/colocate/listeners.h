/* SPDX-License-Identifier: BSD-2-Clause */
/* Which servers cannot be paired though their programs may be in the control group: a socket
 * belongs for ever to the group in which its process was when it opened it, and those that it
 * accepts belong to the same one. Asks the kernel by sock_diag(7). */
#ifndef COLOCATE_LISTENERS_H
#define COLOCATE_LISTENERS_H

#include "base/result.h"

#include <stdint.h>

/* Sets outside[port] to 1 for each port with ports[port] on which a socket listens, in the network
 * namespace of the caller, that belongs to none of cgroup (a folder) and the groups below it. Both
 * have 65536 members. 0; -1 with errno: the kernel does not tell. */
MUST_USE int listeners_outside(const char *cgroup, const uint8_t *ports, uint8_t *outside);

#endif
