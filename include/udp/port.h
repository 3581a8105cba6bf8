/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of clients, towards servers. */
#ifndef UDP_PORT_H
#define UDP_PORT_H

#include "base/result.h"

struct dgram_port;

/* Memory for batches, either way. 0, or -1: there is none. */
MUST_USE int udp_ports_start(void);
/* dgram_user->receive: clients have sent. */
void udp_port_receive(struct dgram_port *port, int fd, unsigned batches);

#endif
