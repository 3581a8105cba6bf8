/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of actions on streams, for lists of rules of either mode; their last row has no name. */
#ifndef STREAM_ACTIONS_H
#define STREAM_ACTIONS_H

#include "expr/rule_conf.h"

extern const struct action http_capture_actions[], log_level_actions[];
extern const struct action content_capture_actions[]; /* of tcp-request content */
extern const struct action limit_actions[]; /* bandwidth */
/* How a stream is treated. */
extern const struct action treatment_actions[], http_timeout_actions[];

#endif
