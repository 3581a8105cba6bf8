/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol towards servers. For the files of stream/. */
#ifndef STREAM_PROXYHEADER_H
#define STREAM_PROXYHEADER_H

#include <stdbool.h>

struct stream;

/* Puts the header in front of the request's bytes, so that both leave together. False: no
 * memory. PROXY protocol, section 2.1 (version 1). */
bool proxyheader_send(struct stream *s);

#endif
