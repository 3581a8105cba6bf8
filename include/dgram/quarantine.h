/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets whose users have ended while their server may still answer. */
#ifndef DGRAM_QUARANTINE_H
#define DGRAM_QUARANTINE_H

#include "base/result.h"

#include <stdbool.h>

/* Takes the socket: nothing comes of it any more, and its port is nobody else's for
 * DGRAM_QUARANTINE_MS, or until DGRAM_QUARANTINES later ones have come. */
void dgram_quarantine(int fd);
/* Their descriptors and ports are needed. False: there were none. */
MUST_USE bool dgram_quarantine_drop(void);

enum { DGRAM_QUARANTINE_MS = 1000, DGRAM_QUARANTINES = 128 };

#endif
