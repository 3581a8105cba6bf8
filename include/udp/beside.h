/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket of its own for what the client of a session sends: made when the process ends and its
 * sessions go on, for the port's socket is the successor's then. */
#ifndef UDP_BESIDE_H
#define UDP_BESIDE_H

#include "base/result.h"

#include <stdbool.h>

struct listener;
struct udp_beside;
struct udp_session;

/* listener->finishing: each session of the port gets such a socket. Those for which there is none
 * to be had end. */
void beside_all(struct listener *l);
/* Such a socket for one session. False with errno. */
MUST_USE bool beside_open(struct udp_session *s);
MUST_USE int udp_beside_fd(const struct udp_beside *beside);
/* From a session to the one that takes its place. */
struct udp_beside *beside_take(struct udp_session *s);
void beside_give(struct udp_session *s, struct udp_beside **beside);
/* NULL is allowed. */
void beside_close(struct udp_beside **beside);

#endif
