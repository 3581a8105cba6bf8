/* SPDX-License-Identifier: BSD-2-Clause */
/* What scripts register: rows of actions, fetches and converters, which the parsers of later lines
 * find (base/tables.h). Called by scripts while the files are read. Rows stay for the life of the
 * process, as a reload is another one. */
#include "lua/register.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/tables.h"
#include "exchange/http_rules.h"
#include "log/log.h"
#include "lua/action.h"
#include "lua/object.h"
#include "lua/running.h"
#include "lua/sample_calls.h"
#include "stream/tcp_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum { ROWS_MOST = 1000, NAME_MOST = 60, ARGS_MOST = 100 };

static bool closed, reading_again;
/* All that were registered, and by which function of core the next one is. */
static struct registered *all_registered;
static const char *registering_what = "";

void register_close(void)
{
	closed = true;
}

void registering(lua_State *L, const char *what)
{
	if (closed && !reading_again)
		luaL_error(L, "%s: only while the files are read", what);
	registering_what = what;
}

/* While the configuration is read memory does not run out. */
static void *need(void *memory)
{
	BUG_ON(!memory);
	return memory;
}

/* A script that fails does so for each request, and a client may make it fail. */
enum { FAILURES_TOLD = 10 /* a second */ };

/* No struct rate: those are of the rows of counters, which several processes read. */
static bool failure_told(struct failures *f)
{
	if (f->second != clock_now_ms / 1000) {
		f->second = clock_now_ms / 1000;
		f->told = 0;
	}
	if (f->told >= FAILURES_TOLD) {
		f->untold++;
		return false;
	}
	f->told++;
	return true;
}

void failures_tell(struct failures *f, const char *what, const char *error, const struct log_conf *log)
{
	char more[40] = "";

	if (!failure_told(f))
		return;
	if (f->untold)
		snprintf(more, sizeof(more), " (%u more were not told)", f->untold);
	f->untold = 0;
	if (!log_printf(log ? log : log_global(), LOG_L_ERR, "Lua %s: %s.%s", what, error, more))
		log_stderr(LOG_L_ERR, "Lua %s: %s.%s", what, error, more);
}

void registered_failed(const struct registered *r, const char *what, const char *error,
		       const struct log_conf *log)
{
	char whose[300];

	snprintf(whose, sizeof(whose), "%s '%s'", what, r->shown);
	failures_tell(r->failures, whose, error, log);
}

void register_again(bool on)
{
	struct registered *r;

	reading_again = on;
	for (r = all_registered; r && on; r = r->next)
		r->missing = r->own;
}

/* The one of that name and kind that counts. NULL: there is none. */
static struct registered *registered_find(const char *name, const char *what)
{
	struct registered *r;

	for (r = all_registered; r; r = r->next)
		if (!strcmp(r->name + 4, name) && !strcmp(r->what, what))
			return r;
	return NULL;
}

/* In the words of the reference. */
int register_agrees(struct err *err)
{
	const struct registered *r;

	for (r = all_registered; r; r = r->next)
		if (r->missing && registered_find(r->name + 4, r->what) == r)
			return err_set(err, "Lua function '%s' is not referenced in all thread. "
					    "Expect function in all thread or in none thread.",
				       r->name + 4);
	return 0;
}

/* The function at `at` in the place of the one that this name has; NULL: it is a new one. */
static struct registered *replaced(lua_State *L, const char *name, int at)
{
	struct registered *r = registered_find(name, registering_what);

	if (!r)
		return NULL;
	lua_pushvalue(L, at);
	luaL_unref(L, LUA_REGISTRYINDEX, r->ref);
	r->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	r->missing = false;
	return r;
}

struct registered *registered_new(lua_State *L, const char *name, int at)
{
	struct registered *r = reading_again ? replaced(L, name, at) : NULL;
	char *text;

	if (r)
		return r;
	r = need(calloc(1, sizeof(*r)));
	text = need(malloc(strlen(name) + 5));
	sprintf(text, "lua.%s", name);
	r->name = text;
	r->shown = text + 4;
	r->failures = need(calloc(1, sizeof(*r->failures)));
	r->what = registering_what;
	r->own = own_reading;
	r->missing = reading_again;
	r->next = all_registered;
	all_registered = r;
	lua_pushvalue(L, at);
	r->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return r;
}

unsigned registered_state(const struct registered *r)
{
	return own_state(r->own);
}

const char *register_name(lua_State *L, const char *what)
{
	const char *name = luaL_checkstring(L, 1);

	registering(L, what);
	luaL_argcheck(L, strlen(name) < NAME_MOST, 1, "this is too long for a name");
	return name;
}

/* ---- actions -------------------------------------------------------------------------------- */

/* Lists that scripts name; of those that share tables each has its bits. */
static const struct action_list {
	const char *name;
	const struct rule_list *list;
	unsigned where;
	unsigned table;   /* which of the lists of rows below */
} action_lists[] = {
	{ "tcp-req", &tcp_rule_lists[2], AT_REQUESTS, 0 },
	{ "tcp-res", &tcp_rule_lists[3], AT_RESPONSE, 0 },
	{ "http-req", &http_rule_lists[0], AT_REQUESTS, 1 },
	{ "http-res", &http_rule_lists[1], AT_RESPONSE, 2 },
	{ "http-after-res", &http_rule_lists[2], AT_RESPONSE, 3 },
};
enum { ACTION_TABLES = 4 };

static struct action actions[ACTION_TABLES][ROWS_MOST + 1];
static unsigned action_count[ACTION_TABLES];

/* Rows know their function by a number. */
static const struct registered *functions[ACTION_TABLES * ROWS_MOST];
static int function_count;

static int parse_action(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	return action_parse_words(st, rule, functions[rule->action->data]);
}

