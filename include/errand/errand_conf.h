/* SPDX-License-Identifier: BSD-2-Clause */
/* Words httpclient.* of the global section. Manual 3.1. */
#ifndef ERRAND_ERRAND_CONF_H
#define ERRAND_ERRAND_CONF_H

#include "base/str.h"

#include <stdbool.h>

struct conn;

/* Somebody may send errands: set while the configuration is read. A word of httpclient.* does so, too.
 * Else nothing is read for them. */
extern bool errand_wanted;
/* They are at hand: in this process, with the configuration as it is. */
bool errand_is_on(void);

/* What the words say. */
struct errand_limits {
	unsigned retries;    /* connections that are tried again */
	unsigned connect_ms;
	int family;          /* AF_INET, AF_INET6: whose addresses come first */
};
extern struct errand_limits errand_limits;

/* The connection is to speak TLS with that host. 0; -1: it cannot. */
int errand_tls_begin(struct conn *conn, struct span host);
/* Why no errand speaks TLS: a sentence; NULL: they do. */
const char *errand_tls_off(void);

extern const struct module errand_module;

#endif
