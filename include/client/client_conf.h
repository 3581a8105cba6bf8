/* SPDX-License-Identifier: BSD-2-Clause */
/* Words httpclient.* of the global section. Manual 3.1. */
#ifndef CLIENT_CLIENT_CONF_H
#define CLIENT_CLIENT_CONF_H

#include "base/str.h"

#include <stdbool.h>

struct proxy;
struct tls_client;

struct client_conf {
	/* Somebody may send requests of the program's own: set by whoever does, while the
	 * configuration is read. A word of httpclient.* has the same effect. Else nothing is read
	 * for them. */
	bool wanted;
	bool plain_wanted;   /* the same, without TLS */
	/* What the words say: */
	unsigned retries;    /* connections that are tried again */
	unsigned connect_ms;
	int family;          /* AF_INET, AF_INET6: whose addresses come first */
	/* For the files of client/: the hidden proxy, frontend and backend, with a server without
	 * an address (dispatch). NULL: nobody wants requests. */
	struct proxy *proxy;
};
extern struct client_conf client_conf;
/* Those of everybody are at hand: in this process, with the configuration as it is. */
bool client_is_on(void);

/* Of hosts that speak TLS; NULL: client_tls_off says why none does. */
struct tls_client *client_tls(void);
const char *client_tls_off(void);

extern const struct module client_module;

#endif
