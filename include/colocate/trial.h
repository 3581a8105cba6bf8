/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries what colocate/ relies on, on a connection of the loopback, before anybody else is
 * concerned. */
#ifndef COLOCATE_TRIAL_H
#define COLOCATE_TRIAL_H

#include "base/err.h"
#include "colocate/programs.h"

#include <stdbool.h>

/* In a control group made for it below cgroup, and removed behind it. Changes the settings. 0; -1
 * with a sentence: something is otherwise than in the kernels that are known. */
int trial_run(const struct colocate_set *set, const char *cgroup, bool *splice_blind,
	      struct err *err);

#endif
