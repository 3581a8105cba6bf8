/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that run a command (manual 4.2 "option external-check"). */
#ifndef CHECK_EXTERNAL_H
#define CHECK_EXTERNAL_H

#include "check/check.h"

struct external;

/* Words of the global section. */
struct external_conf {
	bool enabled;
	bool setuid_wanted; /* commands may gain rights by setuid files */
};
extern struct external_conf external_conf;

/* Runs the command of the proxy; the report comes when it has ended. */
void external_begin(struct check *check);
/* Ends it, if it still runs. */
void external_stop(struct check *check);

#endif
