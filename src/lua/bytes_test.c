/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of scripts on bytes against a model in plain memory: random calls with offsets and lengths
 * from everywhere say the same, and leave the same bytes; what raises or does not fit leaves all as it
 * was. */
#include "lua/bytes.h"

#include "relay/buffer.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum { SIZE = 300, RESERVE = 40, ROUNDS = 1000, CALLS = 300, LONG = 2 * SIZE };

static struct buf *buf;
static uint32_t out;
static lua_State *L;

/* What there is to be: bytes on their way, then those that wait. */
static struct {
	char bytes[LONG];
	size_t len, out;
} model;

static unsigned rnd_state;

static unsigned rnd(unsigned below)
{
	rnd_state = rnd_state * 1103515245u + 12345u;
	return (rnd_state >> 8) % below;
}

static void find(lua_State *state, struct script_bytes *b)
{
	(void)state;
	*b = (struct script_bytes){ .buf = &buf, .out = &out, .more = true };
}

#define FUNCTION(name, call)                                                                  \
	static int run_##name(lua_State *state) { return call; }

FUNCTION(data, bytes_data(state, find, "data"))
FUNCTION(line, bytes_line(state, find))
FUNCTION(append, bytes_append(state, find))
FUNCTION(prepend, bytes_prepend(state, find))
FUNCTION(insert, bytes_insert(state, find))
FUNCTION(set, bytes_set(state, find))
FUNCTION(remove, bytes_remove(state, find))
FUNCTION(forward, bytes_forward(state, find))
FUNCTION(send, bytes_send(state, find))
FUNCTION(get, bytes_get(state, find, false))
FUNCTION(dup, bytes_get(state, find, true))
FUNCTION(getline, bytes_getline(state, find))

/* ---- the model ---------------------------------------------------------------------------------- */

static bool model_replace(size_t at, size_t cut, const char *bytes, size_t len)
{
	if (model.len - cut + len > SIZE)
		return false;
	memmove(model.bytes + at + len, model.bytes + at + cut, model.len - at - cut);
	memcpy(model.bytes + at, bytes, len);
	model.len += len - cut;
	return true;
}

static size_t model_input(void)
{
	return model.len - model.out;
}

/* The offset that a script means, or -1: it is out of range. */
static long model_offset(long offset)
{
	long have = (long)model_input();

	if (offset < 0)
		return have + offset < 0 ? 0 : have + offset;
	return offset > have ? -1 : offset;
}