/* In the words of the reference, so that whoever looks for them finds them. Not once more by each
 * process that reads its files again. */
static void warn_twice(const char *what, const char *name)
{
	if (!reading_again)
		log_stderr(LOG_L_WARNING, "config : Trying to register %s '%s' more than once.",
			   what, name);
}

static struct action *action_row(const struct action_list *l, const char *name)
{
	unsigned i;

	for (i = 0; i < action_count[l->table]; i++)
		if (!strcmp(actions[l->table][i].name, name))
			return &actions[l->table][i];
	return NULL;
}

static void add_action(lua_State *L, const struct action_list *l, const struct registered *r)
{
	struct action *row = action_row(l, r->name);
	struct err err;

	if (row && row->where & l->where) {
		warn_twice("action", r->name);
		row->data = function_count - 1; /* the later one counts */
		return;
	}
	if (action_count[l->table] == ROWS_MOST)
		luaL_error(L, "more than %d actions", ROWS_MOST);
	row = &actions[l->table][action_count[l->table]++];
	*row = (struct action){ r->name, .where = (uint16_t)l->where, .parse = parse_action,
				.run = action_run_script, .data = function_count - 1,
				.help = "an action that is a script" };
	if (action_count[l->table] == 1 && rule_add_actions(l->list, actions[l->table], &err))
		luaL_error(L, "%s", err.text);
}

static const struct action_list *action_list(lua_State *L, const char *name)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(action_lists); i++)
		if (!strcmp(action_lists[i].name, name))
			return &action_lists[i];
	luaL_error(L, "Lua action environment '%s' is unknown. 'tcp-req', 'tcp-res', 'http-req', 'http-res' "
		   "or 'http-after-res' are expected.", name);
	return NULL;
}

/* Looks at all of them before the first is made known: an error leaves nothing behind. */
static void check_lists(lua_State *L)
{
	int i;

	for (i = 1; lua_rawgeti(L, 2, i) != LUA_TNIL; i++) {
		if (lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "register_action: second argument must be a table of strings");
		action_list(L, lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* A number below 0 is none, as the reference takes it. */
static unsigned check_count(lua_State *L)
{
	lua_Integer args = lua_gettop(L) > 3 ? luaL_checkinteger(L, 4) : 0;

	luaL_argcheck(L, args <= ARGS_MOST, 4, "more arguments than a rule may have");
	return args > 0 ? (unsigned)args : 0;
}

/* core.register_action(name, { environments }, func [, nb_args]) */
int register_action(lua_State *L)
{
	struct registered *r;
	const char *name;
	unsigned args;
	int i;

	arguments_check(L, "register_action", 3, 4);
	name = register_name(L, "register_action");
	luaL_checktype(L, 2, LUA_TTABLE);
	luaL_checktype(L, 3, LUA_TFUNCTION);
	args = check_count(L);
	luaL_argcheck(L, function_count < (int)ARRAY_LEN(functions), 1, "too many actions");
	check_lists(L);
	r = registered_new(L, name, 3);
	r->args = args;
	functions[function_count++] = r;
	for (i = 1; lua_rawgeti(L, 2, i) != LUA_TNIL; i++) {
		add_action(L, action_list(L, lua_tostring(L, -1)), r);
		lua_pop(L, 1);
	}
	return 0;
}

/* ---- fetches and converters ----------------------------------------------------------------- */

static struct fetch fetches[ROWS_MOST + 1];
static struct converter converters[ROWS_MOST + 1];

/* Rows know their function by a number. */
static struct sample_functions {
	const struct registered *all[ROWS_MOST];
	int count;
} fetch_functions, converter_functions;

const struct registered *registered_fetch(int data)
{
	return fetch_functions.all[data];
}

const struct registered *registered_converter(int data)
{
	return converter_functions.all[data];
}

static int registered_again(const struct sample_functions *f, const char *name)
{
	int i;

	for (i = 0; i < f->count; i++)
		if (!strcmp(f->all[i]->name + 4, name))
			return i;
	return -1;
}

/* The function at 2 under the name at 1. by: of core. what: for messages. Its number, for a row that
 * is to be made; -1: it has taken the place of another one. */
static int add_function(lua_State *L, const char *by, const char *what, struct sample_functions *f)
{
	const struct registered *r;
	const char *name;
	int again;

	arguments_check(L, by, 2, 2);
	name = register_name(L, by);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	luaL_argcheck(L, f->count < ROWS_MOST, 1, "too many of them");
	again = registered_again(f, name);
	r = registered_new(L, name, 2);
	if (again >= 0)
		warn_twice(what, r->name);
	f->all[again >= 0 ? again : f->count] = r;
	return again >= 0 ? -1 : f->count++;
}

/* core.register_fetches(name, func) */
int register_fetches(lua_State *L)
{
	int n = add_function(L, "register_fetches", "sample-fetch", &fetch_functions);
	struct err err;

	if (n < 0)
		return 0;
	fetches[n] = (struct fetch){
		fetch_functions.all[n]->name, ARGS(0, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR),
		SMP_STR, AT_ANY, fetch_script, .data = n, .help = "a fetch that is a script" };
	if (!n && expr_add_fetches(fetches, &err))
		return luaL_error(L, "%s", err.text);
	return 0;
}

/* core.register_converters(name, func) */
int register_converters(lua_State *L)
{
	int n = add_function(L, "register_converters", "converter", &converter_functions);
	struct err err;

	if (n < 0)
		return 0;
	converters[n] = (struct converter){
		converter_functions.all[n]->name, ARGS(0, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR),
		SMP_STR, SMP_STR, convert_script, NULL, n, "a converter that is a script" };
	if (!n && expr_add_converters(converters, &err))
		return luaL_error(L, "%s", err.text);
	return 0;
}
