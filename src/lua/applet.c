/* SPDX-License-Identifier: BSD-2-Clause */
/* The end behind which the script of a service runs. The pumps fill and empty its buffers and call
 * nobody: the script goes on by its own task, and the pumps are told behind it. So a script is never
 * inside a pump's run, and nothing that it does ends its stream below it.
 *
 * The end is closed at any moment: the script is over then, wherever it waits. */
#include "lua/applet.h"

#include "base/kind.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "expr/expr.h"
#include "lua/classes.h"
#include "lua/pieces.h"
#include "lua/register.h"
#include "lua/state.h"
#include "lua/stream.h"
#include "lua/value.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"

#include <string.h>

#include <lauxlib.h>

enum { APPLET_FIELDS = 4 }; /* that a script looks at, of a request */

static struct pool applet_pool = POOL_INIT("lua applet", sizeof(struct applet));

/* ---- running -------------------------------------------------------------------------------- */

static void log_failure(const struct applet *a)
{
	struct stream *s = a->stream;
	const struct proxy *px = s->backend ? s->backend : s->origin->frontend;

	registered_failed(a->service->function, a->head ? "applet http" : "applet tcp",
			  a->script.error, px->set.log);
}

/* It has not begun to answer: the client gets the error that is configured. Closes the end. */
static void answer_error(struct applet *a)
{
	struct stream *s = a->stream;

	s->exchange->reason = END_LOCAL;
	s->exchange->phase = PHASE_REQUEST;
	reply_send_error(s->exchange, 500);
	stream_wake(s);
}

static void ended(struct applet *a, enum script_result said)
{
	if (said == SCRIPT_FAILED)
		log_failure(a);
	a->over = true;
	a->wants_input = a->wants_room = false;
	buffer_give(&a->in);
	script_end(&a->script);
	if (a->head && !applet_head_started(a)) {
		answer_error(a);
		return;
	}
	a->broken = a->head && (said == SCRIPT_FAILED || applet_head_cut(a));
}

/* The pumps are told what there is. They may end the stream. */
static void tell(struct applet *a)
{
	if (!a->end)
		return;
	if (a->out || a->over || (a->head && applet_head_started(a)))
		a->flags |= CONN_READABLE;
	if (!a->in)
		a->flags |= CONN_WRITABLE;
	end_ready(a->end);
}

static int finished(lua_State *L, int status, lua_KContext ctx)
{
	(void)L;
	(void)status;
	(void)ctx;
	return 0;
}

/* What a script begins with: the applet, at 1. The object is made here, where memory that runs out
 * is an error of the script. */
static int begin(lua_State *L)
{
	struct applet *a = lua_touserdata(L, 1);

	lua_rawgeti(L, LUA_REGISTRYINDEX, a->service->function->ref);
	stream_push_handle(L, a->scripts);
	object_new(L, a->class, -1, a->head ? APPLET_FIELDS : 0);
	lua_remove(L, -2);
	lua_callk(L, 1, 0, 0, finished);
	return 0;
}

static int push_arguments(struct applet *a)
{
	if (a->begun)
		return 0;
	a->begun = true;
	lua_pushcfunction(a->script.thread, begin);
	lua_pushlightuserdata(a->script.thread, a);
	return 1;
}

static void wake(struct script *script)
{
	struct applet *a = KIND_OF(struct applet, script->owner);
	struct stream_scripts *ss = a->scripts;
	enum script_result said;
	struct view view;

	stream_view(a->stream, &view, NULL);
	ss->view = &view;
	ss->place = AT_SERVER;
	ss->rule = NULL;
	said = script_run(script, push_arguments(a));
	ss->view = NULL;
	if (said != SCRIPT_WAIT)
		ended(a, said);
	tell(a);
}

/* ---- the end -------------------------------------------------------------------------------- */

