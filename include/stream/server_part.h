/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams and servers that come and go. For the list of parts. */
#ifndef STREAM_SERVER_PART_H
#define STREAM_SERVER_PART_H

#include "proxy/backend_part.h"

struct server_part;

extern const struct server_part stream_server_part;
extern const struct backend_part stream_backend_part;

#endif
