/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of servers (core.event_sub, Server:event_sub) and of a file of patterns
 * (Patref:event_sub). All processes make each change of these; functions of files that were read
 * for all are called in the one that checks servers, others where they subscribed. The function of
 * a subscription is called for one event after the other, as a script that may wait. Servers and
 * files of patterns stay as long as the process, so an event need not copy what they are called. */
#include "lua/events.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/list.h"
#include "check/check.h"
#include "expr/pattern_change.h"
#include "log/log.h"
#include "lua/classes.h"
#include "lua/register.h"
#include "lua/running.h"
#include "lua/script.h"
#include "lua/state.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/server_event.h"
#include "proxy/part.h"
#include "stats/stat.h"

#include <stdlib.h>

#include <lauxlib.h>

enum {
	EVENT_ADD, EVENT_DEL, EVENT_UP, EVENT_DOWN, EVENT_STATE, EVENT_ADMIN, EVENT_CHECK,
	EVENT_PATTERN, /* and on: that of each enum pattern_event, which begins with nothing */
	EVENTS = EVENT_PATTERN + PATTERN_COMMITTED,
};

/* Servers do not come and go: nothing ever tells the first two. */
static const char *const event_names[EVENTS] = {
	"SERVER_ADD", "SERVER_DEL", "SERVER_UP", "SERVER_DOWN", "SERVER_STATE", "SERVER_ADMIN", "SERVER_CHECK",
	"PAT_REF_ADD", "PAT_REF_DEL", "PAT_REF_SET", "PAT_REF_CLEAR", "PAT_REF_COMMIT",
};
enum {
	SERVER_EVENTS = (1 << EVENT_PATTERN) - 1,
	PATTERN_EVENTS = ((1 << EVENTS) - 1) & ~SERVER_EVENTS,
	SUBSCRIPTIONS_MOST = 1000, QUEUE_MOST = 1000,
};

/* What a check has found. */
struct found {
	bool is_agent;
	uint8_t status;
	int code, health, rise, fall;
	unsigned duration_ms;
};

/* One for each subscription that it concerns. */
struct event {
	struct list node;
	unsigned type; /* EVENT_* */
	struct server *server;
	const struct pattern_ref *ref; /* EVENT_PATTERN and on: there is no server */
	time_t when;
	unsigned requeued;
	union {
		struct {
			bool admin, is_found;
			uint8_t before, after; /* enum server_op */
			char cause[128];
		} state;
		struct {
			uint8_t before, after; /* ADMIN_* */
		} admin;
	};
	struct found found; /* EVENT_CHECK, and where state.is_found */
};

struct subscription {
	struct list node;
	unsigned types;              /* 1 << EVENT_* */
	const struct server *server; /* NULL: all */
	const struct pattern_ref *ref; /* NULL: it is of servers */
	bool own, over, at_work, started;
	bool in_own;     /* in the world of files of this process: lua/own.h */
	int function_ref, handle_ref;
	struct handle *handle;       /* of the object that the script has */
	struct script script;
	struct event *at_hand;       /* that it is called for */
	struct list events;
	unsigned count;              /* of those that wait */
	KIND_MEMBER
};
static struct list subscriptions = LIST_INIT(subscriptions);
static unsigned subscription_count;
static struct failures failures, overruns;
static bool serving;
static void (*push_server)(lua_State *L, struct server *s);
static const char subscription_kind;

/* ---- what the function is given ------------------------------------------------------------- */

static void put_integer(lua_State *L, const char *name, lua_Integer n)
{
	lua_pushinteger(L, n);
	lua_setfield(L, -2, name);
}

