/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show info, show stat, show schema json: the numbers of stats/ in the three forms. A row is
 * filled in at once and said field by field, so that it is consistent however slowly it is
 * read.
 */
#include "cli/session.h"
#include "cli/tables.h"
#include "proxy/proxy.h"
#include "stats/info.h"
#include "stats/stat.h"
#include "stream/stream.h"

enum form { FORM_PLAIN, FORM_TYPED, FORM_JSON };

/* -- show info ------------------------------------------------------------------------------- */

struct info_state {
	enum form form;
	bool help, comma;
	int at;
	struct info info;
};

static int info_start(struct cli_call *call, struct err *err)
{
	struct info_state *state = call->state;
	bool as_float = false;

	(void)err;
	for (int i = 0; i < call->argc; i++) {
		if (!strcmp(call->argv[i], "typed"))
			state->form = FORM_TYPED;
		else if (!strcmp(call->argv[i], "json"))
			state->form = FORM_JSON;
		else if (!strcmp(call->argv[i], "desc"))
			state->help = true;
		else if (!strcmp(call->argv[i], "float"))
			as_float = true;
	}
	info_fill(&state->info, as_float);
	if (state->form == FORM_JSON)
		text_char(call->out, '[');
	return 0;
}

static void info_say(struct info_state *state, struct text *out)
{
	const struct stats_field *f = &info_fields[state->at];
	const struct stats_value *v = &state->info.values[state->at];

	switch (state->form) {
	case FORM_PLAIN:
		text_printf(out, "%s: ", f->name);
		stats_print_value(out, v);
		if (state->help)
			text_printf(out, ":\"%s\"", f->help);
		text_char(out, '\n');
		break;
	case FORM_TYPED:
		text_printf(out, "%d.%s.1", state->at, f->name);
		stats_print_typed(out, f, v, state->help);
		break;
	case FORM_JSON:
		text_str(out, state->comma ? ",{" : "{");
		stats_print_json(out, f, state->at, v);
		text_char(out, '}');
		state->comma = true;
		break;
	}
}

static enum cli_step info_next(struct cli_call *call)
{
	struct info_state *state = call->state;

	if (state->at == INFO_FIELDS) {
		if (state->form == FORM_JSON)
			text_str(call->out, "]\n");
		return CLI_END;
	}
	if (state->info.values[state->at].type != STATS_NONE)
		info_say(state, call->out);
	state->at++;
	return CLI_MORE;
}

/* -- show stat ------------------------------------------------------------------------------- */

struct stat_state {
	enum form form;
	bool help, row_comma, comma;
	bool has_row;
	int at; /* field of the row */
	struct stat_cursor cursor;
	struct stat_row row;
};

/* "domain proxy" in front. Returns the number of words, or -1. */
static int stat_parse_domain(struct cli_call *call, struct err *err)
{
	if (strcmp(cli_arg(call, 0), "domain"))
		return 0;
	if (!strcmp(cli_arg(call, 1), "proxy"))
		return 2;
	if (!strcmp(cli_arg(call, 1), "dns"))
		return err_set(err, "Statistics domain 'dns' is not supported yet.");
	return err_set(err, "Invalid statistics domain.");
}

