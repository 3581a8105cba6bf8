/* SPDX-License-Identifier: BSD-2-Clause */
/* Where relative names of files begin while the configuration is read. For the files of config/. */
#ifndef CONFIG_DEFAULT_PATH_H
#define CONFIG_DEFAULT_PATH_H

#include "config/config.h"

/* The words of this file come now: goes to the directory that the policy in force says. 0, or -1
 * with errno and the directory. */
int default_path_enter(struct config *cfg, const char *file, const char **directory);
/* They are over: back to where the process was. */
void default_path_leave(struct config *cfg);
/* The word itself. */
keyword_parse default_path_parse;

#endif
