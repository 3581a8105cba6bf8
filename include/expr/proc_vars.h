/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the process (proc) where several workers make one service: what one of them sets,
 * all of them have a moment later. doc/internals/expressions.md, "Variables of the process". */
#ifndef EXPR_PROC_VARS_H
#define EXPR_PROC_VARS_H

#include "event/change.h"

#include <stdbool.h>
#include <stddef.h>

struct sample;
struct var_name;

/* Ways to the other processes begin at least so far apart, and take together so many bytes at most
 * (one value of any size goes). What is set meanwhile goes once, as it is then. */
enum { PROC_VARS_APART_MS = 40, PROC_VARS_BYTES_ONCE = 256 << 10 };

/* This process has set or unset it: the others hear of it soon. One process: nothing. */
void proc_vars_changed(const struct var_name *name);

/* A change of the variable to this value, as of now, in workers of all generations: for whoever
 * submits it by himself. A frame of *len bytes, which the caller frees; NULL: out of memory. */
char *proc_vars_frame(const struct var_name *name, const struct sample *smp, size_t *len);
extern const struct change_kind variable_change;

#endif