static size_t model_line(size_t at, size_t len)
{
	size_t n = 0;

	while (n < len && model.bytes[at + n] != '\n')
		n++;
	return n < len ? n + 1 : len;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static char text[LONG];
static size_t text_len;

static void some_text(void)
{
	size_t i;

	text_len = rnd(4) ? rnd(30) : rnd(LONG);
	for (i = 0; i < text_len; i++)
		text[i] = rnd(8) ? (char)('a' + rnd(26)) : '\n';
}

static long some_number(void)
{
	static const long far[] = { -1, 0, 1, SIZE, SIZE + 1, -SIZE, LONG_MAX, LONG_MIN, INT32_MAX };

	return rnd(4) ? (long)rnd(SIZE) - SIZE / 3 : far[rnd(sizeof(far) / sizeof(*far))];
}

static void push_text(void)
{
	some_text();
	lua_pushlstring(L, text, text_len);
}

/* Calls it; the function lies under its arguments. False: it has raised. */
static bool call(int arguments)
{
	return lua_pcall(L, arguments, 1, 0) == LUA_OK;
}

static void begin_call(lua_CFunction run)
{
	lua_settop(L, 0);
	lua_pushcfunction(L, run);
	lua_newtable(L);
}

/* -1: it does not fit. */
static void assert_put(bool fits)
{
	assert_int_equal(lua_tointeger(L, -1), fits ? (long)text_len : -1);
}

static void assert_said(size_t at, size_t len)
{
	size_t n;
	const char *said = lua_tolstring(L, -1, &n);

	assert_int_equal(n, len);
	assert_memory_equal(said, model.bytes + at, len);
}

static void do_set(void)
{
	long offset = some_number(), len = some_number(), at = model_offset(offset);
	bool right;

	begin_call(run_set);
	push_text();
	lua_pushinteger(L, offset);
	lua_pushinteger(L, len);
	right = at >= 0 && len >= 0 && (size_t)len <= model_input() - (size_t)at;
	assert_int_equal(call(4), right);
	if (right)
		assert_put(model_replace(model.out + (size_t)at, (size_t)len, text, text_len));
}

static void do_insert(void)
{
	long offset = some_number(), at = model_offset(offset);

	begin_call(run_insert);
	push_text();
	lua_pushinteger(L, offset);
	assert_int_equal(call(3), at >= 0);
	if (at >= 0)
		assert_put(model_replace(model.out + (size_t)at, 0, text, text_len));
}

static void do_ends(void)
{
	bool behind = rnd(2);

	begin_call(behind ? run_append : run_prepend);
	push_text();
	assert_true(call(2));
	assert_put(model_replace(behind ? model.len : model.out, 0, text, text_len));
}

static void do_remove(void)
{
	long offset = some_number(), len = some_number(), at = model_offset(offset);
	bool right = at >= 0 && len >= 0 && (size_t)len <= model_input() - (size_t)at;

	begin_call(run_remove);
	lua_pushinteger(L, offset);
	lua_pushinteger(L, len);
	assert_int_equal(call(3), right);
	if (!right)
		return;
	assert_int_equal(lua_tointeger(L, -1), len);
	assert_true(model_replace(model.out + (size_t)at, (size_t)len, "", 0));
}

static void do_look(void)
{
	long offset = some_number(), len = some_number(), at = model_offset(offset);
	bool line = rnd(2), right = at >= 0 && len >= -1;
	size_t n;

	begin_call(line ? run_line : run_data);
	lua_pushinteger(L, offset);
	lua_pushinteger(L, len);
	assert_int_equal(call(3), right);
	if (!right)
		return;
	n = model_input() - (size_t)at;
	if (len >= 0 && (size_t)len < n)
		n = (size_t)len;
	assert_said(model.out + (size_t)at, line ? model_line(model.out + (size_t)at, n) : n);
}

static void do_forward(void)
{
	long len = some_number();
	size_t n = len < 0 || (size_t)len > model_input() ? model_input() : (size_t)len;

	begin_call(run_forward);
	lua_pushinteger(L, len);
	assert_true(call(2));
	assert_int_equal(lua_tointeger(L, -1), n);
	model.out += n;
}

static void do_send(void)
{
	size_t room = SIZE - model.len, n;

	begin_call(run_send);
	push_text();
	assert_true(call(2));
	n = text_len < room ? text_len : room;
	assert_int_equal(lua_tointeger(L, -1), text_len && !n ? -1 : (long)n);
	assert_true(model_replace(model.out, 0, text, n));
	model.out += n;
}

static void do_take(void)
{
	static const lua_CFunction takes[] = { run_get, run_dup, run_getline };
	unsigned which = rnd(3);
	size_t n = which == 2 ? model_line(model.out, model_input()) : model_input();

	begin_call(takes[which]);
	assert_true(call(1));
	assert_said(model.out, n);
	if (which != 1)
		assert_true(model_replace(model.out, n, "", 0));
}

/* Some of what was let go leaves. */
static void do_leave(void)
{
	size_t n = rnd((unsigned)model.out + 1);

	if (!n)
		return;
	buf_skip(buf, n);
	out -= (uint32_t)n;
	if (!buf->len)
		buffer_give(&buf);
	assert_true(n <= model.out);
	memmove(model.bytes, model.bytes + n, model.len - n);
	model.len -= n;
	model.out -= n;
}

/* An idle buffer, as content rules leave it. */
static void do_shrink(void)
{
	if (buf && !rnd(4))
		buffer_shrink(&buf);
}

/* ---- claims ------------------------------------------------------------------------------------- */

static void assert_same(void)
{
	assert_int_equal(out, model.out);
	assert_int_equal(buf ? buf->len : 0, model.len);
	if (buf)
		assert_memory_equal(buf_first(buf), model.bytes, model.len);
	assert_true(!buf || buf->len);
	assert_true(!buf || buf->head + buf->len <= buf->size);
}

static void random_calls_do_as_the_model(void **state)
{
	static void (*const calls[])(void) = { do_set, do_insert, do_ends, do_remove, do_look, do_forward,
					       do_send, do_take, do_leave, do_shrink };
	unsigned round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		rnd_state = round;
		memset(&model, 0, sizeof(model));
		for (i = 0; i < CALLS; i++) {
			calls[rnd(sizeof(calls) / sizeof(*calls))]();
			assert_same();
		}
		buffer_give(&buf);
		out = 0;
	}
}

static void a_buffer_may_be_filled_and_no_more(void **state)
{
	char full[SIZE + 1] = { 0 };

	(void)state;
	assert_false(buf_replace(&buf, 0, 0, full, SIZE + 1));
	assert_null(buf);
	assert_true(buf_replace(&buf, 0, 0, full, SIZE));
	assert_false(buf_replace(&buf, 0, 0, "x", 1));
	assert_true(buf_replace(&buf, SIZE - 1, 1, "x", 1));
	assert_false(buf_replace(&buf, 0, 1, "xy", 2));
	assert_int_equal(buf->len, SIZE);
	assert_true(buf_replace(&buf, 0, SIZE, "", 0));
	assert_null(buf);
	assert_true(buf_replace(&buf, 0, 0, "", 0));
	assert_null(buf);
}

static int begin(void **state)
{
	(void)state;
	buffer_configure(SIZE, RESERVE, 0);
	L = luaL_newstate();
	return L ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	lua_close(L);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_may_be_filled_and_no_more),
		cmocka_unit_test(random_calls_do_as_the_model),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
