/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by RDP cookies. */
#ifndef STREAM_PERSIST_RDP_H
#define STREAM_PERSIST_RDP_H

#include "proxy/part.h"

struct expr;
struct stream;

/* Of a proxy that says "persist rdp-cookie". */
struct persist_rdp {
	struct expr *cookie;
};
extern struct proxy_part persist_rdp_part;

/* Notes the server that an RDP cookie names (persist rdp-cookie), if there is one:
 * extra.persist. */
void persist_rdp(struct stream *s);

#endif
