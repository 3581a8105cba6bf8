/* SPDX-License-Identifier: BSD-2-Clause */
/* "socks4" of server lines: the server is reached through a SOCKS4 proxy. For the files of
 * stream/. */
#ifndef STREAM_SOCKS_H
#define STREAM_SOCKS_H

#include "base/io.h"
#include "base/result.h"
#include "net/addr.h"

#include <stdbool.h>

struct stream;

/* Where to connect in order to reach *to: the proxy, or itself. False: the proxy cannot. */
MUST_USE bool socks_way(struct stream *s, const struct addr *to, struct addr *way);
/* The connection to the proxy is made: asks for *to, and waits for the answer. IO_OK: bytes may
 * pass (at once, where there is no proxy); IO_AGAIN: wait for an event; IO_ERR: it was refused, the
 * connection's error is set. */
MUST_USE enum io socks_go(struct stream *s, const struct addr *to);

#endif
