/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to config/: words of other languages, and of other lines than the one they stand in.
 * Called behind the problem that was just reported. */
#ifndef CONFIG_FOREIGN_H
#define CONFIG_FOREIGN_H

#include "config/config.h"

#include <stdio.h>

/* Words[i...] are none of the scope: what is meant by them; false: nobody knows. */
bool foreign_word(struct statement *st, int i, unsigned scope);
/* The same for one word, wherever it may stand: a line for each thing that may be meant. */
bool foreign_help(FILE *out, const char *word);
/* A value of the line that is none of those that there are. */
bool foreign_value(struct statement *st, const char *value);
/* A line begins with a word that stands behind another one: "httplog", "set-header". */
bool foreign_first(struct statement *st, int i);

#endif
