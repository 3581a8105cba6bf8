/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters that are scripts: what they register, the lines that name them, and what is asked of them
 * in the life of a stream. Their functions run to their end at once: nobody waits in them, but they
 * may say that the stream is to wait. Their bytes: lua/filter_bytes.c. */
#include "lua/filter.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "lua/channel.h"
#include "lua/filter_state.h"
#include "lua/http_message.h"
#include "lua/register.h"
#include "lua/state.h"
#include "proxy/proxy.h"
#include "stream/run.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

/* What a script has registered: a class, whose copy its function is given for each line. */
struct script_filter {
	const struct registered *function;
	int class_ref;
	bool htx;        /* it is for streams of messages */
	struct script_filter *next;
};

static struct script_filter *registered_filters;
/* Lines that name them. */
static struct script_filter_line *lines;

enum { FLAG_HTX = 1 };

/* ---- what scripts register ---------------------------------------------------------------------
 */

static struct script_filter *filter_of(const struct registered *function)
{
	struct script_filter *f = registered_filters;

	while (f && f->function != function)
		f = f->next;
	return f;
}

static struct script_filter *filter_named(const char *name)
{
	struct script_filter *f = registered_filters;

	while (f && strcmp(f->function->name, name) != 0)
		f = f->next;
	return f;
}

int register_filter(lua_State *L)
{
	const struct registered *function;
	struct script_filter *f;
	const char *name;

	arguments_check(L, "register_filter", 3, 3);
	name = register_name(L, "register_filter");
	luaL_checktype(L, 2, LUA_TTABLE);
	luaL_checktype(L, 3, LUA_TFUNCTION);
	function = registered_new(L, name, 3);
	f = filter_of(function);
	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return luaL_error(L, "not enough memory");
		f->function = function;
		f->class_ref = LUA_NOREF;
		f->next = registered_filters; /* the later one of a name counts */
		registered_filters = f;
	}
	lua_getfield(L, 2, "flags");
	f->htx = lua_tointeger(L, -1) & FLAG_HTX;
	luaL_unref(L, LUA_REGISTRYINDEX, f->class_ref);
	f->class_ref = LUA_NOREF;
	lua_pushvalue(L, 2);
	f->class_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	filter_script_kind = &script_filter_kind;
	return 0;
}

/* ---- lines of the configuration ----------------------------------------------------------------
 */

static int parse(struct statement *st, struct proxy *px, struct filter_line *line)
{
	const char *name = st->words[st->at - 1].text;
	const struct script_filter *f = filter_named(name);
	struct script_filter_line *data;

	(void)px;
	if (!f)
		return stmt_error(st, st->at - 1, "no script has registered the filter '%s' "
				  "(core.register_filter)", name);
	data = arena_alloc(st->cfg->arena, sizeof(*data));
	data->function = f->function;
	data->htx = f->htx;
	data->ref = LUA_NOREF;
	data->loc = st->loc;
	data->words = arena_alloc(st->cfg->arena, (size_t)(st->count + 1) * sizeof(*data->words));
	while (stmt_peek(st))
		data->words[data->count++] = stmt_next(st);
	data->next = lines;
	lines = data;
	KIND_IS(struct script_filter_line, data);
	line->data = data;
	return 0;
}

