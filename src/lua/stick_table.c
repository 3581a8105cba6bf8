/* SPDX-License-Identifier: BSD-2-Clause */
/* The class StickTable: what a table is, one entry, all of them. Lua may raise an error wherever it
 * takes memory, so an entry is copied while it is pinned, and given back before Lua hears of it. */
#include "base/clock.h"
#include "expr/stick_key.h"
#include "lua/classes.h"
#include "lua/proxies.h"
#include "lua/script.h"
#include "lua/value.h"
#include "proxy/stick_conf.h"

#include <arpa/inet.h>
#include <lauxlib.h>

enum { FILTERS_MOST = 4, VALUES_MOST = 512,
       PLACES_A_STRETCH = 1000, STRETCH_US = 500,
       NO_WAIT_MS = 50 /* most where nothing can wait meanwhile */ };

static const char table_kind;

static const struct stick_line *line_of(lua_State *L)
{
	return object_of(L, 1, &table_kind);
}

/* ---- one entry ------------------------------------------------------------------------------ */

/* A copy. */
struct row {
	uint32_t left;
	unsigned uses, count;
	uint64_t values[VALUES_MOST]; /* in the order of the columns, arrays element by element */
	size_t key_len;
	char key[];
};

static struct row *row_new(lua_State *L, const struct stick_definition *def)
{
	return lua_newuserdatauv(L, sizeof(struct row) + def->key_len, 0);
}

/* Of an entry that is pinned. */
static void row_copy(struct row *row, const struct stick_table *t, const struct stick_entry *e)
{
	const struct stick_definition *def = stick_definition(t);
	struct span key = stick_key(t, e);
	unsigned what, at;

	row->left = stick_left(t, e);
	row->uses = stick_uses(e);
	row->count = 0;
	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < def->columns[what].count && row->count < VALUES_MOST; at++)
			row->values[row->count++] = stick_value(t, e, what, at);
	row->key_len = key.len < def->key_len ? key.len : def->key_len;
	memcpy(row->key, key.ptr, row->key_len);
}

static void push_value(lua_State *L, enum stick_data what, uint64_t value)
{
	struct span name;

	if (stick_data_types[what].form != STICK_KEY) {
		lua_pushinteger(L, (lua_Integer)value);
		return;
	}
	name = stick_name((uint32_t)value);
	lua_pushlstring(L, name.ptr ? name.ptr : "", name.len);
}

/* "gpc0", or "gpc" of an array as "gpc0", "gpc1" ... "gpc_rate" as "gpc0_rate". */
static void push_name(lua_State *L, enum stick_data what, unsigned at)
{
	const char *name = stick_data_types[what].name;

	if (stick_data_types[what].argument != STICK_ARRAY &&
	    stick_data_types[what].argument != STICK_BOTH)
		lua_pushstring(L, name);
	else
		lua_pushfstring(L, "%c%c%c%d%s", name[0], name[1], name[2], (int)at, name + 3);
}

/* A table of its values, on the stack. */
static void push_values(lua_State *L, const struct stick_definition *def, const struct row *row)
{
	unsigned what, at, n = 0;

	lua_createtable(L, 0, (int)row->count + 2);
	for (what = 0; what < STICK_DATA; what++)
		for (at = 0; at < def->columns[what].count && n < row->count; at++, n++) {
			push_name(L, what, at);
			push_value(L, what, row->values[n]);
			lua_rawset(L, -3);
		}
}

static void push_key(lua_State *L, const struct stick_definition *def, const struct row *row)
{
	char text[INET6_ADDRSTRLEN];
	uint32_t number;

	switch (def->type) {
	case STICK_IP:
	case STICK_IPV6:
		inet_ntop(def->type == STICK_IP ? AF_INET : AF_INET6, row->key, text, sizeof(text));
		lua_pushstring(L, text);
		break;
	case STICK_INTEGER:
		memcpy(&number, row->key, sizeof(number));
		lua_pushinteger(L, number);
		break;
	default:
		lua_pushlstring(L, row->key, row->key_len);
	}
}

