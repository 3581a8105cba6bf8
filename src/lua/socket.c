/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Socket. A socket is a userdata that lives as long as the handle of its object: a table
 * with weak keys in the registry leads from the one to the other, and its finalizer closes the
 * connection. The connection's events go to the one script that waits. */
#include "lua/socket.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/kind.h"
#include "base/str.h"
#include "dns/files.h"
#include "dns/lookup.h"
#include "client/client_conf.h"
#include "lua/classes.h"
#include "lua/pieces.h"
#include "lua/script.h"
#include "lua/value.h"
#include "net/conn.h"
#include "net/dial.h"
#include "relay/buffer.h"
#include "tls/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum socket_state {
	SOCKET_FRESH, SOCKET_LOOKS_UP, SOCKET_CONNECTS, SOCKET_SHAKES, SOCKET_OPEN, SOCKET_CLOSED
};
enum { CONNECT_MS = 5000,     /* most for a connection, where the script says nothing */
       ADDRS = 8,             /* of a name, which are tried one after the other */
       TURN_PIECES = 16,      /* then others go first */
       SEND_PIECE = 65536,
       COLLECT_FROM = 128 };  /* so many open sockets may be garbage */

struct lua_socket {
	struct conn *conn;     /* NULL: there is none */
	struct script *waiter; /* NULL: nobody waits */
	struct buf *in;        /* received, and not taken; NULL: nothing */
	uint8_t state;         /* enum socket_state */
	bool tls, ended;       /* ended: nothing more comes */
	unsigned timeout_ms;   /* 0: any time */
	uint64_t until_ms;     /* clock_now_ms: the present wait is over; 0: never */
	struct destination *to; /* while it looks up and connects; NULL: nothing is left to try */
	KIND_MEMBER
};

/* Addresses to connect to: one that was given, or those of a name. */
struct destination {
	struct dns_lookup lookup;
	struct lua_socket *socket;
	uint16_t family, port; /* of the name's addresses: AF_UNSPEC: any */
	unsigned at, count;
	struct sockaddr_storage addr[ADDRS];
	socklen_t len[ADDRS];
	char name[DNS_NAME_MOST + 1]; /* empty: an address was given */
};

static const char socket_kind;    /* of handles; in the registry: the metatable of userdata */
static const char socket_handles; /* in the registry: handle to userdata */
static unsigned sockets_open, sockets_collect = COLLECT_FROM;

/* ---- their life ----------------------------------------------------------------------------- */

static void forget_destination(struct lua_socket *s)
{
	if (s->to)
		dns_cancel(&s->to->lookup);
	free(s->to);
	s->to = NULL;
}

static void close_socket(struct lua_socket *s)
{
	forget_destination(s);
	script_turn_out(&s->waiter);
	if (s->conn) {
		sockets_open--;
		if (s->state == SOCKET_OPEN)
			conn_discard(s->conn); /* or the peer would get a RST */
		conn_close(&s->conn, false);
	}
	buffer_give(&s->in);
	s->state = SOCKET_CLOSED;
}

static void collect(void *memory)
{
	close_socket(memory);
}

static void push_handles(lua_State *L)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &socket_handles) == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_newtable(L);
	lua_createtable(L, 0, 1);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &socket_handles);
}

/* Lua does not know that a few bytes of its memory hold descriptors. */
static void collect_others(lua_State *L)
{
	if (sockets_open < sockets_collect)
		return;
	lua_gc(L, LUA_GCCOLLECT, 0);
	sockets_collect = sockets_open * 2 > COLLECT_FROM ? sockets_open * 2 : COLLECT_FROM;
}

/* core.tcp() */
int socket_tcp(lua_State *L)
{
	struct lua_socket *s;

	if (!script_now)
		return luaL_error(L, "core.tcp: there are no sockets while the files are read");
	collect_others(L);
	push_handles(L);
	s = collected_new(L, sizeof(*s), &socket_kind, collect);
	handle_new(L, &socket_kind, s);
	lua_pushvalue(L, -1);
	lua_pushvalue(L, -3);
	lua_rawset(L, -5); /* handles[handle] = userdata */
	object_new(L, &socket_class, -1, 0);
	return 1;
}