/* The function, a copy of the class, the words behind the name; it returns the filter. */
static int make(lua_State *L)
{
	struct script_filter_line *line = lua_touserdata(L, 1);
	int i;

	lua_rawgeti(L, LUA_REGISTRYINDEX, line->function->ref);
	lua_newtable(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, filter_of(line->function)->class_ref);
	for (lua_pushnil(L); lua_next(L, -2); ) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, -5);
	}
	lua_pop(L, 1);
	lua_newtable(L);
	for (i = 0; i < line->count; i++) {
		lua_pushstring(L, line->words[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_call(L, 2, 1);
	luaL_unref(L, LUA_REGISTRYINDEX, line->ref);
	line->ref = LUA_NOREF;
	if (lua_isnil(L, -1))
		return 0;
	if (!lua_istable(L, -1))
		return luaL_error(L, "the function has to return a filter or nil");
	line->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

static int line_make(struct script_filter_line *line, struct err *err)
{
	char text[300];

	if (script_enter)
		script_enter(line->function->own);
	lua_pushcfunction(lua_running, make);
	lua_pushlightuserdata(lua_running, line);
	if (state_call(lua_running, 1, 0) == LUA_OK)
		return 0;
	state_error_text(lua_running, text, sizeof(text));
	return err_set(err, "%s:%u: filter '%s': %s", line->loc.file, line->loc.line,
		       line->function->name, text);
}

int script_filters_make(bool all, struct err *err)
{
	struct script_filter_line *line;

	for (line = lines; line; line = line->next)
		if ((all || line->function->own) && line_make(line, err))
			return -1;
	return 0;
}

/* ---- a function of a filter --------------------------------------------------------------------
 */

static struct pool filter_pool = POOL_INIT("lua filter", sizeof(struct script_filter_state));
static struct script_filter_state *filter_now; /* whose function runs; NULL: none's */

struct call {
	struct script_filter_state *f;
	const char *name;
	const struct filter_turn *turn;
	bool message;   /* it is given the message, else the channel */
};

/* Pushes the function of that name, which may be there for the object alone, or for its class.
 * False: there is none. */
static bool push_function(lua_State *L, const struct call *c)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->f->ref);
	return lua_getfield(L, -1, c->name) == LUA_TFUNCTION;
}

static int run(lua_State *L)
{
	const struct call *c = lua_touserdata(L, 1);

	if (!push_function(L, c))
		return 0;
	lua_rotate(L, -2, 1);
	stream_push_txn(L, c->f->ss);
	if (c->message)
		message_push(L, -1, c->turn->response);
	else
		channel_push(L, -1, c->turn->response);
	lua_call(L, 3, LUA_MULTRET);
	return lua_gettop(L) - 1;
}

static const struct script_filter_line *line_of(const struct script_filter_state *f)
{
	return KIND_OF(const struct script_filter_line, f->filter.line->data);
}

/* new of the line's filter: what it returns is the stream's. */
static int run_new(lua_State *L)
{
	struct script_filter_state *f = ((const struct call *)lua_touserdata(L, 1))->f;
	const struct script_filter_line *line = line_of(f);

	lua_rawgeti(L, LUA_REGISTRYINDEX, line->ref);
	if (lua_getfield(L, -1, "new") != LUA_TFUNCTION)
		return 0;
	lua_rotate(L, -2, 1);
	lua_call(L, 1, 1);
	if (lua_istable(L, -1))
		f->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

void script_filter_tell(const struct script_filter_state *f, const char *error)
{
	const struct filters *set = f->filter.set;
	const struct proxy *px = set->backend ? set->backend : set->frontend;
	const struct script_filter_line *line = line_of(f);

	registered_failed(line->function, "filter", error, px->set.log);
}

/* Runs it; *says: the last thing that it has returned, if that is a number. */
static enum filter_call_result call(const struct call *c, lua_CFunction how, lua_Integer *says)
{
	const struct script_filter_line *line = line_of(c->f);
	struct script script;
	enum script_result r;

	*says = -1;
	if (!script_new(&script, c->f, NULL, script_limits.session_ms))
		return CALL_SHORT;
	script.state = registered_state(line->function);
	script.stream = c->f->ss ? c->f->ss->stream : NULL;
	script.may_yield = false;
	lua_pushcfunction(script.thread, how);
	lua_pushlightuserdata(script.thread, (void *)c);
	r = script_run(&script, 1);
	if (r == SCRIPT_FAILED && script.fault == SCRIPT_NO_YIELD) { /* the stream goes on, as in the reference */
		script_filter_tell(c->f, "functions of filters cannot wait: they return filter.WAIT, and "
				   "are called again");
		r = SCRIPT_WAIT;
	} else if (r == SCRIPT_FAILED) {
		script_filter_tell(c->f, script.error);
	}
	if (r == SCRIPT_DONE && script.results && lua_isnumber(script.thread, -1))
		*says = lua_tointeger(script.thread, -1);
	else if (r == SCRIPT_DONE)
		r = SCRIPT_WAIT; /* it has said nothing */
	script_end(&script);
	return r == SCRIPT_FAILED ? CALL_FAILED : r == SCRIPT_WAIT ? CALL_SILENT : CALL_SAID;
}

static enum filter_call_result call_in_turn(const struct call *c, lua_CFunction how, lua_Integer *says)
{
	struct script_filter_state *outer = filter_now;
	struct stream_scripts *ss = c->f->ss;
	const struct stream_scripts before = *ss;
	enum filter_call_result r;
	struct view view;

	stream_view(ss->stream, &view, NULL);
	ss->view = &view;
	ss->place = c->turn->response ? AT_RESPONSE : AT_REQUESTS;
	ss->rule = NULL;
	ss->turn = c->turn;
	ss->ended = false;
	ss->reply = NULL;
	filter_now = c->f;
	r = call(c, how, says);
	filter_now = outer;
	ss->view = before.view;
	ss->place = before.place;
	ss->rule = before.rule;
	ss->turn = before.turn;
	if (ss->ended)
		r = CALL_ENDS;
	ss->ended = before.ended;
	if (c->f->wake_ms)
		timer_set(&c->f->timer, clock_now_ms + c->f->wake_ms);
	c->f->wake_ms = 0;
	return r;
}

enum filter_call_result script_filter_call(struct script_filter_state *f, const char *name,
					   const struct filter_turn *turn, bool message,
					   lua_Integer *says)
{
	const struct call c = { f, name, turn, message };

	return call_in_turn(&c, run, says);
}

/* ---- moments of a stream ------------------------------------------------------------------------
 */

struct script_filter_state *script_filter_of(struct filter *filter)
{
	return FILTER_STATE(struct script_filter_state, filter, &filter_pool);
}

/* It has asked to be woken, or bytes may go on: both are looked at. */
static void wake(struct timer *timer)
{
	struct script_filter_state *f = container_of(timer, struct script_filter_state, timer);

	script_filter_ask(f);
	stream_wake(f->ss->stream);
}

static void begin(struct filter *filter)
{
	struct script_filter_state *f = script_filter_of(filter);

	f->ref = LUA_NOREF;
	timer_init(&f->timer, wake);
}

/* Without a filter of its own the stream goes on, as the manual has it where new returns nil. */
static enum moment_said make_own(struct script_filter_state *f)
{
	const struct script_filter_line *line = line_of(f);
	const struct filter_turn turn = { .http = f->filter.set->http };
	const struct call c = { f, "new", &turn, false };
	lua_Integer says;

	f->made = true;
	if (line->ref == LUA_NOREF || (f->filter.set->http && !line->htx))
		return SAID_GOES_ON;
	f->ss = stream_scripts_get(stream_of(f->filter.set->relay));
	if (!f->ss)
		return SAID_SHORT;
	switch (call_in_turn(&c, run_new, &says)) {
	case CALL_SHORT:
		return SAID_SHORT;
	case CALL_FAILED:
		return SAID_FAULTY;
	default:
		return SAID_GOES_ON;
	}
}

/* txn:done, with an answer or without a word. */
static enum moment_said done(struct script_filter_state *f)
{
	struct exchange *x = f->ss->stream->exchange;

	if (x && f->ss->reply)
		exchange_reply(x, f->ss->reply);
	return SAID_ENDS;
}

/* Behind filter.WAIT without a time it is asked again soon: nothing else of the stream may ever
 * change. */
enum { AGAIN_MS = 10 };

static enum moment_said said(struct script_filter_state *f, enum filter_call_result r, lua_Integer says)
{
	switch (r) {
	case CALL_SHORT:
		return SAID_SHORT;
	case CALL_FAILED:
		return SAID_REFUSES;
	case CALL_ENDS:
		return done(f);
	case CALL_SILENT:
		return SAID_GOES_ON;
	case CALL_SAID:
		break;
	}
	if (says == SAYS_WAIT && !timer_armed(&f->timer))
		timer_set(&f->timer, clock_now_ms + AGAIN_MS);
	return says == SAYS_WAIT ? SAID_WAITS : says == SAYS_ERROR ? SAID_REFUSES : SAID_GOES_ON;
}

static enum moment_said start(struct filter *filter, bool response)
{
	struct script_filter_state *f = script_filter_of(filter);
	const struct filter_turn turn = { .response = response, .http = filter->set->http };
	enum moment_said s = f->made ? SAID_GOES_ON : make_own(f);
	enum filter_call_result r;
	lua_Integer says;

	if (s != SAID_GOES_ON || f->ref == LUA_NOREF || f->ways[response].started)
		return s;
	r = script_filter_call(f, "start_analyze", &turn, false, &says);
	s = said(f, r, says);
	f->ways[response].started = s == SAID_GOES_ON;
	return s;
}

/* What a filter has changed of the body is not to be had again for another try. */
static void forbid_retry(struct script_filter_state *f)
{
	if (f->ways[0].wanted)
		f->ss->stream->exchange->no_retry = true;
}

static enum moment_said head(struct filter *filter, bool response)
{
	struct script_filter_state *f = script_filter_of(filter);
	const struct filter_turn turn = { .response = response, .heads = true, .http = true, .more = true };
	enum filter_call_result r;
	enum moment_said s;
	lua_Integer says;

	if (!filter->set->http || f->ref == LUA_NOREF || f->ways[response].headed)
		return SAID_GOES_ON;
	r = script_filter_call(f, "http_headers", &turn, true, &says);
	s = said(f, r, says);
	f->ways[response].headed = s == SAID_GOES_ON;
	if (!response && s == SAID_GOES_ON)
		forbid_retry(f);
	return s;
}

/* A filter of a backend hears of the request later than one of a frontend. */
static enum moment_said hear(struct filter *filter, enum moment moment)
{
	switch (moment) {
	case MOMENT_REQUEST:
	case MOMENT_BACKEND:
		return start(filter, false);
	case MOMENT_RULED:
		return head(filter, false);
	case MOMENT_RESPONSE:
		return start(filter, true);
	case MOMENT_ANSWER:
		return head(filter, true);
	default:
		return SAID_GOES_ON;
	}
}

static void end_way(struct script_filter_state *f, bool response)
{
	const struct filter_turn turn = { .response = response, .http = f->filter.set->http };
	lua_Integer says;

	if (f->ways[response].started)
		script_filter_call(f, "end_analyze", &turn, false, &says);
	script_filter_forget(f, response);
}

static void end(struct filter *filter)
{
	struct script_filter_state *f = script_filter_of(filter);

	if (f->ref != LUA_NOREF) {
		end_way(f, false);
		end_way(f, true);
		luaL_unref(lua_running, LUA_REGISTRYINDEX, f->ref);
	}
	timer_cancel(&f->timer);
}

static void forget(struct filter *filter)
{
	script_filter_forget(script_filter_of(filter), true);
}

const struct filter_kind script_filter_kind = {
	.name = "lua",
	.parse = parse,
	.pool = &filter_pool,
	.begin = begin,
	.moments = AT_MOMENT(REQUEST) | AT_MOMENT(BACKEND) | AT_MOMENT(RULED) |
		   AT_MOMENT(RESPONSE) | AT_MOMENT(ANSWER),
	.hear = hear,
	.open = script_filter_open,
	.forget = forget,
	.end = end,
};

/* ---- the table filter ---------------------------------------------------------------------------
 */

/* filter.register_data_filter(flt, chn), and the opposite. */
static int want_data(lua_State *L, const char *name, bool wanted)
{
	struct script_filter_state *f = filter_now;
	bool response;

	arguments_check(L, name, 2, 2);
	luaL_checktype(L, 2, LUA_TTABLE);
	if (!f)
		return luaL_error(L, "%s: this is for functions of filters", name);
	response = channel_is_response(L, 2);
	if (wanted && !f->ways[response].linked && f->ways[response].opened)
		return luaL_error(L, "%s: bytes of this side are on their way already", name);
	f->ways[response].wanted = wanted;
	return 0;
}

static int register_data_filter(lua_State *L)
{
	return want_data(L, "register_data_filter", true);
}

static int unregister_data_filter(lua_State *L)
{
	return want_data(L, "unregister_data_filter", false);
}

static int wake_time(lua_State *L)
{
	lua_Integer ms;

	arguments_check(L, "wake_time", 1, 1);
	ms = luaL_checkinteger(L, 1);
	if (filter_now)
		filter_now->wake_ms = ms < 1 ? 0 : ms > INT32_MAX ? INT32_MAX : (unsigned)ms;
	return 0;
}

static const struct class_method functions[] = {
	{ "register_data_filter", register_data_filter, "filter, channel", NULL,
	  "the filter sees the bytes of that direction; before they flow", 0 },
	{ "unregister_data_filter", unregister_data_filter, "filter, channel", NULL,
	  "it sees them no more", 0 },
	{ "wake_time", wake_time, "milliseconds", NULL, "it is asked again after this time", 0 },
	{ 0 },
};

const struct class filter_table = {
	"filter", functions, .is_table = true, .help = "what filters say, and ask for",
};

void filter_begin(lua_State *L)
{
	static const struct {
		const char *name;
		int value;
	} values[] = { { "CONTINUE", SAYS_CONTINUE }, { "WAIT", SAYS_WAIT }, { "ERROR", SAYS_ERROR },
		       { "FLT_CFG_FL_HTX", FLAG_HTX } };
	unsigned i;

	table_new(L, &filter_table);
	for (i = 0; i < ARRAY_LEN(values); i++) {
		lua_pushinteger(L, values[i].value);
		lua_setfield(L, -2, values[i].name);
	}
	lua_setglobal(L, "filter");
}
