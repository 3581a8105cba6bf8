/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams and servers that come and go. For the list of parts. */
#ifndef STREAM_SERVER_PART_H
#define STREAM_SERVER_PART_H

struct proxy_part;
struct server_part;

extern struct server_part stream_server_part;
extern struct proxy_part stream_proxy_part;

#endif
