/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of clients, towards servers. */
#ifndef UDP_PORT_H
#define UDP_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct source;
struct udp_port;
struct udp_session;

/* Memory for batches, either way, of the largest datagrams that a section takes; gathers: of rows.
 * 0, or -1: there is none. */
int udp_ports_start(unsigned payload, bool gathers);
/* Listener's source: clients have sent. */
void udp_port_ready(struct source *src, uint32_t events);
/* Takes what waits at a descriptor of the port, at most so many batches. */
void udp_port_receive(struct udp_port *port, int fd, unsigned batches);
/* Sends what the batch at hand has for the session. */
void udp_port_forward(struct udp_session *s);

#endif
