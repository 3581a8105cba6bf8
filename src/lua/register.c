/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that scripts register, by their names, and what is said when they fail. Called by
 * whoever makes rows of them, while the files are read. They stay for the life of the process, as a
 * reload is another one. */
#include "lua/register.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/memory.h"
#include "log/log.h"
#include "lua/running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum { NAME_MOST = 60 };

static bool closed, reading_again;
/* All that were registered, and by which function of core the next one is. */
static struct registered *all_registered;
static const char *registering_what = "";

void register_close(void)
{
	closed = true;
}

void registering(lua_State *L, const char *what)
{
	if (closed && !reading_again)
		luaL_error(L, "%s: only while the files are read", what);
	registering_what = what;
}

/* A script that fails does so for each request, and a client may make it fail. */
enum { FAILURES_TOLD = 10 /* a second */ };

/* No struct rate: those are of the rows of counters, which several processes read. */
static bool failure_told(struct failures *f)
{
	if (f->second != clock_now_ms / 1000) {
		f->second = clock_now_ms / 1000;
		f->told = 0;
	}
	if (f->told >= FAILURES_TOLD) {
		f->untold++;
		return false;
	}
	f->told++;
	return true;
}

void failures_tell(struct failures *f, const char *what, const char *error, const struct log_conf *log)
{
	char more[40] = "";

	if (!failure_told(f))
		return;
	if (f->untold)
		snprintf(more, sizeof(more), " (%u more were not told)", f->untold);
	f->untold = 0;
	if (!log_printf(log ? log : log_global(), LOG_L_ERR, "Lua %s: %s.%s", what, error, more))
		log_stderr(LOG_L_ERR, "Lua %s: %s.%s", what, error, more);
}

void registered_failed(const struct registered *r, const char *what, const char *error,
		       const struct log_conf *log)
{
	char whose[300];

	snprintf(whose, sizeof(whose), "%s '%s'", what, r->shown);
	failures_tell(r->failures, whose, error, log);
}

void register_again(bool on)
{
	struct registered *r;

	reading_again = on;
	for (r = all_registered; r && on; r = r->next)
		r->missing = r->own;
}

/* The one of that name and kind that counts. NULL: there is none. */
static struct registered *registered_find(const char *name, const char *what)
{
	struct registered *r;

	for (r = all_registered; r; r = r->next)
		if (!strcmp(r->name + 4, name) && !strcmp(r->what, what))
			return r;
	return NULL;
}

/* In the words of the reference. */
int register_agrees(struct err *err)
{
	const struct registered *r;

	for (r = all_registered; r; r = r->next)
		if (r->missing && registered_find(r->name + 4, r->what) == r)
			return err_set(err, "Lua function '%s' is not referenced in all thread. "
					    "Expect function in all thread or in none thread.",
				       r->name + 4);
	return 0;
}

/* The function at `at` in the place of the one that this name has; NULL: it is a new one. */
static struct registered *replaced(lua_State *L, const char *name, int at)
{
	struct registered *r = registered_find(name, registering_what);

	if (!r)
		return NULL;
	lua_pushvalue(L, at);
	luaL_unref(L, LUA_REGISTRYINDEX, r->ref);
	r->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	r->missing = false;
	return r;
}

struct registered *registered_new(lua_State *L, const char *name, int at)
{
	struct registered *r = reading_again ? replaced(L, name, at) : NULL;
	char *text;

	if (r)
		return r;
	r = memory_need(calloc(1, sizeof(*r)));
	text = memory_need(malloc(strlen(name) + 5));
	sprintf(text, "lua.%s", name);
	r->name = text;
	r->shown = text + 4;
	r->failures = memory_need(calloc(1, sizeof(*r->failures)));
	r->what = registering_what;
	r->own = own_reading;
	r->missing = reading_again;
	r->next = all_registered;
	all_registered = r;
	lua_pushvalue(L, at);
	r->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return r;
}

unsigned registered_state(const struct registered *r)
{
	return own_state(r->own);
}

const char *register_name(lua_State *L, const char *what)
{
	const char *name = luaL_checkstring(L, 1);

	registering(L, what);
	luaL_argcheck(L, strlen(name) < NAME_MOST, 1, "this is too long for a name");
	return name;
}

void registered_twice(const char *what, const char *name)
{
	if (!reading_again)
		log_stderr(LOG_L_WARNING, "config : Trying to register %s '%s' more than once.",
			   what, name);
}
