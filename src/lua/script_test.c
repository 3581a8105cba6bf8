/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts without a stream: they wait, in coroutines of their own as well, and end when they compute
 * for too long or take too much memory, whatever they protect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"
#include "lua/classes.h"
#include "lua/object.h"
#include "lua/script.h"
#include "lua/state.h"

#include <lauxlib.h>

static struct script script;
static enum script_result result;
static unsigned wakes;

static void go_on(struct script *s)
{
	wakes++;
	result = script_run(s, 0);
}

static int make_core(lua_State *L)
{
	core_begin(L);
	return 0;
}

static int begin(void **state)
{
	struct err err;

	(void)state;
	clock_update();
	script_limits = (struct script_limits){ .burst_ms = 200, .yield = 1000 };
	assert_int_equal(state_begin(64 << 20, &err), 0);
	lua_pushcfunction(lua_running, make_core);
	assert_int_equal(lua_pcall(lua_running, 0, 0, 0), LUA_OK);
	return loop_init(64);
}

static int end(void **state)
{
	(void)state;
	state_end();
	loop_free();
	return 0;
}

/* Runs the code until it is over. */
static void run(const char *code, unsigned limit_ms, bool may_wait)
{
	wakes = 0;
	assert_true(script_new(&script, NULL, go_on, limit_ms));
	script.may_yield = may_wait;
	assert_int_equal(luaL_loadstring(script.thread, code), LUA_OK);
	result = script_run(&script, 0);
	while (result == SCRIPT_WAIT)
		loop_turn(1000);
}

static void gives(const char *code, const char *wanted)
{
	run(code, 10000, true);
	if (result == SCRIPT_FAILED)
		fail_msg("%s: %s", code, script.error);
	assert_int_equal(script.results, 1);
	assert_string_equal(lua_tostring(script.thread, -1), wanted);
	script_end(&script);
}

static void fails(const char *code, unsigned limit_ms, enum script_fault fault, const char *text)
{
	run(code, limit_ms, true);
	assert_int_equal(result, SCRIPT_FAILED);
	assert_int_equal(script.fault, fault);
	if (!strstr(script.error, text))
		fail_msg("%s: %s", code, script.error);
	script_end(&script);
}

static void scripts_wait_wherever_they_are(void **state)
{
	(void)state;
	gives("core.msleep(5) return 'slept'", "slept");
	assert_int_equal(wakes, 1);
	gives("return select(2, pcall(function() core.msleep(1) return 'protected' end))", "protected");
	gives("local co = coroutine.wrap(function(a) core.msleep(1) local b = coroutine.yield(a + 1)"
	      " core.yield() return b * 2 end) return co(1) .. co(21)", "242");
	gives("local function deep(n) if n == 0 then core.msleep(1) return 'deep' end"
	      " return coroutine.wrap(deep)(n - 1) end return deep(20)", "deep");
	gives("local co = coroutine.create(function() core.msleep(1) error('inside') end)"
	      " local ok, e = coroutine.resume(co) return tostring(ok) .. e:match('inside')", "falseinside");
	gives("local co = coroutine.create(function() end) coroutine.resume(co)"
	      " return select(2, coroutine.resume(co))", "cannot resume dead coroutine");
	gives("coroutine.yield(1, 2, 3) return 'by itself'", "by itself");
}

static void long_scripts_let_others_go_first(void **state)
{
	(void)state;
	gives("local n = 0 for i = 1, 100000 do n = n + 1 end return tostring(n)", "100000");
	assert_true(wakes > 50);
	gives("local co = coroutine.wrap(function() for i = 1, 100000 do end coroutine.yield('x') end)"
	      " return co()", "x");
	assert_true(wakes > 50);
	/* Behind a function of C nobody can wait. */
	gives("local t = {} for i = 1, 2000 do t[i] = -i end"
	      " table.sort(t, function(a, b) for i = 1, 5 do end return a < b end) return tostring(t[1])",
	      "-2000");
}

