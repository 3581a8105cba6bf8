/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetches of sticky counters and of entries of stick tables (manual chapter 7.3.3): sc_* of what
 * the stream or its session follows, sc0_* to sc2_* with the number in the name, src_* of the
 * client's address.
 *
 * What is followed has its own table; with a table as argument the same key is looked up there.
 * Nothing followed: no value. No entry of the key, or a table whose keys are of another type: 0. A data type that is not stored: no value,
 * and 0 from what counts up.
 */
#include "base/err.h"
#include "expr/expr.h"
#include "expr/stick_key.h"
#include "expr/table_uses.h"
#include "expr/tables.h"
#include "expr/track.h"
#include "expr/view.h"
#include "net/addr.h"
#include "proxy/stick_conf.h"

/* Where the entry comes from, and what is asked of it. */
enum from { SC, SC0, SC1, SC2, SRC };
enum ask { GET, INC, CLR, TRACKED, TRACKERS, KBYTES, COUNT_CONN, AVAILABLE, ENTRIES };
#define ASK(from, ask, what) ((from) << 16 | (ask) << 8 | (what))

/* An entry, pinned if `pinned'; entry NULL: there is none. */
struct found {
	struct stick_table *table;
	struct stick_entry *entry;
	bool pinned;
};

static void found_give(struct found *f)
{
	if (f->pinned)
		stick_give(f->table, f->entry);
}

/* The arguments stand in front of one another: element, number, table. */
struct asked {
	int64_t element, number;
	const struct expr_arg *table;
	const struct stick_line *line; /* NULL: the one that is followed */
};

/* row: its data. */
static struct asked asked_of(const struct expr_arg *arg, int row)
{
	enum from from = (enum from)(row >> 16);
	struct asked a = { .number = from == SC1 ? 1 : from == SC2 ? 2 : 0 };
	enum stick_data what = row & 0xff;

	if (what == STICK_gpc || what == STICK_gpt || what == STICK_gpc_rate)
		a.element = (arg++)->num;
	if (from == SC)
		a.number = (arg++)->num;
	a.table = arg;
	a.line = arg->type == ARG_TABLE ? arg->table : NULL;
	return a;
}

/* Where there is none of that number nothing is found. */
static unsigned index_of(int64_t number)
{
	return number >= 0 && number < UINT32_MAX ? (unsigned)number : UINT32_MAX;
}

static bool find_followed(const struct view *view, const struct asked *a, struct found *f)
{
	const struct tracked *t = track_find(view, index_of(a->number));
	const struct stick_definition *mine, *other;

	if (!t)
		return false;
	*f = (struct found){ t->line->table, t->entry, false };
	if (!a->line || a->line == t->line)
		return true;
	mine = stick_definition(t->line->table);
	other = stick_definition(a->line->table);
	*f = (struct found){ a->line->table, NULL, true };
	if (mine->type == other->type)
		f->entry = stick_find(f->table, stick_key(t->line->table, t->entry));
	return true;
}

/* make: what is counted there has to have an entry. */
static bool find_source(const struct view *view, const struct asked *a, bool make, struct found *f)
{
	struct stick_key_memory memory;
	struct sample smp = { .type = SMP_IPV4 };
	struct span key;

	if (!view->src || (view->src->family != AF_INET && view->src->family != AF_INET6))
		return false;
	if (view->src->family == AF_INET) {
		smp.v4 = view->src->v4;
	} else {
		smp.type = SMP_IPV6;
		smp.v6 = view->src->v6;
	}
	*f = (struct found){ a->line->table, NULL, true };
	if (!stick_key_of_sample(stick_definition(f->table)->type, &smp, &memory, &key))
		return false;
	f->entry = make ? stick_take(f->table, key, NULL) : stick_find(f->table, key);
	if (make && f->entry)
		stick_touch(f->table, f->entry);
	return true;
}

static bool find_entry(const struct fetch_call *call, const struct asked *a, bool make,
		       struct found *f)
{
	enum from from = (enum from)(call->row->data >> 16);

