/* SPDX-License-Identifier: BSD-2-Clause */
/* Where checks and agents hang at their servers. They are made and freed by checks.c. */
#include "check/check.h"

struct server_part check_part = { SERVER_PART("check", 0) };
struct server_part check_agent_part = { SERVER_PART("agent check", 0) };
