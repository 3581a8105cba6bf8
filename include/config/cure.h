/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to config/: hints for what people write who know other languages, behind the problem that
 * was just reported. i: the word that it is about. */
#ifndef CONFIG_CURE_H
#define CONFIG_CURE_H

#include "config/config.h"

/* A number, a time, a size was expected. */
void cure_number(struct statement *st, int i);
void cure_time(struct statement *st, int i);
void cure_size(struct statement *st, int i);
/* A word too many at the end of the line. */
void cure_rest(struct statement *st, int i);
/* A word that is none of the language; false: nothing to say. */
bool cure_unknown(struct statement *st, int i);
/* On a bind or server line, whose words the scope has; false: nothing to say. */
bool cure_of_line(struct statement *st, int i, unsigned scope);
/* The last word of a line is a backslash. */
void cure_continued(struct statement *st, int i);
/* One that cannot follow another word. */
bool cure_second(struct statement *st, int i);

#endif