struct applet *applet_new(struct end *end, struct stream *s, const struct service *service,
			  const struct end_ops *ops, bool messages)
{
	struct stream_scripts *ss = stream_scripts_get(s);
	struct applet *a = ss ? pool_take(&applet_pool) : NULL;

	if (!a)
		return NULL;
	if (!script_new(&a->script, a, wake, script_limits.service_ms)) {
		pool_give(&applet_pool, &a);
		return NULL;
	}
	a->script.state = registered_state(service->function);
	a->script.name = service->function->name;
	a->script.stream = s;
	KIND_IS(struct applet, a);
	a->flags = CONN_WRITABLE;
	a->framing = (struct framing){ .passable = UINT64_MAX };
	a->end = end;
	a->stream = s;
	a->scripts = ss;
	a->service = service;
	ss->applet = a;
	end_set_applet(end, ops, a, &a->flags, messages ? &a->framing : NULL);
	return a;
}

void applet_begin(struct applet *a, const struct class *class)
{
	a->class = class;
	script_ready(&a->script);
}

enum io applet_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));

	*got = 0;
	if (a->out) {
		*got = size < a->out->len ? size : a->out->len;
		memcpy(buf, buf_first(a->out), *got);
		buf_skip(a->out, *got);
		if (!a->out->len)
			buffer_give(&a->out);
		if (a->wants_room)
			script_ready(&a->script);
		a->wants_room = false;
		return IO_OK;
	}
	if (a->over) {
		a->framing.ended = !a->broken;
		return a->broken ? IO_ERR : IO_EOF;
	}
	a->flags &= (uint16_t)~CONN_READABLE;
	return IO_AGAIN;
}

/* Appends what fits; SIZE_MAX: there is no memory. */
static size_t append(struct buf **to, const char *bytes, size_t len)
{
	struct buf *buf = *to;

	if (!len)
		return 0;
	if (!buf)
		buf = *to = buffer_take();
	if (!buf)
		return SIZE_MAX;
	if (buf->head) {
		memmove(buf->data, buf_first(buf), buf->len);
		buf->head = 0;
	}
	if (len > buf_room(buf))
		len = buf_room(buf);
	memcpy(buf_tail(buf), bytes, len);
	buf->len += (uint32_t)len;
	return len;
}

/* A script that is over reads nothing more. */
enum io applet_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));

	(void)more;
	*sent = a->over ? len : append(&a->in, buf, len);
	if (*sent == SIZE_MAX) {
		a->framing.no_memory = true;
		a->in_lost = true;
		if (a->wants_input)
			script_ready(&a->script);
		a->wants_input = false;
		return IO_ERR;
	}
	if (a->wants_input)
		script_ready(&a->script);
	a->wants_input = false;
	if (*sent < len)
		a->flags &= (uint16_t)~CONN_WRITABLE;
	return *sent ? IO_OK : IO_AGAIN;
}

void applet_finish(struct end *end)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));

	a->in_ended = true;
	if (a->wants_input)
		script_ready(&a->script);
	a->wants_input = false;
}

/* It sleeps, or waits for a socket: for anything but the client. */
bool applet_busy(const struct end *end)
{
	const struct applet *a = KIND_OF(const struct applet, end_applet(end));

	return !a->over && !a->wants_input && !a->wants_room;
}

static void applet_free(struct reap *reap)
{
	struct applet *a = container_of(reap, struct applet, reap);

	pool_give(&applet_pool, &a);
}

void applet_close(struct end *end, bool reset)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));

	(void)reset;
	a->end = NULL;
	a->scripts->applet = NULL;
	script_end(&a->script);
	buffer_give(&a->in);
	buffer_give(&a->out);
	loop_reap(&a->reap, applet_free);
}

/* ---- methods -------------------------------------------------------------------------------- */

struct applet *applet_of(lua_State *L, int at)
{
	struct applet *a = stream_of_object(L, at)->applet;

	if (!a || script_now != &a->script)
		luaL_error(L, "this object is of another script");
	return a;
}

