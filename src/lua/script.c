/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: coroutines that compute in stretches, wait, and are ended when they compute for too long.
 * Called by whoever owns a script; functions of classes wait by script_sleep. Nothing here knows what
 * a script is for. */
#include "lua/script.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/str.h"
#include "lua/coroutine.h"
#include "lua/running.h"
#include "lua/traceback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>

struct script_limits script_limits = {
	.session_ms = 4000, .service_ms = 4000, .burst_ms = 1000, .yield = 10000,
};
struct script *script_now;
void (*script_enter)(bool own);
lua_State *script_at_work;

enum { IDLE_MOST = 64, ERROR_SIZE = 960 };

/* Threads that are not in use: references in the registry. */
static struct {
	lua_State *thread;
	int ref;
} idle[IDLE_MOST];
static unsigned idle_count;
static char error[ERROR_SIZE];

/* ---- the end of a stretch ------------------------------------------------------------------- */

/* What this process has computed: on a busy machine a script pays for others no more than it must.
 */
static uint64_t cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t stretch_us(const struct script *s)
{
	return (s->exact ? cpu_us() : clock_read_us()) - s->began_us;
}

/* Most scripts end within a few thousand instructions: their time is that of the wall, which costs
 * no system call. */
static void stretch_begin(struct script *s, bool exact)
{
	s->exact = exact;
	s->began_us = exact ? cpu_us() : clock_read_us();
}

/* One that waits often has many short stretches: a quarter of its time is counted without a call.
 */
static bool is_long(const struct script *s)
{
	return s->limit_ms && s->used_us >= (uint64_t)s->limit_ms * 250;
}

bool script_may_wait(lua_State *L)
{
	return script_now && script_now->may_yield && !script_now->barriers && lua_isyieldable(L);
}

static void watch(lua_State *L, lua_Debug *ar);
static void unwind(lua_State *L, lua_Debug *ar);

/* The hook of a script (NULL: of none) for one of its coroutines. */
static void look_after(lua_State *L, const struct script *s)
{
	lua_sethook(L, watch, LUA_MASKCOUNT, (int)(s ? s->stretch : script_limits.yield));
}

void script_be_nice(lua_State *L, int nice)
{
	uint64_t usual = script_limits.yield;
	struct script *s = script_now;

	s->stretch = (unsigned)(nice > 0 ? usual - usual * (unsigned)nice * 15 / 16 / 1024 :
				usual + usual * (unsigned)-nice * 3 / 1024);
	if (!s->stretch)
		s->stretch = 1;
	if (lua_gethook(L) == watch)
		look_after(L, s);
	if (lua_gethook(s->thread) == watch)
		look_after(s->thread, s);
}

enum { MOVED_MOST = 4 << 20 };

/* Ten thousand instructions that copy long strings would take a minute. What may be within an
 * instruction, or a function of C, asks for the hook behind it. */
void script_moved(size_t bytes)
{
	static size_t moved;

	moved = bytes < MOVED_MOST - moved ? moved + bytes : MOVED_MOST;
	if (moved < MOVED_MOST)
		return;
	moved = 0;
	if (script_at_work && lua_gethook(script_at_work) == watch)
		lua_sethook(script_at_work, watch, LUA_MASKCOUNT, 1);
}

/* Below a function of C that cannot yield an error is raised, and from then on at each instruction,
 * until the code is back where it can. (An error for each pcall of a deep recursion would take time
 * that grows with the square of its depth.) */
int script_leave(lua_State *L, enum script_over why)
{
	script_now->over = (uint8_t)why;
	if (lua_isyieldable(L) && !script_now->closing) {
		script_now->pausing = true;
		return lua_yield(L, 0);
	}
	if (lua_gethook(L) != unwind)
		lua_sethook(L, unwind, LUA_MASKCOUNT, 1);
	if (lua_gethook(script_now->thread) != unwind)
		lua_sethook(script_now->thread, unwind, LUA_MASKCOUNT, 1);
	return luaL_error(L, "this script ends");
}

/* The hook: some thousand instructions have run. */
static void watch(lua_State *L, lua_Debug *ar)
{
	struct script *s = script_now;
	uint64_t took;

	(void)ar;
	if (lua_gethookcount(L) == 1 && lua_gethook(L) == watch)
		look_after(L, s);
	if (!s)
		return;
	if (!s->exact) {
		s->used_us += stretch_us(s);
		stretch_begin(s, true);
	}
	took = stretch_us(s);
	if (s->over != OVER_NOT) {
		script_leave(L, (enum script_over)s->over);
	} else if ((s->limit_ms && (s->used_us + took) / 1000 >= s->limit_ms) ||
		   (script_limits.burst_ms && took / 1000 >= script_limits.burst_ms)) {
		script_leave(L, OVER_TIME);
	} else if (script_may_wait(L)) {
		s->pausing = true;
		script_ready(s);
		lua_yield(L, 0);
	}
}

