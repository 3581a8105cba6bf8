/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fetches and converters, one or more a file; src/expressions.c lists them. Others
 * are added at start (expr_add_fetches). */
#ifndef EXPR_TABLES_H
#define EXPR_TABLES_H

#include "expr/expr.h"

struct tables;

/* All of them. */
extern struct tables expr_fetches;
extern struct tables expr_converters;

/* The last row of a table has no name. */
extern const struct fetch fetch_consts[];
extern const struct fetch fetch_states[];
extern const struct fetch fetch_net[];
extern const struct fetch fetch_treatment[];
extern const struct fetch fetch_faults[];
extern const struct fetch fetch_times[];
extern const struct fetch fetch_buffers[];
extern const struct fetch fetch_vars[];
extern const struct fetch fetch_http[];
extern const struct fetch fetch_fields[];
extern const struct fetch fetch_distcc[];
extern const struct fetch fetch_stick[];
extern const struct fetch fetch_timers[];
extern const struct fetch fetch_asked[];
/* With OpenSSL only. */
extern const struct fetch fetch_tls[];
extern const struct fetch fetch_hello[];
extern const struct fetch fetch_x509[];

extern const struct converter converter_numbers[];
extern const struct converter converter_strings[];
extern const struct converter converter_bytes[];
extern const struct converter converter_hashes[];
extern const struct converter converter_times[];
extern const struct converter converter_json[];
extern const struct converter converter_states[];
extern const struct converter converter_vars[];
extern const struct converter converter_maps[];
extern const struct converter converter_http[];
extern const struct converter converter_query[];
extern const struct converter converter_fix[];
extern const struct converter converter_mqtt[];
extern const struct converter converter_protobuf[];
extern const struct converter converter_debug[];
extern const struct converter converter_tables[];
extern const struct converter converter_asked[];
extern const struct converter converter_rfc7239[];
/* With OpenSSL only. */
extern const struct converter converter_crypto[];
extern const struct converter converter_jwt[];

#endif
