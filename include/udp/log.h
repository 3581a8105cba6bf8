/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that a session leaves in the log. */
#ifndef UDP_LOG_H
#define UDP_LOG_H

#include "stream/stream.h"

struct udp_session;

void udp_log(struct udp_session *s, enum reason reason);

#endif
