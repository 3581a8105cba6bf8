/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that are scripts: started where a rule runs, resumed where the rule goes on, and what
 * their results mean for the list. Called by expr/rules.c through rows that stay for the life of
 * the process; the parsers of later lines find them (base/tables.h). */
#include "lua/action.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/kind.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "exchange/http_rules.h"
#include "exchange/reply.h"
#include "expr/rule_conf.h"
#include "expr/view.h"
#include "lua/object.h"
#include "lua/register.h"
#include "lua/state.h"
#include "lua/stream.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/stream.h"
#include "stream/tcp_rules.h"

#include <lauxlib.h>

/* Values of the table act. */
enum { ACT_CONTINUE, ACT_STOP, ACT_YIELD, ACT_ERROR, ACT_DONE, ACT_DENY, ACT_ABORT, ACT_INVALID };

static const struct {
	const char *name;
	int value;
} act_values[] = {
	{ "CONTINUE", ACT_CONTINUE }, { "STOP", ACT_STOP }, { "YIELD", ACT_YIELD },
	{ "ERROR", ACT_ERROR }, { "DONE", ACT_DONE }, { "DENY", ACT_DENY },
	{ "ABORT", ACT_ABORT }, { "INVALID", ACT_INVALID },
};

/* What rules that name a script have as their data: the words behind it. */
struct script_words {
	const struct registered *function;
	const char **words;   /* function->args of them */
	KIND_MEMBER
};

static int parse_words(struct statement *st, struct rule *rule, const struct registered *function)
{
	struct script_words *data = arena_alloc(st->cfg->arena, sizeof(*data));
	unsigned i;

	KIND_IS(struct script_words, data);
	data->function = function;
	data->words = arena_alloc(st->cfg->arena, (function->args + 1) * sizeof(*data->words));
	for (i = 0; i < function->args; i++) {
		data->words[i] = stmt_need(st, "an argument of the script");
		if (!data->words[i])
			return -1;
	}
	rule->data = data;
	return 0;
}

/* ---- what its result means ------------------------------------------------------------------ */

/* The stream ends without a word to the client. */
static enum action_result end_silently(struct stream_scripts *ss, enum reason reason)
{
	struct exchange *x = ss->stream->exchange;
	struct reply *reply;

	if (!x) {
		ss->stream->extra->rule_ends = (uint8_t)reason;
		return ACTION_REPLY;
	}
	reply = reply_silent(x, 0);
	if (reply)
		reply->ends = (uint8_t)reason;
	exchange_reply(x, reply);
	return ACTION_REPLY;
}

/* txn:done. */
static enum action_result done(struct stream_scripts *ss)
{
	if (!ss->reply)
		return end_silently(ss, END_LOCAL);
	exchange_reply(ss->stream->exchange, ss->reply);
	return ACTION_REPLY;
}

static enum action_result fail(struct stream_scripts *ss)
{
	struct exchange *x = ss->stream->exchange;
	struct reply *reply;

	if (!x)
		return end_silently(ss, END_INTERNAL);
	reply = reply_error(x, 500);
	if (!reply && !x->arena->failed)
		return end_silently(ss, END_INTERNAL); /* an empty errorfile */
	if (reply)
		reply->ends = END_INTERNAL;
	exchange_reply(x, reply);
	return ACTION_REPLY;
}

/* http-after-response only edits: what answers there would be edited again. */
static bool only_edits(const struct rule *rule)
{
	return !strcmp(rule->list, "http-after-response");
}

static enum action_result result(const struct rule *rule, struct view *view,
				 struct stream_scripts *ss, int said)
{
	bool http = ss->stream->exchange != NULL, response = rule->where & AT_RESPONSE;

