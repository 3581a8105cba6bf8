/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of actions on streams, for lists of rules of either mode; their last row has no name. */
#ifndef STREAM_ACTIONS_H
#define STREAM_ACTIONS_H

#include "base/result.h"
#include "expr/rule_conf.h"

extern const struct action http_capture_actions[], log_level_actions[],
	do_log_actions[];
extern const struct action content_capture_actions[]; /* of tcp-request content */
extern const struct action limit_actions[]; /* bandwidth */
/* How a stream is treated. */
extern const struct action treatment_actions[], http_timeout_actions[];
/* Packets of either side, of all lists; towards the server, of requests. */
extern const struct action packet_actions[], server_packet_actions[];
extern const struct action retries_actions[]; /* of requests */
/* Another backend than the listen section's own was chosen: what rules have set in the place of its
 * words holds no longer. */
void treatment_of_backend_ends(struct view_treatment *t);

/* What some of them do, for scripts. Packets to the client: their TOS field, a mark. */
void client_set_tos(const struct view *view, int tos);
void client_set_mark(const struct view *view, uint32_t mark);
/* The place in queues; what is too high or low is cut. False: no memory. */
MUST_USE bool stream_set_class(struct view *view, int64_t class);
MUST_USE bool stream_set_offset(struct view *view, int64_t ms);

#endif
