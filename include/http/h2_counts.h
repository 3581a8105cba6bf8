/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted of connections of HTTP/2, those of one frontend or backend together; h2_counts.def
 * documents each. Written by whoever has the connections, shown and summed up by others. */
#ifndef HTTP_H2_COUNTS_H
#define HTTP_H2_COUNTS_H

#include <stdint.h>

struct h2_counts {
#define H2_COUNT(name, text) uint64_t name;
#define H2_NOW(name, text) unsigned name;
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
};

#endif
