/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions that go on while the process ends: each gets a socket of its own (dgram/beside.h). */
#ifndef UDP_BESIDE_H
#define UDP_BESIDE_H

#include "base/result.h"

#include <stdbool.h>

struct dgram_port;
struct udp_session;

/* Such a socket for one session. False with errno. */
MUST_USE bool udp_beside_open(struct udp_session *s);
/* dgram_user->part: for each session of the port. Those for which there is none to be had end. */
void udp_beside_all(struct dgram_port *port);

#endif
