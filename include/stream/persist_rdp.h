/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by RDP cookies. */
#ifndef STREAM_PERSIST_RDP_H
#define STREAM_PERSIST_RDP_H

struct stream;

/* Notes the server that an RDP cookie names (persist rdp-cookie), if there is one:
 * extra.persist. */
void persist_rdp(struct stream *s);

#endif
