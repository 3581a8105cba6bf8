/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of sessions that have ended while their server may still answer. For udp/sessions.c. */
#ifndef UDP_QUARANTINE_H
#define UDP_QUARANTINE_H

#include "base/result.h"

#include <stdbool.h>

/* Takes the socket: nothing comes of it any more, and its port is nobody else's for
 * UDP_QUARANTINE_MS, or until UDP_QUARANTINES later ones have come. */
void udp_quarantine(int fd);
/* Their descriptors and ports are needed. False: there were none. */
MUST_USE bool udp_quarantine_drop(void);

enum { UDP_QUARANTINE_MS = 1000, UDP_QUARANTINES = 128 };

#endif
