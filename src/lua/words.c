/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the global section about Lua: files are run when their line is read, so that later lines
 * know what they register. Manual 3.1, 3.2. */
#include "lua/lua_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/default_path.h"
#include "client/client_conf.h"
#include "expr/vars.h"
#include "lua/change.h"
#include "lua/classes.h"
#include "lua/events.h"
#include "lua/filter.h"
#include "lua/map.h"
#include "lua/own.h"
#include "lua/patref.h"
#include "lua/proxies.h"
#include "lua/register.h"
#include "lua/sample_calls.h"
#include "lua/say.h"
#include "lua/script.h"
#include "lua/socket.h"
#include "lua/state.h"
#include "lua/stream.h"
#include "lua/task.h"
#include "lua/value.h"

#include <lauxlib.h>

struct lua_conf {
	unsigned yield;      /* instructions */
	unsigned maxmem;     /* MB (1048576 bytes); 0: any */
	unsigned session_ms, service_ms, task_ms, burst_ms;
	int bools, loggers, stderr_too; /* names below */
	struct location loc; /* of the last file */
};

static const char *const bool_names[] = { "pre-3.1-bug", "normal", NULL };
static const char *const switch_names[] = { "off", "on", NULL };
static const char *const stderr_names[] = { "off", "auto", "on", NULL };

static void init(struct config *cfg, void *data)
{
	(void)cfg;
	*(struct lua_conf *)data = (struct lua_conf){
		.yield = 10000, .session_ms = 4000, .service_ms = 4000, .burst_ms = 1000,
		.loggers = true, .stderr_too = SAY_STDERR_ON,
	};
}

/* What is in force from now on, also for files that are read next. */
static void apply(const struct lua_conf *conf)
{
	script_limits = (struct script_limits){
		conf->session_ms, conf->service_ms, conf->task_ms, conf->burst_ms, conf->yield,
	};
	value_true_bools = conf->bools;
	say_conf = (struct say_conf){ conf->loggers, conf->stderr_too };
	state_limit((size_t)conf->maxmem << 20);
}

static int begin_classes(lua_State *L)
{
	classes_begin(L);
	return 0;
}

/* The state is made when it is first needed. */
static int begin(const struct lua_conf *conf, struct err *err)
{
	if (lua_running)
		return 0;
	apply(conf);
	if (state_begin((size_t)conf->maxmem << 20, err))
		return -1;
	lua_pushcfunction(lua_running, begin_classes);
	if (lua_pcall(lua_running, 0, 0, 0) != LUA_OK) {
		char text[200];

		state_error_text(lua_running, text, sizeof(text));
		return err_set(err, "Lua does not start: %s", text);
	}
	stream_scripts_begin(&txn_class);
	client_conf.wanted = true;
	return 0;
}

/* kw: for all processes, or for each. */
static int load(struct statement *st, struct lua_conf *conf, const struct keyword *kw,
		const char *path, const char *const *words, int count, struct err *err)
{
	int rc = begin(conf, err);

	if (rc)
		return rc;
	conf->loc = st->loc;
	map_reading(st->cfg, &conf->loc);
	if (!strcmp(kw->name, "lua-load"))
		rc = state_load(path, words, count, err);
	else
		rc = own_load(path, words, count, err);
	map_reading(NULL, NULL);
	return rc;
}

static int parse_load(struct statement *st, const struct keyword *kw, void *object)
{
	const char *path = stmt_need(st, "the name of a file"), **words;
	int count = 0, word = st->at - 1;
	struct err err;

	if (!path)
		return -1;
	words = arena_alloc(st->cfg->arena, (size_t)st->count * sizeof(*words));
	while (stmt_peek(st))
		words[count++] = stmt_next(st);
	if (load(st, object, kw, path, words, count, &err))
		return stmt_error(st, word, "%s", err.text);
	return 0;
}

static int parse_path(struct statement *st, const struct keyword *kw, void *object)
{
	const char *path = stmt_need(st, "a path"), *type;
	struct err err;

	(void)kw;
	if (!path)
		return -1;
	type = stmt_next(st);
	if (type && strcmp(type, "path") && strcmp(type, "cpath"))
		return stmt_error(st, st->at - 1, "'path' or 'cpath' is expected");
	if (begin(object, &err))
		return stmt_error(st, 0, "%s", err.text);
	if (own_prepend_path(path, type && !strcmp(type, "cpath"), &err))
		return stmt_error(st, 0, "%s", err.text);
	return 0;
}