/* The hook where a script is being left. A coroutine that was left so may be another script's
 * later. */
static void unwind(lua_State *L, lua_Debug *ar)
{
	if (script_now && script_now->over == OVER_NOT)
		look_after(L, script_now);
	watch(L, ar);
}

/* The hook has raised an error that nobody caught. Lua calls no hook there any more. */
bool script_was_unwound(lua_State *co)
{
	return lua_status(co) > LUA_YIELD && lua_gethook(co) == unwind;
}

/* What it was done with lies in the registry under the script's address: whatever protects the code
 * that is unwound may throw the error itself away. */
int script_finish(lua_State *L)
{
	if (!script_now)
		return luaL_error(L, "nothing is at work that could be done");
	if (lua_gettop(L))
		lua_rawsetp(L, LUA_REGISTRYINDEX, script_now);
	return script_leave(L, OVER_DONE);
}

static void say_at_work(struct text *t);

/* Lua makes these messages where nothing protects it: in lua_resume, behind what has failed. Short
 * strings that exist need no memory. */
static const char *const messages[] = {
	"C stack overflow", "cannot resume dead coroutine", "cannot resume non-suspended coroutine",
	"error in error handling",
};

static void keep_messages(lua_State *L)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(messages); i++) {
		lua_pushstring(L, messages[i]);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &messages[i]);
	}
}

static int begin(lua_State *L)
{
	loop_below = say_at_work;
	keep_messages(L);
	lua_sethook(L, watch, LUA_MASKCOUNT, (int)script_limits.yield);
	coroutine_begin(L);
	lua_pushcfunction(L, script_xpcall);
	lua_setglobal(L, "xpcall");
	return 0;
}

bool script_begin(lua_State *L)
{
	idle_count = 0;
	lua_pushcfunction(L, begin);
	return lua_pcall(L, 0, 0, 0) == LUA_OK;
}

/* ---- a script ------------------------------------------------------------------------------- */

void script_ready(struct script *s)
{
	s->ready = true;
	task_wake(&s->task);
}

void script_forget(struct script *s)
{
	if (s->noted)
		*s->noted = NULL;
	s->noted = NULL;
}

void script_note(struct script *s, struct script **place)
{
	script_forget(s);
	BUG_ON(*place); /* whoever stood there would not know when the place goes */
	*place = s;
	s->noted = place;
}

void script_turn_out(struct script **place)
{
	struct script *s = *place;

	if (!s)
		return;
	script_forget(s);
	script_ready(s);
}

void script_alarm_set(struct script *s, struct script_alarm *alarm, bool direct)
{
	script_alarm_off(alarm);
	alarm->script = s;
	alarm->direct = direct;
	list_append(&s->alarms, &alarm->node);
}

void script_alarm_off(struct script_alarm *alarm)
{
	if (alarm->script)
		list_remove(&alarm->node);
	alarm->script = NULL;
}

void script_alarm_ring(struct script_alarm *alarm)
{
	struct script *s = alarm->script;

	if (!s)
		return;
	script_alarm_off(alarm);
	if (!alarm->direct)
		s->alarmed = true;
	if (alarm->direct || s->heeds_alarms)
		script_ready(s);
}

static void alarms_end(struct script *s)
{
	while (!list_empty(&s->alarms))
		script_alarm_off(list_first(&s->alarms, struct script_alarm, node));
}

static void fire(struct timer *timer)
{
	script_ready((struct script *)((char *)timer - offsetof(struct script, timer)));
}

static void run_task(struct task *task)
{
	struct script *s = container_of(task, struct script, task);

	s->wake(s);
}

/* A thread, referenced: on the stack its reference and the thread as light userdata. */
static int make_thread(lua_State *L)
{
	lua_State *thread = lua_newthread(L);

	lua_pushlightuserdata(L, thread);
	lua_insert(L, -2);
	lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
	return 2;
}

static bool take_thread(struct script *s)
{
	lua_State *L = lua_running;

	if (idle_count) {
		idle_count--;
		s->thread = idle[idle_count].thread;
		s->ref = idle[idle_count].ref;
		return true;
	}
	lua_pushcfunction(L, make_thread);
	if (lua_pcall(L, 0, 2, 0) != LUA_OK) {
		lua_pop(L, 1);
		return false;
	}
	s->thread = lua_touserdata(L, -2);
	s->ref = (int)lua_tointeger(L, -1);
	lua_pop(L, 2);
	return true;
}

