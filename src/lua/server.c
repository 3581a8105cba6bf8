/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Server: what is known of a server, its numbers, and commands as the stats socket has
 * them. */
#include "lua/change.h"
#include "lua/classes.h"
#include "lua/events.h"
#include "lua/proxies.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/sums.h"
#include "stats/stat.h"

#include <stdio.h>

#include <lauxlib.h>

static const char server_kind;

/* One that has gone is over, as other objects are. */
static const struct server *server_of(lua_State *L)
{
	const struct handle *h = object_handle(L, 1, &server_kind);
	const struct server *s = h->of;

	if (servers_gone && (!server_is_anywhere(s) || s->serial != h->serial))
		luaL_error(L, "this object is over: the server has gone");
	return s;
}

/* ---- what it is ----------------------------------------------------------------------------- */

static int server_get_stats(lua_State *L)
{
	const struct server *s = server_of(L);
	struct stat_row row;

	stat_fill_server(&row, s, STAT_LEGENDS);
	row_push(L, &row);
	return 1;
}

static int server_get_weight(lua_State *L)
{
	lua_pushinteger(L, server_of(L)->state->user_weight);
	return 1;
}

static int server_get_maxconn(lua_State *L)
{
	lua_pushinteger(L, server_of(L)->state->maxconn);
	return 1;
}

/* A server in maintenance is not drained: it has no sessions. */
static int server_is_draining(lua_State *L)
{
	unsigned admin = server_of(L)->state->admin;

	lua_pushinteger(L, (admin & ADMIN_DRAIN) && !(admin & ADMIN_MAINT));
	return 1;
}

static int server_get_addr(lua_State *L)
{
	const struct server *s = server_of(L);
	const struct addr *addr = &s->state->addr;
	char memory[300];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (addr->family == AF_UNIX) {
		lua_pushstring(L, addr->path ? addr->path : "");
		return 1;
	}
	addr_print(addr, &t);
	text_printf(&t, ":%u", addr->port);
	lua_pushlstring(L, memory, t.len);
	return 1;
}

static int server_get_name(lua_State *L)
{
	lua_pushstring(L, server_of(L)->id);
	return 1;
}

static int server_get_puid(lua_State *L)
{
	lua_pushfstring(L, "%d", server_of(L)->puid);
	return 1;
}

/* How often a server of that number was made anew: that is not counted. */
static int server_get_rid(lua_State *L)
{
	server_of(L);
	lua_pushliteral(L, "0");
	return 1;
}

static int server_is_dynamic(lua_State *L)
{
	lua_pushboolean(L, server_of(L)->added);
	return 1;
}

static int server_is_backup(lua_State *L)
{
	lua_pushboolean(L, (server_of(L)->set.options.on & SRV_BACKUP) != 0);
	return 1;
}

static int server_get_cur_sess(lua_State *L)
{
	lua_pushinteger(L, server_sessions(server_of(L)));
	return 1;
}

static int server_get_pend_conn(lua_State *L)
{
	lua_pushinteger(L, server_queued(server_of(L)));
	return 1;
}

static int server_get_proxy(lua_State *L)
{
	proxy_push(L, server_of(L)->proxy);
	return 1;
}

static int server_tracking(lua_State *L)
{
	const struct server *s = server_of(L);

	if (s->tracked)
		server_push(L, s->tracked);
	else
		lua_pushnil(L);
	return 1;
}

static int server_get_trackers(lua_State *L)
{
	const struct server *s = server_of(L);
	struct server *tracker;
	lua_Integer n = 0;

	lua_newtable(L);
	list_for_each(tracker, &s->trackers, tracker_node) {
		server_push(L, tracker);
		lua_rawseti(L, -2, ++n);
	}
	return 1;
}

