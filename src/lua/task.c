/* SPDX-License-Identifier: BSD-2-Clause */
/* core.register_init and core.register_task. Functions for all processes are registered while the
 * files are read, and stay: each worker is forked with them. The process that checks servers runs
 * the tasks of all. When it goes, another one begins them anew. */
#include "lua/task.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/list.h"
#include "base/memory.h"
#include "log/log.h"
#include "lua/object.h"
#include "lua/register.h"
#include "lua/running.h"
#include "lua/script.h"
#include "lua/state.h"
#include "proxy/facts.h"

#include <stdlib.h>

#include <lauxlib.h>

enum { TASKS_MOST = 10000 };

struct lua_task {
	struct list node;
	struct script script;
	int ref;       /* of its function */
	bool own;      /* of this process alone: freed when it has ended */
	bool in_own;   /* its function is of a file of this process */
	bool started;
	KIND_MEMBER
};
static struct list tasks = LIST_INIT(tasks);
static unsigned task_count;

struct init {
	struct list node;
	int ref;
	bool own;
};
static struct list inits = LIST_INIT(inits);

static bool serving;

/* ---- init functions ------------------------------------------------------------------------- */

/* A reference of the function at 1; memory of size bytes. Nothing is lost when one of them cannot
 * be had. */
static void *take_function(lua_State *L, const char *name, size_t size, int *ref)
{
	void *memory;

	arguments_check(L, name, 1, 1);
	luaL_checktype(L, 1, LUA_TFUNCTION);
	*ref = luaL_ref(L, LUA_REGISTRYINDEX);
	memory = memory_take(size);
	if (!memory) {
		luaL_unref(L, LUA_REGISTRYINDEX, *ref);
		luaL_error(L, "not enough memory");
	}
	return memset(memory, 0, size);
}

/* core.register_init(function) */
int register_init(lua_State *L)
{
	struct init *init;
	int ref;

	registering(L, "register_init");
	init = take_function(L, "register_init", sizeof(*init), &ref);
	init->ref = ref;
	init->own = own_reading;
	list_append(&inits, &init->node);
	return 0;
}

static void init_free(struct init *init)
{
	luaL_unref(lua_running, LUA_REGISTRYINDEX, init->ref);
	list_remove(&init->node);
	free(init);
}

static int init_run(struct init *init, struct err *err)
{
	lua_State *L = lua_running;
	char text[400];
	int ref = init->ref;

	lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
	if (script_enter)
		script_enter(init->own);
	init_free(init);
	if (state_call(L, 0, 0) == LUA_OK)
		return 0;
	state_error_text(L, text, sizeof(text));
	return err_set(err, "Lua init: runtime error: %s", text);
}

int inits_run(bool own, struct err *err)
{
	struct init *init, *next;

	list_for_each_safe(init, next, &inits, node)
		if (init->own == own && init_run(init, err))
			return -1;
	return 0;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static void task_free(struct lua_task *t)
{
	luaL_unref(lua_running, LUA_REGISTRYINDEX, t->ref);
	list_remove(&t->node);
	task_count--;
	free(t);
}

static void task_end(struct lua_task *t)
{
	script_end(&t->script);
	if (t->own)
		task_free(t);
}

static struct failures failures; /* tasks may make tasks, which fail */

static void task_run(struct script *s)
{
	struct lua_task *t = KIND_OF(struct lua_task, s->owner);

	if (!t->started)
		lua_rawgeti(s->thread, LUA_REGISTRYINDEX, t->ref);
	t->started = true;
	switch (script_run(s, 0)) {
	case SCRIPT_WAIT:
		return;
	case SCRIPT_FAILED:
		failures_tell(&failures, "task", s->error, NULL);
		break;
	case SCRIPT_DONE:
		break;
	}
	task_end(t);
}

/* It runs from the loop. */
static void task_begin(struct lua_task *t)
{
	KIND_IS(struct lua_task, t);
	t->started = false;
	if (script_new(&t->script, t, task_run, script_limits.task_ms)) {
		t->script.state = own_state(t->in_own);
		t->script.name = "of a task";
		script_ready(&t->script);
	} else {
		log_process(LOG_L_ERR, "Lua task: there is no memory to begin it");
	}
}

/* core.register_task(function) */
int register_task(lua_State *L)
{
	struct lua_task *t;
	int ref;

	if (task_count >= TASKS_MOST)
		return luaL_error(L, "register_task: there are %d tasks", TASKS_MOST);
	t = take_function(L, "register_task", sizeof(*t), &ref);
	task_count++;
	t->ref = ref;
	t->own = own_reading || serving;
	t->in_own = own_reading || (script_now && script_now->state);
	list_append(&tasks, &t->node);
	if (serving)
		task_begin(t);
	return 0;
}

/* ---- which process -------------------------------------------------------------------------- */

/* The tasks of all begin here, or end here. */
static void checker_changed(bool active)
{
	struct lua_task *t, *next;

	list_for_each_safe(t, next, &tasks, node) {
		if (t->own)
			continue;
		if (active)
			task_begin(t);
		else
			task_end(t);
	}
}

void tasks_forget_own(void)
{
	struct lua_task *t, *next;
	struct init *init, *next_init;

	list_for_each_safe(t, next, &tasks, node)
		if (t->own)
			task_free(t);
	list_for_each_safe(init, next_init, &inits, node)
		if (init->own)
			init_free(init);
}

void tasks_start(void)
{
	struct lua_task *t, *next;

	serving = true;
	list_for_each_safe(t, next, &tasks, node)
		if (t->own)
			task_begin(t);
	facts_on_checker(checker_changed);
	if (facts_checker.here)
		checker_changed(true);
}

void tasks_stop(void)
{
	struct lua_task *t, *next;

	facts_off_checker(checker_changed);
	list_for_each_safe(t, next, &tasks, node) {
		script_end(&t->script);
		task_free(t);
	}
	serving = false;
}
