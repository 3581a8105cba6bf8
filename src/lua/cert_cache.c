/* SPDX-License-Identifier: BSD-2-Clause */
/* The table CertCache: scripts put certificates in force, as "set ssl cert" and "commit ssl cert" do,
 * in all processes. A change is the name of the entry and its parts, each a suffix and a payload with
 * their NULs. */
#include "config.h"

#include "lua/change.h"
#include "lua/classes.h"

#include <string.h>

#include <lauxlib.h>

#ifdef HAVE_OPENSSL

#include "base/err.h"
#include "tls/store.h"
#include "tls/transaction.h"

/* In the order in which they are set: a certificate takes what belongs to the old one away. */
static const struct {
	const char *field, *suffix;
} parts[] = {
	{ "crt", "" }, { "key", ".key" }, { "issuer", ".issuer" }, { "ocsp", ".ocsp" }, { "sctl", ".sctl" },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static const char *next_word(const char **at, const char *end)
{
	const char *word = *at, *stop = word < end ? memchr(word, 0, (size_t)(end - word)) : NULL;

	if (stop)
		*at = stop + 1;
	return stop ? word : NULL;
}

static int apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *at = bytes, *end = at + len, *name = next_word(&at, end);
	struct tls_part set[PARTS];
	unsigned count = 0;

	(void)said;
	while (name && at < end && count < PARTS) {
		set[count].suffix = next_word(&at, end);
		set[count].payload = set[count].suffix ? next_word(&at, end) : NULL;
		if (!set[count++].payload)
			name = NULL;
	}
	if (!name || at != end)
		return err_set(err, "a broken change");
	return tls_transaction_at_once(name, set, count, err);
}

const struct change_kind cert_cache_change = { .name = "script's certificate", .apply = apply };

/* The field of the table at 1, with a NUL behind it, into the frame. */
static void add_field(lua_State *L, luaL_Buffer *frame, unsigned i)
{
	size_t len;
	const char *text;

	if (lua_getfield(L, 1, parts[i].field) == LUA_TNIL) {
		lua_pop(L, 1);
		return;
	}
	lua_replace(L, 2); /* nothing may lie on top of the buffer */
	if (lua_type(L, 2) != LUA_TSTRING)
		luaL_error(L, "'CertCache.set': %s is no string", parts[i].field);
	text = lua_tolstring(L, 2, &len);
	if (strlen(text) != len)
		luaL_error(L, "'CertCache.set': there is a zero byte in %s", parts[i].field);
	luaL_addlstring(frame, parts[i].suffix, strlen(parts[i].suffix) + 1);
	luaL_addlstring(frame, text, len + 1);
}

static int cert_cache_set(lua_State *L)
{
	const char *bytes, *name;
	luaL_Buffer frame;
	unsigned i;
	size_t len;

	if (lua_gettop(L) != 1 || !lua_istable(L, 1))
		return luaL_error(L, "'CertCache.set' needs a table as argument");
	lua_getfield(L, 1, "filename");
	if (lua_type(L, 2) != LUA_TSTRING)
		return luaL_error(L, "No filename specified!");
	name = lua_tolstring(L, 2, &len);
	if (strlen(name) != len || !tls_entry_find(name))
		return luaL_error(L, "Can't replace a certificate which is not referenced by the "
				  "configuration!");
	lua_pushvalue(L, 2); /* its bytes stay until the frame has them */
	luaL_buffinit(L, &frame);
	luaL_addlstring(&frame, name, len + 1);
	for (i = 0; i < PARTS; i++)
		add_field(L, &frame, i);
	luaL_pushresult(&frame);
	bytes = lua_tolstring(L, -1, &len);
	return change_send(L, &cert_cache_change, bytes, len, CHANGE_RAISES);
}

#else

static int cert_cache_set(lua_State *L)
{
	return luaL_error(L, "'CertCache.set': this build has no TLS");
}

#endif

static const struct class_method functions[] = {
	{ "set", cert_cache_set,
	  "{ filename = ..., crt = ..., key = ..., ocsp = ..., issuer = ..., sctl = ... }", NULL,
	  "puts a certificate in force in all processes, as set and commit ssl cert do", METHOD_WAITS },
	{ 0 },
};

const struct class cert_cache_table = { "CertCache", functions, .is_table = true,
					.help = "certificates of the running service" };

void cert_cache_begin(lua_State *L)
{
	table_new(L, &cert_cache_table);
	lua_setglobal(L, "CertCache");
}
