/* SPDX-License-Identifier: BSD-2-Clause */
/* What scripts have of one stream: see lua/stream.h. Called by actions, fetches and converters that
 * are scripts; ended by the stream. */
#include "lua/stream.h"

#include "base/memory.h"
#include "expr/rule_conf.h"
#include "expr/view.h"
#include "lua/state.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <stdlib.h>

#include <lauxlib.h>

const char stream_kind;
static const struct class *class_of_txn;

struct stream_scripts *stream_scripts_get(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);
	struct stream_scripts *ss;

	if (!extra || extra->scripts)
		return extra ? extra->scripts : NULL;
	ss = memory_take(sizeof(*ss));
	if (!ss)
		return NULL;
	memset(ss, 0, sizeof(*ss));
	ss->stream = s;
	ss->handle_ref = ss->priv_ref = LUA_NOREF;
	extra->scripts = ss;
	extra->ends_more = true;
	return ss;
}

static void scripts_end(struct stream_scripts **scripts)
{
	struct stream_scripts *ss = *scripts;
	lua_State *L = lua_running;

	*scripts = NULL;
	if (ss->handle)
		ss->handle->of = NULL;
	script_end(&ss->scripts[0]);
	script_end(&ss->scripts[1]);
	luaL_unref(L, LUA_REGISTRYINDEX, ss->handle_ref);
	luaL_unref(L, LUA_REGISTRYINDEX, ss->priv_ref);
	free(ss);
}

void stream_scripts_begin(const struct class *txn)
{
	class_of_txn = txn;
	stream_scripts_end = scripts_end;
}

/* The stream knows it when nothing can fail any more. */
void stream_push_handle(lua_State *L, struct stream_scripts *ss)
{
	struct handle *h;

	if (ss->handle) {
		lua_rawgeti(L, LUA_REGISTRYINDEX, ss->handle_ref);
		return;
	}
	h = handle_new(L, &stream_kind, NULL);
	lua_pushvalue(L, -1);
	ss->handle_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	ss->handle = h;
	h->of = ss;
}

/* It is the handle's user value. */
void stream_push_txn(lua_State *L, struct stream_scripts *ss)
{
	stream_push_handle(L, ss);
	if (lua_getiuservalue(L, -1, 1) != LUA_TTABLE) {
		lua_pop(L, 1);
		object_new(L, class_of_txn, -1, 4);
		lua_pushvalue(L, -1);
		lua_setiuservalue(L, -3, 1);
	}
	lua_remove(L, -2);
}

struct stream_scripts *stream_of_object(lua_State *L, int at)
{
	struct stream_scripts *ss = object_of(L, at, &stream_kind);

	if (!ss->view)
		luaL_error(L, "this object is of another stream, or its turn is over");
	return ss;
}

bool stream_acts(const struct stream_scripts *ss, unsigned where)
{
	return ss->rule && ss->rule->where & where;
}

bool stream_edits(const struct stream_scripts *ss, bool response)
{
	return stream_acts(ss, response ? AT_RESPONSE : AT_REQUESTS) ||
	       (ss->turn && ss->turn->heads && ss->turn->response == response);
}