void socket_end(void)
{
	socket_tls_end();
}

static struct lua_socket *socket_of(lua_State *L)
{
	struct lua_socket *s = object_of(L, 1, &socket_kind);

	if (s->waiter)
		luaL_error(L, "another script waits at this socket");
	return s;
}

/* In continuations, which the wait has been for. */
static struct lua_socket *socket_again(lua_State *L)
{
	return object_of(L, 1, &socket_kind);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void socket_ready(struct conn *conn)
{
	struct lua_socket *s = KIND_OF(struct lua_socket, conn->owner);

	if (s->waiter)
		script_ready(s->waiter);
}

/* For an event of the connection, for `ms` at the most (0: any time). */
static int wait_event(lua_State *L, struct lua_socket *s, unsigned ms, lua_KFunction k,
		      lua_KContext ctx)
{
	/* It came while this one let others go first, or this one has resumed its coroutine. */
	if (s->waiter && s->waiter != script_now) {
		script_turn_out(&s->waiter);
		return luaL_error(L, "another script has begun to wait at this socket");
	}
	s->until_ms = ms ? clock_now_ms + ms : 0;
	if (script_may_wait(L))
		script_note(script_now, &s->waiter);
	return script_sleep(L, ms, k, ctx);
}

/* Others go first. */
static int take_turn(lua_State *L, struct lua_socket *s, lua_KFunction k, lua_KContext ctx)
{
	s->until_ms = 0;
	return script_sleep(L, SCRIPT_TURN, k, ctx);
}

static bool timed_out(const struct lua_socket *s)
{
	return s->until_ms && s->until_ms <= clock_now_ms;
}

/* ---- connecting ----------------------------------------------------------------------------- */

static int refuse(lua_State *L, struct lua_socket *s)
{
	close_socket(s);
	lua_pushnil(L);
	lua_pushliteral(L, "Can't connect");
	return 2;
}

static int connected(lua_State *L, struct lua_socket *s)
{
	forget_destination(s);
	s->state = SOCKET_OPEN;
	lua_pushinteger(L, 1);
	return 1;
}

static unsigned connect_ms(const struct lua_socket *s)
{
	return s->timeout_ms ? s->timeout_ms : CONNECT_MS;
}

static int shake_on(lua_State *L, int status, lua_KContext ctx)
{
	struct lua_socket *s = socket_again(L);

	(void)status;
	(void)ctx;
	if (!s->conn)
		return refuse(L, s);
	switch (tls_conn_handshake(s->conn)) {
	case IO_OK:
		return connected(L, s);
	case IO_AGAIN:
		if (!timed_out(s))
			return wait_event(L, s, connect_ms(s), shake_on, 0);
		return refuse(L, s);
	case IO_EOF:
	case IO_ERR:
		break;
	}
	return refuse(L, s);
}

static int connect_on(lua_State *L, int status, lua_KContext ctx);

/* To the next address that can be tried. */
static int dial_next(lua_State *L, struct lua_socket *s)
{
	struct destination *to = s->to;

	while (to && !s->conn && to->at < to->count) {
		KIND_IS(struct lua_socket, s);
		s->conn = net_dial(&to->addr[to->at], to->len[to->at], s, socket_ready);
		to->at++;
	}
	if (!s->conn)
		return refuse(L, s);
	s->state = SOCKET_CONNECTS;
	s->until_ms = 0;
	sockets_open++;
	return connect_on(L, LUA_OK, 0);
}

/* It has failed: of a name there may be another address. */
static int dial_again(lua_State *L, struct lua_socket *s)
{
	if (s->conn) {
		sockets_open--;
		conn_close(&s->conn, false);
	}
	return dial_next(L, s);
}

static int connect_on(lua_State *L, int status, lua_KContext ctx)
{
	struct lua_socket *s = socket_again(L);
	unsigned flags = s->conn ? s->conn->flags : CONN_ERROR;
	struct tls_target target = { 0 };

	(void)status;
	(void)ctx;
	if (flags & (CONN_ERROR | CONN_HUP) || (!(flags & CONN_WRITABLE) && timed_out(s)))
		return dial_again(L, s);
	if (!(flags & CONN_WRITABLE))
		return wait_event(L, s, connect_ms(s), connect_on, 0);
	s->conn->flags &= (uint16_t)~CONN_CONNECTING;
	s->until_ms = 0;
	if (!s->tls)
		return connected(L, s);
	s->state = SOCKET_SHAKES;
	if (s->to && *s->to->name)
		target.sni = span_of(s->to->name);
	if (socket_tls(s->conn, &target) < 0)
		return refuse(L, s);
	return shake_on(L, LUA_OK, 0);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void add_family(struct destination *to, const struct dns_answer *answer, int family, bool others)
{
	struct addr addr;
	unsigned i;

	for (i = 0; i < answer->count && to->count < ADDRS; i++) {
		addr = answer->addr[i];
		if ((addr.family == family) == others || (to->family && addr.family != to->family))
			continue;
		addr.port = to->port;
		to->len[to->count] = addr_to_sockaddr(&addr, &to->addr[to->count]);
		to->count++;
	}
}

static void take_answer(struct destination *to, const struct dns_answer *answer)
{
	add_family(to, answer, client_conf.family, false);
	add_family(to, answer, client_conf.family, true);
}

static void looked_up(struct dns_lookup *lookup, const struct dns_answer *answer)
{
	struct destination *to = container_of(lookup, struct destination, lookup);

	take_answer(to, answer);
	if (to->socket->waiter)
		script_ready(to->socket->waiter);
}

static int look_on(lua_State *L, int status, lua_KContext ctx)
{
	struct lua_socket *s = socket_again(L);

	(void)status;
	(void)ctx;
	if (!s->to)
		return refuse(L, s);
	if (!s->to->lookup.waits)
		return dial_next(L, s);
	if (timed_out(s))
		return refuse(L, s);
	return wait_event(L, s, connect_ms(s), look_on, 0);
}

static int look_up(lua_State *L, struct lua_socket *s)
{
	const struct dns_answer *answer;

	s->to->lookup.done = looked_up;
	s->state = SOCKET_LOOKS_UP;
	s->until_ms = 0;
	answer = dns_look(&s->to->lookup, span_of(s->to->name));
	if (!answer)
		return wait_event(L, s, connect_ms(s), look_on, 0);
	take_answer(s->to, answer);
	return dial_next(L, s);
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* What the words name; no memory of its own is left. Names are looked up later. */
static bool parse_address(const char *word, bool has_port, lua_Integer port, struct destination *to,
			  bool *missing)
{
	struct arena *arena = arena_new_limited(1024);
	unsigned allow = ADDR_UNIX | ADDR_STAR | ADDR_NAMES_LATER | (has_port ? ADDR_PORT_NONE : 0);
	struct addr_spec spec;
	struct err err;
	bool ok;

	*missing = false;
	memset(to, 0, sizeof(*to));
	ok = arena && strlen(word) < 256 && !strchr(word, '$') &&
	     !addr_parse(word, allow, arena, &spec, &err) && !arena->failed;
	ok = ok && (!spec.hostname || dns_name(span_of(spec.hostname), to->name));
	if (ok && spec.addr.family != AF_UNIX) {
		if (has_port)
			spec.addr.port = (uint16_t)port;
		*missing = !has_port && !spec.addr.port;
		to->port = spec.addr.port;
		to->family = spec.family;
	}
	if (ok && !spec.hostname) {
		to->len[0] = addr_to_sockaddr(&spec.addr, &to->addr[0]);
		to->count = 1;
	}
	if (arena)
		arena_free(&arena);
	return ok;
}

bool socket_address(const char *word, struct sockaddr_storage *ss, socklen_t *len)
{
	struct destination to;
	bool missing;

	if (!parse_address(word, false, 0, &to, &missing) || missing || !to.count)
		return false;
	*ss = to.addr[0];
	*len = to.len[0];
	return true;
}

static int begin_connect(lua_State *L, bool tls)
{
	struct lua_socket *s = socket_of(L);
	const char *word = luaL_checkstring(L, 2);
	bool has_port = !lua_isnoneornil(L, 3), missing;
	lua_Integer port = has_port ? luaL_checkinteger(L, 3) : 0;
	struct destination to;

	if (!parse_address(word, has_port, port, &to, &missing))
		return luaL_error(L, "connect: cannot parse destination address '%s%s'", word,
				  has_port ? ":" : "");
	if (missing || port < 0)
		return luaL_error(L, "connect: port missing");
	lua_settop(L, 1);
	if (s->state == SOCKET_CLOSED) {
		lua_pushnil(L);
		return 1;
	}
	if (s->state != SOCKET_FRESH)
		return luaL_error(L, "connect: the socket is connected already");
	if (!script_may_wait(L))
		return luaL_error(L, "it may not wait here: this function cannot yield");
	s->tls = tls;
	s->to = port > 65535 ? NULL : malloc(sizeof(*s->to));
	if (!s->to)
		return refuse(L, s);
	*s->to = to;
	s->to->socket = s;
	return *to.name ? look_up(L, s) : dial_next(L, s);
}

static int socket_connect(lua_State *L)
{
	if (lua_gettop(L) < 2)
		return luaL_error(L, "connect: need at least 2 arguments");
	return begin_connect(L, false);
}

static int socket_connect_ssl(lua_State *L)
{
	if (lua_gettop(L) != 3)
		return luaL_error(L, "'connect_ssl' needs 3 arguments");
	return begin_connect(L, true);
}

/* ---- receiving ------------------------------------------------------------------------------ */

enum { WANT_LINE = -2, WANT_ALL = -1 }; /* else so many bytes */

/* What has come goes to `in`, which is empty. */
static enum io fill(struct lua_socket *s)
{
	size_t got;
	enum io r;

	if (!s->conn || s->state != SOCKET_OPEN || s->ended)
		return IO_EOF;
	if (!s->in)
		s->in = buffer_take();
	if (!s->in)
		return IO_ERR;
	r = conn_recv(s->conn, s->in->data, s->in->size, &got);
	if (r == IO_OK)
		s->in->len = (uint32_t)got;
	else
		buffer_give(&s->in);
	s->ended = r == IO_EOF || r == IO_ERR;
	return r;
}

/* What has come belongs to the script; the number of wanted bytes counts down. Is it all? A line's
 * CR stays with the bytes in front of it, and is cut at the end. */
static bool take(lua_State *L, struct lua_socket *s, lua_Integer *wanted)
{
	const char *first = buf_first(s->in), *end = NULL;
	size_t n = s->in->len;

	if (*wanted == WANT_LINE)
		end = memchr(first, '\n', n);
	if (end)
		n = (size_t)(end - first);
	else if (*wanted >= 0 && n > (size_t)*wanted)
		n = (size_t)*wanted;
	pieces_add(L, 3, first, n);
	buf_skip(s->in, n + (end != NULL));
	if (!s->in->len)
		buffer_give(&s->in);
	if (*wanted > 0)
		*wanted -= (lua_Integer)n;
	return end || !*wanted;
}

static int give_line(lua_State *L)
{
	size_t len;
	const char *line = lua_tolstring(L, -1, &len);

	if (len && line[len - 1] == '\r')
		lua_pushlstring(L, line, len - 1);
	return 1;
}

/* Nothing more comes: what there is, prefix included, or an error. */
static int give_rest(lua_State *L)
{
	pieces_push(L, 3);
	if (lua_rawlen(L, -1))
		return 1;
	lua_pushnil(L);
	lua_pushliteral(L, "connection closed.");
	return 2;
}

/* On the stack: the object, what is wanted, pieces. */
static int receive_on(lua_State *L, int status, lua_KContext ctx)
{
	struct lua_socket *s = socket_again(L);
	lua_Integer wanted = lua_tointeger(L, 2);
	bool line = wanted == WANT_LINE, all = !wanted;
	enum io r = IO_OK;
	int turn;

	(void)ctx;
	for (turn = 0; !all && turn < TURN_PIECES; turn++) {
		r = s->in ? IO_OK : fill(s);
		if (r != IO_OK)
			break;
		all = take(L, s, &wanted);
	}
	if (all) {
		pieces_push(L, 3);
		return line ? give_line(L) : 1;
	}
	if (r == IO_AGAIN && status == LUA_YIELD && !turn && timed_out(s)) {
		close_socket(s);
		r = IO_EOF;
	}
	if (r == IO_EOF || r == IO_ERR)
		return give_rest(L);
	lua_pushinteger(L, wanted);
	lua_replace(L, 2);
	if (r == IO_AGAIN)
		return wait_event(L, s, s->timeout_ms, receive_on, 0);
	return take_turn(L, s, receive_on, 0);
}

static lua_Integer pattern(lua_State *L)
{
	const char *word;
	int is_number;
	lua_Integer n = lua_tointegerx(L, 2, &is_number);

	if (is_number && n < 0)
		luaL_error(L, "Unsupported size.");
	if (is_number)
		return n;
	if (lua_type(L, 2) == LUA_TNUMBER)
		luaL_error(L, "Unsupported size.");
	if (lua_type(L, 2) != LUA_TSTRING)
		return WANT_LINE;
	word = lua_tostring(L, 2);
	if (!strcmp(word, "*a"))
		return WANT_ALL;
	if (strcmp(word, "*l") != 0)
		luaL_error(L, "Unsupported pattern.");
	return WANT_LINE;
}

static int socket_receive(lua_State *L)
{
	lua_Integer wanted;

	socket_of(L);
	if (lua_gettop(L) > 3)
		return luaL_error(L, "The 'receive' function requires between 1 and 3 arguments.");
	wanted = pattern(L);
	if (!lua_isnoneornil(L, 3) && lua_type(L, 3) != LUA_TSTRING)
		return luaL_error(L, "Expect a 'string' for the prefix");
	lua_settop(L, 3);
	lua_newtable(L);
	if (!lua_isnil(L, 3)) {
		lua_pushvalue(L, 3);
		lua_rawseti(L, 4, 1);
	}
	lua_replace(L, 3);
	lua_pushinteger(L, wanted);
	lua_replace(L, 2);
	return receive_on(L, LUA_OK, 0);
}

/* ---- sending -------------------------------------------------------------------------------- */

static int not_sent(lua_State *L, struct lua_socket *s)
{
	close_socket(s);
	lua_pushinteger(L, -1);
	return 1;
}

/* On the stack: the object, the text; done: how much of it has left. */
static int send_on(lua_State *L, int status, lua_KContext done)
{
	struct lua_socket *s = socket_again(L);
	size_t len, at = (size_t)done, sent, piece;
	const char *text = lua_tolstring(L, 2, &len);
	enum io r = IO_OK;
	int turn;

	if (!s->conn || s->state != SOCKET_OPEN)
		return not_sent(L, s);
	for (turn = 0; at < len && r == IO_OK && turn < TURN_PIECES; turn++) {
		piece = len - at < SEND_PIECE ? len - at : SEND_PIECE;
		r = conn_send(s->conn, text + at, piece, false, &sent);
		if (r == IO_OK)
			at += sent;
	}
	if (at == len) {
		lua_pushinteger(L, (lua_Integer)len);
		return 1;
	}
	if (r == IO_EOF || r == IO_ERR ||
	    (r == IO_AGAIN && status == LUA_YIELD && at == (size_t)done && timed_out(s)))
		return not_sent(L, s);
	if (r == IO_AGAIN)
		return wait_event(L, s, s->timeout_ms, send_on, (lua_KContext)at);
	return take_turn(L, s, send_on, (lua_KContext)at);
}

/* Positions as those of string.sub. */
static size_t position(lua_Integer at, size_t len, bool end)
{
	if (at < 0)
		at = at < -(lua_Integer)len ? (end ? 0 : 1) : (lua_Integer)len + at + 1;
	if (!at && !end)
		at = 1;
	return (size_t)at > len ? (end ? len : len + 1) : (size_t)at;
}

static int socket_send(lua_State *L)
{
	struct span text;
	size_t from, to;

	socket_of(L);
	if (lua_gettop(L) < 2 || lua_gettop(L) > 4)
		return luaL_error(L, "'send' needs between 2 and 4 arguments");
	text = value_span(L, 2);
	from = position(luaL_optinteger(L, 3, 1), text.len, false);
	to = position(luaL_optinteger(L, 4, -1), text.len, true);
	if (from > 1 || to < text.len) {
		lua_pushlstring(L, text.ptr + from - 1, to >= from ? to - from + 1 : 0);
		lua_replace(L, 2);
	}
	lua_settop(L, 2);
	return send_on(L, LUA_OK, 0);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static int push_name(lua_State *L, struct lua_socket *s,
		     int (*ask)(int fd, struct sockaddr *sa, socklen_t *len))
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct addr addr;
	char memory[100];
	struct text t;

	if (!s->conn || ask(s->conn->src.fd, (struct sockaddr *)&ss, &len)) {
		lua_pushnil(L);
		return 1;
	}
	addr_from_sockaddr(&addr, &ss, len);
	text_init(&t, memory, sizeof(memory));
	addr_print_port(&addr, &t);
	lua_pushlstring(L, t.ptr, t.len);
	return 1;
}

static int ask_peer(int fd, struct sockaddr *sa, socklen_t *len)
{
	return getpeername(fd, sa, len);
}

static int ask_own(int fd, struct sockaddr *sa, socklen_t *len)
{
	return getsockname(fd, sa, len);
}

static int socket_getpeername(lua_State *L)
{
	return push_name(L, socket_again(L), ask_peer);
}

static int socket_getsockname(lua_State *L)
{
	return push_name(L, socket_again(L), ask_own);
}

static int socket_settimeout(lua_State *L)
{
	struct lua_socket *s = socket_again(L);
	lua_Number ms;

	if (lua_gettop(L) != 2)
		return luaL_error(L, "'settimeout' needs 2 arguments");
	ms = luaL_checknumber(L, 2) * 1000;
	if (ms < 0)
		return luaL_error(L, "settimeout: cannot set negatives values");
	if (!(ms <= INT32_MAX))
		return luaL_error(L, "settimeout: cannot set values larger than %d ms", INT32_MAX);
	if (s->state == SOCKET_CLOSED)
		return luaL_error(L, "socket: not yet initialised, you can't set timeouts.");
	s->timeout_ms = ms < 1 ? 1 : (unsigned)ms;
	lua_pushinteger(L, 1);
	return 1;
}

static int socket_setoption(lua_State *L)
{
	socket_again(L);
	return 0;
}

static int socket_close(lua_State *L)
{
	if (lua_gettop(L) != 1)
		return luaL_error(L, "'close' needs 1 arguments");
	close_socket(socket_again(L));
	return 0;
}

static const struct class_method methods[] = {
	{ "connect", socket_connect, "address [, port]", "1, or nil and an error",
	  "connects to an IP address, a host's name, \"address:port\", or the path of a Unix socket",
	  METHOD_WAITS },
	{ "connect_ssl", socket_connect_ssl, "address, port", "1, or nil and an error",
	  "the same with TLS; the certificate is not verified", METHOD_WAITS },
	{ "send", socket_send, "text [, start [, end]]", "how many bytes have left; -1: it is closed",
	  "sends the text, or a part of it as of string.sub", METHOD_WAITS },
	{ "receive", socket_receive, "[pattern [, prefix]]", "string, or nil and an error",
	  "a line without its end (\"*l\"), everything up to the end (\"*a\"), so many bytes; "
	  "what came before an early end is the first value",
	  METHOD_WAITS },
	{ "settimeout", socket_settimeout, "seconds", "1", "most that a wait for the peer lasts", 0 },
	{ "setoption", socket_setoption, "option [, value]", NULL, "does nothing", 0 },
	{ "getpeername", socket_getpeername, "", "\"address:port\" or nil", "where it leads to", 0 },
	{ "getsockname", socket_getsockname, "", "\"address:port\" or nil", "where it comes from", 0 },
	{ "close", socket_close, "", NULL, "closes it; so does the collector of garbage", 0 },
	{ 0 },
};

const struct class socket_class = {
	"Socket", methods, .help = "a connection of the script's own; core.tcp() makes one",
	.where = "scripts that may wait: actions, services, tasks, commands",
};
