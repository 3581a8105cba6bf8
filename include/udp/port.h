/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes in and out in batches: datagrams of clients, and those of servers back to them. */
#ifndef UDP_PORT_H
#define UDP_PORT_H

#include <stdint.h>

struct source;
struct udp_port;
struct udp_session;

/* Memory for batches of the largest datagrams that a section takes. 0, or -1: there is none. */
int udp_ports_start(unsigned payload);
/* Listener's source: clients have sent. */
void udp_port_ready(struct source *src, uint32_t events);
/* Takes what waits at a descriptor of the port, at most so many batches. */
void udp_port_receive(struct udp_port *port, int fd, unsigned batches);
/* The source of a session: the server has sent, or its host refuses. */
void udp_server_ready(struct source *src, uint32_t events);
/* Sends what the batch at hand has for the session. */
void udp_port_forward(struct udp_session *s);
/* Sends all answers that were gathered. */
void udp_port_flush(void);

#endif
