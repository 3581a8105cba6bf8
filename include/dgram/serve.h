/* SPDX-License-Identifier: BSD-2-Clause */
/* From when a process receives from a port to when it leaves it to its successor. */
#ifndef DGRAM_SERVE_H
#define DGRAM_SERVE_H

struct dgram_port;
struct dgram_user;
struct listener;

/* The listener is this process's: what comes is its user's, as soon as nobody else has the claim
 * (dgram/claim.h). port: lives as long as the listener. When the process ends, by
 * listener->finishing, conversations get sockets of their own, and the claim is released. */
void dgram_serve(struct dgram_port *port, struct listener *l, const struct dgram_user *user);

#endif
