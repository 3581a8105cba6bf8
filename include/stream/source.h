/* SPDX-License-Identifier: BSD-2-Clause */
/* "source ... usesrc": which address of the client's a server is to see. For the files of
 * stream/. */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

struct addr;
struct module;
struct proxy_part;
struct server_part;
struct stream;

extern const struct module source_module; /* compiles "usesrc hdr_ip" */
extern struct server_part source_server_part;
extern struct proxy_part source_proxy_part;

/* The client's address for server_dial: in *memory, or elsewhere. Family AF_UNSPEC: it has none. */
const struct addr *source_client(struct stream *s, struct addr *memory);

#endif
