/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands on stick tables (management guide 9.3, "show table" and its like). Tables are shared by
 * all processes: what is said and changed here holds for all, at once.
 *
 * A table may have millions of entries. What takes long is cut into turns of the loop (budget), and
 * no entry stays pinned between two of them. Entries are said in the order of their places.
 */
#include "cli/modes.h"
#include "cli/tables.h"
#include "event/loop.h"
#include "expr/stick_key.h"
#include "proxy/stick_conf.h"
#include "stick/table.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILTERS_MOST = 4, /* as many as tools know */
       TURN = 800,       /* budget of a turn, some 30 us: a place that is looked at costs 1, ... */
       PRICE_ROW = 8, PRICE_FIELD = 2, PRICE_REMOVAL = 12,
       PLACES_A_UNIT = 16, /* that are only counted */
       FIELD_LONGEST = 64, ROW_HEAD = 128 + STICK_NAME_MOST };

/* ---- arguments ----------------------------------------------------------------------------- */

enum relation { EQ, NE, LE, GE, LT, GT, RELATIONS };

/* One of the values of an entry. */
struct column {
	enum stick_data what;
	unsigned at; /* of an array */
};

struct filter {
	struct column column;
	enum relation relation;
	int64_t value;
};

enum phase { COUNT, HEAD, ROWS, DONE };

struct sums {
	unsigned tables;
	uint64_t size, used, taken;
};

struct table_state {
	const struct stick_line *line;
	bool all;               /* lines of all tables, without contents */
	bool sums;              /* and a line for them together */
	struct sums total;
	bool by_key, forbidden; /* one entry; contents are not for this user */
	enum phase phase;
	uint32_t at, alive;
	int budget;
	uint64_t turn;          /* of the loop, that the budget is for */
	struct stick_key_memory memory;
	struct span key;
	unsigned filter_count;
	struct filter filters[FILTERS_MOST];
	char *row;              /* one that is longer than a piece */
	size_t row_len, row_said;
};

/* "gpc1", "gpt0", "gpc1_rate": an element of an array, named as rows name it. */
static bool element_parse(const struct stick_definition *def, const char *name,
			  struct column *column)
{
	enum stick_data what = !strncmp(name, "gpt", 3) ? STICK_gpt : STICK_gpc;
	unsigned long at;
	char *end;

	if (strncmp(name, "gp", 2) || (name[2] != 'c' && name[2] != 't') || name[3] < '0' ||
	    name[3] > '9')
		return false;
	at = strtoul(name + 3, &end, 10);
	if (what == STICK_gpc && !strcmp(end, "_rate"))
		what = STICK_gpc_rate;
	else if (*end)
		return false;
	column->what = what;
	column->at = (unsigned)at;
	return at < def->columns[what].count;
}

/* "data.gpc0", "data.gpc[1]"; an array without a number is its first element. 0, or -1 and err. */
static int column_parse(const struct stick_definition *def, const char *word, struct column *column,
			const char *where, struct err *err)
{
	const char *name = strncmp(word, "data.", 5) ? "" : word + 5, *bracket = strchr(name, '[');
	const struct stick_data_type *type;
	char *end;
	unsigned long at = 0;

	if (element_parse(def, name, column))
		return 0;
	column->what = stick_data_find((struct span){ name, bracket ? (size_t)(bracket - name) :
								  strlen(name) });
	if (column->what == STICK_DATA)
		return err_set(err, "%sUnknown data type", where);
	type = &stick_data_types[column->what];
	if (bracket) {
		at = strtoul(bracket + 1, &end, 10);
		if (bracket[1] < '0' || bracket[1] > '9' || strcmp(end, "]") ||
		    (type->argument != STICK_ARRAY && type->argument != STICK_BOTH))
			return err_set(err, "%sUnknown data type", where);
	}
	if (at >= def->columns[column->what].count)
		return err_set(err, "%sData type not stored in this table", where);
	column->at = (unsigned)at;
	return 0;
}