static void nothing_computes_for_ever(void **state)
{
	(void)state;
	fails("while true do end", 50, SCRIPT_TIMEOUT, "execution timeout");
	fails("while true do pcall(function() while true do end end) end", 50, SCRIPT_TIMEOUT, "timeout");
	fails("local function f() while true do pcall(f) end end f()", 50, SCRIPT_TIMEOUT, "timeout");
	fails("coroutine.wrap(function() while true do end end)()", 50, SCRIPT_TIMEOUT, "timeout");
	fails("while true do coroutine.resume(coroutine.create(function() while true do end end)) end", 50,
	      SCRIPT_TIMEOUT, "timeout");
	fails("while true do xpcall(function() while true do end end, function() while true do end end) end",
	      50, SCRIPT_TIMEOUT, "");
	fails("table.sort({3, 2, 1}, function() while true do end end)", 0, SCRIPT_TIMEOUT, "timeout");
	/* Where nobody may yield an error is raised in the hook, and none is called in the handler. */
	fails("table.sort({3, 2, 1}, function() xpcall(function() while true do end end, "
	      "function() while true do end end) end)", 50, SCRIPT_TIMEOUT, "timeout");
	fails("while true do core.yield() end", 50, SCRIPT_TIMEOUT, "timeout");
	gives("return 'still alive'", "still alive");
}

static void memory_is_bounded(void **state)
{
	(void)state;
	fails("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", 0, SCRIPT_MEMORY, "memory");
	fails("return ('x'):rep(100 << 20)", 0, SCRIPT_MEMORY, "memory");
	lua_gc(lua_running, LUA_GCCOLLECT);
	gives("return 'still alive'", "still alive");
	assert_true(state_used() < 10 << 20);
}

static void what_may_not_wait_says_so(void **state)
{
	(void)state;
	run("core.msleep(1)", 0, false);
	assert_int_equal(result, SCRIPT_FAILED);
	assert_non_null(strstr(script.error, "yield not allowed"));
	script_end(&script);
	run("coroutine.yield()", 0, false);
	assert_int_equal(result, SCRIPT_FAILED);
	script_end(&script);
	fails("table.sort({3, 2, 1}, function() core.msleep(1) end)", 0, SCRIPT_ERROR, "attempt to yield");
	fails("table.sort({3, 2, 1}, coroutine.wrap(function() core.msleep(1) end))", 0, SCRIPT_ERROR,
	      "attempt to yield");
}

static void xpcall_is_that_of_lua(void **state)
{
	(void)state;
	gives("return table.concat({ tostring(xpcall(function(a, b) return a + b end, print, 1, 2)), "
	      "select(2, xpcall(function(a, b) return a + b end, print, 1, 2)) }, ' ')", "true 3");
	gives("return table.concat({ select(2, xpcall(error, function(e) return 'handled ' .. e end, 'x')) })",
	      "handled x");
	gives("return select(2, xpcall(function() core.msleep(1) return 'waited' end, print))", "waited");
	gives("return tostring(select('#', xpcall(function() end, print)))", "1");
	fails("xpcall(print)", 0, SCRIPT_ERROR, "function expected");
	gives("return tostring(xpcall(error, function() error('again') end))", "false");
}

static void done_is_done(void **state)
{
	(void)state;
	run("pcall(function() coroutine.wrap(function() core.done() end)() end) Reached = true", 0, true);
	assert_int_equal(result, SCRIPT_DONE);
	script_end(&script);
	gives("return tostring(Reached)", "nil");
}

static void a_script_that_waits_can_be_ended(void **state)
{
	static const char code[] = "local x <close> = setmetatable({}, { __close = function()"
				   " Closed = true while true do end end }) core.sleep(1000)";

	(void)state;
	assert_true(script_new(&script, NULL, go_on, 0));
	assert_int_equal(luaL_loadstring(script.thread, code), LUA_OK);
	assert_int_equal(script_run(&script, 0), SCRIPT_WAIT);
	script_end(&script); /* what is to be closed may not compute for ever, either */
	assert_null(script.thread);
	assert_false(timer_armed(&script.timer));
	gives("return tostring(Closed)", "true");
}

