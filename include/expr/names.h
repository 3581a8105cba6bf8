/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fetches and converters, and the names of the manual that are not supported
 * yet. A new table is one more line in names.c, or is added at start (expr_add_fetches). */
#ifndef EXPR_NAMES_H
#define EXPR_NAMES_H

#include "expr/expr.h"

/* Tables; their last row has no name. */
extern const struct fetch fetch_consts[], fetch_states[], fetch_net[], fetch_treatment[],
	fetch_faults[],
	fetch_times[], fetch_buffers[], fetch_vars[], fetch_http[], fetch_fields[], fetch_distcc[],
	fetch_stick[], fetch_timers[], fetch_asked[];
/* With OpenSSL only. */
extern const struct fetch fetch_tls[], fetch_hello[], fetch_x509[];
extern const struct converter converter_crypto[], converter_jwt[];
extern const struct converter converter_numbers[], converter_strings[], converter_bytes[],
	converter_hashes[], converter_times[], converter_json[], converter_states[],
	converter_vars[], converter_maps[], converter_http[],
	converter_query[], converter_fix[], converter_mqtt[], converter_protobuf[],
	converter_debug[], converter_tables[], converter_asked[], converter_rfc7239[];

/* Does the manual have a fetch (converter) of this name which is missing here? */
bool fetch_known(struct span name);
bool converter_known(struct span name);
/* Why there is no fetch or converter of this name, nor will be; NULL: there is no such reason. */
const char *name_explained(struct span name);
/* Is it missing because this build is without OpenSSL? */
bool name_needs_openssl(struct span name);
/* The row's name nearest to a misspelt one; NULL: none is near. */
const char *fetch_nearest(struct span name);
const char *converter_nearest(struct span name);

#endif
