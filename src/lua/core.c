/* SPDX-License-Identifier: BSD-2-Clause */
/* The table core: what scripts have without a stream. What registers stands in files of its own. */
#include "base/clock.h"
#include "base/version.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "log/log.h"
#include "lua/action.h"
#include "lua/args.h"
#include "lua/classes.h"
#include "lua/command.h"
#include "lua/events.h"
#include "lua/filter.h"
#include "lua/httpclient.h"
#include "lua/map.h"
#include "lua/patref.h"
#include "lua/sample_scripts.h"
#include "lua/say.h"
#include "lua/script.h"
#include "lua/service.h"
#include "lua/socket.h"
#include "lua/task.h"
#include "lua/value.h"
#include "proxy/proxy.h"
#include "stats/info.h"
#include "stream/stream.h"

#include <unistd.h>

#include <lauxlib.h>

/* ---- waiting -------------------------------------------------------------------------------- */

/* While files are read, and in init functions, there is nothing that could go on meanwhile. */
static int wait_for(lua_State *L, int64_t ms)
{
	return script_now ? script_sleep(L, ms, NULL, 0) : 0;
}

enum { SECONDS_MOST = 1000000000 };

static int core_sleep(lua_State *L)
{
	lua_Integer s = luaL_checkinteger(L, 1);

	return wait_for(L, s > 0 ? (s < SECONDS_MOST ? s : SECONDS_MOST) * 1000 : SCRIPT_TURN);
}

static int core_msleep(lua_State *L)
{
	lua_Integer ms = luaL_checkinteger(L, 1), most = (lua_Integer)SECONDS_MOST * 1000;

	return wait_for(L, ms > 0 ? (ms < most ? ms : most) : SCRIPT_TURN);
}

static int core_yield(lua_State *L)
{
	return wait_for(L, SCRIPT_TURN);
}

static int core_wait(lua_State *L)
{
	lua_Integer ms = luaL_optinteger(L, 1, 0), most = (lua_Integer)SECONDS_MOST * 1000;

	arguments_check(L, "wait", 0, 1);
	luaL_argcheck(L, lua_isnone(L, 1) || ms > 0, 1, "milliseconds are expected");
	return script_wait(L, ms < most ? ms : most);
}

static int core_done(lua_State *L)
{
	return script_finish(L);
}

/* ---- log lines ------------------------------------------------------------------------------ */

static int say(lua_State *L, lua_Integer level, int at)
{
	say_line(L, level, value_span(L, at), log_global());
	return 0;
}

static int core_log(lua_State *L)
{
	return say(L, luaL_checkinteger(L, 1), 2);
}

static int core_debug(lua_State *L)
{
	return say(L, LOG_L_DEBUG, 1);
}

static int core_info(lua_State *L)
{
	return say(L, LOG_L_INFO, 1);
}

static int core_warning(lua_State *L)
{
	return say(L, LOG_L_WARNING, 1);
}

static int core_alert(lua_State *L)
{
	return say(L, LOG_L_ALERT, 1);
}

/* ---- the process ---------------------------------------------------------------------------- */

static int core_now(lua_State *L)
{
	struct timeval now = clock_wall();

	lua_createtable(L, 0, 2);
	lua_pushinteger(L, now.tv_sec);
	lua_setfield(L, -2, "sec");
	lua_pushinteger(L, now.tv_usec);
	lua_setfield(L, -2, "usec");
	return 1;
}

/* While files are read, only what does not depend on them is known. */
static void info_first(struct info *info)
{
	memset(info, 0, sizeof(*info));
	info->values[INFO_NAME] = stats_const("HAProxy");
	info->values[INFO_VERSION] = stats_const(version_for_tools);
	info->values[INFO_RELEASE_DATE] = stats_const(version_date);
	info->values[INFO_PID] = stats_u32((uint64_t)getpid());
	info->values[INFO_NODE] = stats_str(&info->strings, info_node_name());
}

