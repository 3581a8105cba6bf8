/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted of connections of HTTP/1, those of one frontend or backend together: see
 * h1_counts.def. Written by whoever has the connections, shown and summed up by others. */
#ifndef HTTP_H1_COUNTS_H
#define HTTP_H1_COUNTS_H

#include <stdint.h>

struct h1_counts {
#define H1_COUNT(name, text) uint64_t name;
#define H1_NOW(name, text) unsigned name;
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
};

#endif