static int filter_parse(struct cli_call *call, struct table_state *state, int i, struct err *err)
{
	static const char *const relations[RELATIONS] = { "eq", "ne", "le", "ge", "lt", "gt" };
	struct filter *f = &state->filters[state->filter_count];
	char where[32];
	unsigned r;

	snprintf(where, sizeof(where), "Filter entry #%u: ", ++state->filter_count);
	if (column_parse(&state->line->def, call->argv[i], &f->column, where, err))
		return -1;
	for (r = 0; r < RELATIONS && strcmp(cli_arg(call, i + 1), relations[r]); r++)
		;
	if (r == RELATIONS)
		return err_set(err, "%sRequire and operator among \"eq\", \"ne\", \"le\", \"ge\", \"lt\", "
			       "\"gt\"", where);
	f->relation = (enum relation)r;
	if (!str_to_int(cli_arg(call, i + 2), INT64_MIN, INT64_MAX, &f->value))
		return err_set(err, "%sRequire a valid integer value to compare against", where);
	return 0;
}

static int filters_parse(struct cli_call *call, struct table_state *state, struct err *err)
{
	int i;

	for (i = 1; i < call->argc; i += 3) {
		if (state->filter_count == FILTERS_MOST)
			return err_set(err, "Detected extra data in filter, %dth word of input, after '%s'",
				       i + 3, call->argv[i - 1]);
		if (filter_parse(call, state, i, err))
			return -1;
	}
	return 0;
}

/* verb: for who reads why it does not work. */
static int key_parse(struct cli_call *call, struct table_state *state, const char *verb,
		     struct err *err)
{
	const char *word = cli_arg(call, 2);
	enum stick_key_type type = state->line->def.type;

	state->by_key = true;
	if (!*word)
		return err_set(err, "Key value expected");
	if (type == STICK_BINARY)
		return err_set(err, "%s tables of type other than ip, ipv6, string and integer is not "
			       "supported", verb);
	if (!stick_key_of_text(type, span_of(word), &state->memory, &state->key))
		return err_set(err, "Invalid key");
	return 0;
}

static int table_find(const struct cli_call *call, struct table_state *state, struct err *err)
{
	state->line = stick_line_find(stick_running, cli_arg(call, 0));
	if (state->line && state->line->table)
		return 0;
	return err_set(err, "No such table");
}

static bool is_filter(const struct cli_call *call)
{
	return !strncmp(cli_arg(call, 1), "data.", 5);
}

/* ---- values -------------------------------------------------------------------------------- */

static bool filter_matches(const struct filter *f, const struct stick_table *t,
			   const struct stick_entry *e)
{
	int64_t value = stick_data_types[f->column.what].form == STICK_KEY ? 0 :
			(int64_t)stick_value(t, e, f->column.what, f->column.at);

	switch (f->relation) {
	case EQ:
		return value == f->value;
	case NE:
		return value != f->value;
	case LE:
		return value <= f->value;
	case GE:
		return value >= f->value;
	case LT:
		return value < f->value;
	case GT:
		return value > f->value;
	case RELATIONS:
		break;
	}
	return false;
}

static bool all_match(const struct table_state *state, const struct stick_entry *e)
{
	unsigned i;

	for (i = 0; i < state->filter_count; i++)
		if (!filter_matches(&state->filters[i], state->line->table, e))
			return false;
	return true;
}

/* ---- a turn of the loop -------------------------------------------------------------------- */

/* May it go on? Others have their turn when the budget is spent. */
static bool may_go_on(struct table_state *state, struct cli_call *call)
{
	if (state->turn != loop_stats.turns) {
		state->turn = loop_stats.turns;
		state->budget = TURN;
	}
	if (state->budget > 0)
		return true;
	cli_wake(call->cli);
	return false;
}

/* ---- a row --------------------------------------------------------------------------------- */

static void say_hex(struct text *out, struct span bytes)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t i;

	for (i = 0; i < bytes.len; i++) {
		text_char(out, digits[(unsigned char)bytes.ptr[i] >> 4]);
		text_char(out, digits[(unsigned char)bytes.ptr[i] & 15]);
	}
}

