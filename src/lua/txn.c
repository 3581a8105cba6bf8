/* SPDX-License-Identifier: BSD-2-Clause */
/* The class TXN: what a script has of the stream for which it runs. Variables, a value of its own,
 * log lines, the end of the stream; fetches, converters and HTTP stand in fields that are made when
 * they are asked for. */
#include "base/err.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "log/log.h"
#include "lua/channel.h"
#include "lua/classes.h"
#include "lua/http_message.h"
#include "lua/reply.h"
#include "lua/say.h"
#include "lua/script.h"
#include "lua/stream.h"
#include "lua/txn.h"
#include "lua/value.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/stream.h"

#include <lauxlib.h>

/* ---- variables ------------------------------------------------------------------------------ */

/* NULL: there can be no such variable. */
static const struct var_name *name_of(lua_State *L, bool make)
{
	struct span text = value_span(L, 2);
	struct err err;

	return make ? var_name(text, &err) : var_name_known(text);
}

/* With ifexist a variable of the process has to be known already. The reference knows no such limit
 * for the others, whatever its manual says, and scripts rely on it. */
int txn_set_var(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	const struct var_name *name;
	struct sample smp;
	bool process;

	arguments_check(L, "set_var", 3, 4);
	process = !strncmp(luaL_checkstring(L, 2), "proc.", 5);
	name = name_of(L, !process || !lua_toboolean(L, 4));
	value_sample(L, 3, &smp);
	lua_pushboolean(L, name && var_set(name, ss->view, &smp, 0));
	return 1;
}

int txn_unset_var(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	const struct var_name *name;

	arguments_check(L, "unset_var", 2, 2);
	name = name_of(L, true);
	if (name)
		var_unset(name, ss->view);
	lua_pushboolean(L, name != NULL);
	return 1;
}

int txn_get_var(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	const struct var_name *name;
	struct sample smp;

	arguments_check(L, "get_var", 2, 2);
	name = name_of(L, false);
	if (name && var_get(name, ss->view, &smp))
		value_push(L, &smp);
	else
		lua_pushnil(L);
	return 1;
}

int txn_set_priv(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, "set_priv", 2, 2);
	luaL_unref(L, LUA_REGISTRYINDEX, ss->priv_ref);
	ss->priv_ref = LUA_NOREF; /* luaL_ref may raise */
	ss->priv_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

int txn_get_priv(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, "get_priv", 1, 1);
	if (ss->priv_ref == LUA_NOREF)
		lua_pushnil(L);
	else
		lua_rawgeti(L, LUA_REGISTRYINDEX, ss->priv_ref);
	return 1;
}

/* ---- log lines ------------------------------------------------------------------------------ */

static int say(lua_State *L, const struct stream_scripts *ss, lua_Integer level, struct span text)
{
	const struct view *view = ss->view;
	const struct proxy *px = view->backend ? view->backend : view->frontend;

	say_line(L, level, text, px->set.log);
	return 0;
}

static int say_as(lua_State *L, const char *name, enum log_level level)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, name, 2, 2);
	return say(L, ss, level, value_span(L, 2));
}

static int txn_log(lua_State *L)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, "log", 3, 3);
	return say(L, ss, luaL_checkinteger(L, 2), value_span(L, 3));
}

/* What set_loglevel has said. Without it the level is the highest, as the reference has it. */
static int txn_deflog(lua_State *L)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);
	unsigned level = ss->stream->log_level;

	arguments_check(L, "deflog", 2, 2);
	if (!level || level == LOG_LEVEL_SILENT)
		level = 1;
	return say(L, ss, level - 1, value_span(L, 2));
}

static int txn_debug(lua_State *L)
{
	return say_as(L, "Debug", LOG_L_DEBUG);
}

static int txn_info(lua_State *L)
{
	return say_as(L, "Info", LOG_L_INFO);
}

static int txn_warning(lua_State *L)
{
	return say_as(L, "Warning", LOG_L_WARNING);
}

static int txn_alert(lua_State *L)
{
	return say_as(L, "Alert", LOG_L_ALERT);
}

static int txn_set_loglevel(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	lua_Integer level;

	arguments_check(L, "set_loglevel", 2, 2);
	level = luaL_checkinteger(L, 2);
	luaL_argcheck(L, (level >= LOG_L_EMERG && level <= LOG_L_DEBUG) || level == LEVEL_SILENT, 2,
		      "Bad log level. It must be between 0 and 7");
	ss->stream->log_level = (uint8_t)(level == LEVEL_SILENT ? LOG_LEVEL_SILENT : level + 1);
	return 0;
}

/* ---- how the stream is treated -------------------------------------------------------------- */

static int txn_set_tos(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	lua_Integer tos;

	arguments_check(L, "set_tos", 2, 2);
	tos = luaL_checkinteger(L, 2);
	luaL_argcheck(L, tos >= 0 && tos <= 255, 2, "a number from 0 to 255 is expected");
	client_set_tos(ss->view, (int)tos);
	return 0;
}