bool script_new(struct script *s, void *owner, void (*wake)(struct script *s), unsigned limit_ms)
{
	memset(s, 0, sizeof(*s));
	if (!take_thread(s))
		return false;
	s->owner = owner;
	s->wake = wake;
	s->limit_ms = limit_ms;
	s->may_yield = true;
	s->ready = true;
	list_init(&s->alarms);
	timer_init(&s->timer, fire);
	task_init(&s->task, run_task);
	s->stretch = script_limits.yield;
	look_after(s->thread, s);
	return true;
}

static void one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = ' ';
}

/* loop_below: a function of C that takes for ever, a pattern that backtracks, is one of a script.
 */
static void say_at_work(struct text *t)
{
	if (!script_now || !script_at_work)
		return;
	text_str(t, "the script ");
	text_str(t, script_now->name ? script_now->name : "without a name");
	text_str(t, " is at work");
	traceback_say(t, script_at_work);
}

static const char *fault_text(const struct script *s)
{
	switch ((enum script_fault)s->fault) {
	case SCRIPT_TIMEOUT:
		return "runtime error: execution timeout";
	case SCRIPT_MEMORY:
		return "out of memory error";
	case SCRIPT_NO_YIELD:
		return "yield not allowed";
	case SCRIPT_ERROR:
		break;
	}
	return "unknown runtime error";
}

/* What its error says, in `error`. An object that is no text says nothing: its metamethods would be
 * code of a script that has failed. Nor may a long text take the room of the traceback. */
static int say_error(lua_State *L)
{
	lua_State *thread = lua_touserdata(L, 1);
	const struct script *s = lua_touserdata(L, 2);
	const char *said = NULL;
	struct text t;
	size_t len = 0;

	if (s->fault == SCRIPT_ERROR)
		lua_xmove(thread, L, 1);
	if (s->fault == SCRIPT_ERROR && lua_isstring(L, -1))
		said = lua_tolstring(L, -1, &len);
	text_init(&t, error, sizeof(error));
	text_printf(&t, "[state-id %u] ", s->state);
	text_str(&t, said ? "runtime error: " : fault_text(s));
	if (said)
		text_add(&t, said, len < ERROR_SIZE / 2 ? len : ERROR_SIZE / 2);
	traceback_say(&t, thread);
	return 0;
}

static enum script_fault fault(const struct script *s, int status)
{
	if (s->over == OVER_TIME)
		return SCRIPT_TIMEOUT;
	if (s->over == OVER_NO_YIELD)
		return SCRIPT_NO_YIELD;
	return status == LUA_ERRMEM ? SCRIPT_MEMORY : SCRIPT_ERROR;
}

/* Done: its value, if there is one, is its result. Nothing here needs memory. */
static enum script_result done(struct script *s)
{
	lua_settop(s->thread, 0);
	s->results = lua_rawgetp(s->thread, LUA_REGISTRYINDEX, s) != LUA_TNIL;
	lua_pushnil(s->thread);
	lua_rawsetp(s->thread, LUA_REGISTRYINDEX, s);
	lua_settop(s->thread, s->results);
	return SCRIPT_DONE;
}

static enum script_result failed(struct script *s, int status)
{
	lua_State *L = lua_running;

	s->fault = fault(s, status);
	s->error = fault_text(s);
	if (s->fault != SCRIPT_ERROR && s->fault != SCRIPT_TIMEOUT)
		return SCRIPT_FAILED;
	snprintf(error, sizeof(error), "[state-id %u] %s", s->state, s->error);
	s->error = error;
	lua_pushcfunction(L, say_error);
	lua_pushlightuserdata(L, s->thread);
	lua_pushlightuserdata(L, s);
	if (lua_pcall(L, 2, 0, 0) != LUA_OK)
		lua_pop(L, 1);
	one_line(error);
	return SCRIPT_FAILED;
}

static enum script_result yielded(struct script *s, int values)
{
	lua_pop(s->thread, values);
	if (!s->may_yield) {
		s->fault = SCRIPT_NO_YIELD;
		s->error = "attempt to yield where nobody may wait";
		return SCRIPT_FAILED;
	}
	if (!s->pausing) /* coroutine.yield() of its own: behind all others */
		script_ready(s);
	s->pausing = false;
	return SCRIPT_WAIT;
}

static void enter(const struct script *s)
{
	if (script_enter)
		script_enter(s->state != 0);
}

/* The one that goes on; NULL: nobody does, and whoever comes next enters. */
static void leave_to(struct script *outer)
{
	script_now = outer;
	if (outer)
		enter(outer);
}

enum script_result script_run(struct script *s, int args)
{
	struct script *outer = script_now;
	lua_State *from = script_at_work;
	int status, got = 0;

