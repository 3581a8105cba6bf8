/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes and addresses as people read them. Pure. */
#ifndef EXPLAIN_SHOWN_H
#define EXPLAIN_SHOWN_H

#include "base/str.h"

#include <stdbool.h>

struct addr;

/* UTF-8 as it is, and \xNN for what a terminal could take for its own and for what is no UTF-8; at
 * most four bytes for one. is_lines: \n stays, and \r in front of it is left out. */
void shown_bytes(struct text *to, struct span bytes, bool is_lines);
/* "192.0.2.1:80", "[2001:db8::1]:80", a path. */
void shown_addr(struct text *to, const struct addr *addr);

#endif
