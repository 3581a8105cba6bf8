/* SPDX-License-Identifier: BSD-2-Clause */
/* From a backend to one of its servers, or into a queue: steps REQ_ASSIGN and REQ_QUEUE. For the
 * files of stream/. */
#ifndef STREAM_ASSIGN_H
#define STREAM_ASSIGN_H

#include "base/result.h"

struct stream;

MUST_USE int assign_server(struct stream *s);
MUST_USE int assign_wait(struct stream *s);

#endif
