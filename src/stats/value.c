/* SPDX-License-Identifier: BSD-2-Clause */
/* Printing of typed values; called by stat.c and info.c for each field. */
#include "stats/value.h"

#include "base/encode.h"

#include <stdio.h>

struct stats_value stats_str(struct stats_strings *strings, const char *s)
{
	size_t room = sizeof(strings->bytes) - strings->used;
	char *copy = strings->bytes + strings->used;
	size_t len;

	if (!s)
		return (struct stats_value){ .type = STATS_NONE };
	if (room < 2)
		return stats_const("");
	len = strnlen(s, STATS_STR_MAX);
	if (len > room - 1)
		len = room - 1;
	memcpy(copy, s, len);
	copy[len] = 0;
	strings->used += len + 1;
	return stats_const(copy);
}

/* As %f, without the zeroes at its end. */
static void stats_print_float(struct text *t, double d)
{
	char buf[64];
	int n = snprintf(buf, sizeof(buf), "%f", d);

	if (n < 0 || (size_t)n >= sizeof(buf))
		return;
	while (n && buf[n - 1] == '0')
		n--;
	if (n && buf[n - 1] == '.')
		n--;
	text_add(t, buf, (size_t)n);
}

static void stats_print_u64(struct text *t, uint64_t n)
{
	if (n <= INT64_MAX)
		text_num(t, (int64_t)n);
	else
		text_printf(t, "%llu", (unsigned long long)n);
}

void stats_print_value(struct text *t, const struct stats_value *v)
{
	switch (v->type) {
	case STATS_NONE:
		break;
	case STATS_S32:
		text_num(t, v->num);
		break;
	case STATS_U32:
	case STATS_U64:
		stats_print_u64(t, v->u64);
		break;
	case STATS_FLT:
		stats_print_float(t, v->flt);
		break;
	case STATS_STR:
		text_str(t, v->str);
		break;
	}
}

void stats_print_csv(struct text *t, const struct stats_value *v)
{
	if (v->type == STATS_STR && strpbrk(v->str, ",\"\n")) {
		text_char(t, '"');
		for (const char *s = v->str; *s; s++) {
			if (*s == '"')
				text_char(t, '"');
			text_char(t, *s);
		}
		text_char(t, '"');
	} else {
		stats_print_value(t, v);
	}
	text_char(t, ',');
}

static const char *stats_type_name(enum stats_type type)
{
	static const char *const names[] = { "", "s32", "u32", "u64", "flt", "str" };

	return names[type];
}

void stats_print_typed(struct text *t, const struct stats_field *f, const struct stats_value *v,
		       bool with_help)
{
	text_printf(t, ":%s:%s:", f->tags, stats_type_name(v->type));
	stats_print_value(t, v);
	if (with_help)
		text_printf(t, ":\"%s\"", f->help);
	text_char(t, '\n');
}

void stats_print_json_string(struct text *t, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	text_char(t, '"');
	while (*s) {
		size_t len = *s < 0x80 ? 0 : utf8_len((const char *)s, 4); /* up to the NUL */

		if (len)
			text_add(t, (const char *)s, len);
		else if (*s == '"' || *s == '\\')
			text_printf(t, "\\%c", *s);
		else if (*s < 0x20 || *s >= 0x7f)
			text_printf(t, "\\u%04x", *s); /* as if it were Latin-1 */
		else
			text_char(t, (char)*s);
		s += len ? len : 1;
	}
	text_char(t, '"');
}

static const char *stats_origin(char c)
{
	switch (c) {
	case 'M': return "Metric";
	case 'S': return "Status";
	case 'K': return "Key";
	case 'C': return "Config";
	case 'P': return "Product";
	}
	return "Unknown";
}

static const char *stats_nature(char c)
{
	switch (c) {
	case 'G': return "Gauge";
	case 'L': return "Limit";
	case 'm': return "Min";
	case 'M': return "Max";
	case 'R': return "Rate";
	case 'C': return "Counter";
	case 'D': return "Duration";
	case 'A': return "Age";
	case 'T': return "Time";
	case 'N': return "Name";
	case 'O': return "Output";
	case 'a': return "Avg";
	}
	return "Unknown";
}

static const char *stats_scope(char c)
{
	switch (c) {
	case 'C': return "Cluster";
	case 'P': return "Process";
	case 'S': return "Service";
	case 's': return "System";
	}
	return "Unknown";
}

void stats_print_json(struct text *t, const struct stats_field *f, int pos,
		      const struct stats_value *v)
{
	text_printf(t,
		    "\"field\":{\"pos\":%d,\"name\":\"%s\"},\"processNum\":1,\"tags\":{"
		    "\"origin\":\"%s\",\"nature\":\"%s\",\"scope\":\"%s\"},"
		    "\"value\":{\"type\":\"%s\",\"value\":",
		    pos, f->name, stats_origin(f->tags[0]), stats_nature(f->tags[1]),
		    stats_scope(f->tags[2]), stats_type_name(v->type));
	if (v->type == STATS_STR)
		stats_print_json_string(t, v->str);
	else
		stats_print_value(t, v);
	text_char(t, '}');
}

/* The two largest units are enough. */
void stats_print_duration(struct text *out, uint64_t ms)
{
	static const struct {
		unsigned seconds;
		char unit;
	} units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	uint64_t left = ms / 1000;
	int said = 0;

	for (int i = 0; i < 4 && said < 2; i++) {
		if (left >= units[i].seconds || said || i == 3) {
			if (!said || left >= units[i].seconds)
				text_printf(out, "%llu%c",
					    (unsigned long long)(left / units[i].seconds),
					    units[i].unit);
			left %= units[i].seconds;
			said++;
		}
	}
}
