/* SPDX-License-Identifier: BSD-2-Clause */
/* All counters of a frontend, its listener, a backend and its servers: which have moved. Linked into
 * tests only (cmocka). */
#ifndef EXCHANGE_TEST_COUNTED_H
#define EXCHANGE_TEST_COUNTED_H

struct proxy;
struct server;

/* From here on. The backend has one server, or two. Maxima and rates begin at 0. */
void look_at(const char *frontend, const char *backend);
extern struct proxy *looked_backend;
/* Its servers, from 0 on. */
struct server *server_at(unsigned place);
/* Each counter that has moved since look_at is named with its number, an object a line ("front",
 * "listener", "back", "server", "second"), and no other one has. */
void moved(const char *expected);
/* Nothing is under way. */
void at_rest(void);

#endif
