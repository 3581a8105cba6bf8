/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol towards servers. For the files of stream/. */
#ifndef STREAM_PROXYHEADER_H
#define STREAM_PROXYHEADER_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;
struct stream;

/* Words of server lines about what headers of version 2 tell. */
extern const struct module proxyheader_module;

/* Does the stream's server want one? */
MUST_USE bool proxyheader_wanted(const struct stream *s);
/* Puts the header in front of the request's bytes, so that both leave together: mode tcp, no TLS.
 * False: no memory, or it would be too long. */
MUST_USE bool proxyheader_preload(struct stream *s);
/* Sends the header on a connection that was made a moment ago; the kernel keeps it for what
 * follows at once (a request's head, a ClientHello). False: the connection is of no use. */
MUST_USE bool proxyheader_send(struct stream *s);
/* Stands for what the connection shows the server of this stream: others that would show the same
 * have the same number. 0: nothing. */
uint64_t proxyheader_mark(struct stream *s);

#endif
