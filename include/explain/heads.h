/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of heads, and what differs between two of them. */
#ifndef EXPLAIN_HEADS_H
#define EXPLAIN_HEADS_H

#include <stdbool.h>

struct arena;
struct head;
struct message;

/* Its start line and fields, in the arena. NULL: there is no memory. */
struct head *head_copy(struct arena *arena, const struct message *msg);
bool head_differs(const struct head *a, const struct head *b);
/* Calls tell for each difference, in the order of the message: name is that of the field, or
 * "method", "target", "status"; before and after are NULL where there is no such field. */
void head_compare(const struct head *before, const struct head *after,
		  void (*tell)(void *of, const char *name, const char *before, const char *after,
			       bool response),
		  void *of, bool response);

#endif
