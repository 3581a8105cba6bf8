/* SPDX-License-Identifier: BSD-2-Clause */
/* A trial of the maps and the program of sockmap.c. */
#ifndef NET_SOCKMAP_TRIAL_H
#define NET_SOCKMAP_TRIAL_H

#include "base/result.h"

#include <stdbool.h>

/* Is this kernel good for it? Takes about a millisecond; longer where it is not. */
MUST_USE bool sockmap_try(void);

#endif
