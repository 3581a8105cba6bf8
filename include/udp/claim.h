/* SPDX-License-Identifier: BSD-2-Clause */
/* Who receives from a socket that several processes have. An old process and its successor share
 * it: the successor begins when the old one has made room for its sessions (udp/beside.h), or has
 * died. */
#ifndef UDP_CLAIM_H
#define UDP_CLAIM_H

#include "base/result.h"

#include <stdbool.h>

struct udp_port;

/* Receives from the port's socket as soon as nobody else does; until then the listener is
 * `elsewhere`. */
void claim_start(struct udp_port *port);
/* Does somebody wait for it? */
MUST_USE bool claim_is_wanted(const struct udp_port *port);
/* Others may receive from now on. */
void claim_release(struct udp_port *port);

#endif
