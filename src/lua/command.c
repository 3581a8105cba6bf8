/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the stats socket that are scripts: core.register_cli. What they send goes into the
 * answer as far as there is room; then they wait until the peer has taken it. A command runs in the
 * process that was asked. */
#include "lua/command.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/tables.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "lua/classes.h"
#include "lua/pieces.h"
#include "lua/register.h"
#include "lua/sample_calls.h"
#include "lua/script.h"
#include "lua/state.h"
#include "lua/value.h"

#include <lauxlib.h>

enum { COMMANDS_MOST = 1000, PATH_MOST = 5 /* words */, PATH_SIZE = 200 };

static struct cli_command commands[COMMANDS_MOST + 1];
static const struct registered *functions[COMMANDS_MOST];
static unsigned command_count;

const char command_kind;

/* The state of one that runs; the handle leads to it. */
struct command_state {
	struct cli_call *call;
	struct script script;
	struct handle *handle;
	int handle_ref, priv_ref;
	struct view view; /* in this call of next */
	size_t begin;     /* of what this call of next has said, in call->out */
	bool started;
	bool wants_room, wants_input;
};

/* ---- the object ----------------------------------------------------------------------------- */

static size_t room(const struct command_state *st)
{
	const struct text *out = st->call->out;
	size_t said = out->len - st->begin, left = out->size - out->len - 1;

	if (said >= CLI_PIECE)
		return 0;
	return left < CLI_PIECE - said ? left : CLI_PIECE - said;
}

/* The command of the object, whose script runs: at other times its answer has no place to go. */
static struct command_state *command_of(lua_State *L)
{
	struct command_state *st = object_of(L, 1, &command_kind);

	if (script_now != &st->script)
		luaL_error(L, "this object is of another script");
	return st;
}

const struct view *command_view(lua_State *L)
{
	return &command_of(L)->view;
}

/* sent: so many bytes are in the answer already. */
static int send_on(lua_State *L, int status, lua_KContext sent)
{
	struct command_state *st = command_of(L);
	struct span text = value_span(L, 2);
	size_t rest = text.len - (size_t)sent, now = room(st);

	(void)status;
	if (now > rest)
		now = rest;
	text_add(st->call->out, text.ptr + sent, now);
	if (now < rest) {
		st->wants_room = true;
		return script_sleep(L, 0, send_on, sent + (lua_KContext)now);
	}
	lua_pushinteger(L, (lua_Integer)text.len);
	return 1;
}

static int command_send(lua_State *L)
{
	arguments_check(L, "send", 2, 2);
	value_span(L, 2);
	return send_on(L, LUA_OK, 0);
}

