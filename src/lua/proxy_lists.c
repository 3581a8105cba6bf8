/* SPDX-License-Identifier: BSD-2-Clause */
/* core.proxies, core.backends, core.frontends and the servers of a backend: tables by name of what
 * there is at this moment, since backends and servers come and go while the program serves. They
 * hold nothing: who asks for a name is given the object of what has it now, and pairs() goes on
 * from the place in the list where it was. */
#include "lua/classes.h"
#include "lua/proxies.h"
#include "proxy/backend_add.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"

#include <string.h>

#include <lauxlib.h>

/* In the order in which a name is looked for. */
struct proxy_list {
	const char *member; /* of core */
	unsigned caps[2];
};

static const struct proxy_list lists[] = {
	{ "proxies", { PROXY_FRONTEND, PROXY_BACKEND } },
	{ "frontends", { PROXY_FRONTEND } },
	{ "backends", { PROXY_BACKEND } },
};

static const char list_kind, servers_kind;

/* ---- objects that scripts have -------------------------------------------------------------- */

/* Addresses in the registry: of objects of the configuration, which stay for what scripts have put
 * into them, and of others, which go with the last who has one. */
static const char lasting, passing;

/* The table of objects that were made before. */
static void push_made(lua_State *L, bool added)
{
	const char *key = added ? &passing : &lasting;

	if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_newtable(L);
	if (added) {
		lua_createtable(L, 0, 1);
		lua_pushliteral(L, "v");
		lua_setfield(L, -2, "__mode");
		lua_setmetatable(L, -2);
	}
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* key: an address, one for each list that something is in. */
static void push_once(lua_State *L, const void *key, void *of, uint32_t serial,
		      void (*push)(lua_State *L, void *of))
{
	push_made(L, serial != 0);
	if (lua_rawgetp(L, -1, key) != LUA_TTABLE || !object_leads_to(L, -1, of, serial)) {
		lua_pop(L, 1);
		push(L, of);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, -3, key);
	}
	lua_remove(L, -2);
}

static void make_proxy(lua_State *L, void *of)
{
	proxy_push(L, of);
}

static void make_server(lua_State *L, void *of)
{
	server_push(L, of);
}

static void proxy_push_once(lua_State *L, const struct proxy_list *list, struct proxy *px)
{
	push_once(L, (char *)px + (list - lists), px, px->serial, make_proxy);
}

static void server_push_once(lua_State *L, struct server *s)
{
	push_once(L, s, s, s->serial, make_server);
}

/* ---- lists of proxies ----------------------------------------------------------------------- */

/* list[name] */
static int list_field(lua_State *L)
{
	const struct proxy_list *list = object_of(L, 1, &list_kind);
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "#";
	struct proxy *px = NULL;
	size_t i;

	for (i = 0; i < 2 && !px && *name != '#'; i++)
		if (list->caps[i])
			px = proxy_find(proxies_running, name, list->caps[i]);
	if (!px)
		return 0;
	proxy_push_once(L, list, px);
	return 1;
}

/* Where pairs() has been: the proxy before, as long as none has gone since. */
struct list_walk {
	const struct proxy_list *list;
	struct proxy *at;
	unsigned order, backends_gone;
};

/* The next in the list of all. */
static struct proxy *list_behind(const struct list_walk *w)
{
	struct proxy *next;

	if (!w->at || w->backends_gone != backends_gone)
		return proxy_behind(w->order);
	next = list_first(&w->at->node, struct proxy, node);
	return &next->node == &proxies_running->list ? NULL : next;
}

static int list_next(lua_State *L)
{
	struct list_walk *w = lua_touserdata(L, lua_upvalueindex(1));
	unsigned caps = w->list->caps[0] | w->list->caps[1];

	do {
		w->at = list_behind(w);
		if (!w->at)
			return 0;
		w->order = w->at->order;
		w->backends_gone = backends_gone;
	} while (!(w->at->caps & caps));
	lua_pushstring(L, w->at->name);
	proxy_push_once(L, w->list, w->at);
	return 2;
}

static int list_pairs(lua_State *L)
{
	const struct proxy_list *list = object_peek(L, 1, &list_kind);
	struct list_walk *w;

	if (!list)
		return luaL_typeerror(L, 1, "ProxyList");
	w = lua_newuserdatauv(L, sizeof(*w), 0);
	*w = (struct list_walk){ .list = list };
	lua_pushcclosure(L, list_next, 1);
	return 1;
}

static const struct class_method no_methods[] = { { 0 } };

const struct class proxy_list_class = {
	"ProxyList", no_methods, list_field, .pairs = list_pairs,
	.help = "proxies by name, as they are now; pairs(list)",
	.where = "once the configuration is complete",
};

void proxies_push(lua_State *L)
{
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		handle_new(L, &list_kind, (void *)&lists[i]);
		object_new(L, &proxy_list_class, -1, 0);
		lua_remove(L, -2);
		lua_setfield(L, -2, lists[i].member);
	}
}

/* ---- servers of a backend ------------------------------------------------------------------- */

/* servers[name] */
static int servers_field(lua_State *L)
{
	const struct proxy *px = proxy_of_handle(L, object_handle(L, 1, &servers_kind));
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "#";
	struct server *s = *name == '#' ? NULL : server_find(px, name);

	if (!s)
		return 0;
	server_push_once(L, s);
	return 1;
}

/* Where pairs() has been: the server before, as long as none has gone since. */
struct server_walk {
	const struct proxy *px;
	const struct server *at;
	unsigned order, servers_gone, backends_gone;
	uint32_t serial;
};

static struct server *servers_behind(const struct server_walk *w)
{
	struct server *s;

	if (w->backends_gone != backends_gone &&
	    (!proxy_is_there(w->px) || w->px->serial != w->serial))
		return NULL;
	if (w->at && w->servers_gone == servers_gone)
		return w->at->next;
	for (s = w->px->servers; s && s->order <= w->order; s = s->next)
		;
	return s;
}

static int servers_next(lua_State *L)
{
	struct server_walk *w = lua_touserdata(L, lua_upvalueindex(1));
	struct server *s = servers_behind(w);

	if (!s)
		return 0;
	w->at = s;
	w->order = s->order;
	w->servers_gone = servers_gone;
	lua_pushstring(L, s->id);
	server_push_once(L, s);
	return 2;
}

static int servers_pairs(lua_State *L)
{
	const struct handle *h = object_handle_peek(L, 1, &servers_kind);
	struct server_walk *w;

	if (!h)
		return luaL_typeerror(L, 1, "ServerList");
	w = lua_newuserdatauv(L, sizeof(*w), 0);
	*w = (struct server_walk){ .px = proxy_of_handle(L, h), .serial = h->serial,
			    .backends_gone = backends_gone };
	lua_pushcclosure(L, servers_next, 1);
	return 1;
}

const struct class server_list_class = {
	"ServerList", no_methods, servers_field, .pairs = servers_pairs,
	.help = "servers of a backend by name, as they are now; pairs(list)",
	.where = "once the configuration is complete",
};

void servers_push(lua_State *L, struct proxy *px)
{
	handle_new(L, &servers_kind, px)->serial = px->serial;
	object_new(L, &server_list_class, -1, 0);
	lua_remove(L, -2);
}