static int core_get_info(lua_State *L)
{
	struct info info;

	if (proxies_running)
		info_fill(&info, false);
	else
		info_first(&info);
	args_push_stats(L, info_fields, info.values, INFO_FIELDS);
	return 1;
}

/* Of the process: a script without a stream knows no others. */
static int core_get_var(lua_State *L)
{
	static const struct view nowhere;
	struct span text = value_span(L, 1);
	const struct var_name *name = var_name_known(text);
	struct sample smp;

	arguments_check(L, "get_var", 1, 1);
	luaL_argcheck(L, text.len > 5 && !strncmp(text.ptr, "proc.", 5), 1,
		      "only variables of the process are known here: \"proc.name\"");
	if (name && var_get(name, &nowhere, &smp))
		value_push(L, &smp);
	else
		lua_pushnil(L);
	return 1;
}

/* Nothing but scripts sends mails here: sections "mailers" are not supported. */
static int core_disable_legacy_mailers(lua_State *L)
{
	arguments_check(L, "disable_legacy_mailers", 0, 0);
	return 0;
}

enum { NICE_MOST = 1024 };

/* Of the script, and of the stream in whose turn it runs: as the action set-nice. */
static int core_set_nice(lua_State *L)
{
	lua_Integer nice;

	arguments_check(L, "set_nice", 1, 1);
	nice = luaL_checkinteger(L, 1);
	if (nice > NICE_MOST)
		nice = NICE_MOST;
	if (nice < -NICE_MOST)
		nice = -NICE_MOST;
	if (!script_now)
		return 0; /* files are read, and nobody waits */
	script_be_nice(L, (int)nice);
	if (script_now->stream)
		stream_be_nice(script_now->stream, (int)nice);
	return 0;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Where the next separator stands, or the text ends. */
static size_t word_len(const char *text, const bool separates[256])
{
	size_t len = 0;

	while (!separates[(unsigned char)text[len]])
		len++;
	return len;
}

/* core.tokenize(text, separators [, noblank]): up to a zero byte, as in the reference. */
static int core_tokenize(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1), *sep = luaL_checkstring(L, 2);
	bool noblank = false, separates[256] = { [0] = true };
	lua_Integer count = 0;
	size_t len;

	if (lua_gettop(L) > 2) {
		luaL_argcheck(L, lua_isboolean(L, 3), 3, "boolean expected");
		noblank = lua_toboolean(L, 3);
	}
	for (; *sep; sep++)
		separates[(unsigned char)*sep] = true;
	lua_newtable(L);
	for (;; text += len + 1) {
		len = word_len(text, separates);
		if (len || !noblank) {
			lua_pushlstring(L, text, len);
			lua_rawseti(L, -2, ++count);
		}
		if (!text[len])
			return 1;
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

static const struct class_method functions[] = {
	{ "register_action", register_action, "name, { environments }, function [, nb_args]", NULL,
	  "an action lua.name of rules", METHOD_LOADING },
	{ "register_fetches", register_fetches, "name, function", NULL, "a fetch lua.name",
	  METHOD_LOADING },
	{ "register_converters", register_converters, "name, function", NULL, "a converter lua.name",
	  METHOD_LOADING },
	{ "register_service", register_service, "name, mode, function", NULL,
	  "a service lua.name of rules; mode is 'tcp' or 'http'", METHOD_LOADING },
	{ "register_filter", register_filter, "name, class, function", NULL,
	  "a filter lua.name; the function is given a copy of the class and the words of the line",
	  METHOD_LOADING },
	{ "tcp", socket_tcp, "", "Socket",
	  "a socket that is not connected yet; not while files are read", 0 },
	{ "httpclient", httpclient_new, "", "HTTPClient", "what asks servers", 0 },
	{ "sleep", core_sleep, "seconds", NULL, "waits", METHOD_WAITS },
	{ "msleep", core_msleep, "milliseconds", NULL, "waits", METHOD_WAITS },
	{ "yield", core_yield, "", NULL, "lets others go first", METHOD_WAITS },
	{ "wait", core_wait, "[milliseconds]", NULL,
	  "waits until an alarm of a Queue rings, or the time is over", METHOD_WAITS },
	{ "done", core_done, "", NULL, "the script ends here; not while files are read", 0 },
	{ "log", core_log, "level, text", NULL, "a line to the global logs", 0 },
	{ "Debug", core_debug, "text", NULL, "a line of level debug", 0 },
	{ "Info", core_info, "text", NULL, "a line of level info", 0 },
	{ "Warning", core_warning, "text", NULL, "a line of level warning", 0 },
	{ "Alert", core_alert, "text", NULL, "a line of level alert", 0 },
	{ "register_init", register_init, "function", NULL,
	  "runs once, when the configuration is complete", METHOD_LOADING },
	{ "register_task", register_task, "function", NULL,
	  "runs beside the traffic; of lua-load in one process", 0 },
	{ "event_sub", core_event_sub, "{ types }, function", "EventSub",
	  "function(type, data, sub, when) is called for events of servers", 0 },
	{ "register_cli", register_cli, "{ words }, usage, function", NULL,
	  "a command of the stats socket", METHOD_LOADING },
	{ "now", core_now, "", "table", "the time: sec, usec", 0 },
	{ "http_date", core_http_date, "text", "integer or nil", "a date of HTTP as seconds", 0 },
	{ "imf_date", core_imf_date, "text", "integer or nil", "Sun, 06 Nov 1994 08:49:37 GMT", 0 },
	{ "rfc850_date", core_rfc850_date, "text", "integer or nil",
	  "Sunday, 06-Nov-94 08:49:37 GMT", 0 },
	{ "asctime_date", core_asctime_date, "text", "integer or nil",
	  "Sun Nov  6 08:49:37 1994", 0 },
	{ "get_info", core_get_info, "", "table", "the lines of show info", 0 },
	{ "get_var", core_get_var, "name", "value or nil", "a variable of the process: \"proc.name\"", 0 },
	{ "disable_legacy_mailers", core_disable_legacy_mailers, "", NULL,
	  "changes nothing: only scripts send mails here", 0 },
	{ "tokenize", core_tokenize, "text, separators [, noblank]", "table",
	  "the words between any of these characters", 0 },
	{ "concat", core_concat, "", "Concat", "a string that grows", 0 },
	{ "queue", core_queue, "", "Queue", "values from script to script", 0 },
	{ "parse_addr", core_parse_addr, "text", "userdata or nil", "an address or a network", 0 },
	{ "match_addr", core_match_addr, "a, b", "boolean",
	  "does one of the networks have the other?", 0 },
	{ "add_acl", core_add_acl, "file, key", NULL, "a pattern more for the ACLs of a file", 0 },
	{ "del_acl", core_del_acl, "file, key", NULL, "deletes a pattern from them", 0 },
	{ "set_map", core_set_map, "file, key, value", NULL,
	  "the value of a key in the maps of a file", 0 },
	{ "del_map", core_del_map, "file, key", NULL, "deletes a key from them", 0 },
	{ "get_patref", core_get_patref, "name", "Patref", "a file of patterns of ACLs or maps", 0 },
	{ "set_nice", core_set_nice, "nice", NULL,
	  "the share of each turn that the script, and its stream, get: -1024 (most) to 1024", 0 },
	{ 0 },
};

const struct class core_class = { "core", functions, .is_table = true, .help = "what scripts have without a stream" };

static const char *const levels[] = { "emerg", "alert", "crit", "err", "warning", "notice", "info",
				      "debug" };

void core_begin(lua_State *L)
{
	unsigned i;

	table_new(L, &core_class);
	for (i = 0; i < ARRAY_LEN(levels); i++) {
		lua_pushinteger(L, i);
		lua_setfield(L, -2, levels[i]);
	}
	lua_pushinteger(L, LEVEL_SILENT);
	lua_setfield(L, -2, "silent");
	lua_pushinteger(L, 0);
	lua_setfield(L, -2, "thread");
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &core_class);
	lua_setglobal(L, "core");
}