static int command_set_priv(lua_State *L)
{
	struct command_state *st = command_of(L);

	lua_settop(L, 2);
	luaL_unref(L, LUA_REGISTRYINDEX, st->priv_ref);
	st->priv_ref = LUA_NOREF;
	st->priv_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

static int command_get_priv(lua_State *L)
{
	const struct command_state *st = command_of(L);

	lua_rawgeti(L, LUA_REGISTRYINDEX, st->priv_ref);
	return 1;
}

static int wait_input(lua_State *L, struct command_state *st, lua_KFunction k)
{
	st->wants_input = script_may_wait(L);
	return script_sleep(L, 0, k, 0);
}

/* What has come behind the line, up to `most` bytes and, of a line, its end; into the pieces at `at`.
 * False: there is nothing now. *over: nothing comes any more. */
static size_t take(lua_State *L, struct command_state *st, int at, size_t most, bool line, bool *over)
{
	const char *bytes, *end;
	size_t len;

	*over = cli_read(st->call, &bytes, &len) && !len;
	if (len > most)
		len = most;
	end = line && len ? memchr(bytes, '\n', len) : NULL;
	if (end)
		len = (size_t)(end + 1 - bytes);
	if (!len)
		return 0;
	pieces_add(L, at, bytes, len);
	cli_read_taken(st->call, len);
	*over = end != NULL;
	return len;
}

/* On the stack: the object, bytes that are wanted still (-1: all), pieces. */
static int receive_on(lua_State *L, int status, lua_KContext ctx)
{
	struct command_state *st = command_of(L);
	lua_Integer wanted = lua_tointeger(L, 2);
	bool over = !wanted;
	size_t n;

	(void)status;
	(void)ctx;
	/* Until there is nothing: the end may have come with the last bytes, and nobody tells of it again. */
	while (!over && (n = take(L, st, 3, wanted < 0 ? SIZE_MAX : (size_t)wanted, false, &over)))
		if (wanted > 0)
			over = !(wanted -= (lua_Integer)n);
	if (!over) {
		lua_pushinteger(L, wanted);
		lua_replace(L, 2);
		return wait_input(L, st, receive_on);
	}
	pieces_push(L, 3);
	return 1;
}

static int command_receive(lua_State *L)
{
	lua_Integer size = -1;

	command_of(L);
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
	struct command_state *st = command_of(L);
	bool over;

	(void)status;
	(void)ctx;
	while (take(L, st, 2, SIZE_MAX, true, &over) && !over)
		;
	if (!over)
		return wait_input(L, st, getline_on);
	pieces_push(L, 2);
	return 1;
}

static int command_getline(lua_State *L)
{
	command_of(L);
	lua_settop(L, 1);
	lua_newtable(L);
	return getline_on(L, LUA_OK, 0);
}

/* A command has no stream: of variables it knows those of the process. NULL: it is another one. */
static const struct var_name *variable(lua_State *L)
{
	const struct var_name *name;
	struct err err;

	command_of(L);
	name = var_name(value_span(L, 2), &err);
	return name && name->scope == VAR_PROC ? name : NULL;
}

static int command_set_var(lua_State *L)
{
	static const struct view nowhere;
	const struct var_name *name = variable(L);
	struct sample smp;

	value_sample(L, 3, &smp);
	lua_pushboolean(L, name && var_set(name, &nowhere, &smp, 0));
	return 1;
}

static int command_get_var(lua_State *L)
{
	static const struct view nowhere;
	const struct var_name *name = variable(L);
	struct sample smp;

	if (name && var_get(name, &nowhere, &smp))
		value_push(L, &smp);
	else
		lua_pushnil(L);
	return 1;
}

static int command_unset_var(lua_State *L)
{
	static const struct view nowhere;
	const struct var_name *name = variable(L);

	if (name)
		var_unset(name, &nowhere);
	lua_pushboolean(L, name != NULL);
	return 1;
}

static const struct class_method methods[] = {
	{ "send", command_send, "text", "integer", "a piece of the answer", METHOD_WAITS },
	{ "set_priv", command_set_priv, "value", NULL, "keeps any value until the command ends", 0 },
	{ "get_priv", command_get_priv, "", "value", "what set_priv has kept", 0 },
	{ "receive", command_receive, "[size]", "string",
	  "so many bytes of what follows the line of the command, or all up to the end", METHOD_WAITS },
	{ "getline", command_getline, "", "string", "a line of it, with its end", METHOD_WAITS },
	{ "set_var", command_set_var, "name, value", "boolean", "sets a variable of the process", 0 },
	{ "get_var", command_get_var, "name", "value or nil", "the value of such a variable", 0 },
	{ "unset_var", command_unset_var, "name", "boolean", "forgets such a variable", 0 },
	{ 0 },
};

const struct class command_class = {
	"AppletTCP", methods, calls_field, .help = "the conversation of a command of the stats socket",
	.where = "commands of the stats socket",
};

/* ---- running -------------------------------------------------------------------------------- */

static int done(lua_State *L, int status, lua_KContext ctx)
{
	(void)L;
	(void)status;
	(void)ctx;
	return 0;
}

/* The object, and all words of the command. */
static int begin(lua_State *L)
{
	struct command_state *st = lua_touserdata(L, 1);
	char **word;
	int n = 1;

	st->handle = handle_new(L, &command_kind, st);
	lua_pushvalue(L, -1);
	st->handle_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_rawgeti(L, LUA_REGISTRYINDEX, functions[st->call->command - commands]->ref);
	object_new(L, &command_class, 2, 0);
	for (word = st->call->words; *word; word++, n++) {
		luaL_checkstack(L, 4, "arguments");
		lua_pushstring(L, *word);
	}
	lua_callk(L, n, 0, 0, done);
	return 0;
}

static void wake(struct script *s)
{
	struct command_state *st = s->owner;

	cli_wake(st->call->cli);
}

static int command_start(struct cli_call *call, struct err *err)
{
	struct command_state *st = CLI_STATE_OF(struct command_state, call);

	st->call = call;
	st->handle_ref = st->priv_ref = LUA_NOREF;
	if (!script_new(&st->script, st, wake, script_limits.session_ms))
		return err_set(err, "Out of memory.");
	st->script.state = registered_state(functions[call->command - commands]);
	st->script.name = functions[call->command - commands]->name;
	return 0;
}

static enum cli_step command_next(struct cli_call *call)
{
	struct command_state *st = CLI_STATE_OF(struct command_state, call);
	bool first = !st->started;
	const char *bytes;
	size_t len;

	st->begin = call->out->len;
	cli_view(call->cli, &st->view);
	if (first) {
		lua_pushcfunction(st->script.thread, begin);
		lua_pushlightuserdata(st->script.thread, st);
	}
	st->started = true;
	if (st->wants_input && cli_read(call, &bytes, &len)) {
		st->wants_input = false;
		script_ready(&st->script);
	}
	if (st->wants_room)
		script_ready(&st->script);
	st->wants_room = false;
	switch (script_run(&st->script, first)) {
	case SCRIPT_WAIT:
		return st->wants_room ? CLI_MORE : CLI_WAIT;
	case SCRIPT_FAILED:
		registered_failed(functions[call->command - commands], "cli", st->script.error,
				  log_global());
		break;
	case SCRIPT_DONE:
		break;
	}
	return CLI_END;
}

static void command_end(struct cli_call *call)
{
	struct command_state *st = CLI_STATE_OF(struct command_state, call);

	if (!st)
		return;
	if (st->handle)
		st->handle->of = NULL;
	script_end(&st->script);
	luaL_unref(lua_running, LUA_REGISTRYINDEX, st->handle_ref);
	luaL_unref(lua_running, LUA_REGISTRYINDEX, st->priv_ref);
}

/* ---- registering ---------------------------------------------------------------------------- */

/* The words of the table at 1, with a blank between them, as one string on the stack. */
static const char *path_of(lua_State *L)
{
	luaL_Buffer b;
	size_t n, i;

	if (!lua_istable(L, 1))
		luaL_argerror(L, 1, "1st argument must be a table");
	n = lua_rawlen(L, 1);
	luaL_argcheck(L, n >= 1 && n <= PATH_MOST, 1,
		      "1st argument must be a table with a maximum of 5 entries");
	for (i = 1; i <= n; i++) {
		const char *word;

		lua_rawgeti(L, 1, (lua_Integer)i);
		word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
		luaL_argcheck(L, *word && !word[strcspn(word, " \t;\\\"'\n")], 1,
			      "1st argument must be a table filled with strings");
		lua_pop(L, 1);
	}
	luaL_buffinit(L, &b);
	for (i = 1; i <= n; i++) {
		if (i > 1)
			luaL_addchar(&b, ' ');
		lua_rawgeti(L, 1, (lua_Integer)i);
		luaL_addvalue(&b);
	}
	luaL_pushresult(&b);
	if (lua_rawlen(L, -1) >= PATH_SIZE)
		luaL_argerror(L, 1, "the words are too long");
	return lua_tostring(L, -1);
}

static struct cli_command *row_of(const char *words)
{
	unsigned i;

	for (i = 0; i < command_count; i++)
		if (!strcmp(commands[i].words, words))
			return &commands[i];
	return NULL;
}

/* A name of the function, as the log says it: "<lua.cli.show.x>". */
static const char *name_of(lua_State *L, const char *words)
{
	lua_pushfstring(L, "<lua.cli.%s>", words);
	return luaL_gsub(L, lua_tostring(L, -1), " ", ".");
}

static void add(lua_State *L, const char *words, const char *usage, const struct registered *r)
{
	const struct cli_command *other = tables_find(&cli_tables, span_of(words));
	struct cli_command *row = &commands[command_count];
	struct err err;

	if (other && !(other->flags & CLI_LATER))
		luaL_error(L, "register_cli: there is a command '%s' already", words);
	*row = (struct cli_command){
		.words = strdup(words), .level = LEVEL_USER, .flags = CLI_READS, .start = command_start,
		.next = command_next, .end = command_end,
		CLI_STATE(struct command_state), .help = strdup(usage),
	};
	BUG_ON(!row->words || !row->help);
	functions[command_count] = r;
	if (!command_count++ && cli_add_commands(commands, &err))
		luaL_error(L, "register_cli: %s", err.text);
}

/* core.register_cli({ words }, usage, function) */
int register_cli(lua_State *L)
{
	const struct registered *r;
	const char *words, *usage;
	struct cli_command *row;

	registering(L, "register_cli");
	arguments_check(L, "register_cli", 3, 3);
	words = path_of(L);
	usage = luaL_checkstring(L, 2);
	luaL_checktype(L, 3, LUA_TFUNCTION);
	luaL_argcheck(L, command_count < COMMANDS_MOST, 1, "too many commands");
	r = registered_new(L, name_of(L, words), 3);
	row = row_of(words);
	if (row)
		functions[row - commands] = r; /* the later one counts */
	else
		add(L, words, usage, r);
	return 0;
}
