/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients of whole sessions for tests: sockets of the Unix family, whose other ends were accepted
 * from 127.0.0.9. In a world of exchange/test_world.h, with servers of exchange/test_served.h.
 * Linked into tests only (cmocka). */
#ifndef SESSION_TEST_VISITOR_H
#define SESSION_TEST_VISITOR_H

#include <stdint.h>

struct listener;

/* served_world_begin() with frontends that take sessions. */
const char *visitors_begin(const char *text);
/* The first one of that frontend. */
struct listener *visitor_listener(const char *frontend);
/* A new client, which says that; where it talks. */
int visitor_comes(const char *frontend, const char *request);
/* The same from that port of 127.0.0.9. */
int visitor_comes_from(uint16_t port, const char *frontend, const char *request);
void visitor_says(int visitor, const char *more);
/* What has come since; "": nothing. To the next call. */
const char *visitor_hears(int visitor);
void visitor_leaves(int visitor);

#endif
