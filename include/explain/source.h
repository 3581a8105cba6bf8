/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the configuration as they stand in their files, for people. */
#ifndef EXPLAIN_SOURCE_H
#define EXPLAIN_SOURCE_H

struct location;

/* The line, without blanks around it and without what a comment adds; lines that a backslash goes
 * on to are joined. Valid until the next call. NULL: there is none. */
const char *source_line(const struct location *loc);
/* "shop.cfg": the name of a file without its folders. */
const char *source_name(const char *file);

#endif
