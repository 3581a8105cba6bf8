/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of filters that there are. */
#include "filter/filter.h"

#include "filter/compress.h"
#include "filter/limit.h"
#include "filter/trace.h"

const struct filter_kind *const filter_kinds[] = {
	&compress_filter,
	&compress_request_filter,
	&compress_response_filter,
	&limit_in_filter,
	&limit_out_filter,
	&trace_filter,
	NULL,
};
