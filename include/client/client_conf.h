/* SPDX-License-Identifier: BSD-2-Clause */
/* Words httpclient.* of the global section. Manual 3.1. */
#ifndef CLIENT_CLIENT_CONF_H
#define CLIENT_CLIENT_CONF_H

#include "base/str.h"

#include <stdbool.h>

struct proxy;
struct tls_client;

/* Somebody may send requests of the program's own: set while the configuration is read. A word of
 * httpclient.* does so, too. Else nothing is read for them. */
extern bool client_wanted;
/* The same, without TLS. */
extern bool client_plain_wanted;
/* Those of everybody are at hand: in this process, with the configuration as it is. */
bool client_is_on(void);

/* What the words say. */
struct client_limits {
	unsigned retries;    /* connections that are tried again */
	unsigned connect_ms;
	int family;          /* AF_INET, AF_INET6: whose addresses come first */
};
extern struct client_limits client_limits;

/* Of hosts that speak TLS; NULL: client_tls_off says why none does. */
struct tls_client *client_tls(void);
const char *client_tls_off(void);

/* For the files of client/: the hidden proxy, frontend and backend, with a server without an
 * address (dispatch). NULL: nobody wants requests. */
extern struct proxy *client_proxy;

extern const struct module client_module;

#endif