/* table:lookup(key): values of the entry, `use` and `expire`; or nil */
static int table_lookup(lua_State *L)
{
	const struct stick_line *line = line_of(L);
	struct stick_key_memory memory;
	struct stick_entry *e;
	struct span text, key;
	struct row *row;

	lua_settop(L, 2);
	row = row_new(L, &line->def);
	text.ptr = lua_isstring(L, 2) ? lua_tolstring(L, 2, &text.len) : NULL;
	e = text.ptr && stick_key_of_text(line->def.type, text, &memory, &key) ?
		    stick_find(line->table, key) : NULL;
	if (!e) {
		lua_pushnil(L);
		return 1;
	}
	row_copy(row, line->table, e);
	stick_give(line->table, e);
	push_values(L, &line->def, row);
	lua_pushinteger(L, row->uses);
	lua_setfield(L, -2, "use");
	lua_pushinteger(L, row->left);
	lua_setfield(L, -2, "expire");
	return 1;
}

/* ---- what it is ----------------------------------------------------------------------------- */

/* Names of what it stores, with the periods of rates. */
static void push_columns(lua_State *L, const struct stick_definition *def)
{
	unsigned what;

	lua_newtable(L);
	for (what = 0; what < STICK_DATA; what++) {
		if (!stick_stores(def, what))
			continue;
		lua_pushinteger(L, stick_data_types[what].form == STICK_RATE ?
					   (lua_Integer)def->columns[what].period : -1);
		lua_setfield(L, -2, stick_data_types[what].name);
	}
}

static int table_info(lua_State *L)
{
	const struct stick_line *line = line_of(L);
	const struct stick_definition *def = &line->def;

	lua_createtable(L, 0, 7);
	lua_pushstring(L, stick_key_type_name(def->type));
	lua_setfield(L, -2, "type");
	/* Of strings with an end, as others count them. */
	lua_pushinteger(L, (lua_Integer)def->key_len + (def->type == STICK_STRING));
	lua_setfield(L, -2, "length");
	lua_pushinteger(L, def->size);
	lua_setfield(L, -2, "size");
	lua_pushinteger(L, stick_used(line->table));
	lua_setfield(L, -2, "used");
	lua_pushinteger(L, def->expire_ms);
	lua_setfield(L, -2, "expire");
	lua_pushboolean(L, def->nopurge);
	lua_setfield(L, -2, "nopurge");
	push_columns(L, def);
	lua_setfield(L, -2, "data");
	return 1;
}

/* ---- all entries ---------------------------------------------------------------------------- */

enum relation { EQ, NE, LE, LT, GE, GT, RELATIONS };
static const char *const relations[RELATIONS] = { "eq", "ne", "le", "lt", "ge", "gt" };

struct filter {
	enum stick_data what;
	unsigned at;
	enum relation relation;
	int64_t value;
};

/* Lies on the stack while it goes on. */
struct dump {
	const struct stick_line *line;
	uint64_t began_us;
	unsigned filter_count;
	struct filter filters[FILTERS_MOST];
};
enum { AT_DUMP = 3, AT_ROW, AT_RESULT };

static bool compare(enum relation relation, int64_t value, int64_t with)
{
	switch (relation) {
	case EQ:
		return value == with;
	case NE:
		return value != with;
	case LE:
		return value <= with;
	case LT:
		return value < with;
	case GE:
		return value >= with;
	case GT:
	case RELATIONS:
		break;
	}
	return value > with;
}

static bool wanted(const struct dump *d, const struct stick_entry *e)
{
	const struct filter *f;

	for (f = d->filters; f < d->filters + d->filter_count; f++)
		if (!compare(f->relation,
			     (int64_t)stick_value(d->line->table, e, f->what, f->at), f->value))
			return false;
	return true;
}

/* One triplet, on top of the stack; what is wrong, or NULL. */
static const char *read_filter(lua_State *L, const struct stick_definition *def, struct filter *f)
{
	const char *name, *relation;
	unsigned r;

	if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 3)
		return "Filter table entry must be a triplet: {\"data_col\", \"op\", val}";
	lua_rawgeti(L, -1, 1);
	lua_rawgeti(L, -2, 2);
	lua_rawgeti(L, -3, 3);
	name = lua_type(L, -3) == LUA_TSTRING ? lua_tostring(L, -3) : "";
	relation = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
	f->value = lua_tointeger(L, -1);
	lua_pop(L, 3); /* the filter has them */
	f->what = stick_data_find(span_of(name));
	if (f->what != STICK_DATA)
		f->what = stick_stored_as(def, f->what, &f->at);
	if (f->what == STICK_DATA)
		return "Filter table data column not present in stick table";
	for (r = 0; r < RELATIONS && strcmp(relations[r], relation); r++)
		;
	f->relation = (enum relation)r;
	return r < RELATIONS ? NULL : "Unknown operator in filter table";
}

