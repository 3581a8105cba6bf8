/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of servers, back to clients. */
#ifndef UDP_ANSWERS_H
#define UDP_ANSWERS_H

#include "base/result.h"

#include <stdint.h>

struct source;

/* Memory for batches. 0, or -1: there is none. */
MUST_USE int udp_answers_start(void);
/* The source of a session: the server has sent, or its host refuses. */
void udp_server_ready(struct source *src, uint32_t events);
/* Sends all answers that were gathered. */
void udp_answers_flush(void);

#endif