/* A script that has begun to wait. */
static void waits(const char *code)
{
	assert_true(script_new(&script, NULL, go_on, 0));
	assert_int_equal(luaL_loadstring(script.thread, code), LUA_OK);
	assert_int_equal(script_run(&script, 0), SCRIPT_WAIT);
}

static void an_alarm_rings_once(void **state)
{
	struct script_alarm alarm = { .script = NULL }, other = { .script = NULL };

	(void)state;
	waits("core.msleep(1000) core.wait(1000) core.wait(1000) return 'rung'");
	script_alarm_set(&script, &alarm, false);
	script_alarm_set(&script, &other, false);
	script_alarm_ring(&alarm);
	assert_null(alarm.script);
	assert_false(script.ready); /* it sleeps: the alarm is kept for core.wait */
	script_ready(&script);
	assert_int_equal(script_run(&script, 0), SCRIPT_WAIT); /* the first wait is over at once */
	script_alarm_ring(&alarm);
	assert_false(script.ready); /* it has rung */
	script_alarm_ring(&other);
	assert_true(script.ready);
	assert_int_equal(script_run(&script, 0), SCRIPT_DONE);
	script_end(&script);
}

static void the_end_of_a_script_takes_its_alarms_off(void **state)
{
	struct script_alarm alarm = { .script = NULL };

	(void)state;
	waits("core.wait()");
	assert_false(timer_armed(&script.timer));
	script_alarm_set(&script, &alarm, true);
	script_end(&script);
	assert_null(alarm.script);
	script_alarm_ring(&alarm);
	script_alarm_off(&alarm);
}

/* Lua 5.4.4 calls no hook in these. */
static void what_no_hook_sees_ends_nobody(void **state)
{
	(void)state;
	alarm(100); /* else it would go on for ever */
	fails("local c <close> = setmetatable({}, { __close = function() while true do end end })"
	      " table.sort({3, 2, 1}, function() while true do end end)", 50, SCRIPT_TIMEOUT, "timeout");
	fails("Co = coroutine.create(function()"
	      " local c <close> = setmetatable({}, { __close = function() while true do end end })"
	      " table.sort({3, 2, 1}, function() while true do end end) end)"
	      " coroutine.resume(Co)", 50, SCRIPT_TIMEOUT, "timeout");
	gives("return tostring(coroutine.close(Co))", "false");
	gives("setmetatable({}, { __gc = function() while true do end end }) collectgarbage()"
	      " return 'no finalizer'", "no finalizer");
	gives("local mt = { __gc = 1 } setmetatable({}, mt) return tostring(mt.__gc)", "1");
	alarm(0);
}

static void coroutines_do_not_fill_the_stack_of_c(void **state)
{
	(void)state;
	gives("local last for i = 1, 20000 do local before = last"
	      " last = coroutine.create(function() local c <close> = setmetatable({}, { __close = function()"
	      " if before then assert(coroutine.close(before)) end end }) coroutine.yield() end)"
	      " coroutine.resume(last) end return tostring(coroutine.close(last))", "false");
	gives("return tostring(coroutine.close(coroutine.create(print)))", "true");
	fails("coroutine.close(coroutine.running())", 0, SCRIPT_ERROR, "running");
}

static void functions_of_c_are_not_looked_into(void **state)
{
	(void)state;
	gives("return tostring((debug.getupvalue(coroutine.wrap(print), 1)))", "nil");
	gives("local x = 7 return tostring(select(2, debug.getlocal(1, 1)))", "7");
	gives("local x = 7 debug.setlocal(1, 1, 8) return tostring(x)", "8");
	gives("local n = 'none' string.gsub(('x'):rep(10), 'x', function()"
	      " n = tostring((debug.getlocal(2, 1))) end) return n", "nil");
	gives("return tostring(debug.getmetatable(io.stdout))", "FILE*");
	gives("local n = 'none' string.gsub('x', 'x', function() n = debug.getinfo(2, 'nf') end)"
	      " return tostring(n.func) .. tostring(n.name)", "nilgsub");
	gives("local co = coroutine.create(function() string.gsub('x', 'x', coroutine.yield) end)"
	      " coroutine.resume(co) return tostring(debug.getinfo(co, 0, 'f').func)", "nil");
	gives("local function f() return debug.getinfo(1, 'f').func == f end return tostring(f())", "true");
	gives("return tostring(debug.getinfo(print, 'f').func == print)", "true");
	gives("return debug.getinfo(1, 'l').currentline .. tostring(debug.getinfo(100))", "1nil");
	gives("return tostring(pcall(debug.getinfo))", "false");
}