	if (said >= ACT_ERROR && said != ACT_DONE && only_edits(rule))
		return ACTION_ERROR;
	switch (said) {
	case ACT_STOP:
	case ACT_DONE:
		return ACTION_ACCEPT;
	case ACT_ERROR:
		return fail(ss);
	case ACT_DENY:
		return http ? http_action_refuse(rule, view, response ? 502 : 403) : ACTION_REJECT;
	case ACT_INVALID:
		return http ? http_action_refuse(rule, view, response ? 502 : 400) : ACTION_REJECT;
	case ACT_ABORT:
		return end_silently(ss, END_DENIED);
	default:
		return ACTION_NEXT;
	}
}

/* ---- running -------------------------------------------------------------------------------- */

enum { BEGIN_ARGS = 2 };

static int finished(lua_State *L, int status, lua_KContext ctx)
{
	(void)status;
	(void)ctx;
	return lua_gettop(L) - BEGIN_ARGS;
}

/* What a script begins with: its stream, the rule. */
static int begin(lua_State *L)
{
	struct stream_scripts *ss = lua_touserdata(L, 1);
	const struct script_words *data = KIND_OF(const struct script_words, lua_touserdata(L, 2));
	unsigned i;

	luaL_checkstack(L, (int)data->function->args + 4, "arguments");
	lua_rawgeti(L, LUA_REGISTRYINDEX, data->function->ref);
	stream_push_txn(L, ss);
	for (i = 0; i < data->function->args; i++)
		lua_pushstring(L, data->words[i]);
	lua_callk(L, (int)i + 1, LUA_MULTRET, 0, finished);
	return finished(L, LUA_OK, 0);
}

static void wake(struct script *s)
{
	stream_wake(((struct stream_scripts *)s->owner)->stream);
}

static void tell(const struct rule *rule, const struct view *view, const char *error)
{
	const struct proxy *px = view->backend ? view->backend : view->frontend;
	const struct script_words *data = KIND_OF(const struct script_words, rule->data);

	registered_failed(data->function, "function", error, px->set.log);
}

/* What the script has said last; a number that is not whole, and all that is no number, says
 * nothing. */
static int value_said(const struct script *s)
{
	lua_Integer n = s->results ? lua_tointeger(s->thread, -1) : ACT_CONTINUE;

	return n >= ACT_CONTINUE && n <= ACT_INVALID ? (int)n : ACT_CONTINUE;
}

/* Without act.wake_time it is asked again soon: nothing else of the stream may ever change. */
enum { AGAIN_MS = 10 };

static enum action_result run_again(struct stream_scripts *ss, struct script *s)
{
	uint64_t used_us = s->used_us;

	script_end(s);
	script_again(s, ss->wake_ms ? ss->wake_ms : AGAIN_MS);
	s->used_us = used_us;
	return ACTION_WAIT;
}

static enum action_result run(const struct rule *rule, struct view *view,
			      struct stream_scripts *ss, struct script *s, int args)
{
	int said = ACT_CONTINUE;

	switch (script_run(s, args)) {
	case SCRIPT_WAIT:
		return ACTION_WAIT;
	case SCRIPT_FAILED:
		tell(rule, view, s->error);
		break;
	case SCRIPT_DONE:
		said = value_said(s);
		break;
	}
	if (said == ACT_YIELD && s->may_yield && !ss->ended)
		return run_again(ss, s);
	script_end(s);
	if (ss->ended)
		return only_edits(rule) ? ACTION_ACCEPT : done(ss);
	return result(rule, view, ss, said);
}

/* It has waited for as long as it may: the list goes on. */
static enum action_result abandon(const struct rule *rule, const struct view *view, struct script *s)
{
	tell(rule, view, "aborting Lua processing on expired timeout");
	script_end(s);
	return ACTION_NEXT;
}

