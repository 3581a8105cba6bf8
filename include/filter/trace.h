/* SPDX-License-Identifier: BSD-2-Clause */
/* filter trace (manual 9.1): says what happens to a stream. */
#ifndef FILTER_TRACE_H
#define FILTER_TRACE_H

struct filter_kind;
struct module;

extern const struct filter_kind trace_filter;
extern const struct module trace_module;

#endif
