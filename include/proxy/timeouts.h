/* SPDX-License-Identifier: BSD-2-Clause */
/* The timeouts of a proxy, and which of them rules can set for one stream. */
#ifndef PROXY_TIMEOUTS_H
#define PROXY_TIMEOUTS_H

/* Milliseconds; 0: not set, which means for ever. */
struct timeouts {
	unsigned client, server, connect, queue, check, tunnel, client_fin, server_fin;
	unsigned http_request, http_keep_alive, tarpit;
	unsigned attempt;    /* "timeout try" */
};

/* Those of "set-timeout". */
enum timeout { TIMEOUT_SERVER, TIMEOUT_TUNNEL, TIMEOUT_CLIENT, TIMEOUT_CONNECT, TIMEOUT_QUEUE,
	       TIMEOUT_TARPIT, TIMEOUTS };

/* As the configuration says; queue and tarpit, where they are not given, are connect. */
static inline unsigned timeout_configured(const struct timeouts *t, enum timeout which)
{
	switch (which) {
	case TIMEOUT_SERVER:
		return t->server;
	case TIMEOUT_TUNNEL:
		return t->tunnel;
	case TIMEOUT_CLIENT:
		return t->client;
	case TIMEOUT_QUEUE:
		return t->queue ? t->queue : t->connect;
	case TIMEOUT_TARPIT:
		return t->tarpit ? t->tarpit : t->connect;
	default:
		return t->connect;
	}
}

#endif