static int txn_set_mark(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	lua_Integer mark;

	arguments_check(L, "set_mark", 2, 2);
	mark = luaL_checkinteger(L, 2);
	luaL_argcheck(L, mark >= 0 && mark <= UINT32_MAX, 2, "a number from 0 to 4294967295 is expected");
	client_set_mark(ss->view, (uint32_t)mark);
	return 0;
}

static int txn_set_class(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, "set_priority_class", 2, 2);
	if (!stream_set_class(ss->view, luaL_checkinteger(L, 2)))
		return luaL_error(L, "not enough memory");
	return 0;
}

static int txn_set_offset(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);

	arguments_check(L, "set_priority_offset", 2, 2);
	if (!stream_set_offset(ss->view, luaL_checkinteger(L, 2)))
		return luaL_error(L, "not enough memory");
	return 0;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The stream ends behind the script, which ends here. Fetches and converters are no place to end a
 * stream: only they end. */
static int txn_done(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct exchange *x = ss->stream->exchange;

	if ((ss->rule || ss->turn) && x && lua_istable(L, 2))
		ss->reply = reply_of_table(L, x);
	ss->ended = ss->rule || ss->turn;
	lua_settop(L, 0);
	return script_finish(L);
}

/* ---- the class ------------------------------------------------------------------------------ */

/* Fields that are objects of the same stream. */
static const struct {
	const char *name;
	const struct class *class;
	bool http; /* only in mode http */
} fields[] = {
	{ "f", &fetches_class, false }, { "sf", &string_fetches_class, false },
	{ "c", &converters_class, false }, { "sc", &string_converters_class, false },
	{ "http", &http_class, true },
};

/* The object is at 1; the metatable that leads here says what it is, not what a script has put into
 * it. */
static bool is_http(lua_State *L)
{
	const struct stream_scripts *ss = object_peek(L, 1, &stream_kind);

	return ss && ss->stream->exchange;
}

/* The directions of the stream. True: it is one of these, and on the stack. */
static bool side_field(lua_State *L, const char *name)
{
	bool response = !strcmp(name, "res") || !strcmp(name, "http_res");

	if (!strcmp(name, "req") || !strcmp(name, "res"))
		channel_push(L, 1, response);
	else if (is_http(L) && (response || !strcmp(name, "http_req")))
		message_push(L, 1, response);
	else
		return false;
	return true;
}

static int field(lua_State *L)
{
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
	unsigned i;

	for (i = 0; name && i < ARRAY_LEN(fields); i++)
		if (!strcmp(fields[i].name, name))
			break;
	if (name && side_field(L, name))
		return 1;
	if (!name || i == ARRAY_LEN(fields)) {
		lua_pushnil(L);
		return 1;
	}
	if (fields[i].http && !is_http(L)) {
		lua_pushnil(L);
		return 1;
	}
	return object_member(L, fields[i].class, name);
}

static const struct class_method methods[] = {
	{ "set_var", txn_set_var, "name, value [, ifexist]", "boolean",
	  "sets a variable; with ifexist one of the process (proc) only where there is it already", 0 },
	{ "unset_var", txn_unset_var, "name", "boolean", "forgets a variable", 0 },
	{ "get_var", txn_get_var, "name", "value or nil", "the value of a variable", 0 },
	{ "set_priv", txn_set_priv, "value", NULL, "keeps any value until the stream ends", 0 },
	{ "get_priv", txn_get_priv, "", "value", "what set_priv has kept", 0 },
	{ "log", txn_log, "level, text", NULL, "a line to the logs of the proxy", 0 },
	{ "deflog", txn_deflog, "text", NULL, "the same with the default level, notice", 0 },
	{ "Debug", txn_debug, "text", NULL, "a line of level debug", 0 },
	{ "Info", txn_info, "text", NULL, "a line of level info", 0 },
	{ "Warning", txn_warning, "text", NULL, "a line of level warning", 0 },
	{ "Alert", txn_alert, "text", NULL, "a line of level alert", 0 },
	{ "set_loglevel", txn_set_loglevel, "level", NULL, "the level of the stream's own line; core.silent: none", 0 },
	{ "set_tos", txn_set_tos, "tos", NULL, "the TOS field of packets to the client", 0 },
	{ "set_mark", txn_set_mark, "mark", NULL, "a mark of packets to the client; needs 'setcap cap_net_admin' or a rule set-mark", 0 },
	{ "set_priority_class", txn_set_class, "class", NULL, "the class in queues, from -2047 to 2047",
	  0 },
	{ "set_priority_offset", txn_set_offset, "ms", NULL,
	  "an offset in queues, from -524287 to 524287", 0 },
	{ "reply", txn_reply, "[table]", "reply", "a new object of the class Reply", 0 },
	{ "done", txn_done, "[reply]", NULL,
	  "ends script and stream, with an answer or without a word", 0 },
	{ 0 },
};

const struct class txn_class = {
	"TXN", methods, field, .help = "the stream for which the script runs",
	.where = "actions and fetches, in the turn of the object's stream",
};
