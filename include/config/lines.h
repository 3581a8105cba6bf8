/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the configuration as they stood in their files when these were read. */
#ifndef CONFIG_LINES_H
#define CONFIG_LINES_H

struct location;

/* Of the configuration that was finished last, until it is freed. NULL: it has no such line, or
 * nothing stands there but a comment. */
const char *config_line(const struct location *loc);

#endif
