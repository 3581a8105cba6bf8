/* SPDX-License-Identifier: BSD-2-Clause */
/* What this program is made of: for -v, -vv, -dL and -dK. */
#ifndef PROCESS_VERSION_H
#define PROCESS_VERSION_H

#include <stdbool.h>
#include <stdio.h>

/* Penstock's own version; with details: the level of the language, features, libraries. */
void version_print(FILE *out, bool details);
/* The shared objects that are loaded, one a line: -dL. */
void version_libraries(FILE *out);
/* The words of these classes (comma separated, "all", "help") on stdout; 0, or -1 after a
 * message on stderr when a class is unknown: -dK. */
int version_dump_classes(const char *classes);

#endif
