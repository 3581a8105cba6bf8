/* SPDX-License-Identifier: BSD-2-Clause */
/* What expressions and log formats can find in a section udp-lb: there is neither a connection nor
 * HTTP. For what reads such sections. */
#ifndef EXPR_DATAGRAMS_H
#define EXPR_DATAGRAMS_H

#include <stdbool.h>

struct expr;
struct logformat;

/* May it find something? */
bool expr_of_datagram(const struct expr *e);
/* What it looks at otherwise: "HTTP". */
const char *expr_missing_in_datagrams(const struct expr *e);
/* An alias in it that says nothing of datagrams; NULL: there is none. */
const char *logformat_not_of_datagrams(const struct logformat *format);

#endif