static unsigned cpu_ms(void)
{
	return (unsigned)(clock() * 1000 / CLOCKS_PER_SEC);
}

/* Each instruction takes milliseconds: some thousand of them would take a minute. */
static void long_strings_and_tables_let_others_go_first(void **state)
{
	unsigned began = cpu_ms();

	(void)state;
	alarm(100);
	fails("local s = ('x'):rep(10000000) while true do local t = s .. 'y' end", 50, SCRIPT_TIMEOUT,
	      "timeout");
	fails("local t = {} for i = 1, 500000 do t[i] = i end while true do table.insert(t, 1, 1)"
	      " table.remove(t, 1) end", 50, SCRIPT_TIMEOUT, "timeout");
	assert_in_range(cpu_ms() - began, 0, 5000);
	fails("table.concat(setmetatable({}, { __index = rawlen }), '', 1, 1 << 60)", 0, SCRIPT_ERROR,
	      "in one call");
	gives("return table.concat({ 1, 2, 3 }, '-') .. table.concat({ 1, 2, 3 }, '', 2)", "1-2-323");
	alarm(0);
}

static unsigned wakes_of(const char *code)
{
	run(code, 10000, true);
	assert_int_equal(result, SCRIPT_DONE);
	script_end(&script);
	return wakes;
}

static void a_nice_script_lets_others_go_more_often(void **state)
{
	unsigned usual = wakes_of("for i = 1, 200000 do end");

	(void)state;
	assert_in_range(usual, 150, 250);
	assert_in_range(wakes_of("core.set_nice(1024) for i = 1, 200000 do end"), 14 * usual, 18 * usual);
	assert_in_range(wakes_of("core.set_nice(99999) for i = 1, 200000 do end"), 14 * usual, 18 * usual);
	assert_in_range(wakes_of("core.set_nice(-1024) for i = 1, 200000 do end"), usual / 5, usual / 3);
	assert_in_range(wakes_of("core.set_nice(1024) core.set_nice(0) for i = 1, 200000 do end"),
			usual - 10, usual + 10);
	assert_in_range(wakes_of("coroutine.wrap(function() core.set_nice(1024) for i = 1, 200000 do end end)()"),
			14 * usual, 18 * usual);
	assert_in_range(wakes_of("for i = 1, 200000 do end"), usual - 10, usual + 10);
}

static unsigned made, ended;

static void end_one(void *memory)
{
	assert_int_equal(*(int *)memory, 7);
	ended++;
}

static int make_one(lua_State *L)
{
	static const char kind;

	*(int *)collected_new(L, sizeof(int), &kind, end_one) = 7;
	made++;
	return 1;
}

/* Lua calls no finalizer where one more call of C is too many. */
static void what_is_collected_ends_once(void **state)
{
	(void)state;
	made = ended = 0;
	lua_register(lua_running, "make", make_one);
	gives("local function g() make() collectgarbage() string.gsub('x', 'x', g) end"
	      " for i = 1, 5 do pcall(g) end collectgarbage() collectgarbage() return 'done'", "done");
	assert_in_range(made, 100, 10000);
	assert_int_equal(ended, made);
}

static int pause_of_collector(void)
{
	int percent = lua_gc(lua_running, LUA_GCSETPAUSE, 0);

	lua_gc(lua_running, LUA_GCSETPAUSE, percent);
	return percent;
}

static void paced(const char *code, const char *wanted)
{
	gives(code, wanted);
	state_pace();
}

