/* SPDX-License-Identifier: BSD-2-Clause */
/* A service that runs: the server's end of a stream, behind which a script takes what the client
 * sends, and answers. Bytes wait in two buffers; the script waits while one of them is empty, or
 * full. Classes AppletHTTP and AppletTCP. */
#ifndef LUA_APPLET_H
#define LUA_APPLET_H

#include "base/kind.h"
#include "event/loop.h"
#include "exchange/http_service.h"
#include "lua/script.h"
#include "relay/end.h"
#include "stream/service.h"

#include <stdbool.h>
#include <stdint.h>

struct applet_head;
struct buf;
struct class;
struct registered;
struct stream;
struct stream_scripts;

/* One that a script has registered: what applets run. */
struct service {
	const struct registered *function;
	const char *shown;          /* in logs: "<lua.NAME>" */
	struct http_service http;   /* the row of its mode */
	struct stream_service tcp;
	struct service *next;
};

struct applet {
	uint16_t flags;            /* CONN_* readiness, as the pumps see it */
	struct framing framing;    /* of an exchange */
	struct end *end;           /* NULL: it was closed */
	struct stream *stream;
	struct stream_scripts *scripts;
	const struct service *service;
	struct script script;
	const struct class *class; /* of the script's argument; NULL: it has not begun */
	struct applet_head *head;  /* of the response, in the exchange's arena; NULL: mode tcp */
	struct buf *in, *out;      /* from the client, to the client; NULL: nothing waits */
	bool in_ended;             /* nothing more comes */
	bool in_lost;              /* there was no memory for what has come, and nothing more comes */
	bool begun, over;          /* the script */
	bool broken;               /* it has ended in the middle of an answer */
	bool wants_input, wants_room; /* what the script waits for */
	bool bare;                 /* the body of the response goes nowhere: HEAD */
	struct reap reap;
	KIND_MEMBER
};

/* Makes the end an applet, whose script has not begun; NULL: no memory. messages: the end speaks
 * them. */
struct applet *applet_new(struct end *end, struct stream *s, const struct service *service,
			  const struct end_ops *ops, bool messages);
/* The script begins in this turn, or the next; it gets an object of the class. */
void applet_begin(struct applet *a, const struct class *class);
/* Operations of the end that both kinds have. */
enum io applet_recv(struct end *end, void *buf, size_t size, size_t *got);
enum io applet_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent);
void applet_finish(struct end *end);
void applet_close(struct end *end, bool reset);
bool applet_busy(const struct end *end);

/* The applet of an object at `at`, whose script is the one at work; raises an error otherwise. */
struct applet *applet_of(lua_State *L, int at);
/* Methods of both classes. */
int applet_receive(lua_State *L);
int applet_getline(lua_State *L);
int applet_send_method(lua_State *L);

/* How an end is opened for a service of its mode: applet_http.c, applet_tcp.c. 0; -1: no memory. */
int applet_open_http(struct end *end, struct stream *s, const struct service *service);
int applet_open_tcp(struct end *end, struct stream *s, const struct service *service);
/* HTTP: was the head of the response given? What it still lacks of what it has announced. */
bool applet_head_started(const struct applet *a);
bool applet_head_cut(const struct applet *a);
/* HTTP: n bytes are about to be sent; raises an error where they may not be. */
void applet_head_send(lua_State *L, struct applet *a, size_t n);

#endif