static int server_event_sub(lua_State *L)
{
	const struct server *s = server_of(L);

	arguments_check(L, "event_sub", 3, 3);
	return events_subscribe(L, 2, s, NULL);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* arguments: how many strings stand behind the object, the first of which must. */
static int ask(lua_State *L, const char *what, int arguments, int says)
{
	const struct server *s = server_of(L);
	const char *arg = arguments > 0 ? luaL_checkstring(L, 2) : NULL;
	const char *arg2 = arguments > 1 ? luaL_optstring(L, 3, NULL) : NULL;
	char path[600];

	if (snprintf(path, sizeof(path), "%s/%s", s->proxy->name, s->id) >= (int)sizeof(path))
		return luaL_error(L, "the server has a name that is too long");
	return change_ask(L, what, path, arg, arg2, says);
}

#define COMMAND(name, what, arguments, says)                                                   \
	static int command_##name(lua_State *L)                                                 \
	{                                                                                      \
		return ask(L, what, arguments, says);                                          \
	}
COMMAND(set_weight, "weight", 1, CHANGE_SAYS)
COMMAND(set_maxconn, "maxconn", 1, CHANGE_SAYS)
COMMAND(set_addr, "addr", 2, CHANGE_SAYS)
COMMAND(shut_sess, "shut", 0, 0)
COMMAND(set_drain, "drain", 0, 0)
COMMAND(set_maint, "maint", 0, 0)
COMMAND(set_ready, "ready", 0, 0)
COMMAND(check_enable, "check on", 0, 0)
COMMAND(check_disable, "check off", 0, 0)
COMMAND(check_force_up, "up", 0, 0)
COMMAND(check_force_nolb, "nolb", 0, 0)
COMMAND(check_force_down, "down", 0, 0)
COMMAND(agent_enable, "agent on", 0, 0)
COMMAND(agent_disable, "agent off", 0, 0)
COMMAND(agent_force_up, "agent up", 0, 0)
COMMAND(agent_force_down, "agent down", 0, 0)

/* ---- the class ------------------------------------------------------------------------------ */

#define ROW(name, args, gives, help) { #name, command_##name, args, gives, help, METHOD_WAITS }
static const struct class_method methods[] = {
	{ "get_stats", server_get_stats, "", "table",
	  "its row of show stat, by the names of columns", 0 },
	{ "get_addr", server_get_addr, "", "string", "\"address:port\", or a path", 0 },
	{ "get_weight", server_get_weight, "", "integer", "its weight", 0 },
	{ "get_maxconn", server_get_maxconn, "", "integer", "its most connections; 0: any number", 0 },
	{ "is_draining", server_is_draining, "", "integer", "1: it gets no new sessions", 0 },
	{ "get_name", server_get_name, "", "string", "its name", 0 },
	{ "get_puid", server_get_puid, "", "string", "its number in its backend", 0 },
	{ "get_rid", server_get_rid, "", "string", "\"0\"", 0 },
	{ "get_proxy", server_get_proxy, "", "Proxy", "its backend", 0 },
	{ "get_cur_sess", server_get_cur_sess, "", "integer", "sessions on it", 0 },
	{ "get_pend_conn", server_get_pend_conn, "", "integer", "how many wait in its queue", 0 },
	{ "is_backup", server_is_backup, "", "boolean", "is it a backup server?", 0 },
	{ "is_dynamic", server_is_dynamic, "", "boolean", "was it added while serving?", 0 },
	{ "tracking", server_tracking, "", "Server or nil", "the server that it follows (track)", 0 },
	{ "get_trackers", server_get_trackers, "", "table of Server", "those that follow it", 0 },
	{ "event_sub", server_event_sub, "{ types }, function", "EventSub",
	  "as core.event_sub, for this server", 0 },
	ROW(set_weight, "weight", "nil or string", "as the command set weight; what is wrong"),
	ROW(set_maxconn, "maxconn", "nil or string",
	    "as the command set maxconn server; what is wrong"),
	ROW(set_addr, "address [, port]", "string",
	    "as the command set server addr; what has changed"),
	ROW(shut_sess, "", NULL, "as the command shutdown sessions server"),
	ROW(set_drain, "", NULL, "as the command set server state drain"),
	ROW(set_maint, "", NULL, "as the command set server state maint"),
	ROW(set_ready, "", NULL, "as the command set server state ready"),
	ROW(check_enable, "", NULL, "as the command enable health"),
	ROW(check_disable, "", NULL, "as the command disable health"),
	ROW(check_force_up, "", NULL, "as the command set server health up"),
	ROW(check_force_nolb, "", NULL, "as the command set server health stopping"),
	ROW(check_force_down, "", NULL, "as the command set server health down"),
	ROW(agent_enable, "", NULL, "as the command enable agent"),
	ROW(agent_disable, "", NULL, "as the command disable agent"),
	ROW(agent_force_up, "", NULL, "as the command set server agent up"),
	ROW(agent_force_down, "", NULL, "as the command set server agent down"),
	{ 0 },
};

const struct class server_class = {
	"Server", methods, .help = "a server: members name and puid",
	.where = "once the configuration is complete",
};

void server_push(lua_State *L, struct server *s)
{
	handle_new(L, &server_kind, s)->serial = s->serial;
	object_new(L, &server_class, -1, 2);
	lua_remove(L, -2);
	lua_pushstring(L, s->id);
	lua_setfield(L, -2, "name");
	lua_pushfstring(L, "%d", s->puid);
	lua_setfield(L, -2, "puid");
}
