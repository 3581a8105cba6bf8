/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that scripts make known to the program while the files are read, and their failures. */
#ifndef LUA_REGISTER_H
#define LUA_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

struct err;
struct log_conf;

/* How often something has failed, and was told: a client may make it fail. */
struct failures {
	uint64_t second;
	unsigned told;   /* in this second */
	unsigned untold; /* since one was told */
};
/* Says "Lua WHAT: ERROR." to the logs and to whoever has started the process, some times a second
 * at the most. error: a sentence without a full stop; log NULL: the global ones. */
void failures_tell(struct failures *f, const char *what, const char *error, const struct log_conf *log);

/* A function of a script under a name, "lua.NAME". */
struct registered {
	const char *name;  /* with "lua." */
	const char *shown; /* in logs, where it fails */
	int ref;           /* of the function, in the registry */
	unsigned args;     /* words that an action has behind it */
	struct failures *failures; /* how often it has failed */
	bool own;          /* of a file of this process: lua/own.h */
	bool missing;      /* of such a file: only some processes have registered it */
	const char *what;  /* by which function of core */
	struct registered *next;
};

/* It has failed: said to the logs, and to whoever has started the process, some times a second at
 * the most. what: "function", "sample-fetch"; error: a sentence without a full stop. */
void registered_failed(const struct registered *r, const char *what, const char *error,
		       const struct log_conf *log);

/* The number for struct script.state. */
unsigned registered_state(const struct registered *r);
/* The function at `at` of the stack under the name "lua.NAME"; it stays for ever. */
struct registered *registered_new(lua_State *L, const char *name, int at);
/* The name at 1; raises an error unless it can be one, and the files are being read. */
const char *register_name(lua_State *L, const char *what);
/* Warns that a name ("lua.NAME") has been registered before, in the words of the reference, so that
 * whoever looks for them finds them. Not once more by each process that reads its files again.
 * what: "action", "converter". */
void registered_twice(const char *what, const char *name);
/* Raises an error unless the files are being read. */
void registering(lua_State *L, const char *what);
/* Files are read no more: what registers now is an error. */
void register_close(void);
/* A process reads files of its own anew, until it says false: a name that is known by then gets
 * another function. */
void register_again(bool on);
/* Has this process registered what the others have? 0; or -1 and err. */
int register_agrees(struct err *err);

#endif