/* The first n bytes of the input are the script's. */
static void take(lua_State *L, struct applet *a, size_t n, int pieces)
{
	pieces_add(L, pieces, buf_first(a->in), n);
	buf_skip(a->in, n);
	if (!a->in->len)
		buffer_give(&a->in);
}

static int wait_input(lua_State *L, struct applet *a, lua_KFunction k, lua_KContext ctx)
{
	if (a->in_lost)
		return luaL_error(L, "not enough memory");
	a->wants_input = script_may_wait(L);
	return script_sleep(L, 0, k, ctx);
}

/* On the stack: the object, bytes that are wanted still (-1: all), pieces. */
static int receive_on(lua_State *L, int status, lua_KContext ctx)
{
	struct applet *a = applet_of(L, 1);
	lua_Integer wanted = lua_tointeger(L, 2);
	size_t n = a->in ? a->in->len : 0;

	(void)status;
	(void)ctx;
	if (wanted >= 0 && n > (size_t)wanted)
		n = (size_t)wanted;
	if (n)
		take(L, a, n, 3);
	if (wanted >= 0) {
		wanted -= (lua_Integer)n;
		lua_pushinteger(L, wanted);
		lua_replace(L, 2);
	}
	if (wanted && !(a->in_ended && !a->in))
		return wait_input(L, a, receive_on, 0);
	pieces_push(L, 3);
	return 1;
}

int applet_receive(lua_State *L)
{
	lua_Integer size = -1;

	applet_of(L, 1);
	if (lua_gettop(L) > 2)
		return luaL_error(L, "The 'recv' function requires between 1 and 2 arguments.");
	if (!lua_isnone(L, 2))
		size = luaL_checkinteger(L, 2);
	lua_settop(L, 1);
	lua_pushinteger(L, size < 0 ? -1 : size);
	lua_newtable(L);
	return receive_on(L, LUA_OK, 0);
}

/* On the stack: the object, pieces. */
static int getline_on(lua_State *L, int status, lua_KContext ctx)
{
	struct applet *a = applet_of(L, 1);
	const char *first, *end = NULL;

	(void)status;
	(void)ctx;
	if (a->in) {
		first = buf_first(a->in);
		end = memchr(first, '\n', a->in->len);
		take(L, a, end ? (size_t)(end + 1 - first) : a->in->len, 2);
	}
	if (!end && !(a->in_ended && !a->in))
		return wait_input(L, a, getline_on, 0);
	pieces_push(L, 2);
	return 1;
}

int applet_getline(lua_State *L)
{
	applet_of(L, 1);
	lua_settop(L, 1);
	lua_newtable(L);
	return getline_on(L, LUA_OK, 0);
}

/* On the stack: the object, the text; done: how much of it lies in the buffer, or has left. */
static int send_on(lua_State *L, int status, lua_KContext done);

static int send_rest(lua_State *L, struct applet *a, lua_KContext done)
{
	size_t len, n;
	const char *text = lua_tolstring(L, 2, &len);

	n = (size_t)done;
	if (n < len && !a->bare) {
		n = append(&a->out, text + n, len - n);
		if (n == SIZE_MAX)
			return luaL_error(L, "not enough memory");
		n += (size_t)done;
		if (n < len) {
			a->wants_room = script_may_wait(L);
			return script_sleep(L, 0, send_on, (lua_KContext)n);
		}
	}
	lua_pushinteger(L, (lua_Integer)len);
	return 1;
}

static int send_on(lua_State *L, int status, lua_KContext done)
{
	(void)status;
	return send_rest(L, applet_of(L, 1), done);
}

int applet_send_method(lua_State *L)
{
	struct applet *a = applet_of(L, 1);
	struct span text;

	if (a->head)
		applet_head_send(L, a, 0);
	if (lua_gettop(L) != 2)
		return luaL_error(L, "'send' needs 2 arguments");
	text = value_span(L, 2);
	if (a->head)
		applet_head_send(L, a, text.len);
	return send_rest(L, a, 0);
}
