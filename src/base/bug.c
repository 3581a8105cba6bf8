/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the process when an invariant is broken; called by BUG_ON alone. */
#include "base/bug.h"

#include <stdio.h>
#include <stdlib.h>

void bug_report(const char *cond, const char *file, int line, const char *func)
{
	fprintf(stderr, "BUG: %s at %s:%d (%s)\n", cond, file, line, func);
	abort();
}
