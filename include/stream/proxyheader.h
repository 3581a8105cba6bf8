/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol towards servers. For the files of stream/. */
#ifndef STREAM_PROXYHEADER_H
#define STREAM_PROXYHEADER_H

#include <stdbool.h>
#include <stddef.h>

struct stream;

/* The header in the version that the server wants, into memory of PROXYPROTO_V1_MAX bytes; its
 * length. */
size_t proxyheader_write(struct stream *s, char *memory);
/* Puts the header in front of the request's bytes, so that both leave together. False: no
 * memory. */
bool proxyheader_send(struct stream *s);

#endif
