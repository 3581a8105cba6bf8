/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Patref: a file of patterns, or the patterns of a line, as the stats socket changes them. All
 * changes go through the ordered log, so that all processes make them, in one order. Functions wait until
 * a change is made; while init functions run it is made at once. */
#include "lua/patref.h"

#include "base/err.h"
#include "base/str.h"
#include "expr/pattern_change.h"
#include "lua/change.h"
#include "lua/classes.h"
#include "lua/events.h"
#include "lua/script.h"
#include "share/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <lauxlib.h>

static const char patref_kind, call_kind, walk_kind;
static bool over; /* nothing is asked for any more */

/* A userdata, kept by the handle's user value. */
struct patref {
	struct pattern_ref *ref;
	bool pending;     /* a version is being made ready */
	char version[16]; /* of that, in decimal; else empty: the one in force */
};

static struct patref *patref_of(lua_State *L)
{
	return object_of(L, 1, &patref_kind);
}

/* core.get_patref(name) */
int core_get_patref(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	struct pattern_ref *ref = *name == '#' ? NULL : pattern_ref_named(name, true);
	struct patref *p;
	struct handle *h;

	arguments_check(L, "get_patref", 1, 1);
	if (!pattern_refs_running)
		return luaL_error(L, "'get_patref': only when the configuration is complete");
	if (!ref && *name != '#')
		ref = pattern_ref_named(name, false);
	if (!ref || !ref->current)
		return luaL_error(L, "'get_patref': nothing is loaded from '%s'", name);
	h = handle_new(L, &patref_kind, NULL);
	p = lua_newuserdatauv(L, sizeof(*p), 0);
	*p = (struct patref){ .ref = ref };
	lua_setiuservalue(L, -2, 1);
	h->of = p;
	object_new(L, &patref_class, -1, 0);
	return 1;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

enum purpose { OP_PLAIN, OP_SET_OR_ADD, OP_PREPARE, OP_COMMIT, OP_SILENT, OP_LOAD };

/* A userdata at 1 of the function that waits. Its texts lie on the stack, too. */
struct call {
	unsigned ticket;
	bool submitted, answered, failed;
	enum purpose purpose;
	struct patref *of;
	struct pattern_command command;
	char version[16], token[64];
	lua_Integer chunk;              /* OP_LOAD: the next of the table at CHUNKS */
	bool loading;                   /* a payload was begun */
	char said[sizeof(struct err)];
	char error[sizeof(struct err)]; /* OP_LOAD: the first mistake */
};
enum { CALL = 1, OBJECT, CHUNKS };

static void answer(void *arg, const char *error, const char *said, size_t len)
{
	struct call *call = arg;
	struct text t;

	call->answered = true;
	call->failed = error != NULL;
	text_init(&t, call->said, sizeof(call->said));
	text_add(&t, error ? error : said, error ? strlen(error) : len);
}

/* It may have gone in the middle of a payload. */
static void call_end(void *memory)
{
	struct call *call = memory;

	if (call->submitted && !call->answered && !over)
		change_forget(call->ticket);
	call->answered = true;
	if (!call->loading || over)
		return;
	call->loading = false;
	call->command.change = PATTERN_LOAD_END;
	call->command.rest_len = 0;
	call->command.text = call->command.value = NULL;
	pattern_submit(&call->command, NULL, NULL);
}

/* No process runs yet that would hear of it. */
static void make_now(struct call *call)
{
	char memory[64];
	struct text said;
	struct err err;
	size_t len;
	char *frame = pattern_frame(&call->command, &len);

	text_init(&said, memory, sizeof(memory));
	if (!frame)
		answer(call, "Out of memory.", NULL, 0);
	else if (pattern_change.apply(frame, len, &said, &err))
		answer(call, err.text, NULL, 0);
	else
		answer(call, NULL, said.ptr, said.len);
	free(frame);
}

static int go_on(lua_State *L, int status, lua_KContext ctx);

static int submit(lua_State *L, struct call *call, enum pattern_change change)
{
	call->command.change = change;
	call->answered = false;
	if (change_at_once) {
		make_now(call);
		return go_on(L, LUA_OK, 0);
	}
	call->submitted = true;
	call->ticket = pattern_submit(&call->command, answer, call);
	return script_sleep(L, SCRIPT_TURN, go_on, 0);
}

static int push_result(lua_State *L, const char *error)
{
	if (!error) {
		lua_pushboolean(L, 1);
		return 1;
	}
	lua_pushnil(L);
	lua_pushstring(L, error);
	return 2;
}

/* ---- payloads ------------------------------------------------------------------------------- */

/* A mistake ends it; what was sent so far is dropped. */
static int load_on(lua_State *L, struct call *call)
{
	enum pattern_change done = call->command.change;
	size_t len;

	if (call->failed && done != PATTERN_LOAD_END)
		snprintf(call->error, sizeof(call->error), "%s", call->said);
	if (done == PATTERN_LOAD_END) {
		call->loading = false;
		return push_result(L, *call->error ? call->error : NULL);
	}
	call->command.rest_len = 0;
	if (*call->error || done == PATTERN_LOAD_MERGE)
		return submit(L, call, PATTERN_LOAD_END);
	call->loading = true;
	if (lua_rawgeti(L, CHUNKS, ++call->chunk) != LUA_TSTRING) {
		lua_pop(L, 1);
		return submit(L, call, PATTERN_LOAD_MERGE);
	}
	call->command.rest = lua_tolstring(L, -1, &len); /* the table has it */
	call->command.rest_len = len;
	lua_pop(L, 1);
	return submit(L, call, PATTERN_LOAD_LINES);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void forget_version(struct patref *p)
{
	p->pending = false;
	*p->version = 0;
}

static int prepared(lua_State *L, struct call *call)
{
	const char *number = strrchr(call->said, ' ');

	if (call->failed || !number)
		return luaL_error(L, "'prepare': %s", call->said);
	snprintf(call->of->version, sizeof(call->of->version), "%lu", strtoul(number, NULL, 10));
	call->of->pending = true;
	return 0;
}

static int answered(lua_State *L, struct call *call)
{
	switch (call->purpose) {
	case OP_LOAD:
		return load_on(L, call);
	case OP_PREPARE:
		return prepared(L, call);
	case OP_SILENT:
		return call->failed ? luaL_error(L, "%s", call->said) : 0;
	case OP_SET_OR_ADD:
		if (!call->failed)
			break;
		call->purpose = OP_PLAIN;
		return submit(L, call, PATTERN_INSERT);
	case OP_COMMIT:
	case OP_PLAIN:
		break;
	}
	return push_result(L, call->failed ? call->said : NULL);
}

static int go_on(lua_State *L, int status, lua_KContext ctx)
{
	struct call *call = lua_touserdata(L, CALL);

	(void)status;
	(void)ctx;
	if (!call->answered)
		return script_sleep(L, 1, go_on, 0);
	if (!call->failed && !strcmp(call->said, PATTERN_MORE))
		return submit(L, call, call->command.change);
	return answered(L, call);
}

/* On the stack at CALL, in front of the object and its arguments. */
static struct call *call_new(lua_State *L, struct patref *p, enum purpose purpose)
{
	struct call *call;

	if (!change_at_once && !script_may_wait(L))
		luaL_error(L, "a change waits for all processes, which cannot be done here");
	call = collected_new(L, sizeof(*call), &call_kind, call_end);
	lua_insert(L, CALL);
	call->of = p;
	call->purpose = purpose;
	strcpy(call->version, p->version);
	call->command.key = p->ref->key;
	call->command.version = call->version;
	return call;
}

/* ---- methods -------------------------------------------------------------------------------- */

/* A text without zero bytes: it would be another one in the files. */
static const char *text_at(lua_State *L, int at)
{
	size_t len;
	const char *text = luaL_checklstring(L, at, &len);

	luaL_argcheck(L, strlen(text) == len, at, "there is a zero byte in it");
	return text;
}

static bool is_map(const struct patref *p)
{
	return p->ref->kind == PATTERN_VALUES;
}

static int patref_get_name(lua_State *L)
{
	const struct pattern_ref *ref = patref_of(L)->ref;

	lua_pushstring(L, ref->path ? ref->path : ref->criterion);
	return 1;
}

static int patref_is_map(lua_State *L)
{
	lua_pushboolean(L, is_map(patref_of(L)));
	return 1;
}

static int patref_purge(lua_State *L)
{
	struct call *call = call_new(L, patref_of(L), OP_SILENT);

	*call->version = 0;
	return submit(L, call, PATTERN_CLEAR);
}

static int patref_prepare(lua_State *L)
{
	struct patref *p = patref_of(L);

	forget_version(p);
	return submit(L, call_new(L, p, OP_PREPARE), PATTERN_PREPARE);
}

static int patref_commit(lua_State *L)
{
	struct patref *p = patref_of(L);
	struct call *call;

	if (!p->pending)
		return push_result(L, "nothing was prepared");
	call = call_new(L, p, OP_COMMIT);
	forget_version(p);
	return submit(L, call, PATTERN_COMMIT);
}

static int patref_giveup(lua_State *L)
{
	struct patref *p = patref_of(L);
	struct call *call;

	if (!p->pending)
		return 0;
	call = call_new(L, p, OP_SILENT);
	forget_version(p);
	return submit(L, call, PATTERN_CLEAR);
}

/* The same key may be there already: this is one more. */
static int patref_add(lua_State *L)
{
	struct patref *p = patref_of(L);
	const char *key = text_at(L, 2), *value = is_map(p) ? text_at(L, 3) : NULL;
	struct call *call = call_new(L, p, OP_PLAIN);

	call->command.text = key;
	call->command.value = value;
	return submit(L, call, PATTERN_INSERT);
}

static int patref_del(lua_State *L)
{
	struct patref *p = patref_of(L);
	const char *key = text_at(L, 2);
	struct call *call = call_new(L, p, OP_PLAIN);

	call->command.text = key;
	return submit(L, call, PATTERN_REMOVE);
}

static int patref_set(lua_State *L)
{
	struct patref *p = patref_of(L);
	const char *key = text_at(L, 2), *value = text_at(L, 3);
	bool force = lua_toboolean(L, 4);
	struct call *call;

	if (!is_map(p))
		return push_result(L, "only maps have values");
	call = call_new(L, p, force ? OP_SET_OR_ADD : OP_PLAIN);
	call->command.text = key;
	call->command.value = value;
	return submit(L, call, PATTERN_ASSIGN);
}

/* ---- many at once --------------------------------------------------------------------------- */

enum { CHUNK_BYTES = 4096, CHUNK_PATTERNS = 32, CHUNK_REGEX = 8 };

static unsigned patterns_of_chunk(const struct pattern_ref *ref)
{
	const struct pattern_use *use;
	unsigned most = CHUNK_PATTERNS;

	for (use = ref->uses; use; use = use->next)
		if (use->set->match == MATCH_REG)
			most = CHUNK_REGEX;
	return most;
}

/* Puts a text and a value, each with its NUL, behind the chunk, which ends when it is large. The stack
 * is that of the function; the chunk is a table of strings at 4. */
struct chunks {
	lua_Integer count;  /* of those that are complete */
	lua_Integer pieces; /* of the one at hand */
	unsigned patterns, most;
	size_t bytes, most_bytes;
};
enum { OBJECT_AT = 1, TABLE_AT, CHUNKS_AT, PIECES_AT };

static void chunk_end(lua_State *L, struct chunks *c)
{
	luaL_Buffer b;
	lua_Integer i;

	if (!c->pieces)
		return;
	luaL_buffinit(L, &b);
	for (i = 1; i <= c->pieces; i++) {
		lua_rawgeti(L, PIECES_AT, i);
		luaL_addvalue(&b);
		luaL_addchar(&b, 0);
	}
	luaL_pushresult(&b);
	lua_rawseti(L, CHUNKS_AT, ++c->count);
	c->pieces = 0;
	c->patterns = 0;
	c->bytes = 0;
}

static void chunk_piece(lua_State *L, struct chunks *c, int at, const char *what)
{
	size_t len;
	const char *text;

	if (lua_type(L, at) != LUA_TSTRING && lua_type(L, at) != LUA_TNUMBER)
		luaL_error(L, "'add_bulk': a %s is no string", what);
	lua_pushvalue(L, at); /* a number that is a key of the table stays one */
	text = lua_tolstring(L, -1, &len);
	if (strlen(text) != len || (!len && *what == 'k'))
		luaL_error(L, "'add_bulk': a %s is empty, or has a zero byte", what);
	c->bytes += len + 1;
	lua_rawseti(L, PIECES_AT, ++c->pieces);
}

static void fill_chunks(lua_State *L, const struct patref *p)
{
	struct chunks c = { .most = patterns_of_chunk(p->ref), .most_bytes = CHUNK_BYTES };

	if (change_at_once) { /* nobody waits, and each would be a call deeper */
		c.most = UINT_MAX;
		c.most_bytes = SIZE_MAX;
	}
	lua_pushnil(L);
	while (lua_next(L, TABLE_AT)) {
		chunk_piece(L, &c, is_map(p) ? -2 : -1, "key");
		if (is_map(p)) {
			chunk_piece(L, &c, -1, "value");
		} else {
			lua_pushliteral(L, "");
			lua_rawseti(L, PIECES_AT, ++c.pieces);
		}
		if (++c.patterns == c.most || c.bytes >= c.most_bytes)
			chunk_end(L, &c);
		lua_pop(L, 1);
	}
	chunk_end(L, &c);
}

/* All of the table, or nothing: of a map its keys and values, else its values. */
static int patref_add_bulk(lua_State *L)
{
	struct patref *p = patref_of(L);
	static unsigned number;
	struct call *call;

	luaL_checktype(L, TABLE_AT, LUA_TTABLE);
	lua_settop(L, TABLE_AT);
	lua_newtable(L);
	lua_newtable(L);
	fill_chunks(L, p);
	lua_settop(L, CHUNKS_AT);
	lua_remove(L, TABLE_AT);
	call = call_new(L, p, OP_LOAD); /* CALL, OBJECT, CHUNKS */
	snprintf(call->token, sizeof(call->token), "%u.%d.l%u", segment_own_row, (int)getpid(), ++number);
	call->command.id = call->token;
	return submit(L, call, PATTERN_LOAD_BEGIN);
}

/* ---- looking -------------------------------------------------------------------------------- */

/* The version that the object changes; NULL: nothing was added to it yet. */
static struct pattern_version *version_of(const struct patref *p)
{
	return p->pending ? version_find(p->ref, (uint32_t)strtoul(p->version, NULL, 10)) :
			    p->ref->current;
}

static void push_value(lua_State *L, const struct pattern_entry *e)
{
	if (e->value)
		lua_pushstring(L, e->value->text);
	else
		lua_pushboolean(L, 1);
}

/* ref[key]: the entry of this very text. */
static int patref_field(lua_State *L)
{
	const struct patref *p = object_peek(L, 1, &patref_kind);
	const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
	const struct pattern_version *v = p && key && !over ? version_of(p) : NULL;
	const struct pattern_entry *e = v ? version_entry(v, key) : NULL;

	if (e)
		push_value(L, e);
	else
		lua_pushnil(L);
	return 1;
}

/* A walk through a version: a userdata. */
struct walk {
	struct list node;
	struct pattern_reader reader;
};
static struct list walks = LIST_INIT(walks);

static void walk_end(struct walk *w)
{
	list_remove(&w->node);
	reader_end(&w->reader);
}

static void walk_collected(void *memory)
{
	walk_end(memory);
}

static int walk_next(lua_State *L)
{
	struct walk *w = lua_touserdata(L, lua_upvalueindex(1));
	const struct pattern_entry *e = w->reader.version ? w->reader.at : NULL;

	if (!e) {
		walk_end(w);
		lua_pushnil(L);
		return 1;
	}
	lua_pushstring(L, e->text);
	push_value(L, e);
	w->reader.at = e->next;
	return 2;
}

/* pairs(ref): all entries, while they change. */
static int patref_pairs(lua_State *L)
{
	const struct patref *p = object_peek(L, 1, &patref_kind);
	struct pattern_version *v = p && !over ? version_of(p) : NULL;
	struct walk *w = collected_new(L, sizeof(*w), &walk_kind, walk_collected);

	list_init(&w->node);
	if (v) {
		reader_begin(&w->reader, v);
		list_append(&walks, &w->node);
	}
	lua_pushcclosure(L, walk_next, 1);
	return 1;
}

void patrefs_end(void)
{
	over = true;
	while (!list_empty(&walks))
		walk_end(list_first(&walks, struct walk, node));
}

/* ref:event_sub({ types }, function) */
static int patref_event_sub(lua_State *L)
{
	const struct patref *p = patref_of(L);

	arguments_check(L, "event_sub", 3, 3);
	return events_subscribe(L, 2, NULL, p->ref);
}

/* ---- the class ------------------------------------------------------------------------------ */

static const struct class_method methods[] = {
	{ "get_name", patref_get_name, "", "string", "what it was loaded from", 0 },
	{ "is_map", patref_is_map, "", "boolean", "do its entries have values?", 0 },
	{ "add", patref_add, "key [, value]", "true; or nil, string", "one entry more; of a map with a value",
	  METHOD_WAITS },
	{ "add_bulk", patref_add_bulk, "table", "true; or nil, string",
	  "all of { key = value }, of { key, ... } where there are no values; or none", METHOD_WAITS },
	{ "set", patref_set, "key, value [, force]", "true; or nil, string",
	  "another value for all entries of the key; force: one is added where there is none", METHOD_WAITS },
	{ "del", patref_del, "key", "true; or nil, string", "deletes all entries of the key", METHOD_WAITS },
	{ "purge", patref_purge, "", NULL, "deletes all entries, at once", METHOD_WAITS },
	{ "prepare", patref_prepare, "", NULL,
	  "begins an empty version, to which the object's changes go from now on", METHOD_WAITS },
	{ "commit", patref_commit, "", "true; or nil, string", "puts that version in force", METHOD_WAITS },
	{ "giveup", patref_giveup, "", NULL, "drops it", METHOD_WAITS },
	{ "event_sub", patref_event_sub, "{ types }, function", "EventSub",
	  "function(type, nil, sub, when) is called for changes of what is in force", 0 },
	{ 0 },
};

const struct class patref_class = {
	"Patref", methods, patref_field, .pairs = patref_pairs,
	.help = "a file of patterns (core.get_patref()); ref[key] is the value of a key, or true; pairs(ref)",
};
