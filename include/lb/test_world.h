/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration with one backend "b", in service, for the tests of balancing. */
#ifndef LB_TEST_WORLD_H
#define LB_TEST_WORLD_H

#include "proxy/proxy.h"

/* The lines of the backend. The clock stands still at 100 s. */
void world_begin(const char *lines);
/* The same with n servers s0, s1 ... of weight 1 with settings behind the address. */
void world_begin_many(const char *lines, unsigned n, const char *settings);
void world_end(void);

/* Valid until world_end. */
struct proxy *world_backend(void);
struct server *world_server(unsigned i); /* in the order of the lines */
/* Index of the server chosen for a client of this address (NULL: none); -1: none usable;
 * -2: all are full. */
int world_pick(const char *client);
/* The same, avoiding a server. */
int world_pick_avoiding(unsigned avoid);
/* As the stream does: a session begins on the server, or leaves it. */
void world_take(unsigned i);
void world_release(unsigned i);

#endif
