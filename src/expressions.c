/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of the tables of fetches and converters: they stand above all that bring one. */
#include "config.h"

#include "base/tables.h"
#include "expr/tables.h"

struct tables expr_fetches = {
	.what = "fetch",
	.row_size = sizeof(struct fetch),
	.table = {
		fetch_consts, fetch_states, fetch_net, fetch_treatment, fetch_faults, fetch_times, fetch_buffers,
		fetch_vars, fetch_http, fetch_fields, fetch_distcc, fetch_stick,
		fetch_timers, fetch_asked,
#ifdef HAVE_OPENSSL
		fetch_tls, fetch_hello, fetch_x509,
#endif
	},
};

struct tables expr_converters = {
	.what = "converter",
	.row_size = sizeof(struct converter),
	.table = {
		converter_numbers, converter_strings, converter_bytes, converter_hashes,
		converter_times, converter_json, converter_maps, converter_states,
		converter_vars, converter_http, converter_query, converter_fix, converter_mqtt,
		converter_protobuf, converter_debug, converter_tables, converter_asked,
		converter_rfc7239,
#ifdef HAVE_OPENSSL
		converter_crypto, converter_jwt,
#endif
	},
};
