/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of clients, towards servers. */
#ifndef UDP_PORT_H
#define UDP_PORT_H

#include "base/result.h"

#include <stdint.h>

struct source;
struct udp_port;
struct udp_session;

/* Memory for batches, either way. 0, or -1: there is none. */
MUST_USE int udp_ports_start(void);
/* Listener's source: clients have sent. */
void udp_port_ready(struct source *src, uint32_t events);
/* Takes what waits at a descriptor of the port, at most so many batches. */
void udp_port_receive(struct udp_port *port, int fd, unsigned batches);
/* Sends what the batch at hand has for the session. */
void udp_port_forward(struct udp_session *s);

#endif
