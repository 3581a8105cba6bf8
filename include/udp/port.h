/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of clients, towards servers. */
#ifndef UDP_PORT_H
#define UDP_PORT_H

#include "base/result.h"

#include <stdint.h>

struct source;

/* Memory for batches, either way. 0, or -1: there is none. */
MUST_USE int udp_ports_start(void);
/* Listener's source: clients have sent. */
void udp_port_ready(struct source *src, uint32_t events);

#endif