static const struct keyword keywords[] = {
	{ .name = "lua-load", .scope = SCOPE_GLOBAL, .args = "<file> [<argument>]*", .parse = parse_load,
	  .help = "runs a file of Lua, which may register actions, fetches and the like" },
	{ .name = "lua-load-per-thread", .scope = SCOPE_GLOBAL, .args = "<file> [<argument>]*",
	  .parse = parse_load, .help = "the same, with globals of its own in each process" },
	{ .name = "lua-prepend-path", .scope = SCOPE_GLOBAL, .args = "<path> [path|cpath]",
	  .parse = parse_path, .help = "where require looks for modules first" },
	{ .name = "tune.lua.forced-yield", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct lua_conf, yield), .min = 1, .max = INT32_MAX,
	  .dflt = "10000", .help = "instructions of Lua behind which others go first" },
	{ .name = "tune.lua.maxmem", .scope = SCOPE_GLOBAL, .args = "<megabytes>",
	  .parse = set_unsigned, .offset = offsetof(struct lua_conf, maxmem), .min = 0, .max = 1 << 20,
	  .dflt = "0", .help = "memory that Lua may take in each process; 0: any" },
	{ .name = "tune.lua.session-timeout", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct lua_conf, session_ms), .dflt = "4s",
	  .help = "most that a script of a stream may compute; waiting does not count" },
	{ .name = "tune.lua.service-timeout", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct lua_conf, service_ms), .dflt = "4s",
	  .help = "most that a service may compute" },
	{ .name = "tune.lua.task-timeout", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct lua_conf, task_ms), .dflt = "0",
	  .help = "most that a task may compute; 0: any time" },
	{ .name = "tune.lua.burst-timeout", .scope = SCOPE_GLOBAL, .args = "<time>",
	  .parse = set_duration, .offset = offsetof(struct lua_conf, burst_ms), .dflt = "1s",
	  .help = "most that a script may compute without letting others go first; 0: any time" },
	{ .name = "tune.lua.bool-sample-conversion", .scope = SCOPE_GLOBAL, .args = "{ normal | pre-3.1-bug }",
	  .parse = set_enum, .offset = offsetof(struct lua_conf, bools), .names = bool_names,
	  .dflt = "pre-3.1-bug", .help = "booleans of fetches are booleans of Lua, or 0 and 1" },
	{ .name = "tune.lua.log.loggers", .scope = SCOPE_GLOBAL, .args = "{ on | off }",
	  .parse = set_enum, .offset = offsetof(struct lua_conf, loggers), .names = switch_names,
	  .dflt = "on", .help = "lines that scripts write go to the logs" },
	{ .name = "tune.lua.log.stderr", .scope = SCOPE_GLOBAL, .args = "{ on | auto | off }",
	  .parse = set_enum, .offset = offsetof(struct lua_conf, stderr_too), .names = stderr_names,
	  .dflt = "on", .help = "and to the standard error; auto: where no log takes them" },
	{ 0 },
};

/* Names of variables that scripts make, each in its process. */
enum { NAMES_MOST = 10000 };

static int finish(struct config *cfg, void *data)
{
	apply(data);
	sample_calls_config = cfg;
	register_close();
	var_names_left = NAMES_MOST;
	return 0;
}

static void stop(void)
{
	state_end();
	socket_end();
}

/* ---- behind all others ---------------------------------------------------------------------- */

static int prepare(struct config *cfg, void *data, struct err *err)
{
	const struct lua_conf *conf = config_data(cfg, &lua_module);
	int rc;

	(void)data;
	if (!lua_running)
		return 0;
	if (own_add_proxies(err))
		return -1;
	map_reading(cfg, &conf->loc);
	change_at_once = true;
	rc = script_filters_make(true, err) || inits_run(false, err) ? -1 : 0;
	change_at_once = false;
	map_reading(NULL, NULL);
	return rc;
}

static int start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	if (!lua_running)
		return 0;
	if (own_start(err))
		return -1;
	events_start(server_push);
	tasks_start();
	return 0;
}

static void stop_tasks(void)
{
	if (!lua_running)
		return;
	tasks_stop();
	events_stop();
	patrefs_end();
}

const struct module lua_tasks_module = {
	.name = "lua tasks", .prepare = prepare, .start = start, .stop = stop_tasks,
};

const struct module lua_module = {
	.name = "lua", .keywords = keywords, .data_size = sizeof(struct lua_conf), .init = init,
	.finish = finish, .stop = stop,
};
