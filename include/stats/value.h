/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed values of the statistics, and the three forms in which they are shown (management
 * guide 9.1, 9.2). */
#ifndef STATS_VALUE_H
#define STATS_VALUE_H

#include "base/str.h"

enum stats_type { STATS_NONE, STATS_S32, STATS_U32, STATS_U64, STATS_FLT, STATS_STR };

struct stats_value {
	enum stats_type type;
	union {
		int64_t num;
		uint64_t u64;
		double flt;
		const char *str;
	};
};

/* What is known of a field besides its value. */
struct stats_field {
	const char *name;
	const char *tags; /* origin, nature, scope: "MGP" */
	const char *help;
};

/* Memory for strings that a row shows and that may change or go away while it is printed. */
struct stats_strings {
	char bytes[2048];
	size_t used;
};

enum { STATS_STR_MAX = 511 }; /* longer strings are cut */

static inline struct stats_value stats_u32(uint64_t n)
{
	return (struct stats_value){ .type = STATS_U32, .u64 = (uint32_t)n };
}

static inline struct stats_value stats_s32(int64_t n)
{
	return (struct stats_value){ .type = STATS_S32, .num = n };
}

static inline struct stats_value stats_u64(uint64_t n)
{
	return (struct stats_value){ .type = STATS_U64, .u64 = n };
}

static inline struct stats_value stats_flt(double d)
{
	return (struct stats_value){ .type = STATS_FLT, .flt = d };
}

/* The string must outlive the row: constants. */
static inline struct stats_value stats_const(const char *s)
{
	return (struct stats_value){ .type = STATS_STR, .str = s };
}

/* A copy, cut when there is no more room; NULL: no value. */
struct stats_value stats_str(struct stats_strings *strings, const char *s);

/* The bare value; nothing for STATS_NONE. */
void stats_print_value(struct text *t, const struct stats_value *v);
/* With quotes when it has a comma or a quote, and a comma behind it. */
void stats_print_csv(struct text *t, const struct stats_value *v);
/* ":KNS:str:value", then :"help" if with_help, and a line feed. */
void stats_print_typed(struct text *t, const struct stats_field *f, const struct stats_value *v,
		       bool with_help);
/* "field":{...},"processNum":1,"tags":{...},"value":{...}: without the braces around. */
void stats_print_json(struct text *t, const struct stats_field *f, int pos,
		      const struct stats_value *v);
/* "22m7s", "3d4h", "59s" of milliseconds. */
void stats_print_duration(struct text *t, uint64_t ms);
/* Between quotes, escaped. */
void stats_print_json_string(struct text *t, const char *string);

#endif