static void say_string(struct text *out, struct span s)
{
	static const char plain[] = " =\\\t\n\r\033", escaped[] = " =\\tnre";
	const char *known;
	size_t i;

	for (i = 0; i < s.len; i++) {
		known = s.ptr[i] ? strchr(plain, s.ptr[i]) : NULL;
		if (known) {
			text_char(out, '\\');
			text_char(out, escaped[known - plain]);
		} else if (s.ptr[i] > ' ' && s.ptr[i] < 127) {
			text_char(out, s.ptr[i]);
		} else {
			text_str(out, "\\x");
			say_hex(out, (struct span){ s.ptr + i, 1 });
		}
	}
}

static void say_key(struct text *out, enum stick_key_type type, struct span key)
{
	char addr[INET6_ADDRSTRLEN];
	uint32_t number;

	switch (type) {
	case STICK_IP:
	case STICK_IPV6:
		text_str(out, inet_ntop(type == STICK_IP ? AF_INET : AF_INET6, key.ptr, addr,
					sizeof(addr)));
		break;
	case STICK_INTEGER:
		memcpy(&number, key.ptr, sizeof(number));
		text_num(out, number);
		break;
	case STICK_STRING:
		say_string(out, key);
		break;
	case STICK_BINARY:
		say_hex(out, key);
		break;
	case STICK_KEY_TYPES:
		break;
	}
}

/* What is no plain text is shown as a question mark: no name has any, but paths of sockets may. */
static void say_name(struct text *out, struct span name)
{
	size_t i;

	if (!name.ptr)
		text_char(out, '-');
	for (i = 0; i < name.len; i++)
		text_char(out, name.ptr[i] > ' ' && name.ptr[i] < 127 ? name.ptr[i] : '?');
}

/* " gpc0=1", " conn_rate(10000)=2"; of arrays " gpt1=1", " gpc1_rate(10000)=2". */
static void say_value(struct text *out, const struct stick_table *t, const struct stick_entry *e,
		      enum stick_data what, unsigned at)
{
	const struct stick_data_type *type = &stick_data_types[what];
	uint64_t value = stick_value(t, e, what, at);

	text_char(out, ' ');
	if (what == STICK_gpc_rate) {
		text_str(out, "gpc");
		text_num(out, at);
		text_str(out, "_rate");
	} else {
		text_str(out, type->name);
		if (type->argument == STICK_ARRAY)
			text_num(out, at);
	}
	if (type->form == STICK_RATE) {
		text_char(out, '(');
		text_num(out, stick_definition(t)->columns[what].period);
		text_char(out, ')');
	}
	text_char(out, '=');
	if (type->form == STICK_KEY)
		say_name(out, stick_name((uint32_t)value));
	else
		text_num(out, (int64_t)value);
}

static void say_row(struct text *out, const struct stick_table *t, const struct stick_entry *e)
{
	const struct stick_definition *def = stick_definition(t);
	unsigned what, at;

	text_printf(out, "0x%llx: key=", (unsigned long long)stick_number(t, e));
	say_key(out, def->type, stick_key(t, e));
	text_printf(out, " use=%u exp=%u", stick_uses(e), stick_left(t, e));
	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < def->columns[what].count; at++)
			say_value(out, t, e, (enum stick_data)what, at);
	text_char(out, '\n');
}

static unsigned field_count(const struct stick_definition *def)
{
	unsigned count = 0, what;

	for (what = 0; what < STICK_DATA; what++)
		count += def->columns[what].count;
	return count;
}

/* Bytes of its longest row, and what one costs. */
static size_t row_longest(const struct stick_definition *def)
{
	return ROW_HEAD + 4 * (size_t)def->key_len + (size_t)field_count(def) * FIELD_LONGEST;
}

static int row_price(const struct stick_definition *def)
{
	return (int)(PRICE_ROW + PRICE_FIELD * field_count(def) + def->key_len / 64);
}

/* False: it did not fit into memory. */
static bool row_keep(struct table_state *state, const struct stick_entry *e, size_t size)
{
	struct text t;

	state->row = malloc(size);
	if (!state->row)
		return false;
	text_init(&t, state->row, size);
	say_row(&t, state->line->table, e);
	state->row_len = t.len;
	state->row_said = 0;
	return true;
}