	return from == SRC ? find_source(call->view, a, make, f) :
			     find_followed(call->view, a, f);
}

enum stick_data stick_rate_of(enum stick_data what)
{
	return what == STICK_gpc0 ? STICK_gpc0_rate : what == STICK_gpc1 ? STICK_gpc1_rate :
	       what == STICK_gpc ? STICK_gpc_rate : STICK_DATA;
}

bool stick_count_up(struct stick_table *table, struct stick_entry *e, enum stick_data what,
		    unsigned element, uint64_t by, uint64_t *value)
{
	const struct stick_definition *def = stick_definition(table);
	unsigned at = element, rate_at = element;
	enum stick_data count = stick_stored_as(def, what, &at);
	enum stick_data rate = stick_rate_of(what);

	if (rate != STICK_DATA)
		rate = stick_stored_as(def, rate, &rate_at);
	if (rate != STICK_DATA)
		*value = stick_add(table, e, rate, rate_at, by);
	if (count != STICK_DATA)
		*value = stick_add(table, e, count, at, by);
	if (count == STICK_DATA && rate == STICK_DATA)
		return false;
	stick_touch(table, e);
	return true;
}

bool stick_tag(struct stick_table *table, struct stick_entry *e, enum stick_data what,
	       unsigned element, uint64_t value)
{
	unsigned at = element;
	enum stick_data tag = stick_stored_as(stick_definition(table), what, &at);

	if (tag == STICK_DATA)
		return false;
	stick_set(table, e, tag, at, value);
	stick_touch(table, e);
	return true;
}

/* ---- what is asked ------------------------------------------------------------------------- */

static bool ask_value(const struct found *f, enum stick_data what, unsigned element,
		      uint64_t *value)
{
	unsigned at = element;
	enum stick_data stored = stick_stored_as(stick_definition(f->table), what, &at);

	*value = f->entry && stored != STICK_DATA ? stick_value(f->table, f->entry, stored, at) : 0;
	return !f->entry || stored != STICK_DATA;
}

/* Its value until now; 0 from now on. */
static bool ask_clear(const struct found *f, enum stick_data what, unsigned element,
		      uint64_t *value)
{
	if (!ask_value(f, what, element, value))
		return false;
	return !f->entry || stick_tag(f->table, f->entry, what, element, 0);
}

static bool ask_inc(const struct found *f, enum stick_data what, unsigned element, uint64_t *value)
{
	*value = 0;
	return !f->entry || stick_count_up(f->table, f->entry, what, element, 1, value);
}

static bool ask(const struct found *f, enum ask what, enum stick_data data, unsigned element,
		uint64_t *value)
{
	switch (what) {
	case INC:
		ask_inc(f, data, element, value);
		return true;
	case COUNT_CONN:
		return ask_inc(f, data, element, value);
	case CLR:
		return ask_clear(f, data, element, value);
	case TRACKERS:
		*value = f->entry ? stick_uses(f->entry) + !f->pinned : 0;
		return true;
	case KBYTES:
		if (!ask_value(f, data, element, value))
			return false;
		*value >>= 10;
		return true;
	default:
		return ask_value(f, data, element, value);
	}
}

static enum expr_result fetch_counter(struct fetch_call *call, struct sample *smp)
{
	enum ask what = (enum ask)(call->row->data >> 8 & 0xff);
	enum stick_data data = (enum stick_data)(call->row->data & 0xff);
	struct asked a = asked_of(call->args, call->row->data);
	struct found f;
	uint64_t value;
	bool good;

	if (!find_entry(call, &a, what == INC || what == CLR || what == COUNT_CONN, &f))
		return EXPR_NONE;
	good = ask(&f, what, data, index_of(a.element), &value);
	found_give(&f);
	smp->num = (int64_t)value;
	smp->flags |= SMP_MAY_CHANGE;
	return good ? EXPR_FOUND : EXPR_NONE;
}

/* Whatever table is named, as in the reference. */
static enum expr_result fetch_tracked(struct fetch_call *call, struct sample *smp)
{
	struct asked a = asked_of(call->args, call->row->data);

