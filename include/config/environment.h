/* SPDX-License-Identifier: BSD-2-Clause */
/* The section "global" itself, and its words that concern the configuration and its
 * environment: setenv, presetenv, unsetenv, resetenv, zero-warning, quiet. */
#ifndef CONFIG_ENVIRONMENT_H
#define CONFIG_ENVIRONMENT_H

#include "config/module.h"

#include <stdbool.h>

struct environment {
	bool zero_warning; /* warnings are errors */
	bool quiet;        /* as -q */
};

extern const struct module environment_module; /* data: struct environment */

#endif
