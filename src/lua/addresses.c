/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses and networks, as functions of core. No name is looked up: that would wait. */
#include "lua/classes.h"

#include "expr/arg.h"

#include <arpa/inet.h>
#include <string.h>

#include <lauxlib.h>

struct network {
	int family;
	unsigned char addr[16], mask[16];
};
static const char network_kind; /* its metatable in the registry */

/* "ADDRESS" or "ADDRESS/MASK". */
static bool network_read(const char *text, struct network *net)
{
	const char *slash = strchr(text, '/');
	char addr[INET6_ADDRSTRLEN];
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	struct span mask = span_of(slash ? slash + 1 : "");

	if (len >= sizeof(addr))
		return false;
	memcpy(addr, text, len);
	addr[len] = 0;
	memset(net, 0, sizeof(*net));
	memset(net->mask, 0xff, sizeof(net->mask));
	if (inet_pton(AF_INET, addr, net->addr) == 1) {
		net->family = AF_INET;
		return !slash || arg_mask4(mask, (struct in_addr *)net->mask);
	}
	net->family = AF_INET6;
	return inet_pton(AF_INET6, addr, net->addr) == 1 &&
	       (!slash || arg_mask6(mask, (struct in6_addr *)net->mask));
}

/* core.parse_addr(text): a userdata, or nil */
int core_parse_addr(lua_State *L)
{
	struct network net, *made;

	if (!network_read(luaL_checkstring(L, 1), &net)) {
		lua_pushnil(L);
		return 1;
	}
	made = lua_newuserdatauv(L, sizeof(*made), 0);
	*made = net;
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &network_kind) == LUA_TNIL) {
		lua_pop(L, 1);
		lua_newtable(L);
		lua_pushliteral(L, "network");
		lua_setfield(L, -2, "__name");
		lua_pushliteral(L, "network");
		lua_setfield(L, -2, "__metatable");
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &network_kind);
	}
	lua_setmetatable(L, -2);
	return 1;
}

static const struct network *network_at(lua_State *L, int at)
{
	const struct network *net = lua_touserdata(L, at);
	bool ours;

	if (!net || lua_islightuserdata(L, at) || !lua_getmetatable(L, at))
		return NULL;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &network_kind);
	ours = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	return ours ? net : NULL;
}

/* core.match_addr(a, b): has one of them the other? */
int core_match_addr(lua_State *L)
{
	const struct network *a = network_at(L, 1), *b = network_at(L, 2);
	bool same = a && b && a->family == b->family;
	unsigned i, len;

	len = same && a->family == AF_INET ? 4 : 16;
	for (i = 0; same && i < len; i++)
		same = !((a->addr[i] ^ b->addr[i]) & a->mask[i] & b->mask[i]);
	lua_pushboolean(L, same);
	return 1;
}