static enum cli_step row_say_part(struct table_state *state, struct cli_call *call)
{
	size_t len = state->row_len - state->row_said;

	if (len > CLI_PIECE)
		len = CLI_PIECE;
	text_add(call->out, state->row + state->row_said, len);
	state->budget -= (int)len / 64;
	state->row_said += len;
	if (state->row_said == state->row_len) {
		free(state->row);
		state->row = NULL;
	}
	return CLI_MORE;
}

/* ---- show ---------------------------------------------------------------------------------- */

/* Nothing at all is said of a key that is not there. */
static int show_key(struct cli_call *call, struct table_state *state, struct err *err)
{
	struct stick_entry *e;

	if (state->forbidden)
		return err_set(err, "Permission denied");
	if (key_parse(call, state, "Showing keys from", err))
		return -1;
	e = stick_find(state->line->table, state->key);
	if (!e)
		state->phase = DONE;
	stick_give(state->line->table, e);
	return 0;
}

static void show_all(struct table_state *state)
{
	state->all = true;
	state->line = stick_line_before(stick_running, NULL); /* as tools know it */
}

static int sums_start(struct cli_call *call, struct err *err)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);

	if (*cli_arg(call, 0))
		return err_set(err, "'show stick-tables' has no argument; 'show table <table>' shows one");
	state->turn = loop_stats.turns;
	state->budget = TURN;
	state->sums = true;
	show_all(state);
	return 0;
}

static int show_start(struct cli_call *call, struct err *err)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);

	state->turn = loop_stats.turns;
	state->budget = TURN;
	if (!*cli_arg(call, 0)) {
		show_all(state);
		return 0;
	}
	if (table_find(call, state, err))
		return -1;
	state->forbidden = cli_level(call->cli) < LEVEL_OPERATOR;
	if (!strcmp(cli_arg(call, 1), "key"))
		return show_key(call, state, err);
	if (is_filter(call))
		return filters_parse(call, state, err);
	return *cli_arg(call, 1) ? err_set(err, "Optional argument only supports "
					   "\"data.<store_data_type>\" <operator> <value> and key <key>") : 0;
}

static void say_head(struct table_state *state, struct cli_call *call)
{
	const struct stick_definition *def = &state->line->def;

	text_printf(call->out, "# table: %s, type: %s, size:%u, used:%u\n", def->name,
		    stick_key_type_name(def->type), def->size, state->alive);
}

static void sum_up(struct table_state *state)
{
	state->total.tables++;
	state->total.size += state->line->def.size;
	state->total.used += state->alive;
	state->total.taken += stick_taken(state->line->table);
}

static void say_sums(const struct table_state *state, struct cli_call *call)
{
	const struct sums *sum = &state->total;

	text_printf(call->out, "# tables: %u, size:%llu, used:%llu, memory:%llu\n", sum->tables,
		    (unsigned long long)sum->size, (unsigned long long)sum->used,
		    (unsigned long long)sum->taken);
}

/* "used" of its first line. */
static void count(struct table_state *state)
{
	uint32_t before = state->at;

	state->alive += stick_alive(state->line->table, &state->at,
				    (unsigned)state->budget * PLACES_A_UNIT);
	state->budget -= (int)(state->at - before) / PLACES_A_UNIT + 1;
	if (state->at >= stick_places(state->line->table))
		state->phase = HEAD;
}

static enum cli_step head(struct table_state *state, struct cli_call *call)
{
	say_head(state, call);
	sum_up(state);
	state->budget -= PRICE_ROW;
	state->at = state->alive = 0;
	state->phase = ROWS;
	if (state->all) {
		state->line = stick_line_before(stick_running, state->line);
		state->phase = COUNT;
		return CLI_MORE;
	}
	if (!state->forbidden)
		return CLI_MORE;
	text_str(call->out, "# contents not dumped due to insufficient privileges\n");
	return CLI_END;
}

