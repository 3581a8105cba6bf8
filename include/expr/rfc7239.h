/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as parts of the field Forwarded (RFC 7239), for the converters and for option forwarded.
 */
#ifndef EXPR_RFC7239_H
#define EXPR_RFC7239_H

#include "base/sample.h"

/* Appends a node: "10.0.0.1", "[::1]", "_name", "unknown" (http/rfc7239.h). */
void rfc7239_put_sample_node(struct text *t, struct sample *smp);
/* Appends a port or a name for one. False, and nothing is appended: it is neither. */
bool rfc7239_put_sample_port(struct text *t, struct sample *smp);

#endif