/* Where bodies are read, and unless a script has chosen otherwise. */
static void a_small_state_collects_less_often(void **state)
{
	static const char large[] = "kept = ('x'):rep(1 << 20) return 'large'",
			  small[] = "kept = nil collectgarbage() return 'small'";

	(void)state;
	gives("return 'begun'", "begun");
	assert_int_equal(pause_of_collector(), 200);
	paced("return 'begun'", "begun");
	assert_int_equal(pause_of_collector(), 600);
	paced(large, "large");
	assert_int_equal(pause_of_collector(), 200);
	paced(small, "small");
	assert_int_equal(pause_of_collector(), 600);
	paced("collectgarbage('setpause', 300) return 'chosen'", "chosen");
	paced(large, "large");
	paced(small, "small");
	assert_int_equal(pause_of_collector(), 300);
}

/* The next object in the same memory may not write all of it. */
static void what_was_freed_has_no_mark(void **state)
{
	_Alignas(max_align_t) char block[128];
	size_t size;

	(void)state;
	made = ended = 0;
	make_one(lua_running);
	size = lua_rawlen(lua_running, -1);
	assert_in_range(size, 1, sizeof(block));
	memcpy(block, lua_touserdata(lua_running, -1), size);
	collected_freed(block, size);
	assert_int_equal(ended, 1);
	((char **)(void *)(block + size))[-1] = block; /* where it has been said what to call */
	collected_freed(block, size);
	assert_int_equal(ended, 1);
	lua_pop(lua_running, 1);
}

/* Memory fails at each place on the way to the first of them. */
static void long_texts_are_made_behind_failures(void **state)
{
	lua_State *L = lua_running;
	unsigned failed = 0;
	size_t room;

	(void)state;
	for (room = 0; room < 8000; room += 8) {
		assert_int_equal(luaL_loadstring(L, "return ('x'):rep(3000):upper()"), LUA_OK);
		lua_gc(L, LUA_GCCOLLECT);
		state_limit(state_used() + room);
		failed += lua_pcall(L, 0, 1, 0) == LUA_ERRMEM;
		state_limit(64 << 20);
		lua_settop(L, 0);
	}
	assert_true(failed > 10);
	gives("return tostring(#('x'):rep(3000):upper())", "3000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(scripts_wait_wherever_they_are, begin, end),
		cmocka_unit_test_setup_teardown(long_scripts_let_others_go_first, begin, end),
		cmocka_unit_test_setup_teardown(nothing_computes_for_ever, begin, end),
		cmocka_unit_test_setup_teardown(memory_is_bounded, begin, end),
		cmocka_unit_test_setup_teardown(what_may_not_wait_says_so, begin, end),
		cmocka_unit_test_setup_teardown(xpcall_is_that_of_lua, begin, end),
		cmocka_unit_test_setup_teardown(done_is_done, begin, end),
		cmocka_unit_test_setup_teardown(a_script_that_waits_can_be_ended, begin, end),
		cmocka_unit_test_setup_teardown(an_alarm_rings_once, begin, end),
		cmocka_unit_test_setup_teardown(the_end_of_a_script_takes_its_alarms_off, begin, end),
		cmocka_unit_test_setup_teardown(what_no_hook_sees_ends_nobody, begin, end),
		cmocka_unit_test_setup_teardown(coroutines_do_not_fill_the_stack_of_c, begin, end),
		cmocka_unit_test_setup_teardown(functions_of_c_are_not_looked_into, begin, end),
		cmocka_unit_test_setup_teardown(a_nice_script_lets_others_go_more_often, begin, end),
		cmocka_unit_test_setup_teardown(what_is_collected_ends_once, begin, end),
		cmocka_unit_test_setup_teardown(a_small_state_collects_less_often, begin, end),
		cmocka_unit_test_setup_teardown(what_was_freed_has_no_mark, begin, end),
		cmocka_unit_test_setup_teardown(long_texts_are_made_behind_failures, begin, end),
		cmocka_unit_test_setup_teardown(long_strings_and_tables_let_others_go_first, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
