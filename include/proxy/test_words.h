/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of one test in the place of a configuration, and what they came to, for tests of words.
 * Linked into tests only (cmocka). */
#ifndef PROXY_TEST_WORDS_H
#define PROXY_TEST_WORDS_H

struct config;
struct proxies;
struct proxy;
struct server;

extern struct config *cfg; /* of the lines that were read last; NULL: none were */
extern char said[4096];    /* their problems: test_config_try() */

__attribute__((format(printf, 1, 2))) void read_lines(const char *fmt, ...);
struct proxies *all(void);
/* The last proxy of the lines, and the last server of that one. */
struct proxy *last_proxy(void);
struct server *last_server(void);
/* Behind each test, for cmocka: they are forgotten. */
int cleanup(void **state);

#endif
