/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Queue: values that scripts of this process hand to each other. The values lie in a table
 * of Lua, so tune.lua.maxmem bounds them. Who waits for one is told of each value that comes, and
 * looks whether it is the first to take it. */
#include "lua/classes.h"
#include "lua/script.h"

#include <lauxlib.h>

/* A userdata that the handle keeps; its values are that one's user value. */
struct queue {
	lua_Integer first, behind; /* numbers of values in the table: the first, the next that comes */
	struct list waiters;
};
static const char queue_kind, queue_memory, waiter_memory;

/* Somebody waits: a userdata. On the stack of who does, or in the table of alarms of the queue. */
struct waiter {
	struct list node; /* in the queue */
	struct script_alarm alarm;
	bool kept;        /* by the queue */
};

/* What the user value of the handle holds. */
enum { KEPT_MEMORY = 1, KEPT_VALUES, KEPT_ALARMS };

/* ---- memory --------------------------------------------------------------------------------- */

/* Another script may have closed the coroutine in which one waits: that one has to hear of it. */
static void waiter_end(void *memory)
{
	struct waiter *w = memory;

	if (!w->kept && w->alarm.script && w->alarm.script != script_now)
		script_alarm_ring(&w->alarm);
	script_alarm_off(&w->alarm);
	list_remove(&w->node);
}

static void queue_end(void *memory)
{
	struct queue *q = memory;

	while (!list_empty(&q->waiters))
		list_remove(q->waiters.next);
}

/* On the stack. */
static struct waiter *waiter_new(lua_State *L, struct queue *q)
{
	struct waiter *w = collected_new(L, sizeof(*w), &waiter_memory, waiter_end);

	list_init(&w->node);
	list_append(&q->waiters, &w->node);
	return w;
}

/* core.queue() */
int core_queue(lua_State *L)
{
	struct handle *h = handle_new(L, &queue_kind, NULL);
	struct queue *q = collected_new(L, sizeof(*q), &queue_memory, queue_end);

	list_init(&q->waiters);
	q->first = q->behind = 1;
	h->of = q;
	object_new(L, &queue_class, -2, 0);
	lua_createtable(L, KEPT_ALARMS, 0);
	lua_rotate(L, -3, -1);
	lua_rawseti(L, -2, KEPT_MEMORY);
	lua_newtable(L);
	lua_rawseti(L, -2, KEPT_VALUES);
	lua_setiuservalue(L, -3, 1);
	return 1;
}

/* One of the tables of the queue at 1; on the stack. */
static void push_kept(lua_State *L, int which)
{
	lua_rawgeti(L, 1, 0);
	lua_getiuservalue(L, -1, 1);
	lua_rawgeti(L, -1, which);
	lua_replace(L, -3);
	lua_pop(L, 1);
}

static struct queue *queue_of(lua_State *L)
{
	return object_of(L, 1, &queue_kind);
}

/* ---- methods -------------------------------------------------------------------------------- */

static int queue_size(lua_State *L)
{
	const struct queue *q = queue_of(L);

	lua_pushinteger(L, q->behind - q->first);
	return 1;
}

/* All who wait, and all alarms, which are kept no longer. */
static void tell(lua_State *L, struct queue *q)
{
	struct waiter *w, *next;

	list_for_each_safe(w, next, &q->waiters, node) {
		list_remove(&w->node);
		script_alarm_ring(&w->alarm);
	}
	lua_rawgeti(L, 1, 0);
	lua_getiuservalue(L, -1, 1);
	lua_pushnil(L);
	lua_rawseti(L, -2, KEPT_ALARMS);
	lua_pop(L, 2);
}

static int queue_push(lua_State *L)
{
	struct queue *q = queue_of(L);

	if (lua_gettop(L) != 2 || lua_isnil(L, 2))
		return luaL_error(L, "unexpected argument");
	push_kept(L, KEPT_VALUES);
	lua_pushvalue(L, 2);
	lua_rawseti(L, -2, q->behind);
	q->behind++;
	tell(L, q);
	lua_pushboolean(L, 1);
	return 1;
}

/* The first value, on the stack. False: there is none. */
static bool take(lua_State *L, struct queue *q)
{
	if (q->first == q->behind)
		return false;
	push_kept(L, KEPT_VALUES);
	lua_rawgeti(L, -1, q->first);
	lua_pushnil(L);
	lua_rawseti(L, -3, q->first);
	if (++q->first == q->behind)
		q->first = q->behind = 1;
	return true;
}

static int queue_pop(lua_State *L)
{
	if (!take(L, queue_of(L)))
		lua_pushnil(L);
	return 1;
}

static int pop_on(lua_State *L, int status, lua_KContext ctx)
{
	struct queue *q = queue_of(L);

	(void)status;
	(void)ctx;
	lua_settop(L, 1);
	if (take(L, q))
		return 1;
	script_alarm_set(script_now, &waiter_new(L, q)->alarm, true);
	return script_sleep(L, 0, pop_on, 0);
}

static int queue_pop_wait(lua_State *L)
{
	queue_of(L);
	if (!script_may_wait(L))
		return luaL_error(L, "pop_wait() may only be used within task context (requires yielding)");
	return pop_on(L, LUA_OK, 0);
}

/* One that the script has set already, or that a script has left which has ended; NULL: none. */
static struct waiter *alarm_there(const struct queue *q)
{
	struct waiter *w;

	list_for_each(w, &q->waiters, node)
		if (w->kept && (!w->alarm.script || w->alarm.script == script_now))
			return w;
	return NULL;
}

/* It lies with the queue, as the script goes its way. */
static struct waiter *alarm_new(lua_State *L, struct queue *q)
{
	struct waiter *w;

	push_kept(L, KEPT_ALARMS);
	if (lua_isnil(L, -1)) {
		lua_rawgeti(L, 1, 0);
		lua_getiuservalue(L, -1, 1);
		lua_newtable(L);
		lua_pushvalue(L, -1);
		lua_rawseti(L, -3, KEPT_ALARMS);
	}
	w = waiter_new(L, q);
	lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
	w->kept = true;
	return w;
}

static int queue_alarm(lua_State *L)
{
	struct queue *q = queue_of(L);
	struct waiter *w = alarm_there(q);

	if (!script_may_wait(L))
		return luaL_error(L, "alarm() is for scripts that may wait");
	script_alarm_set(script_now, &(w ? w : alarm_new(L, q))->alarm, false);
	lua_pushboolean(L, 1);
	return 1;
}

static const struct class_method methods[] = {
	{ "size", queue_size, "", "integer", "how many values wait in it", 0 },
	{ "push", queue_push, "value", "true", "puts any value but nil at the end", 0 },
	{ "pop", queue_pop, "", "value or nil", "takes the first; nil: it is empty", 0 },
	{ "pop_wait", queue_pop_wait, "", "value", "takes the first, and waits until there is one",
	  METHOD_WAITS },
	{ "alarm", queue_alarm, "", "true", "the next value that comes ends core.wait of this script", 0 },
	{ 0 },
};

const struct class queue_class = {
	"Queue", methods, .help = "values from one script of this process to another: core.queue()",
};
