/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Map: files of keys and values, the same that the configuration's maps use; and core's
 * functions that change such files, and those of ACLs, as rules do. */
#include "lua/map.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/pattern_change.h"
#include "expr/regex.h"
#include "lua/classes.h"

#include <lauxlib.h>

static const char map_kind;

/* By the numbers of the methods, which scripts know as Map._str. */
static const struct map_method {
	const char *name;
	enum match match; /* MATCH_NONE: there are no such maps */
} map_methods[] = {
	{ "found", MATCH_NONE }, { "bool", MATCH_NONE }, { "int", MATCH_INT },  { "ip", MATCH_IP },
	{ "bin", MATCH_NONE },   { "len", MATCH_NONE },  { "str", MATCH_STR },  { "beg", MATCH_BEG },
	{ "sub", MATCH_SUB },    { "dir", MATCH_DIR },   { "dom", MATCH_DOM },  { "end", MATCH_END },
	{ "reg", MATCH_REG },    { "regm", MATCH_NONE },
};
enum { MAP_STR = 6 };

static struct config *reading;
static const struct location *reading_at;

void map_reading(struct config *cfg, const struct location *loc)
{
	reading = cfg;
	reading_at = loc;
}

/* Maps that scripts have loaded. A file that is run again, in another process, gets the same. */
static struct known {
	struct known *next;
	const char *path;
	struct pattern_set *set;
} *known;

static struct pattern_set *known_find(const char *path, enum match match)
{
	const struct known *k;

	for (k = known; k; k = k->next)
		if (k->set->match == match && !strcmp(k->path, path))
			return k->set;
	return NULL;
}

/* ---- loading -------------------------------------------------------------------------------- */

static enum match method_of(lua_State *L)
{
	lua_Integer method = luaL_optinteger(L, 2, MAP_STR);

	if (method < 0 || method >= (lua_Integer)ARRAY_LEN(map_methods))
		luaL_error(L, "'new' needs a valid match method.");
	if (map_methods[method].match == MATCH_NONE)
		luaL_error(L, "'new' doesn't support this match mode.");
	return map_methods[method].match;
}

static struct pattern_set *load(lua_State *L, const char *path, enum match match)
{
	unsigned flags = PATTERN_MAP | (reading->check_only ? PATTERN_TRUST_NAMES : 0);
	struct pattern_set *set = pattern_set_new(match, reading->arena);
	struct known *k = arena_alloc(reading->arena, sizeof(*k));
	struct err err;

	if (pattern_ref_load(reading, reading_at, set, path, flags, false, &err))
		luaL_error(L, "'new': %s", err.text);
	pattern_warn_unresolved(reading, reading_at, set);
	*k = (struct known){ known, arena_strdup(reading->arena, path), set };
	known = k;
	return set;
}

/* Map.new(file [, method]) */
static int map_new(lua_State *L)
{
	struct pattern_set *set;
	const char *path;
	enum match match;

	if (lua_gettop(L) < 1)
		return luaL_error(L, "'new' needs at least 1 argument.");
	path = luaL_checkstring(L, 1);
	match = method_of(L);
	set = known_find(path, match);
	if (!set && !reading)
		return luaL_error(L, "'new': map: cannot load map at runtime.");
	if (!set)
		set = load(L, path, match);
	handle_new(L, &map_kind, set);
	object_new(L, &map_class, -1, 0);
	return 1;
}

/* ---- looking up ----------------------------------------------------------------------------- */

static void key_of(lua_State *L, const struct pattern_set *set, struct sample *smp)
{
	smp->flags = SMP_CONST;
	if (set->match == MATCH_INT) {
		smp->type = SMP_INT;
		smp->num = luaL_checkinteger(L, 2);
	} else {
		smp->type = SMP_STR;
		smp->str.ptr = luaL_checklstring(L, 2, &smp->str.len);
	}
}

/* NULL also when an expression was given up: an earlier one may have matched, too. */
static const char *value_of(lua_State *L, const char *name)
{
	const struct pattern_set *set = object_of(L, 1, &map_kind);
	uint64_t given_up = regex_given_up;
	const struct pattern *p;
	struct sample smp;

	arguments_check(L, name, 2, 2);
	key_of(L, set, &smp);
	if (set->match == MATCH_IP && !sample_cast(&smp, SMP_ADDR))
		return NULL;
	p = pattern_match(set, &smp);
	return p && regex_given_up == given_up ? p->value : NULL;
}

static int map_lookup(lua_State *L)
{
	lua_pushstring(L, value_of(L, "lookup")); /* NULL: nil */
	return 1;
}

static int map_slookup(lua_State *L)
{
	const char *value = value_of(L, "slookup");

	lua_pushstring(L, value ? value : "");
	return 1;
}

static const struct class_method methods[] = {
	{ "lookup", map_lookup, "key", "string or nil", "the value of a key", 0 },
	{ "slookup", map_slookup, "key", "string", "the same, empty where there is none", 0 },
	{ 0 },
};

const struct class map_class = { "Map", methods, .help = "a file of keys and values: Map.new()" };

/* ---- changes -------------------------------------------------------------------------------- */

/* Files and lists of the running generation; NULL: it has none of that name. */
static struct pattern_ref *ref_at(lua_State *L, bool maps)
{
	const char *path = luaL_checkstring(L, 1);

	return *path == '#' ? NULL : pattern_ref_named(path, maps);
}

static void change(lua_State *L, struct pattern_ref *ref, enum pattern_change what)
{
	const char *key = luaL_checkstring(L, 2);
	const char *value = what == PATTERN_SET ? luaL_checkstring(L, 3) : NULL;
	struct err err;

	if (ref)
		pattern_ref_change(ref, what, key, value, &err);
}

static int change_acl(lua_State *L, const char *name, enum pattern_change what)
{
	struct pattern_ref *ref;

	arguments_check(L, name, 2, 2);
	ref = ref_at(L, false);
	if (!ref)
		return luaL_error(L, "'%s': unknown acl file '%s'", name, lua_tostring(L, 1));
	change(L, ref, what);
	return 0;
}

/* An unknown file is no error, as in the reference. */
static int change_map(lua_State *L, const char *name, enum pattern_change what)
{
	int count = what == PATTERN_SET ? 3 : 2;

	arguments_check(L, name, count, count);
	change(L, ref_at(L, true), what);
	return 0;
}

int core_add_acl(lua_State *L)
{
	return change_acl(L, "add_acl", PATTERN_ADD);
}

int core_del_acl(lua_State *L)
{
	return change_acl(L, "del_acl", PATTERN_DELETE);
}

int core_set_map(lua_State *L)
{
	return change_map(L, "set_map", PATTERN_SET);
}

int core_del_map(lua_State *L)
{
	return change_map(L, "del_map", PATTERN_DELETE);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const struct class_method functions[] = {
	{ "new", map_new, "file [, method]", "Map",
	  "loads a map, while the files are read; method is Map._str or the like", METHOD_LOADING },
	{ 0 },
};

const struct class map_table = { "Map", functions, .is_table = true,
				 .help = "maps, shared with the configuration's" };

void map_begin(lua_State *L)
{
	unsigned i;

	table_new(L, &map_table);
	for (i = 0; i < ARRAY_LEN(map_methods); i++) {
		lua_pushinteger(L, i);
		lua_pushfstring(L, "_%s", map_methods[i].name);
		lua_pushvalue(L, -2);
		lua_rawset(L, -4);
		lua_setfield(L, -2, map_methods[i].name);
	}
	lua_setglobal(L, "Map");
}
