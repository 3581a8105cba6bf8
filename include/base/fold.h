/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are longer than a terminal is wide go on below, further in than they begin. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include <stdio.h>

enum { FOLD_LEAST = 40 }; /* columns: on less nothing is folded */

/* Writes the text, with colours in it (ESC [ ... m), so that no line is wider. Lines are parted at
 * a blank, else where the width ends; nothing else is left out. Control characters of ISO 8859 and
 * of Unicode, which a terminal could take for its own, are written as \xNN. width 0: it is no
 * terminal, and gets the text as it is. */
void fold_text(FILE *out, const char *text, unsigned width);
/* The width of this terminal; 0: it is none, or says none. */
unsigned fold_width(int fd);

#endif
