/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of log/: a collector of datagrams, and configurations of the log alone that are read,
 * started and ended. What is not as expected fails the test. */
#ifndef LOG_TEST_WORLD_H
#define LOG_TEST_WORLD_H

#include "log/log.h"

extern struct config *cfg; /* between load and config_free, or start and stop */
extern int udp;            /* the collector's socket: nothing blocks */
extern unsigned udp_port;  /* what load puts in */

/* The collector and the loop, as setup of a group. */
int log_world(void **state);
/* Reads the text, with %u standing for udp_port up to five times. 0, or -1. */
int load(const char *fmt);
/* The same with -c: nothing is to run. */
int check(const char *fmt);
/* The same, and it runs, with log_stats at 0. */
void start(const char *fmt);
void stop(void);
/* The next datagram matches an extended regular expression; there is none. */
void expect(const char *pattern);
void expect_none(void);
/* To the global targets; with structured data. */
void say(enum log_level level, const char *text);
void say_sd(const char *sd, const char *text);

#endif
