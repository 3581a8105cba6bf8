/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes Proxy and Listener: what the configuration says of them, their numbers, and commands
 * to frontends. The tables of them: proxy_lists.c. */
#include "lua/args.h"
#include "lua/change.h"
#include "lua/classes.h"
#include "lua/proxies.h"
#include "net/listener.h"
#include "proxy/backend_add.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "stats/stat.h"

#include <lauxlib.h>

static const char proxy_kind, listener_kind;

/* One that has gone is over, as other objects are. */
struct proxy *proxy_of_handle(lua_State *L, const struct handle *h)
{
	struct proxy *px = h->of;

	if (backends_gone && (!proxy_is_there(px) || px->serial != h->serial))
		luaL_error(L, "this object is over: the backend has gone");
	return px;
}

static struct proxy *proxy_of(lua_State *L)
{
	return proxy_of_handle(L, object_handle(L, 1, &proxy_kind));
}

/* ---- numbers -------------------------------------------------------------------------------- */

void row_push(lua_State *L, const struct stat_row *row)
{
	args_push_stats(L, stat_fields, row->values, STAT_FIELDS);
}

/* A section that is both says what it is as a backend. */
static int proxy_get_stats(lua_State *L)
{
	const struct proxy *px = proxy_of(L);
	struct stat_row row;

	if (px->caps & PROXY_BACKEND)
		stat_fill_backend(&row, px, STAT_LEGENDS);
	else
		stat_fill_frontend(&row, px, STAT_LEGENDS);
	row_push(L, &row);
	return 1;
}

static int listener_get_stats(lua_State *L)
{
	const struct listener *l = object_of(L, 1, &listener_kind);
	struct stat_row row;

	stat_fill_listener(&row, l, STAT_LEGENDS);
	row_push(L, &row);
	return 1;
}

/* ---- what it is ----------------------------------------------------------------------------- */

static int proxy_get_cap(lua_State *L)
{
	switch (proxy_of(L)->caps & (PROXY_FRONTEND | PROXY_BACKEND)) {
	case PROXY_FRONTEND:
		lua_pushliteral(L, "frontend");
		break;
	case PROXY_BACKEND:
		lua_pushliteral(L, "backend");
		break;
	default:
		lua_pushliteral(L, "proxy");
	}
	return 1;
}

static int proxy_get_mode(lua_State *L)
{
	lua_pushstring(L, proxy_mode_name(proxy_of(L)));
	return 1;
}

static int proxy_get_name(lua_State *L)
{
	lua_pushstring(L, proxy_of(L)->name);
	return 1;
}

static int proxy_get_uuid(lua_State *L)
{
	lua_pushfstring(L, "%d", proxy_of(L)->uuid);
	return 1;
}

static int usable(lua_State *L, bool backup)
{
	const struct proxy *px = proxy_of(L);
	const struct server *s;
	lua_Integer count = 0;

	for (s = px->servers; s; s = s->next)
		count += server_usable(s) && !(s->set.options.on & SRV_BACKUP) == !backup;
	lua_pushinteger(L, count);
	return 1;
}

static int proxy_get_srv_act(lua_State *L)
{
	return usable(L, false);
}

static int proxy_get_srv_bck(lua_State *L)
{
	return usable(L, true);
}

/* There are no sections "mailers": no backend has any. */
static int proxy_get_mailers(lua_State *L)
{
	proxy_of(L);
	return 0;
}

/* ---- commands ------------------------------------------------------------------------------- */

/* Backends alone have nothing that could be stopped. */
static int frontend_change(lua_State *L, const char *what)
{
	const struct proxy *px = proxy_of(L);

	if (!(px->caps & PROXY_FRONTEND))
		return 0;
	return change_ask(L, what, px->name, NULL, NULL, 0);
}

static int proxy_pause(lua_State *L)
{
	return frontend_change(L, "pause");
}

static int proxy_resume(lua_State *L)
{
	return frontend_change(L, "resume");
}

static int proxy_stop(lua_State *L)
{
	return frontend_change(L, "stop");
}

static int proxy_shut_bcksess(lua_State *L)
{
	const struct proxy *px = proxy_of(L);

	if (!(px->caps & PROXY_BACKEND))
		return 0;
	return change_ask(L, "shut backup", px->name, NULL, NULL, 0);
}

static const struct class_method proxy_methods[] = {
	{ "get_cap", proxy_get_cap, "", "string", "\"frontend\", \"backend\" or \"proxy\"", 0 },
	{ "get_mode", proxy_get_mode, "", "string", "\"tcp\" or \"http\"", 0 },
	{ "get_name", proxy_get_name, "", "string", "its name", 0 },
	{ "get_uuid", proxy_get_uuid, "", "string", "its number", 0 },
	{ "get_srv_act", proxy_get_srv_act, "", "integer", "active servers that can be used", 0 },
	{ "get_srv_bck", proxy_get_srv_bck, "", "integer", "the same of backup servers", 0 },
	{ "get_mailers", proxy_get_mailers, "", NULL, "no proxy has mailers here", 0 },
	{ "get_stats", proxy_get_stats, "", "table",
	  "its row of show stat, by the names of columns", 0 },
	{ "pause", proxy_pause, "", NULL, "as the command disable frontend", METHOD_WAITS },
	{ "resume", proxy_resume, "", NULL, "as the command enable frontend", METHOD_WAITS },
	{ "stop", proxy_stop, "", NULL, "as the command shutdown frontend", METHOD_WAITS },
	{ "shut_bcksess", proxy_shut_bcksess, "", NULL, "ends the sessions on its backup servers",
	  METHOD_WAITS },
	{ 0 },
};

const struct class proxy_class = {
	"Proxy", proxy_methods,
	.help = "a proxy: members name, uuid, servers, listeners, and stktable if it has one",
	.where = "once the configuration is complete",
};

static const struct class_method listener_methods[] = {
	{ "get_stats", listener_get_stats, "", "table",
	  "its row of show stat, by the names of columns", 0 },
	{ 0 },
};

const struct class listener_class = {
	"Listener", listener_methods, .help = "an address of a bind line",
	.where = "once the configuration is complete",
};

/* ---- the tables ----------------------------------------------------------------------------- */

static void listeners_of_bind(lua_State *L, struct bind_conf *bind)
{
	struct listener *l;

	list_for_each(l, &bind->listeners, node) {
		if (bind->name)
			lua_pushstring(L, bind->name);
		else
			lua_pushfstring(L, "sock-%d", l->id);
		handle_new(L, &listener_kind, l);
		object_new(L, &listener_class, -1, 0);
		lua_remove(L, -2);
		lua_rawset(L, -3);
	}
}

static void listeners_push(lua_State *L, const struct proxy *px)
{
	struct bind_conf *bind;

	lua_newtable(L);
	list_for_each(bind, &px->binds, node)
		listeners_of_bind(L, bind);
}

void proxy_push(lua_State *L, struct proxy *px)
{
	handle_new(L, &proxy_kind, px)->serial = px->serial;
	object_new(L, &proxy_class, -1, 5);
	lua_remove(L, -2);
	lua_pushstring(L, px->name);
	lua_setfield(L, -2, "name");
	lua_pushfstring(L, "%d", px->uuid);
	lua_setfield(L, -2, "uuid");
	servers_push(L, px);
	lua_setfield(L, -2, "servers");
	listeners_push(L, px);
	lua_setfield(L, -2, "listeners");
	if (px->stick && px->stick->table) {
		stick_table_push(L, px->stick);
		lua_setfield(L, -2, "stktable");
	}
}
