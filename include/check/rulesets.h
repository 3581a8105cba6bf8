/* SPDX-License-Identifier: BSD-2-Clause */
/* The rulesets that checks walk through, at the end of the configuration. */
#ifndef CHECK_RULESETS_H
#define CHECK_RULESETS_H

#include "check/check_conf.h"

/* Makes the ruleset; reports. */
void check_conf_finish(struct config *cfg, struct proxy *px);
int check_conf_finish_server(struct config *cfg, struct server *s);

#endif
