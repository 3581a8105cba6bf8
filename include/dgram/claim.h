/* SPDX-License-Identifier: BSD-2-Clause */
/* Who receives from a socket that several processes have. An old process and its successor share
 * it: the successor begins when the old one has made room for its conversations (dgram/beside.h),
 * or has died. */
#ifndef DGRAM_CLAIM_H
#define DGRAM_CLAIM_H

#include "base/result.h"

#include <stdbool.h>

struct dgram_port;

/* Receives from the port's socket as soon as nobody else does; until then the listener is
 * `elsewhere`. */
void dgram_claim_start(struct dgram_port *port);
/* Does somebody wait for it? */
MUST_USE bool dgram_claim_is_wanted(const struct dgram_port *port);
/* Others may receive from now on. */
void dgram_claim_release(struct dgram_port *port);

#endif
