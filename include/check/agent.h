/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents: what the line means that one has sent (manual 5.2 "agent-check"). */
#ifndef CHECK_AGENT_H
#define CHECK_AGENT_H

#include "base/str.h"
#include "check/step.h"
#include "proxy/server.h"

extern const struct ruleset agent_rules;

/* The words of a line. Pure. */
struct agent_line {
	struct span weight;   /* "50%"; ptr NULL: none */
	struct span maxconn;  /* what stands behind "maxconn:" */
	enum agent_admin { AGENT_ADMIN_NONE, AGENT_READY, AGENT_DRAIN, AGENT_MAINT } admin;
	struct span state;    /* "up", "down", "fail" or "stopped" as it was written */
	bool up;
	struct span about;    /* description, or the first word that is none of these */
};
/* bytes: up to the end of the line. */
void agent_parse(struct span bytes, struct agent_line *line);

#endif
