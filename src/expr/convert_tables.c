/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converters that look the sample up in a stick table (manual 7.3.1, "in_table", "table_conn_cnt"
 * and so on): the sample is cast to the type of the table's keys, whether it can be is checked when
 * the configuration ends (arg.c). Looking up makes no entry and does not renew its life;
 * table_inc_gpc does both, and table_clr_gpc.
 *
 * Where there is no such entry the answer is 0; where the entry has nothing of that kind there is
 * no value.
 */
#include "expr/stick_key.h"
#include "expr/table_uses.h"
#include "expr/tables.h"
#include "expr/track.h"
#include "proxy/stick_conf.h"

/* row->data of table_idle and table_expire; of those that change, beside the enum stick_data. */
enum { IDLE, LEFT, COUNTS = 1 << 9, CLEAR = 1 << 8, DATA_MASK = CLEAR - 1 };

struct found {
	struct stick_table *table;
	struct span key;
	struct stick_key_memory memory; /* of the key */
	struct stick_entry *entry;      /* pinned; NULL: there is none */
};

static bool give_number(struct sample *smp, enum sample_type type, uint64_t number)
{
	smp->type = type;
	smp->num = (int64_t)number;
	return true;
}

/* False: the sample can be no key, or (while the configuration is read) there is no table yet. */
static bool find_key(const struct expr_arg *arg, struct sample *smp, struct found *f)
{
	const struct stick_line *line = arg->type == ARG_TABLE ? arg->table : NULL;

	if (!line || !line->table)
		return false;
	f->table = line->table;
	return stick_key_of_sample(line->def.type, smp, &f->memory, &f->key);
}

static bool look_up(const struct expr_arg *arg, struct sample *smp, struct found *f)
{
	if (!find_key(arg, smp, f))
		return false;
	f->entry = stick_find(f->table, f->key);
	return true;
}

static bool convert_in_table(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	struct found f;

	(void)view;
	(void)row;
	if (!look_up(&args[0], smp, &f))
		return false;
	stick_give(f.table, f.entry);
	return give_number(smp, SMP_BOOL, f.entry != NULL);
}

/* False: nothing of that kind is stored. */
static bool value_of(const struct found *f, enum stick_data what, unsigned at, uint64_t *value)
{
	what = stick_stored_as(stick_definition(f->table), what, &at);
	if (what == STICK_DATA)
		return false;
	*value = stick_value(f->table, f->entry, what, at);
	return true;
}

static bool give_value(const struct expr_arg *arg, struct sample *smp, enum stick_data what,
		       unsigned at, unsigned shift)
{
	uint64_t value = 0;
	struct found f;
	bool stored;

	if (!look_up(arg, smp, &f))
		return false;
	stored = !f.entry || value_of(&f, what, at, &value);
	stick_give(f.table, f.entry);
	return stored && give_number(smp, SMP_INT, value >> shift);
}

static bool convert_value(const struct expr_arg *args, struct sample *smp, const struct view *view,
			  const struct converter *row)
{
	(void)view;
	return give_value(&args[0], smp, (enum stick_data)row->data, 0, 0);
}

static bool convert_kbytes(const struct expr_arg *args, struct sample *smp, const struct view *view,
			   const struct converter *row)
{
	(void)view;
	return give_value(&args[0], smp, (enum stick_data)row->data, 0, 10);
}

/* What is behind the last is found nowhere. */
static unsigned element_of(const struct expr_arg *args)
{
	return args[0].num >= 0 && args[0].num < UINT32_MAX ? (unsigned)args[0].num : UINT32_MAX;
}

/* table_gpc(idx[,table]) and its like: of arrays. */
static bool convert_element(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	(void)view;
	return give_value(&args[1], smp, (enum stick_data)row->data, element_of(args), 0);
}

static bool convert_trackers(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	struct found f;
	unsigned uses;

	(void)view;
	(void)row;
	if (!look_up(&args[0], smp, &f))
		return false;
	uses = f.entry ? stick_uses(f.entry) : 0;
	stick_give(f.table, f.entry);
	return give_number(smp, SMP_INT, uses);
}

