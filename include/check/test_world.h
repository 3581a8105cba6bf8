/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of health checks: see test_world.c. */
#ifndef CHECK_WORLD_H
#define CHECK_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "check/checks.h"
#include "check/health.h"
#include "proxy/proxy.h"

extern int listening;  /* a socket on loopback; -1: none */
extern unsigned port;  /* its port */

/* Opens it anew, with room for so many connections that nobody accepts; closes it. */
void open_port(int backlog);
void close_port(void);

/* Around each test. */
int setup(void **state);
int teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* global: lines of that section; backend: lines of backend be, in which $ is the port. */
void begin(const char *global, const char *backend);
struct server *srv(const char *name);
/* Lets timers and sockets work until no check is running, at most for as long as they may; pass
 * moves the clock before. */
void work(void);
void pass(unsigned ms);
/* Milliseconds until the server's next check. */
unsigned next_in(const char *name);
void assert_state(const char *name, const char *status, int check_status);
/* The lines since the last call, without the marks in front; durations are N. */
const char *said(void);

#endif
