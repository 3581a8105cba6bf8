/* SPDX-License-Identifier: BSD-2-Clause */
/* A script: one coroutine of Lua that the program has started, and what it waits for. Its owner (an
 * action, a task, a service, a command) embeds it. It computes in stretches; between two of them
 * the loop goes on. */
#ifndef LUA_SCRIPT_H
#define LUA_SCRIPT_H

#include "base/list.h"
#include "event/loop.h"
#include "event/timer.h"

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

enum script_result {
	SCRIPT_DONE,   /* `results` of them are on top of its stack */
	SCRIPT_WAIT,   /* it waits: wake is called when it may go on */
	SCRIPT_FAILED, /* script.error has the sentence */
};

/* Why one has failed, for what is logged. */
enum script_fault { SCRIPT_ERROR, SCRIPT_TIMEOUT, SCRIPT_MEMORY, SCRIPT_NO_YIELD };

enum script_over { OVER_NOT, OVER_DONE, OVER_TIME, OVER_NO_YIELD };

struct script {
	lua_State *thread;     /* NULL: it is idle */
	int ref;               /* of the thread, in the registry */
	int results;           /* SCRIPT_DONE: how many */
	bool may_yield;        /* false: it runs to its end at once */
	bool ready;            /* it may go on: script_run does something */
	bool pausing;          /* it has asked to wait, and yields up to script_run */
	bool whole;            /* it has come to its end */
	bool closing;          /* it is over: what it has to close runs */
	uint8_t over;          /* enum script_over: what unwinds it, whatever it protects */
	uint8_t fault;         /* enum script_fault: SCRIPT_FAILED */
	unsigned barriers;     /* functions of C that cannot wait, under coroutines of its own */
	unsigned limit_ms;     /* most that it may compute in all; 0: any time */
	uint64_t used_us;      /* computed so far, in stretches that have ended */
	uint64_t began_us;     /* of the stretch at hand: of the wall, or `exact' of the processor */
	bool exact;
	struct script **noted; /* where it stands as the one that waits: script_note; NULL */
	void *owner;
	struct stream *stream; /* in whose turn it runs; NULL: none. Not known here */
	unsigned stretch;      /* instructions between two looks at the time: script_be_nice */
	const char *name;      /* for people: "lua.hello"; NULL: it has none */
	/* It may go on: the owner calls script_run, from where it may. Called by a task. */
	void (*wake)(struct script *s);
	struct timer timer;
	struct task task;
	const char *error;     /* SCRIPT_FAILED: what has happened and where, in one line without a
				* full stop, until the next script fails */
	unsigned state;        /* 0: of files for all; else core.thread of files of this process */
	bool again;            /* it has ended, and begins anew: script_again */
	bool alarmed;          /* an alarm has rung since it waited for one last */
	bool heeds_alarms;     /* it waits for one */
	struct list alarms;    /* struct script_alarm */
};

/* A share of each turn, from a sixteenth of the usual one (1024) to four times it (-1024): the
 * stretch that it computes before others go. For the script at work. */
void script_be_nice(lua_State *L, int nice);

/* What rings for a script: memory of whoever sets it. */
struct script_alarm {
	struct list node;      /* among those of the script */
	struct script *script; /* NULL: it is not set, it has rung, or the script has ended */
	bool direct;           /* its code waits for this one alone, in script_sleep */
};
/* It rings once. */
void script_alarm_set(struct script *s, struct script_alarm *alarm, bool direct);
void script_alarm_ring(struct script_alarm *alarm);
void script_alarm_off(struct script_alarm *alarm);
/* `return script_wait(L, ms)`: until an alarm rings that is not direct, or has rung since the last
 * call, or the time is over (0: any time). */
int script_wait(lua_State *L, int64_t ms);

/* tune.lua.* of time; ms, 0: none. */
struct script_limits {
	unsigned session_ms, service_ms, task_ms, burst_ms;
	unsigned yield;       /* instructions of a stretch */
};
extern struct script_limits script_limits;

/* Once for the state: coroutines of Lua become those that can wait with their script. */
bool script_begin(lua_State *L); /* false: no memory */

/* xpcall(function, handler, ...): lua/xpcall.c. */
int script_xpcall(lua_State *L);

/* Takes a coroutine. The function and its arguments are pushed to s->thread by the caller, then
 * script_run(s, arguments) starts it. False: no memory; s is idle. */
bool script_new(struct script *s, void *owner, void (*wake)(struct script *s), unsigned limit_ms);
/* Goes on. args: how many arguments lie on top of the function when it starts, or how many values
 * what it waits for has brought. It does nothing, and says WAIT, unless the script is ready. */
enum script_result script_run(struct script *s, int args);
/* It is over: whatever it waits for is forgotten. */
void script_end(struct script *s);
/* It has ended, and is to begin anew in so many ms: wake is called then, and script_new is the
 * owner's. script_end calls that off. */
void script_again(struct script *s, unsigned ms);
/* What it waits for is there. */
void script_ready(struct script *s);

/* It stands in *place, as the one that waits there, until it goes on or ends; then NULL does. */
void script_note(struct script *s, struct script **place);
/* It stands nowhere. */
void script_forget(struct script *s);
/* Whoever waits in *place goes on, since what it waits for is over. NULL there: nothing is done. */
void script_turn_out(struct script **place);

/* Whose code runs next: of files of this process (lua/own.c), or of those for all. NULL: there are
 * no files of this process. */
extern void (*script_enter)(bool own);

/* For lua/coroutine.c: the coroutine at work, maybe one of the script's own. Whatever is resumed
 * inside it counts how deep the calls of C are from there. NULL: none. */
extern lua_State *script_at_work;
/* The script ends here, whatever it protects: it yields up to script_run, which does not resume it,
 * or an error is raised where it cannot. */
int script_leave(lua_State *L, enum script_over why);
/* Was the coroutine ended so, by an error that nobody caught? */
bool script_was_unwound(lua_State *co);

/* The script at work; NULL: none, the state runs a file or a function that may not wait. */
extern struct script *script_now;

/* For functions of C: `return script_sleep(L, ms, k, ctx)`. The script waits for script_ready, and
 * for ms milliseconds at the most (0: any time; SCRIPT_TURN: it goes on behind all others). Then k
 * runs as a continuation (lua_yieldk); NULL: the function returns nothing. Raises an error where
 * nobody may wait. */
enum { SCRIPT_TURN = -1 };
int script_sleep(lua_State *L, int64_t ms, lua_KFunction k, lua_KContext ctx);
/* So many bytes were moved for the code at work, without an instruction of Lua: after some millions
 * of them its stretch ends. */
void script_moved(size_t bytes);
/* May the code at work wait? */
bool script_may_wait(lua_State *L);
/* `return script_finish(L)`: the script ends here, as done; no pcall of its own keeps it. What lies
 * on top of the stack is its result; an empty stack: it has none. Raises an error where no script
 * is at work. */
int script_finish(lua_State *L);

#endif