/* The rows of a piece. */
static enum cli_step rows(struct table_state *state, struct cli_call *call)
{
	size_t longest = row_longest(&state->line->def), end = call->out->len + CLI_PIECE;
	struct stick_table *t = state->line->table;
	uint32_t before;
	struct stick_entry *e;
	bool kept = true;

	while (state->budget > 0 && (longest > CLI_PIECE || call->out->len + longest <= end)) {
		before = state->at;
		e = stick_next(t, &state->at, (unsigned)state->budget);
		state->budget -= (int)(state->at - before);
		if (!e)
			break;
		if (all_match(state, e)) {
			state->budget -= row_price(&state->line->def);
			if (longest > CLI_PIECE)
				kept = row_keep(state, e, longest);
			else
				say_row(call->out, t, e);
		}
		stick_give(t, e);
		if (!kept)
			cli_say(call, LOG_L_ERR, "Out of memory.");
		if (!kept || state->row)
			break;
	}
	return kept && (state->row || state->at < stick_places(t)) ? CLI_MORE : CLI_END;
}

static enum cli_step row_of_key(struct table_state *state, struct cli_call *call)
{
	struct stick_table *t = state->line->table;
	struct stick_entry *e = stick_find(t, state->key);
	size_t longest = row_longest(&state->line->def);
	bool kept = true;

	state->phase = DONE;
	if (e && longest <= CLI_PIECE)
		say_row(call->out, t, e);
	else if (e)
		kept = row_keep(state, e, longest);
	stick_give(t, e);
	if (!kept)
		cli_say(call, LOG_L_ERR, "Out of memory.");
	return CLI_MORE;
}

static enum cli_step show_next(struct cli_call *call)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);

	if (!state->line && state->sums)
		say_sums(state, call);
	if (!state->line)
		return CLI_END;
	if (!may_go_on(state, call))
		return CLI_WAIT;
	if (state->row)
		return row_say_part(state, call);
	switch (state->phase) {
	case COUNT:
		count(state);
		return CLI_MORE;
	case HEAD:
		return head(state, call);
	case ROWS:
		return state->by_key ? row_of_key(state, call) : rows(state, call);
	case DONE:
		break;
	}
	return CLI_END;
}

static void show_end(struct cli_call *call)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);

	if (state)
		free(state->row);
}

/* ---- clear --------------------------------------------------------------------------------- */

enum { TRIES = 1000 }; /* somebody may just be looking at the entry */

static bool remove_entry(struct stick_table *t, struct stick_entry *e)
{
	unsigned i;

	for (i = 0; i < TRIES; i++)
		if (stick_remove(t, e))
			return true;
	stick_give(t, e);
	return false;
}

static int clear_key(const struct table_state *state, struct err *err)
{
	struct stick_entry *e = stick_find(state->line->table, state->key);

	if (!e || remove_entry(state->line->table, e))
		return 0;
	return err_set(err, "Entry currently in use, cannot remove");
}

static int clear_start(struct cli_call *call, struct err *err)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);

	state->turn = loop_stats.turns;
	state->budget = TURN;
	if (!*cli_arg(call, 0))
		return err_set(err, "Required arguments: <table> \"data.<store_data_type>\" <operator> <value> "
				    "or <table> key <key>");
	if (table_find(call, state, err))
		return -1;
	if (!strcmp(cli_arg(call, 1), "key"))
		return key_parse(call, state, "Removing keys from", err) ? -1 : clear_key(state, err);
	if (is_filter(call))
		return filters_parse(call, state, err);
	return *cli_arg(call, 1) ? err_set(err, "Required arguments: <table> \"data.<store_data_type>\" "
					   "<operator> <value> or <table> key <key>") : 0;
}