/* table_idle, table_expire: argument 1 is for a key that is not there. */
static bool convert_time(const struct expr_arg *args, struct sample *smp, const struct view *view,
			 const struct converter *row)
{
	struct found f;
	uint32_t ms;

	(void)view;
	if (!look_up(&args[0], smp, &f))
		return false;
	if (!f.entry)
		return args[1].type == ARG_INT && give_number(smp, SMP_INT, (uint64_t)args[1].num);
	ms = row->data == IDLE ? stick_idle(f.table, f.entry) : stick_left(f.table, f.entry);
	stick_give(f.table, f.entry);
	return give_number(smp, SMP_INT, ms);
}

/* ---- those that change --------------------------------------------------------------------- */

/* The value until now. */
static bool set_to_zero(const struct found *f, enum stick_data what, unsigned at, uint64_t *value)
{
	what = stick_stored_as(stick_definition(f->table), what, &at);
	if (what == STICK_DATA)
		return false;
	*value = stick_value(f->table, f->entry, what, at);
	stick_set(f->table, f->entry, what, at, 0);
	return true;
}

static bool change(const struct expr_arg *arg, struct sample *smp, const struct converter *row,
		   unsigned at)
{
	enum stick_data what = (enum stick_data)(row->data & DATA_MASK);
	uint64_t value = 0;
	struct found f;
	bool stored;

	if (!find_key(arg, smp, &f))
		return false;
	f.entry = stick_take(f.table, f.key, NULL);
	if (!f.entry)
		return false;
	stored = row->data & CLEAR ? set_to_zero(&f, what, at, &value) :
				     stick_count_up(f.table, f.entry, what, at, 1, &value);
	stick_touch(f.table, f.entry);
	stick_give(f.table, f.entry);
	return stored && give_number(smp, SMP_INT, value);
}

static bool convert_change(const struct expr_arg *args, struct sample *smp, const struct view *view,
			   const struct converter *row)
{
	(void)view;
	return change(&args[0], smp, row, 0);
}

static bool convert_change_element(const struct expr_arg *args, struct sample *smp,
				   const struct view *view, const struct converter *row)
{
	(void)view;
	return change(&args[1], smp, row, element_of(args));
}

static int check_stored(const struct expr_arg *table, int64_t element,
			const struct expr_context *ctx)
{
	enum stick_data what = (enum stick_data)(ctx->data & DATA_MASK);

	table_use_note(ctx->cfg, &(struct table_use){
		.what = ctx->what, .loc = ctx->loc, .proxy = ctx->proxy, .table = table,
		.used = ctx->used, .number = TABLE_USE_KEY, .element = element,
		.data = { what, ctx->data & COUNTS ? stick_rate_of(what) : STICK_DATA } });
	return 0;
}

static int check_value(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)err;
	return check_stored(&args[0], 0, ctx);
}

static int check_element(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)err;
	return check_stored(&args[1], args[0].num, ctx);
}