	smp->num = track_find(call->view, index_of(a.number)) != NULL;
	return EXPR_FOUND;
}

static enum expr_result fetch_table(struct fetch_call *call, struct sample *smp)
{
	struct stick_table *t = call->args[0].table->table;
	uint32_t used = stick_used(t);

	smp->num = (call->row->data >> 8 & 0xff) == ENTRIES ? used :
							      stick_definition(t)->size - used;
	return EXPR_FOUND;
}

static int check_counter(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct asked a = asked_of(args, ctx->data);
	enum from from = (enum from)(ctx->data >> 16);
	enum ask what = (enum ask)(ctx->data >> 8 & 0xff);
	enum stick_data data = (enum stick_data)(ctx->data & 0xff);

	(void)err;
	table_use_note(ctx->cfg, &(struct table_use){
		.what = ctx->what, .loc = ctx->loc, .proxy = ctx->proxy, .used = ctx->used,
		.table = what == TRACKED ? NULL : a.table,
		.number = from == SRC ? TABLE_USE_KEY : a.number, .element = a.element,
		.data = { data, what == INC ? stick_rate_of(data) : STICK_DATA } });
	return 0;
}

#define ROW(name_, args_, from, ask_, what, text)                                             \
	{ name_, args_, SMP_INT, FROM_CONNECTION, fetch_counter, check_counter,               \
	  .data = ASK(from, ask_, STICK_##what), .help = text }
/* A name in all its forms. */
#define COUNTER(name, ask, what, text)                                                        \
	ROW("sc_" name, ARGS(1, ARG_INT, ARG_TABLE), SC, ask, what,                 \
	    text " of what is followed"),                                                     \
	ROW("sc0_" name, ARGS(0, ARG_TABLE), SC0, ask, what, text " of sticky counter 0"), \
	ROW("sc1_" name, ARGS(0, ARG_TABLE), SC1, ask, what, text " of sticky counter 1"), \
	ROW("sc2_" name, ARGS(0, ARG_TABLE), SC2, ask, what, text " of sticky counter 2"), \
	ROW("src_" name, ARGS(1, ARG_TABLE), SRC, ask, what, text " of the client's address")
/* The same for one of an array, which comes first. */
#define ELEMENT(name, ask, what, text)                                                        \
	ROW("sc_" name, ARGS(2, ARG_INT, ARG_INT, ARG_TABLE), SC, ask, what, \
	    text " of what is followed"),                                                     \
	ROW("sc0_" name, ARGS(1, ARG_INT, ARG_TABLE), SC0, ask, what,           \
	    text " of sticky counter 0"),                                                     \
	ROW("sc1_" name, ARGS(1, ARG_INT, ARG_TABLE), SC1, ask, what,           \
	    text " of sticky counter 1"),                                                     \
	ROW("sc2_" name, ARGS(1, ARG_INT, ARG_TABLE), SC2, ask, what,           \
	    text " of sticky counter 2"),                                                     \
	ROW("src_" name, ARGS(2, ARG_INT, ARG_TABLE), SRC, ask, what,           \
	    text " of the client's address")
#define TRACKED_ROW(name, from, args)                                                         \
	{ name, args, SMP_BOOL, FROM_CONNECTION, fetch_tracked, check_counter,                      \
	  .data = ASK(from, TRACKED, STICK_DATA), .help = "is anything followed?" }
#define TRACKERS_ROW(name, from, args)                                                        \
	{ name, args, SMP_INT, FROM_CONNECTION, fetch_counter, check_counter,                       \
	  .data = ASK(from, TRACKERS, STICK_DATA), .help = "how many follow the same entry" }

const struct fetch fetch_stick[] = {
	COUNTER("bytes_in_rate", GET, bytes_in_rate, "bytes received in a period"),
	COUNTER("bytes_out_rate", GET, bytes_out_rate, "bytes sent in a period"),
	COUNTER("clr_gpc0", CLR, gpc0, "sets to 0, and gives, counter gpc0"),
	COUNTER("clr_gpc1", CLR, gpc1, "sets to 0, and gives, counter gpc1"),
	ELEMENT("clr_gpc", CLR, gpc, "sets to 0, and gives, a counter"),
	COUNTER("conn_cnt", GET, conn_cnt, "connections"),
	COUNTER("conn_cur", GET, conn_cur, "connections now"),
	COUNTER("conn_rate", GET, conn_rate, "connections in a period"),
	COUNTER("get_gpc0", GET, gpc0, "counter gpc0"),
	COUNTER("get_gpc1", GET, gpc1, "counter gpc1"),
	ELEMENT("get_gpc", GET, gpc, "a counter"),
	COUNTER("get_gpt0", GET, gpt0, "tag gpt0"),
	ELEMENT("get_gpt", GET, gpt, "a tag"),
	COUNTER("glitch_cnt", GET, glitch_cnt, "oddities of the protocol"),
	COUNTER("glitch_rate", GET, glitch_rate, "oddities of the protocol in a period"),
	COUNTER("gpc0_rate", GET, gpc0_rate, "increments of gpc0 in a period"),
	COUNTER("gpc1_rate", GET, gpc1_rate, "increments of gpc1 in a period"),
	ELEMENT("gpc_rate", GET, gpc_rate, "increments of a counter in a period"),
	COUNTER("http_err_cnt", GET, http_err_cnt, "errors of the client"),
	COUNTER("http_err_rate", GET, http_err_rate, "errors of the client in a period"),
	COUNTER("http_fail_cnt", GET, http_fail_cnt, "failures of the server"),
	COUNTER("http_fail_rate", GET, http_fail_rate, "failures of the server in a period"),
	COUNTER("http_req_cnt", GET, http_req_cnt, "requests"),
	COUNTER("http_req_rate", GET, http_req_rate, "requests in a period"),
	COUNTER("inc_gpc0", INC, gpc0, "counts up, and gives, counter gpc0"),
	COUNTER("inc_gpc1", INC, gpc1, "counts up, and gives, counter gpc1"),
	ELEMENT("inc_gpc", INC, gpc, "counts up, and gives, a counter"),
	COUNTER("kbytes_in", KBYTES, bytes_in_cnt, "kilobytes received"),
	COUNTER("kbytes_out", KBYTES, bytes_out_cnt, "kilobytes sent"),
	COUNTER("sess_cnt", GET, sess_cnt, "sessions"),
	COUNTER("sess_rate", GET, sess_rate, "sessions in a period"),
	TRACKED_ROW("sc_tracked", SC, ARGS(1, ARG_INT, ARG_TABLE)),
	TRACKED_ROW("sc0_tracked", SC0, ARGS(0, ARG_TABLE)),
	TRACKED_ROW("sc1_tracked", SC1, ARGS(0, ARG_TABLE)),
	TRACKED_ROW("sc2_tracked", SC2, ARGS(0, ARG_TABLE)),
	TRACKERS_ROW("sc_trackers", SC, ARGS(1, ARG_INT, ARG_TABLE)),
	TRACKERS_ROW("sc0_trackers", SC0, ARGS(0, ARG_TABLE)),
	TRACKERS_ROW("sc1_trackers", SC1, ARGS(0, ARG_TABLE)),
	TRACKERS_ROW("sc2_trackers", SC2, ARGS(0, ARG_TABLE)),
	ROW("src_updt_conn_cnt", ARGS(1, ARG_TABLE), SRC, COUNT_CONN, conn_cnt,
	    "counts up, and gives, connections of the client's address"),
	{ "table_avl", ARGS(1, ARG_TABLE), SMP_INT, FROM_STATE, fetch_table,
	  .data = ASK(SRC, AVAILABLE, 0), .help = "places that are free in a stick table" },
	{ "table_cnt", ARGS(1, ARG_TABLE), SMP_INT, FROM_STATE, fetch_table,
	  .data = ASK(SRC, ENTRIES, 0), .help = "entries in a stick table" },
	{ 0 },
};
