/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that look like a word that is none of them. */
#ifndef CONFIG_ALIKE_H
#define CONFIG_ALIKE_H

#include <stdbool.h>

struct text;

/* Puts what is meant, as "'a'" or "'a', 'b' or 'c'": names: NULL-terminated. False: none is like
 * the word. */
bool alike_names(struct text *t, const char *word, const char *const *names);
/* Does one begin with the other, with four letters or more of it? */
bool alike_begins(const char *word, const char *name);

#endif