/* What is in use stays, and nobody is told. */
static enum cli_step clear_next(struct cli_call *call)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);
	struct stick_table *t = state->line->table;
	struct stick_entry *e;
	uint32_t before;

	if (state->by_key)
		return CLI_END;
	if (!may_go_on(state, call))
		return CLI_WAIT;
	while (state->budget > 0) {
		before = state->at;
		e = stick_next(t, &state->at, (unsigned)state->budget);
		state->budget -= (int)(state->at - before);
		if (!e)
			break;
		if (!all_match(state, e)) {
			stick_give(t, e);
			continue;
		}
		state->budget -= PRICE_REMOVAL;
		if (!stick_remove(t, e))
			stick_give(t, e);
	}
	return state->at < stick_places(t) ? CLI_MORE : CLI_END;
}

/* ---- set ----------------------------------------------------------------------------------- */

/* e: NULL: the value is only read. */
static int set_value(const struct table_state *state, struct stick_entry *e, struct column column,
		     const char *word, struct err *err)
{
	enum stick_form form = stick_data_types[column.what].form;
	int64_t value;

	if (form == STICK_KEY) {
		if (e)
			stick_set(state->line->table, e, column.what, column.at,
				  stick_name_note(span_of(word)));
		return *word ? 0 : err_set(err, "Require a valid integer value to store");
	}
	if (!str_to_int(word, INT64_MIN, INT64_MAX, &value))
		return err_set(err, "Require a valid integer value to store");
	/* As in the reference, but where blocks of bytes make room for more. */
	if (form == STICK_RATE && state->line->def.block <= 1)
		value &= UINT32_MAX;
	if (e)
		stick_set(state->line->table, e, column.what, column.at, (uint64_t)value);
	return 0;
}

/* The values from word 3 on: all are read before the first is set. e: NULL: only read. */
static int set_values(struct cli_call *call, const struct table_state *state, struct stick_entry *e,
		      struct err *err)
{
	struct column column;
	int i;

	for (i = 3; i < call->argc; i += 2) {
		if (strncmp(call->argv[i], "data.", 5))
			return err_set(err, "\"data.<type>\" followed by a value expected");
		if (column_parse(&state->line->def, call->argv[i], &column, "", err) ||
		    set_value(state, e, column, cli_arg(call, i + 1), err))
			return -1;
	}
	return 0;
}

static int set_start(struct cli_call *call, struct err *err)
{
	struct table_state *state = CLI_STATE_OF(struct table_state, call);
	struct stick_entry *e;

	if (!*cli_arg(call, 0))
		return err_set(err, "Required arguments: <table> key <key> [data.<store_data_type> <value>]*");
	if (table_find(call, state, err))
		return -1;
	if (is_filter(call))
		return err_set(err, "content-based lookup is only supported with the \"show\" and \"clear\" "
				    "actions");
	if (strcmp(cli_arg(call, 1), "key"))
		return err_set(err, "Required arguments: <table> key <key> [data.<store_data_type> <value>]*");
	if (key_parse(call, state, "Inserting keys into", err) || set_values(call, state, NULL, err))
		return -1;
	e = stick_take(state->line->table, state->key, NULL);
	if (!e)
		return err_set(err, "Unable to allocate a new entry");
	set_values(call, state, e, err);
	stick_touch(state->line->table, e);
	stick_give(state->line->table, e);
	return 0;
}

const struct cli_command cli_stick_commands[] = {
	{ .words = "show table", .args = "<table> [<filter>]*", .level = LEVEL_USER,
	  .start = show_start, .next = show_next, .end = show_end,
	  CLI_STATE(struct table_state),
	  .help = "report table usage stats or dump this table's contents (filter: data/key)" },
	{ .words = "show stick-tables", .level = LEVEL_USER,
	  .start = sums_start, .next = show_next, .end = show_end,
	  CLI_STATE(struct table_state),
	  .help = "report usage of each stick table, and of all together" },
	{ .words = "set table", .args = "<table> key <k> [data.* <v>]*", .level = LEVEL_OPERATOR,
	  .start = set_start, CLI_STATE(struct table_state),
	  .help = "update or create a table entry's data" },
	{ .words = "clear table", .args = "<table> [<filter>]*", .level = LEVEL_OPERATOR,
	  .start = clear_start, .next = clear_next, CLI_STATE(struct table_state),
	  .help = "remove an entry from a table (filter: data/key)" },
	{ .words = NULL },
};
