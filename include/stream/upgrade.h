/* SPDX-License-Identifier: BSD-2-Clause */
/* From mode tcp to HTTP, in the middle of a stream (manual 4): a rule says so, or the backend that
 * was chosen speaks HTTP. For the files of stream/. */
#ifndef STREAM_UPGRADE_H
#define STREAM_UPGRADE_H

#include "base/result.h"
#include "expr/rule_conf.h"

#include <stdbool.h>

struct stream;

/* Bytes received so far are the begin of a request: the stream carries an exchange from now on, as
 * all later ones of its session do. The head is still to be read. False: no memory. */
MUST_USE bool stream_upgrade(struct stream *s);

/* switch-mode, of tcp-request content. */
extern const struct action upgrade_actions[];

#endif
