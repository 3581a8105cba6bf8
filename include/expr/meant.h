/* SPDX-License-Identifier: BSD-2-Clause */
/* What is meant by names that other languages have. */
#ifndef EXPR_MEANT_H
#define EXPR_MEANT_H

#include "base/str.h"

#include <stddef.h>

/* The fetch that is meant by a name that is none: "host"; NULL: nobody knows. */
const char *fetch_meant(struct span name);
/* The converter, in the same way: "to_upper". */
const char *converter_meant(struct span name);
/* The criterion that "path_begins" means: into memory of size bytes; false: none. */
bool criterion_meant(struct span name, char *memory, size_t size);

#endif
