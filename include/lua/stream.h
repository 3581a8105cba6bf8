/* SPDX-License-Identifier: BSD-2-Clause */
/* What scripts have of one stream: the object TXN and those behind it, what they keep for it, and
 * the scripts of its rules that wait. Made when the first script runs for the stream, ends with it.
 */
#ifndef LUA_STREAM_H
#define LUA_STREAM_H

#include "lua/object.h"
#include "lua/script.h"

#include <stdbool.h>

struct applet;
struct buf;
struct exchange;
struct reply;
struct rule;
struct stream;
struct view;

/* What a filter's function has of its direction. */
struct filter_turn {
	bool response;
	bool heads;                /* it may change the head: http_headers */
	/* Its bytes: lua/bytes.h. NULL: it has none now. */
	struct buf **buf;
	uint32_t *out;
	bool more;                 /* others may come */
	bool *ended;               /* these are the last ones of the message */
	bool http;                 /* of a message */
};

struct stream_scripts {
	struct stream *stream;
	struct handle *handle;     /* that all objects of the stream have; NULL: there are none yet */
	int handle_ref, priv_ref;  /* in the registry; LUA_NOREF: there is none yet */
	/* While a script runs in the stream's turn; else NULL, and objects say that it is not. */
	struct view *view;
	unsigned place;            /* AT_* */
	const struct rule *rule;   /* whose action runs; NULL: it is a fetch or a converter */
	struct applet *applet;     /* the service that answers; NULL: none does */
	bool ended;                /* a script has said that the stream is to end: txn:done */
	struct reply *reply;       /* ... with this answer; NULL: without a word. In the exchange's
				    * arena */
	unsigned wake_ms;          /* act.wake_time; 0: nothing was said */
	const struct filter_turn *turn; /* a function of a filter runs; NULL: none does */
	bool reads;                /* the action at work waits for bytes that rules wait for, too */
	/* Of the rules for requests, and of those for responses. */
	struct script scripts[2];
	const struct rule *rules[2]; /* that have begun them */
};
/* The kind of their handles. */
extern const char stream_kind;

/* The stream's, made when it has none. NULL: no memory. */
struct stream_scripts *stream_scripts_get(struct stream *s);
/* Pushes what all objects of the stream have in common, or its object TXN. For functions that Lua
 * calls. */
void stream_push_handle(lua_State *L, struct stream_scripts *ss);
void stream_push_txn(lua_State *L, struct stream_scripts *ss);
/* The stream of an object at `at`, in whose turn the script runs; raises an error otherwise. */
struct stream_scripts *stream_of_object(lua_State *L, int at);

/* Does an action of requests (or responses) run, which may change what the stream carries? */
bool stream_acts(const struct stream_scripts *ss, unsigned where);
/* The same, or a filter's function that may change the head. */
bool stream_edits(const struct stream_scripts *ss, bool response);

/* Once: the end of streams ends their scripts. txn: the class of objects TXN. */
void stream_scripts_begin(const struct class *txn);

#endif