	if (!s->ready)
		return SCRIPT_WAIT;
	s->ready = false;
	script_forget(s);
	timer_cancel(&s->timer);
	task_cancel(&s->task);
	enter(s);
	script_now = s;
	script_at_work = s->thread;
	stretch_begin(s, is_long(s));
	status = lua_resume(s->thread, from ? from : lua_running, args, &got);
	s->used_us += stretch_us(s);
	leave_to(outer);
	script_at_work = from;
	if (s->over == OVER_DONE)
		return done(s);
	if (s->over != OVER_NOT)
		return failed(s, LUA_ERRRUN);
	if (status == LUA_YIELD)
		return yielded(s, got);
	if (status != LUA_OK)
		return failed(s, status);
	s->results = got;
	s->whole = true;
	return SCRIPT_DONE;
}

static int drop_thread(lua_State *L)
{
	luaL_unref(L, LUA_REGISTRYINDEX, (int)lua_tointeger(L, 1));
	return 0;
}

/* Variables that it is to close run code: within the limits, and without waiting. */
static void reset_thread(struct script *s)
{
	struct script *outer = script_now;
	lua_State *from = script_at_work;

	if (script_was_unwound(s->thread))
		return;
	enter(s);
	script_now = s;
	script_at_work = s->thread;
	s->may_yield = false;
	s->closing = true;
	s->over = OVER_NOT;
	stretch_begin(s, false);
	lua_resetthread(s->thread);
	leave_to(outer);
	script_at_work = from;
	lua_settop(s->thread, 0);
}

/* May the thread be another script's? One that has come to its end has nothing left to close, and
 * its stack may stay as large as it is: lua_resetthread would make the next script grow it again.
 */
static bool come_to_rest(struct script *s)
{
	if (!s->whole) {
		reset_thread(s);
		return false;
	}
	lua_settop(s->thread, 0);
	return true;
}

void script_again(struct script *s, unsigned ms)
{
	BUG_ON(s->thread);
	s->again = true;
	s->ready = false;
	timer_set(&s->timer, clock_now_ms + (ms ? ms : 1));
}

/* Nothing wakes it any more. */
static void quiet(struct script *s)
{
	script_forget(s);
	alarms_end(s);
	timer_cancel(&s->timer);
	task_cancel(&s->task);
}

void script_end(struct script *s)
{
	lua_State *L = lua_running;

	if (s->again) {
		timer_cancel(&s->timer);
		task_cancel(&s->task);
		s->again = false;
	}
	if (!s->thread)
		return;
	BUG_ON(script_now == s);
	quiet(s);
	/* One that did not come to its end may have a message handler left (xpcall), which
	 * lua_resetthread does not take off. */
	if (come_to_rest(s) && idle_count < IDLE_MOST) {
		idle[idle_count].thread = s->thread;
		idle[idle_count++].ref = s->ref;
	} else {
		lua_pushcfunction(L, drop_thread);
		lua_pushinteger(L, s->ref);
		lua_pcall(L, 1, 0, 0);
	}
	quiet(s); /* what was closed may have asked to be woken */
	if (s->over == OVER_DONE) { /* said by what was closed: nobody takes the value */
		lua_pushnil(L);
		lua_rawsetp(L, LUA_REGISTRYINDEX, s);
	}
	s->thread = NULL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static int nothing(lua_State *L, int status, lua_KContext ctx)
{
	(void)L;
	(void)status;
	(void)ctx;
	return 0;
}

int script_sleep(lua_State *L, int64_t ms, lua_KFunction k, lua_KContext ctx)
{
	struct script *s = script_now;

	if (s && !s->may_yield && ms == SCRIPT_TURN)
		return 0; /* nobody goes first, and nobody needs to */
	if (s && !s->may_yield)
		return script_leave(L, OVER_NO_YIELD);
	if (!script_may_wait(L)) { /* in Lua's own words */
		lua_pushliteral(L, "attempt to yield across a C-call boundary");
		return lua_error(L);
	}
	s->pausing = true;
	if (ms == SCRIPT_TURN)
		script_ready(s);
	else if (ms > 0)
		timer_set(&s->timer, clock_read_ms() + (uint64_t)ms);
	return lua_yieldk(L, 0, ctx, k ? k : nothing);
}

static int waited(lua_State *L, int status, lua_KContext ctx)
{
	(void)L;
	(void)status;
	(void)ctx;
	script_now->heeds_alarms = script_now->alarmed = false;
	return 0;
}

int script_wait(lua_State *L, int64_t ms)
{
	struct script *s = script_now;

	if (!script_may_wait(L))
		return script_sleep(L, ms, waited, 0); /* raises */
	if (s->alarmed)
		return waited(L, LUA_OK, 0);
	s->heeds_alarms = true;
	return script_sleep(L, ms, waited, 0);
}
