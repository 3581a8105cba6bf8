/* SPDX-License-Identifier: BSD-2-Clause */
/* The runner of the steps: it alone moves the cursors of a stream. What a step returns says how its
 * own side goes on; whoever else wants a side to go on elsewhere asks for it here. */
#ifndef STREAM_RUN_H
#define STREAM_RUN_H

#include "stream/steps.h"

struct pump;
struct relay;

/* Goes on in the step tables, both sides, as far as it gets. While the steps are at work, nothing
 * happens: they look at everything by themselves. Below the runner stream_wake does the same. */
void stream_run(struct stream *s);
/* That, as a pump's notice: relay_notice. */
void stream_notice(struct relay *relay, struct pump *pump);

/* A side goes on at this row, when the steps run the next time; of the request one from REQ_PROOF
 * on. A step that is at work returns first: what it returns then counts from that row on. */
void stream_move_request(struct stream *s, enum request_step to);
void stream_move_response(struct stream *s, enum response_step to);

#endif
