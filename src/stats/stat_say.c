/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a scan as CSV, typed text or JSON, piece by piece: for the stats socket and the
 * stats page. A row is filled in at once and said field by field, so that it is consistent
 * however slowly it is read.
 */
#include "stats/stat_say.h"

/* The names of the columns; "-" stands between those that never change and those of modules, in
 * every row. */
static void stat_say_columns(struct text *out)
{
	text_str(out, "# ");
	for (int i = 0; i < STAT_FIELDS; i++)
		text_printf(out, "%s%s,", i == STAT_ssl_sess ? "-," : "", stat_fields[i].name);
	text_char(out, '\n');
}

static void stat_say_begin(struct stat_teller *state, struct text *out)
{
	if (state->form == STAT_CSV)
		stat_say_columns(out);
	else if (state->form == STAT_JSON)
		text_char(out, '[');
}

/* The field of the row; in backends some of them are sums over the servers: gauges. */
static struct stats_field stat_field_of(const struct stat_teller *state)
{
	struct stats_field f = stat_fields[state->at];

	if (state->row.kind == STAT_BACKEND &&
	    (state->at == STAT_act || state->at == STAT_bck || state->at == STAT_rate ||
	     state->at == STAT_rate_max))
		f.tags = "MGP";
	return f;
}

static void stat_say_json(struct stat_teller *state, struct text *out)
{
	const struct stat_row *row = &state->row;
	struct stats_field f = stat_field_of(state);

	text_str(out, state->comma ? ",{" : "{");
	text_printf(out, "\"objType\":\"%s\",\"proxyId\":%d,\"id\":%d,", stat_kind_name(row->kind),
		    row->proxy_id, row->id);
	stats_print_json(out, &f, state->at, &row->values[state->at]);
	text_char(out, '}');
	state->comma = true;
}

static void stat_say_typed(const struct stat_teller *state, struct text *out)
{
	const struct stat_row *row = &state->row;
	struct stats_field f = stat_field_of(state);

	text_printf(out, "%c.%d.%d.%d.%s.1", stat_letter(row->kind), row->proxy_id, row->id,
		    state->at, f.name);
	stats_print_typed(out, &f, &row->values[state->at], state->help);
}

static void stat_begin_row(struct stat_teller *state, struct text *out)
{
	state->at = 0;
	state->comma = false;
	if (state->form == STAT_JSON)
		text_str(out, state->row_comma ? ",[" : "[");
	state->row_comma = true;
}

static void stat_end_row(struct stat_teller *state, struct text *out)
{
	state->has_row = false;
	if (state->form == STAT_JSON)
		text_char(out, ']');
	else if (state->form == STAT_CSV)
		text_char(out, '\n');
}

bool stat_say(struct stat_teller *state, struct text *out)
{
	const struct stats_value *v;

	if (!state->begun) {
		stat_say_begin(state, out);
		state->begun = true;
		return true;
	}
	if (!state->has_row) {
		state->has_row = stat_next(&state->scan, &state->row);
		if (!state->has_row) {
			if (state->form == STAT_JSON)
				text_str(out, "]\n");
			return false;
		}
		stat_begin_row(state, out);
	}
	v = &state->row.values[state->at];
	if (state->form == STAT_CSV) {
		if (state->at == STAT_ssl_sess)
			text_str(out, "-,");
		stats_print_csv(out, v);
	} else if (v->type != STATS_NONE && state->form == STAT_TYPED)
		stat_say_typed(state, out);
	else if (v->type != STATS_NONE)
		stat_say_json(state, out);
	if (++state->at == STAT_FIELDS)
		stat_end_row(state, out);
	return true;
}

/* -- the schema of JSON ----------------------------------------------------------------------- */

void stat_say_schema(struct text *out)
{
#define ITEM_FIELDS                                                             \
	"\"field\":{\"$ref\":\"#/definitions/field\"},"                         \
	"\"processNum\":{\"$ref\":\"#/definitions/processNum\"},"               \
	"\"tags\":{\"$ref\":\"#/definitions/tags\"},"                           \
	"\"value\":{\"$ref\":\"#/definitions/typedValue\"}}"
#define TYPED(name, kind)                                                       \
	"{\"properties\":{\"type\":{\"enum\":[\"" name "\"]},\"value\":{\"type\":\"" kind "\""
	text_str(out,
		 "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"oneOf\":["
		 "{\"title\":\"Info\",\"type\":\"array\",\"minItems\":1,\"items\":{\"title\":\"InfoItem\","
		 "\"type\":\"object\",\"properties\":{" ITEM_FIELDS ","
		 "\"not\":{\"required\":[\"objType\"]},"
		 "\"required\":[\"field\",\"processNum\",\"tags\",\"value\"]}},"
		 "{\"title\":\"Stat\",\"type\":\"array\",\"items\":{\"title\":\"StatRow\","
		 "\"type\":\"array\",\"items\":{\"title\":\"StatItem\",\"type\":\"object\","
		 "\"properties\":{\"objType\":{\"enum\":[\"Frontend\",\"Backend\",\"Listener\","
		 "\"Server\"]},\"proxyId\":{\"type\":\"integer\",\"minimum\":0},"
		 "\"id\":{\"type\":\"integer\",\"minimum\":0}," ITEM_FIELDS ","
		 "\"required\":[\"objType\",\"proxyId\",\"id\",\"field\",\"processNum\",\"tags\","
		 "\"value\"]}}},"
		 "{\"title\":\"Error\",\"type\":\"object\",\"properties\":{\"errorStr\":"
		 "{\"type\":\"string\"}},\"required\":[\"errorStr\"]}],"
		 "\"definitions\":{\"field\":{\"type\":\"object\",\"properties\":{\"pos\":"
		 "{\"type\":\"integer\",\"minimum\":0},\"name\":{\"type\":\"string\"}},"
		 "\"required\":[\"pos\",\"name\"]},"
		 "\"processNum\":{\"type\":\"integer\",\"minimum\":1},"
		 "\"tags\":{\"type\":\"object\",\"properties\":{\"origin\":{\"type\":\"string\","
		 "\"enum\":[\"Metric\",\"Status\",\"Key\",\"Config\",\"Product\",\"Unknown\"]},"
		 "\"nature\":{\"type\":\"string\",\"enum\":[\"Gauge\",\"Limit\",\"Min\",\"Max\","
		 "\"Rate\",\"Counter\",\"Duration\",\"Age\",\"Time\",\"Name\",\"Output\",\"Avg\","
		 "\"Unknown\"]},\"scope\":{\"type\":\"string\",\"enum\":[\"Cluster\",\"Process\","
		 "\"Service\",\"System\",\"Unknown\"]}},"
		 "\"required\":[\"origin\",\"nature\",\"scope\"]},"
		 "\"typedValue\":{\"type\":\"object\",\"required\":[\"type\",\"value\"],\"oneOf\":["
		 TYPED("s32", "integer") ",\"minimum\":-2147483648,\"maximum\":2147483647}}},"
		 TYPED("u32", "integer") ",\"minimum\":0,\"maximum\":4294967295}}},"
		 TYPED("u64", "integer") ",\"minimum\":0}}},"
		 TYPED("flt", "number") "}}},"
		 TYPED("str", "string") "}}}]}}}\n");
}
