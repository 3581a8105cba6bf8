/* SPDX-License-Identifier: BSD-2-Clause */
/* From a backend to one of its servers, or into a queue: steps REQ_ASSIGN and REQ_QUEUE. For the
 * files of stream/. */
#ifndef STREAM_ASSIGN_H
#define STREAM_ASSIGN_H

struct stream;

int assign_server(struct stream *s);
int assign_wait(struct stream *s);

#endif