#define VALUE(name, what, about)                                                               \
	{ "table_" #name, ARGS(1, ARG_TABLE), SMP_ANY, SMP_INT, convert_value,                  \
	  check_value, .data = STICK_##what, .help = about }
#define ELEMENT(name, about)                                                                   \
	{ "table_" #name, ARGS(2, ARG_INT, ARG_TABLE), SMP_ANY, SMP_INT, convert_element,       \
	  check_element, .data = STICK_##name, .help = about }
#define CHANGE(verb, name, how, about)                                                         \
	{ "table_" verb "_" #name, ARGS(1, ARG_TABLE), SMP_ANY, SMP_INT, convert_change,        \
	  check_value, .data = STICK_##name | (how), .help = about }
#define CHANGE_ELEMENT(verb, how, about)                                                       \
	{ "table_" verb "_gpc", ARGS(2, ARG_INT, ARG_TABLE), SMP_ANY, SMP_INT,                  \
	  convert_change_element, check_element, .data = STICK_gpc | (how), .help = about }

const struct converter converter_tables[] = {
	{ "in_table", ARGS(1, ARG_TABLE), SMP_ANY, SMP_BOOL, convert_in_table,
	  .help = "is it a key of the stick table?" },
	VALUE(bytes_in_rate, bytes_in_rate, "of this key: bytes from clients, in a period"),
	VALUE(bytes_out_rate, bytes_out_rate, "of this key: bytes to clients, in a period"),
	CHANGE_ELEMENT("clr", CLEAR, "of this key: sets a counter of gpc to 0; what it was"),
	CHANGE("clr", gpc0, CLEAR, "of this key: sets gpc0 to 0; what it was"),
	CHANGE("clr", gpc1, CLEAR, "of this key: sets gpc1 to 0; what it was"),
	VALUE(conn_cnt, conn_cnt, "of this key: connections so far"),
	VALUE(conn_cur, conn_cur, "of this key: connections now"),
	VALUE(conn_rate, conn_rate, "of this key: connections in a period"),
	{ "table_expire", ARGS(1, ARG_TABLE, ARG_INT), SMP_ANY, SMP_INT, convert_time,
	  .data = LEFT, .help = "of this key: milliseconds until it expires" },
	VALUE(glitch_cnt, glitch_cnt, "of this key: oddities of its connections"),
	VALUE(glitch_rate, glitch_rate, "of this key: oddities in a period"),
	ELEMENT(gpc, "of this key: a counter of the array gpc"),
	VALUE(gpc0, gpc0, "of this key: the first counter"),
	VALUE(gpc0_rate, gpc0_rate, "of this key: how often gpc0 went up in a period"),
	VALUE(gpc1, gpc1, "of this key: the second counter"),
	VALUE(gpc1_rate, gpc1_rate, "of this key: how often gpc1 went up in a period"),
	ELEMENT(gpc_rate, "of this key: how often a counter of gpc went up in a period"),
	ELEMENT(gpt, "of this key: a tag of the array gpt"),
	VALUE(gpt0, gpt0, "of this key: its tag"),
	VALUE(http_err_cnt, http_err_cnt, "of this key: HTTP errors so far"),
	VALUE(http_err_rate, http_err_rate, "of this key: HTTP errors in a period"),
	VALUE(http_fail_cnt, http_fail_cnt, "of this key: HTTP failures so far"),
	VALUE(http_fail_rate, http_fail_rate, "of this key: HTTP failures in a period"),
	VALUE(http_req_cnt, http_req_cnt, "of this key: HTTP requests so far"),
	VALUE(http_req_rate, http_req_rate, "of this key: HTTP requests in a period"),
	{ "table_idle", ARGS(1, ARG_TABLE, ARG_INT), SMP_ANY, SMP_INT, convert_time,
	  .data = IDLE, .help = "of this key: milliseconds since it was last updated" },
	CHANGE_ELEMENT("inc", COUNTS, "of this key: a counter of gpc goes up; what it is then"),
	CHANGE("inc", gpc0, COUNTS, "of this key: gpc0 goes up; what it is then"),
	CHANGE("inc", gpc1, COUNTS, "of this key: gpc1 goes up; what it is then"),
	{ "table_kbytes_in", ARGS(1, ARG_TABLE), SMP_ANY, SMP_INT, convert_kbytes,
	  check_value, .data = STICK_bytes_in_cnt, .help = "of this key: kilobytes from clients" },
	{ "table_kbytes_out", ARGS(1, ARG_TABLE), SMP_ANY, SMP_INT, convert_kbytes,
	  check_value, .data = STICK_bytes_out_cnt, .help = "of this key: kilobytes to clients" },
	VALUE(server_id, server_id, "of this key: the id of its server"),
	VALUE(sess_cnt, sess_cnt, "of this key: sessions so far"),
	VALUE(sess_rate, sess_rate, "of this key: sessions in a period"),
	{ "table_trackers", ARGS(1, ARG_TABLE), SMP_ANY, SMP_INT, convert_trackers,
	  .help = "of this key: how many streams and sessions track it" },
	{ 0 },
};
