/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration in service and the loop below it, for tests that run whole streams. Linked into
 * tests only. */
#ifndef EXCHANGE_TEST_WORLD_H
#define EXCHANGE_TEST_WORLD_H

struct config;
struct proxy;

/* Reads the configuration, whose servers are on loopback, and puts it into service. Prints what is
 * wrong with it and aborts. */
void world_begin(const char *text);
/* The same with modules that finish before proxies do; behind the last one NULL. */
struct module;
void world_begin_with(const struct module *const *front, const char *text);
/* Ends all streams and closes all connections; the configuration is gone behind this. */
void world_end(void);
/* One turn of the loop; waits so long for an event. */
void world_turn(int wait_ms);

/* The configuration itself, for modules that the world has not started. */
struct config *world_config(void);

struct proxy *world_frontend(const char *name);
struct proxy *world_backend(const char *name);

/* A listening socket on a free port of loopback, which never blocks. */
int world_listen(unsigned *port);

#endif