static bool stat_is_option(const char *word)
{
	static const char *const words[] = { "typed", "json", "desc", "up", "no-maint" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* "<iid|proxy> <type> <sid>", all three or none. Returns the number of words, or -1. */
static int stat_parse_filter(struct cli_call *call, int i, struct stat_cursor *c, struct err *err)
{
	const struct proxy *px;
	int64_t n;

	if (call->argc - i < 3 || stat_is_option(call->argv[i]))
		return 0;
	if (str_to_int(call->argv[i], INT32_MIN, INT32_MAX, &n)) {
		c->iid = (int)n;
	} else {
		px = proxy_find(proxies_running, call->argv[i], PROXY_FRONTEND);
		if (!px)
			px = proxy_find(proxies_running, call->argv[i], PROXY_BACKEND);
		if (!px)
			return err_set(err, "No such proxy.");
		c->iid = px->uuid;
	}
	if (!str_to_int(call->argv[i + 1], INT32_MIN, INT32_MAX, &n))
		return err_set(err, "<type> must be a number: 1 frontends, 2 backends, 4 servers, "
				    "8 listeners, added up; -1 for all.");
	c->types = (int)n;
	if (!str_to_int(call->argv[i + 2], INT32_MIN, INT32_MAX, &n))
		return err_set(err, "<sid> must be the number of a server, or -1 for all.");
	c->sid = (int)n;
	return 3;
}

static void stat_parse_options(struct cli_call *call, int i, struct stat_state *state)
{
	for (; i < call->argc; i++) {
		if (!strcmp(call->argv[i], "typed"))
			state->form = FORM_TYPED;
		else if (!strcmp(call->argv[i], "json"))
			state->form = FORM_JSON;
		else if (!strcmp(call->argv[i], "desc"))
			state->help = true;
		else if (!strcmp(call->argv[i], "up"))
			state->cursor.options |= STAT_UP;
		else if (!strcmp(call->argv[i], "no-maint"))
			state->cursor.options |= STAT_NO_MAINT;
	}
}

/* The names of the columns; "-" ends those that never change. */
static void stat_say_header(struct text *out)
{
	text_str(out, "# ");
	for (int i = 0; i < STAT_FIELDS; i++)
		text_printf(out, "%s,", stat_fields[i].name);
	text_str(out, "-,\n");
}

static int stat_start(struct cli_call *call, struct err *err)
{
	struct stat_state *state = call->state;
	int n, i;

	stat_cursor_init(&state->cursor);
	if (cli_level(call->cli) >= LEVEL_OPERATOR)
		state->cursor.options |= STAT_LEGENDS;
	i = stat_parse_domain(call, err);
	if (i < 0)
		return -1;
	n = stat_parse_filter(call, i, &state->cursor, err);
	if (n < 0)
		return -1;
	stat_parse_options(call, i + n, state);
	streams_count_bytes();
	if (state->form == FORM_PLAIN)
		stat_say_header(call->out);
	else if (state->form == FORM_JSON)
		text_char(call->out, '[');
	return 0;
}

/* The field of the row; in backends some of them are sums over the servers: gauges. */
static struct stats_field stat_field_of(const struct stat_state *state)
{
	struct stats_field f = stat_fields[state->at];

	if (state->row.kind == STAT_BACKEND &&
	    (state->at == STAT_act || state->at == STAT_bck || state->at == STAT_rate ||
	     state->at == STAT_rate_max))
		f.tags = "MGP";
	return f;
}

static void stat_say_json(struct stat_state *state, struct text *out)
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

static void stat_say_typed(const struct stat_state *state, struct text *out)
{
	const struct stat_row *row = &state->row;
	struct stats_field f = stat_field_of(state);

	text_printf(out, "%c.%d.%d.%d.%s.1", stat_letter(row->kind), row->proxy_id, row->id,
		    state->at, f.name);
	stats_print_typed(out, &f, &row->values[state->at], state->help);
}

static void stat_begin_row(struct stat_state *state, struct text *out)
{
	state->at = 0;
	state->comma = false;
	if (state->form == FORM_JSON)
		text_str(out, state->row_comma ? ",[" : "[");
	state->row_comma = true;
}

static void stat_end_row(struct stat_state *state, struct text *out)
{
	state->has_row = false;
	if (state->form == FORM_JSON)
		text_char(out, ']');
	else if (state->form == FORM_PLAIN)
		text_str(out, "-,\n");
}

static enum cli_step stat_say_next(struct cli_call *call)
{
	struct stat_state *state = call->state;
	const struct stats_value *v;

	if (call->resumed)
		stat_cursor_resume(&state->cursor);
	if (!state->has_row) {
		state->has_row = stat_next(&state->cursor, &state->row);
		if (!state->has_row) {
			if (state->form == FORM_JSON)
				text_str(call->out, "]\n");
			return CLI_END;
		}
		stat_begin_row(state, call->out);
	}
	v = &state->row.values[state->at];
	if (state->form == FORM_PLAIN)
		stats_print_csv(call->out, v);
	else if (v->type != STATS_NONE && state->form == FORM_TYPED)
		stat_say_typed(state, call->out);
	else if (v->type != STATS_NONE)
		stat_say_json(state, call->out);
	if (++state->at == STAT_FIELDS)
		stat_end_row(state, call->out);
	return CLI_MORE;
}

/* -- show schema json ------------------------------------------------------------------------ */

static int schema_start(struct cli_call *call, struct err *err)
{
#define ITEM_FIELDS                                                             \
	"\"field\":{\"$ref\":\"#/definitions/field\"},"                         \
	"\"processNum\":{\"$ref\":\"#/definitions/processNum\"},"               \
	"\"tags\":{\"$ref\":\"#/definitions/tags\"},"                           \
	"\"value\":{\"$ref\":\"#/definitions/typedValue\"}}"
#define TYPED(name, kind)                                                       \
	"{\"properties\":{\"type\":{\"enum\":[\"" name "\"]},\"value\":{\"type\":\"" kind "\""
	(void)err;
	text_str(call->out,
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
	return 0;
}

const struct cli_command cli_stats_commands[] = {
	{ .words = "show info", .args = "[desc|json|typed|float]*", .level = LEVEL_USER,
	  .start = info_start, .next = info_next, .state_size = sizeof(struct info_state),
	  .help = "report information about the running process" },
	{ .words = "show stat", .args = "[desc|json|no-maint|typed|up]*", .level = LEVEL_USER,
	  .start = stat_start, .next = stat_say_next, .state_size = sizeof(struct stat_state),
	  .help = "report counters for each proxy and server" },
	{ .words = "show schema json", .level = LEVEL_USER, .start = schema_start,
	  .help = "report schema used for stats" },
	{ .words = NULL },
};