/* The filter at 2; what is wrong lies on the stack then, and false. */
static bool read_filters(lua_State *L, struct dump *d)
{
	size_t len = lua_istable(L, 2) ? lua_rawlen(L, 2) : 0, i;
	const char *wrong;

	if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2)) {
		lua_pushliteral(L, "filter table expected");
		return false;
	}
	if (len > FILTERS_MOST) {
		lua_pushfstring(L, "Filter table too large (len > %d)", FILTERS_MOST);
		return false;
	}
	for (i = 0; i < len; i++) {
		lua_rawgeti(L, 2, (lua_Integer)i + 1);
		wrong = read_filter(L, &d->line->def, &d->filters[d->filter_count++]);
		if (wrong) {
			lua_pushfstring(L, "%s (entry #%d)", wrong, (int)i + 1);
			return false;
		}
		lua_pop(L, 1);
	}
	return true;
}

/* The next entry that is wanted goes into the row. False: none among the places of this stretch. */
static bool next_row(const struct dump *d, struct row *row, uint32_t *at)
{
	struct stick_table *t = d->line->table;
	struct stick_entry *e = stick_next(t, at, PLACES_A_STRETCH);
	bool found;

	if (!e)
		return false;
	found = wanted(d, e);
	if (found)
		row_copy(row, t, e);
	stick_give(t, e);
	return found;
}

static int dump_on(lua_State *L, int status, lua_KContext from)
{
	const struct dump *d = lua_touserdata(L, AT_DUMP);
	struct row *row = lua_touserdata(L, AT_ROW);
	uint64_t began_us = clock_read_us();
	uint32_t at = (uint32_t)from;

	(void)status;
	while (at < stick_places(d->line->table)) {
		if (next_row(d, row, &at)) {
			push_key(L, &d->line->def, row);
			push_values(L, &d->line->def, row);
			lua_rawset(L, AT_RESULT);
		}
		if (clock_read_us() - began_us < STRETCH_US)
			continue;
		if (script_may_wait(L))
			return script_sleep(L, SCRIPT_TURN, dump_on, (lua_KContext)at);
		if (clock_read_us() - d->began_us > NO_WAIT_MS * 1000)
			return luaL_error(L, "dump: it takes too long where nobody may wait");
	}
	lua_settop(L, AT_RESULT);
	return 1;
}

/* table:dump([filter]): all entries by their keys, or nil and what is wrong */
static int table_dump(lua_State *L)
{
	const struct stick_line *line = line_of(L);
	struct dump *d;

	lua_settop(L, 2);
	d = lua_newuserdatauv(L, sizeof(*d), 0);
	*d = (struct dump){ .line = line, .began_us = clock_read_us() };
	if (!read_filters(L, d)) {
		lua_pushnil(L);
		lua_rotate(L, -2, 1);
		return 2;
	}
	row_new(L, &line->def);
	lua_newtable(L);
	return dump_on(L, LUA_OK, 0);
}

/* ---- the class ------------------------------------------------------------------------------ */

static const struct class_method methods[] = {
	{ "info", table_info, "", "table", "type, length, size, used, expire, nopurge, data", 0 },
	{ "lookup", table_lookup, "key", "table or nil", "what an entry has, use and expire", 0 },
	{ "dump", table_dump, "[filter]", "table; or nil, string",
	  "all entries by their keys; filter: up to four {\"gpc0\", \"gt\", 5}", METHOD_WAITS },
	{ 0 },
};

const struct class stick_table_class = {
	"StickTable", methods, .help = "a stick table: the member stktable of its proxy",
	.where = "once the configuration is complete",
};

void stick_table_push(lua_State *L, const struct stick_line *line)
{
	handle_new(L, &table_kind, (void *)line);
	object_new(L, &stick_table_class, -1, 0);
	lua_remove(L, -2);
}
