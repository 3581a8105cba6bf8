/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that no row of the language is made of, for `penstock help`. */
#ifndef CLI_LANGUAGE_HELP_H
#define CLI_LANGUAGE_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Tells of words of conditions, of directives and their predicates, of ways to compare, of data
 * types of stick tables, of services, and of results of health checks, behind an empty line if
 * something (any) was printed before. False: it is none of these. */
bool language_help(FILE *out, const char *const *words, int count, bool any);
/* What a word was meant for that stands as it does in files: "hdr(host)", "%[src,lower]",
 * "PATH_BEG". NULL: there is nothing to take off. */
const char *language_bare(const char *word, char *buf, size_t size);

#endif