/* The function begins, or begins anew: what it has used before counts. False: no memory. */
static bool start(const struct rule *rule, struct stream_scripts *ss, struct script *s)
{
	uint64_t used_us = s->again ? s->used_us : 0;

	script_end(s);
	if (!script_new(s, ss, wake, script_limits.session_ms))
		return false;
	s->name = ((const struct script_words *)rule->data)->function->name;
	s->stream = ss->stream;
	s->used_us = used_us;
	s->state = registered_state(((const struct script_words *)rule->data)->function);
	s->may_yield = !only_edits(rule); /* that list cannot wait */
	ss->ended = false;
	ss->reply = NULL;
	ss->wake_ms = 0;
	lua_pushcfunction(s->thread, begin);
	lua_pushlightuserdata(s->thread, ss);
	lua_pushlightuserdata(s->thread, rule->data);
	return true;
}

/* In the stream's turn: objects of the stream can be used. */
static enum action_result run_with_view(const struct rule *rule, struct view *view,
					struct stream_scripts *ss, struct script *s)
{
	int args = 0;

	bool response = s == &ss->scripts[1];

	if (s->thread && ss->reads) /* it looks again at the bytes that have come */
		s->ready = true;
	ss->reads = false;
	if (ss->rules[response] != rule) /* that list has been left while its script waited */
		script_end(s);
	ss->rules[response] = rule;
	if (s->again && !s->ready)
		return ACTION_WAIT;
	if (!s->thread) {
		if (!start(rule, ss, s))
			return ACTION_ERROR;
		args = BEGIN_ARGS;
	}
	return run(rule, view, ss, s, args);
}

static enum action_result run_script(const struct rule *rule, struct view *view, unsigned place)
{
	struct stream_scripts *ss = stream_scripts_get(view->stream);
	enum action_result said;
	struct script *s;

	if (!ss)
		return ACTION_ERROR;
	s = &ss->scripts[(rule->where & AT_RESPONSE) != 0];
	ss->view = view;
	ss->place = place;
	ss->rule = rule;
	said = run_with_view(rule, view, ss, s);
	if (said == ACTION_WAIT && ss->stream->extra->rule_late)
		said = abandon(rule, view, s);
	if (said == ACTION_NEXT && ss->stream->exchange && ss->stream->exchange->arena->failed)
		said = ACTION_ERROR; /* what it has changed may be incomplete */
	ss->view = NULL;
	ss->rule = NULL;
	ss->stream->extra->rule_waits = said == ACTION_WAIT && !ss->reads;
	return said;
}

/* ---- registering ---------------------------------------------------------------------------- */

enum { ROWS_MOST = 1000, ARGS_MOST = 100 };

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
	return parse_words(st, rule, functions[rule->action->data]);
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
		registered_twice("action", r->name);
		row->data = function_count - 1; /* the later one counts */
		return;
	}
	if (action_count[l->table] == ROWS_MOST)
		luaL_error(L, "more than %d actions", ROWS_MOST);
	row = &actions[l->table][action_count[l->table]++];
	*row = (struct action){ r->name, .where = (uint16_t)l->where, .parse = parse_action,
				.run = run_script, .data = function_count - 1,
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

/* ---- the table act -------------------------------------------------------------------------- */

/* act.wake_time(ms): before an action says YIELD. */
static int wake_time(lua_State *L)
{
	lua_Integer ms;

	arguments_check(L, "wake_time", 1, 1);
	ms = luaL_checkinteger(L, 1);
	if (script_now && script_now->wake == wake)
		((struct stream_scripts *)script_now->owner)->wake_ms =
			ms < 1 ? 0 : ms > INT32_MAX ? INT32_MAX : (unsigned)ms;
	return 0;
}

void action_begin(lua_State *L)
{
	unsigned i;

	lua_createtable(L, 0, ARRAY_LEN(act_values) + 1);
	for (i = 0; i < ARRAY_LEN(act_values); i++) {
		lua_pushinteger(L, act_values[i].value);
		lua_setfield(L, -2, act_values[i].name);
	}
	lua_pushcfunction(L, wake_time);
	lua_setfield(L, -2, "wake_time");
	lua_setglobal(L, "act");
}