static void put_string(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

static void put_boolean(lua_State *L, const char *name, bool b)
{
	lua_pushboolean(L, b);
	lua_setfield(L, -2, name);
}

static const char *result_name(unsigned status)
{
	if (status == CHECK_L7OKC)
		return "CONDPASS";
	if (status == CHECK_CHECKED)
		return "NEUTRAL";
	if (status == CHECK_L4OK || status == CHECK_L6OK || status == CHECK_L7OK || status == CHECK_PROCOK)
		return "PASSED";
	return "FAILED";
}

static void push_found(lua_State *L, const struct found *f)
{
	lua_createtable(L, 0, 5);
	put_boolean(L, "agent", f->is_agent);
	put_string(L, "result", result_name(f->status));
	put_integer(L, "duration", f->duration_ms);
	lua_createtable(L, 0, 3);
	put_string(L, "short", check_status_name(f->status));
	put_string(L, "desc", check_status_sentence(f->status));
	if (check_status_has_code(f->status))
		put_integer(L, "code", f->code);
	lua_setfield(L, -2, "reason");
	lua_createtable(L, 0, 3);
	put_integer(L, "cur", f->health);
	put_integer(L, "rise", f->rise);
	put_integer(L, "fall", f->fall);
	lua_setfield(L, -2, "health");
}

static void push_state(lua_State *L, const struct event *e)
{
	static const char *const names[] = { [SERVER_DOWN] = "STOPPED", [SERVER_STARTING] = "STARTING",
					     [SERVER_UP] = "RUNNING", [SERVER_STOPPING] = "STOPPING" };

	lua_createtable(L, 0, 6);
	put_boolean(L, "admin", e->state.admin);
	put_string(L, "old_state", names[e->state.before]);
	put_string(L, "new_state", names[e->state.after]);
	put_string(L, "cause", e->state.cause);
	put_integer(L, "requeued", e->requeued);
	if (e->state.is_found) {
		push_found(L, &e->found);
		lua_setfield(L, -2, "check");
	}
}

static void set_admin(lua_State *L, const char *name, unsigned admin)
{
	lua_createtable(L, 0, 8);
	put_boolean(L, "MAINT", admin & ADMIN_MAINT);
	put_boolean(L, "FMAINT", admin & ADMIN_FORCED_MAINT);
	put_boolean(L, "IMAINT", admin & ADMIN_INHERITED_MAINT);
	put_boolean(L, "RMAINT", admin & ADMIN_RESOLUTION);
	put_boolean(L, "CMAINT", false); /* a server that the configuration disables is so by force */
	put_boolean(L, "DRAIN", admin & ADMIN_DRAIN);
	put_boolean(L, "FDRAIN", admin & ADMIN_FORCED_DRAIN);
	put_boolean(L, "IDRAIN", admin & ADMIN_INHERITED_DRAIN);
	lua_setfield(L, -2, name);
}

static void push_admin(lua_State *L, const struct event *e)
{
	lua_createtable(L, 0, 4);
	put_string(L, "cause", "");
	put_integer(L, "requeued", e->requeued);
	set_admin(L, "old_admin", e->admin.before);
	set_admin(L, "new_admin", e->admin.after);
}

static void push_data(lua_State *L, const struct event *e)
{
	if (e->ref) {
		lua_pushnil(L);
		return;
	}
	lua_createtable(L, 0, 7);
	put_string(L, "name", e->server->id);
	put_integer(L, "puid", e->server->puid);
	put_integer(L, "rid", 0);
	put_string(L, "proxy_name", e->server->proxy->name);
	put_integer(L, "proxy_uuid", e->server->proxy->uuid);
	push_server(L, e->server);
	lua_setfield(L, -2, "reference");
	if (e->type == EVENT_STATE) {
		push_state(L, e);
		lua_setfield(L, -2, "state");
	} else if (e->type == EVENT_ADMIN) {
		push_admin(L, e);
		lua_setfield(L, -2, "admin");
	} else if (e->type == EVENT_CHECK) {
		push_found(L, &e->found);
		lua_setfield(L, -2, "check");
	}
}

/* ---- subscriptions -------------------------------------------------------------------------- */

static void events_drop(struct subscription *sub)
{
	struct event *e;

	while (!list_empty(&sub->events)) {
		e = list_first(&sub->events, struct event, node);
		list_remove(&e->node);
		free(e);
	}
	sub->count = 0;
}

/* Its script is not at work. */
static void subscription_free(struct subscription *sub)
{
	if (sub->script.thread)
		script_end(&sub->script);
	events_drop(sub);
	free(sub->at_hand);
	sub->handle->of = NULL;
	luaL_unref(lua_running, LUA_REGISTRYINDEX, sub->handle_ref);
	luaL_unref(lua_running, LUA_REGISTRYINDEX, sub->function_ref);
	list_remove(&sub->node);
	subscription_count--;
	free(sub);
}

static int finished(lua_State *L, int status, lua_KContext ctx)
{
	(void)L;
	(void)status;
	(void)ctx;
	return 0;
}

/* function(type, data, subscription, when) */
static int begin(lua_State *L)
{
	const struct subscription *sub = lua_touserdata(L, 1);
	const struct event *e = sub->at_hand;

	lua_rawgeti(L, LUA_REGISTRYINDEX, sub->function_ref);
	lua_pushstring(L, event_names[e->type]);
	push_data(L, e);
	lua_rawgeti(L, LUA_REGISTRYINDEX, sub->handle_ref);
	object_new(L, &subscription_class, -1, 0);
	lua_remove(L, -2);
	lua_pushinteger(L, e->when);
	lua_callk(L, 4, 0, 0, finished);
	return 0;
}

static void run(struct script *s);

/* Not within the change: there another process speaks. */
static void tell_overrun(struct task *task)
{
	(void)task;
	failures_tell(&overruns, "event_hdl", "a function is too slow: events are lost", NULL);
}
static struct task overrun = { LIST_INIT(overrun.node), tell_overrun };

/* From the loop, as is each further run. */
static void call_next(struct subscription *sub)
{
	struct event *e = list_first(&sub->events, struct event, node);

	KIND_IS(struct subscription, sub);
	list_remove(&e->node);
	sub->count--;
	sub->at_hand = e;
	if (!script_new(&sub->script, sub, run, script_limits.task_ms)) {
		free(e);
		sub->at_hand = NULL;
		task_wake(&overrun);
		return;
	}
	sub->script.state = own_state(sub->in_own);
	sub->script.name = "of an event";
	sub->started = false;
	lua_pushcfunction(sub->script.thread, begin);
	lua_pushlightuserdata(sub->script.thread, sub);
	script_ready(&sub->script);
}

static void run(struct script *s)
{
	struct subscription *sub = KIND_OF(struct subscription, s->owner);
	enum script_result result;

	sub->at_work = true;
	result = script_run(s, !sub->started);
	sub->started = true;
	sub->at_work = false;
	switch (result) {
	case SCRIPT_WAIT:
		if (!sub->over)
			return;
		break;
	case SCRIPT_FAILED:
		failures_tell(&failures, "event_hdl", s->error, NULL);
		break;
	case SCRIPT_DONE:
		break;
	}
	script_end(s);
	free(sub->at_hand);
	sub->at_hand = NULL;
	if (sub->over)
		subscription_free(sub);
	else if (!list_empty(&sub->events))
		call_next(sub);
}

/* sub:unsub(): its function is not called again. One that is at work goes on until it waits or
 * ends. */
static int unsub(lua_State *L)
{
	struct handle *h = object_handle(L, 1, &subscription_kind);
	struct subscription *sub = h->of;

	if (!sub)
		return 0;
	if (!sub->at_work) {
		subscription_free(sub);
		return 0;
	}
	events_drop(sub);
	sub->over = true;
	h->of = NULL;
	return 0;
}

static const struct class_method methods[] = {
	{ "unsub", unsub, "", NULL, "the function is not called any more", 0 },
	{ 0 },
};

const struct class subscription_class = {
	"EventSub", methods, .help = "a subscription to events: core.event_sub(), Server:event_sub(), Patref:event_sub()",
};

/* The events of this name; 0: there are none. */
static unsigned named(const char *name)
{
	unsigned i;

	if (!strcmp(name, "SERVER"))
		return SERVER_EVENTS;
	if (!strcmp(name, "PAT_REF"))
		return PATTERN_EVENTS;
	for (i = 0; i < EVENTS && strcmp(name, event_names[i]) != 0; i++)
		;
	return i < EVENTS ? 1u << i : 0;
}

static unsigned type_of(lua_State *L, const char *name, unsigned all, int at)
{
	unsigned types = named(name);

	if (!types)
		luaL_argerror(L, at, lua_pushfstring(L, "'%s' event type is unknown", name));
	if (!(types & all))
		luaL_argerror(L, at, lua_pushfstring(L, "'%s' is for %s", name, all == SERVER_EVENTS ?
						     "Patref:event_sub" : "core.event_sub"));
	return types;
}

/* all: those that there may be. */
static unsigned types_of(lua_State *L, unsigned all, int at)
{
	unsigned types = 0;
	lua_Integer i;

	luaL_argexpected(L, lua_istable(L, at), at, "table of strings");
	for (i = 1; lua_rawgeti(L, at, i) != LUA_TNIL; i++) {
		luaL_argexpected(L, lua_type(L, -1) == LUA_TSTRING, at, "table of strings");
		types |= type_of(L, lua_tostring(L, -1), all, at);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	if (!types)
		luaL_error(L, "event_sub: no valid event types were provided");
	return types;
}

int events_subscribe(lua_State *L, int at, const struct server *server, const struct pattern_ref *ref)
{
	unsigned types = types_of(L, ref ? PATTERN_EVENTS : SERVER_EVENTS, at);
	struct subscription *sub;
	struct handle *h;
	int function_ref, handle_ref;

	luaL_checktype(L, at + 1, LUA_TFUNCTION);
	if (subscription_count == SUBSCRIPTIONS_MOST)
		return luaL_error(L, "event_sub: there are %d subscriptions", SUBSCRIPTIONS_MOST);
	h = handle_new(L, &subscription_kind, NULL);
	object_new(L, &subscription_class, -1, 0);
	lua_pushvalue(L, -2);
	handle_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_pushvalue(L, at + 1);
	function_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	sub = calloc(1, sizeof(*sub));
	if (!sub) {
		luaL_unref(L, LUA_REGISTRYINDEX, handle_ref);
		luaL_unref(L, LUA_REGISTRYINDEX, function_ref);
		return luaL_error(L, "not enough memory");
	}
	sub->types = types;
	sub->server = server;
	sub->ref = ref;
	sub->own = own_reading || serving;
	sub->in_own = own_reading || (script_now && script_now->state);
	sub->function_ref = function_ref;
	sub->handle_ref = handle_ref;
	sub->handle = h;
	h->of = sub;
	list_init(&sub->events);
	list_append(&subscriptions, &sub->node);
	subscription_count++;
	return 1;
}

int core_event_sub(lua_State *L)
{
	arguments_check(L, "event_sub", 2, 2);
	return events_subscribe(L, 1, NULL, NULL);
}

/* ---- what happens --------------------------------------------------------------------------- */

static bool is_told(const struct subscription *sub, const struct event *e)
{
	return !sub->over && sub->types & 1u << e->type && (!sub->server || sub->server == e->server) &&
	       sub->ref == e->ref && (sub->own || facts_checker.here);
}

/* Events that wait have their server, and it is shown by then. */
static void mark_servers(void)
{
	struct subscription *sub;
	struct event *e;

	list_for_each(sub, &subscriptions, node)
		list_for_each(e, &sub->events, node)
			if (e->server)
				e->server->in_use = true;
}

static void leave_server(struct server *s)
{
	struct subscription *sub;

	list_for_each(sub, &subscriptions, node)
		if (sub->server == s)
			sub->types = 0;
}

struct server_part lua_server_part = { .leave = leave_server, .mark = mark_servers };

/* A function that is slower than events come loses some. */
static void put(struct subscription *sub, const struct event *e)
{
	struct event *copy = sub->count < QUEUE_MOST ? malloc(sizeof(*copy)) : NULL;

	if (!copy) {
		task_wake(&overrun);
		return;
	}
	*copy = *e;
	list_append(&sub->events, &copy->node);
	sub->count++;
	if (!sub->at_hand)
		call_next(sub);
}

static void tell(const struct event *e)
{
	struct subscription *sub;

	list_for_each(sub, &subscriptions, node)
		if (is_told(sub, e))
			put(sub, e);
}

static struct found found_of(const struct server *s, const struct check_state *state)
{
	bool agent = state == &s->state->agent;

	return (struct found){ .is_agent = agent, .status = state->status, .code = state->code,
			       .duration_ms = state->duration_ms,
			       .health = agent ? !s->state->agent_down : s->state->health,
			       .rise = agent ? 1 : s->set.rise, .fall = agent ? 1 : s->set.fall };
}

static struct event event_of(unsigned type, struct server *s)
{
	return (struct event){ .type = type, .server = s, .when = clock_wall().tv_sec };
}

static void checked(struct server *s, const struct check_state *state)
{
	struct event e = event_of(EVENT_CHECK, s);

	e.found = found_of(s, state);
	tell(&e);
}

static void op_changed(const struct server_event *ev, bool admin)
{
	struct server *s = ev->server;
	struct event e = event_of(s->state->op == SERVER_DOWN ? EVENT_DOWN : EVENT_UP, s);

	if (s->state->op == SERVER_DOWN || ev->op_before == SERVER_DOWN)
		tell(&e);
	e.type = EVENT_STATE;
	e.requeued = ev->requeued;
	e.state.admin = admin;
	e.state.before = ev->op_before;
	e.state.after = s->state->op;
	e.state.is_found = ev->found != NULL;
	if (ev->found)
		e.found = found_of(s, ev->found);
	else if (ev->reason)
		snprintf(e.state.cause, sizeof(e.state.cause), "%s", ev->reason);
	tell(&e);
}

static void changed(const struct server_event *ev, unsigned what)
{
	struct event e = event_of(EVENT_ADMIN, ev->server);

	if (what & SERVER_CHANGED_ADMIN) {
		e.requeued = ev->requeued;
		e.admin.before = (uint8_t)ev->admin_before;
		e.admin.after = ev->server->state->admin;
		tell(&e);
	}
	if (what & SERVER_CHANGED_OP)
		op_changed(ev, what & SERVER_CHANGED_ADMIN);
}

static void patterns_changed(const struct pattern_ref *ref, enum pattern_event what)
{
	struct event e = event_of(EVENT_PATTERN + what - 1, NULL);

	e.ref = ref;
	tell(&e);
}

/* ---- the process ---------------------------------------------------------------------------- */

static void forget(bool all)
{
	struct subscription *sub, *next;

	list_for_each_safe(sub, next, &subscriptions, node)
		if (all || sub->own)
			subscription_free(sub);
}

void events_forget_own(void)
{
	forget(false);
}

void events_start(void (*push)(lua_State *L, struct server *s))
{
	push_server = push;
	serving = true;
	server_hooks.changed = changed;
	server_hooks.checked = checked;
	pattern_changed = patterns_changed;
}

void events_stop(void)
{
	server_hooks.changed = NULL;
	server_hooks.checked = NULL;
	pattern_changed = NULL;
	serving = false;
	task_cancel(&overrun);
	forget(true);
}
