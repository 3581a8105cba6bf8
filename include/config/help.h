/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rows say of themselves: for `penstock help WORD`, for -dK, for editors. */
#ifndef CONFIG_HELP_H
#define CONFIG_HELP_H

#include "config/module.h"

#include <stdbool.h>
#include <stdio.h>

/* Explains every row and section whose name begins with the words ("timeout": all time-outs);
 * of several rows with one name each. False: none, nothing was printed. */
bool help_word(FILE *out, const struct module *const *list, const char *const *words, int count);
/* Says why there is no help for the words: old, not supported yet, nearest word. */
void help_missing(FILE *out, const struct module *const *list, const char *const *words,
		  int count);
/* All rows, those of a section indented below its name, as a configuration stands in a file. */
void help_dump(FILE *out, const struct module *const *list);
/* Which words of proxies stand in which of their sections, as a table of Markdown. */
void help_matrix(FILE *out, const struct module *const *list);

#endif
