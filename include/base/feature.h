/* SPDX-License-Identifier: BSD-2-Clause */
/* What this build can do, under the names that the language uses in feature(...). */
#ifndef BASE_FEATURE_H
#define BASE_FEATURE_H

#include <stdbool.h>

struct feature {
	const char *name;
	bool present;
};

/* All names of the manual, and CARES, sorted; the last row has no name. */
extern const struct feature features[];

/* Is it one of them and present? */
bool feature_present(const char *name);

#endif
