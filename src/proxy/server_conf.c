/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines "server" and "default-server" and their words. A server begins as a copy of what the
 * default-server lines before it have set. Host names are looked up at the end: server_resolve.c.
 */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "net/addr_conf.h"
#include "net/bind_conf.h"
#include "proxy/agent_conf.h"
#include "proxy/check_target.h"
#include "proxy/observe_conf.h"
#include "proxy/server_doubt.h"

#include "config.h"

#include <limits.h>
#include <string.h>

void server_settings_init(struct server_settings *set)
{
	memset(set, 0, sizeof(*set));
	set->weight = 1;
	set->inter = 2000;
	set->rise = 2;
	set->fall = 3;
	set->pool_max_conn = set->max_reuse = -1;
	set->pool_purge_delay = 5000;
	set->init_addr[0] = INIT_ADDR_LAST;
	set->init_addr[1] = INIT_ADDR_LIBC;
}

/* What is not for default-server nor for a frontend. */
static int check_place(struct statement *st, const struct proxy *px, bool with_defaults)
{
	if (px->caps & PROXY_BACKEND)
		return 0;
	if (!with_defaults && px->caps & PROXY_DEFAULTS)
		return stmt_error(st, 0, "'%s' is not allowed in a defaults section",
				  st->words[0].text);
	if (px->caps & PROXY_DEFAULTS)
		return 0;
	return stmt_error(st, 0, "'%s' is not allowed in a frontend: it belongs in a backend or "
			  "listen section", st->words[0].text);
}

int server_conf_check_name(struct statement *st, const char *name)
{
	return proxy_check_name(st, name, "the name of a server", NAME_MOST);
}

/* "server 192.0.2.9:80 check": the name was forgotten, and the next word taken for the address. */
static void doubt_order(struct statement *st, const struct server *s)
{
	const char *colon = strrchr(s->id, ':'), *word = st->words[st->at - 1].text;
	struct location loc = stmt_location(st);

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] ||
	    strpbrk(word, ".:/"))
		return;
	config_notice(st->cfg, &loc, "'%s' is taken for the address of a server called '%s'", word,
		      s->id);
	stmt_hint(st, "its name stands in front of the address: 'server NAME %s'", s->id);
}

static int parse_address(struct statement *st, struct server *s)
{
	const unsigned allow = ADDR_PORT_OFFSET | ADDR_NAMES_LATER | ADDR_UNIX | ADDR_STAR |
			       (proxy_is_udp(s->proxy) ? ADDR_DGRAM : 0);
	const char *word = stmt_need(st, "the server's address");
	struct err err;

	if (!word)
		return -1;
	if (addr_parse(word, allow, st->cfg->arena, &s->spec, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	stmt_doubt_unset(st, st->at - 1, "the server's address");
	doubt_order(st, s);
	return 0;
}

struct server *server_conf_make(struct config *cfg, struct proxy *px, const char *name)
{
	struct server *s = arena_alloc(cfg->arena, sizeof(*s));

	s->proxy = px;
	s->id = arena_strdup(cfg->arena, name);
	list_init(&s->streams);
	list_init(&s->trackers);
	list_init(&s->tracker_node);
	list_init(&s->queue);
	list_init(&s->idle);
	list_init(&s->left);
	timer_init(&s->warm_up, NULL);
	return s;
}

struct server *server_conf_new(struct statement *st, struct proxy *px, const char *name)
{
	struct server *s = server_conf_make(st->cfg, px, name);

	s->loc = st->loc;
	s->set = px->set.server;
#ifdef HAVE_OPENSSL
	s->tls_defaults = tls_server_defaults(st->cfg->arena);
#endif
	return s;
}

/* The address and the words behind it; a server that is refused stands for its name alone. */
int server_conf_parse(struct statement *st, struct server *s)
{
	int rc = 0;

	if (parse_address(st, s)) {
		if (st->at >= st->count)
			return -1;
		rc = -1;
	}
	st->at += s->from_words;
	/* Not those of the default-server lines: their places are known. */
	st->refuses = proxy_is_udp(s->proxy) ? server_refuses_datagrams : NULL;
	return stmt_words(st, SCOPE_SERVER, s) || rc ? -1 : 0;
}

/* A server whose line is wrong is entered as well, so that what names it is not reported. */
int server_conf_read(struct statement *st, struct server *s)
{
	server_conf_enter(s);
	s->refused = server_conf_parse(st, s) < 0;
	return s->refused ? -1 : 0;
}

void server_conf_enter(struct server *s)
{
	*s->proxy->servers_tail = s;
	s->proxy->servers_tail = &s->next;
	s->proxy->server_count++;
	s->order = ++s->proxy->last_order;
}

void server_conf_leave(struct server *s)
{
	struct proxy *px = s->proxy;
	struct server **at;

	for (at = &px->servers; *at != s; at = &(*at)->next)
		;
	*at = s->next;
	if (px->servers_tail == &s->next)
		px->servers_tail = at;
	px->server_count--;
}

const char *server_conf_name(struct statement *st, const struct proxy *px, const char *what,
			     size_t number)
{
	const char *name;

	if (check_place(st, px, false))
		return NULL;
	name = stmt_need(st, what);
	if (!name ||
	    proxy_check_name(st, name, "the name of a server", NAME_MOST - (ptrdiff_t)number))
		return NULL;
	return name;
}

int parse_server_line(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = server_conf_name(st, object, "the name of the server", 0);

	struct server *s;

	(void)kw;
	if (!name)
		return -1;
	s = server_conf_new(st, object, name);
	if (server_conf_read(st, s))
		return -1;
	server_doubt_words(st, s);
	return 0;
}

int parse_default_server(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;
	struct server dummy = { .proxy = px, .loc = st->loc, .set = px->set.server };

	(void)kw;
	if (check_place(st, px, true))
		return -1;
	st->refuses = proxy_is_udp(px) ? server_refuses_datagrams : NULL;
	if (stmt_words(st, SCOPE_SERVER, &dummy))
		return -1;
	px->set.server = dummy.set;
	return 0;
}

/* -- words ------------------------------------------------------------------------------- */

static int server_id(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	if (!s->id)
		return stmt_error(st, st->at - 1, "'id' cannot be given by default-server");
	return set_int(st, kw, object);
}

static int server_guid(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	if (!s->id)
		return stmt_error(st, st->at - 1,
				  "'guid' cannot be given by default-server: no two "
				  "servers have the same");
	return set_guid(st, kw, object);
}

/* "no-x" and the like: a word of its own that clears what "x" sets. */
static int server_clear(struct statement *st, const struct keyword *kw, void *object)
{
	struct options *options = &((struct server *)object)->set.options;

	(void)st;
	options->on &= ~kw->bit;
	options->given |= kw->bit;
	return 0;
}

/* The next word is an address of the kind that allow says. 0, or -1 after a report. */
static int server_take_addr(struct statement *st, const char *what, unsigned allow, struct addr *addr)
{
	const char *word = stmt_need(st, what);
	struct addr_spec spec;

	if (!word || addr_conf_parse(st, word, allow, &spec))
		return -1;
	*addr = spec.addr;
	return 0;
}

/* The word "ws" takes "auto", and the protocols. */
#define WORD(id, word, ...) (word),
static const char *const ways_of_websocket[] = { "auto", PROTOS(WORD) NULL };
#undef WORD

static int server_ws(struct statement *st, const struct keyword *kw, void *object)
{
	enum proto ws = PROTO_UNSET;

	if (!stmt_take(st, "auto")) {
		ws = proto_take(st, PROTO_SERVERS | PROTO_WEBSOCKET);
		if (!ws)
			return stmt_unknown(st, st->at, "way for WebSocket", kw->names);
	}
	((struct server *)object)->set.ws = ws;
	return 0;
}

static int server_addr(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	(void)kw;
	s->set.options.on |= SRV_CHECK_ADDR;
	return server_take_addr(st, "the address for health checks",
				ADDR_NAMES | ADDR_UNIX | ADDR_STAR,
				&((struct check_target *)check_target_within(st, s))->addr);
}

static void *server_observe(struct statement *st, void *object)
{
	return server_part_make(object, &observe_conf_part, st->cfg->arena);
}

static void *server_agent(struct statement *st, void *object)
{
	return server_part_make(object, &agent_conf_part, st->cfg->arena);
}

static int server_agent_addr(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	(void)kw;
	s->set.options.on |= SRV_AGENT_ADDR;
	return server_take_addr(st, "the address of the agent", ADDR_NAMES | ADDR_PORT_NONE,
				&((struct agent_conf *)server_agent(st, s))->addr);
}

static int server_socks4(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;

	(void)kw;
	return server_take_addr(st, "the address and port of a SOCKS4 proxy",
				ADDR_NAMES | ADDR_PORT_NEEDED, &s->set.socks4);
}

static int server_port(struct statement *st, const struct keyword *kw, void *object)
{
	struct server *s = object;
	int64_t port;

	if (stmt_int(st, kw->name, 0, 65535, &port))
		return -1;
	((struct check_target *)check_target_within(st, s))->port = (int)port;
	s->set.options.on |= SRV_CHECK_PORT;
	return 0;
}

static int server_proto(struct statement *st, const struct keyword *kw, void *object)
{
	enum proto *field = (enum proto *)(void *)((char *)object + kw->offset);
	const char *word = stmt_peek(st);
	enum proto proto = word ? proto_take(st, (unsigned)kw->bit) : PROTO_UNSET;

	if (proto) {
		*field = proto;
		return 0;
	}
	if (word && !strcmp(word, "fcgi"))
		return stmt_error(st, st->at, "FastCGI is not supported yet");
	return stmt_unknown(st, st->at, "protocol", kw->names);
}

/* A word that takes one certain word behind it, and is a bit. */
static int server_needs(struct statement *st, const struct keyword *kw, void *object)
{
	const char *needed = kw->names[0];
	struct options *options = &((struct server *)object)->set.options;

	if (!stmt_take(st, needed))
		return stmt_error(st, st->at, "'%s' takes '%s'", kw->name, needed);
	options->on |= kw->bit;
	options->given |= kw->bit;
	return 0;
}

static int init_addr_method(struct statement *st, struct server *s, size_t i, const char *name)
{
	struct addr_spec spec;
	struct err err;

	if (i >= ARRAY_LEN(s->set.init_addr))
		return stmt_error(st, st->at - 1, "'init-addr' takes at most %zu methods",
				  ARRAY_LEN(s->set.init_addr));
	if (!strcmp(name, "last"))
		s->set.init_addr[i] = INIT_ADDR_LAST;
	else if (!strcmp(name, "libc"))
		s->set.init_addr[i] = INIT_ADDR_LIBC;
	else if (!strcmp(name, "none"))
		s->set.init_addr[i] = INIT_ADDR_NONE;
	else if (addr_parse(name, ADDR_PORT_NONE, st->cfg->arena, &spec, &err))
		return stmt_error(st, st->at - 1, "'%s' is not known to 'init-addr': last, libc, none "
				  "or an address expected", name);
	else {
		s->set.init_addr[i] = INIT_ADDR_IP;
		s->set.init_ip = spec.addr;
	}
	return 0;
}

static int server_init_addr(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a list of last, libc, none and addresses");
	struct server *s = object;
	char *list, *name;
	size_t i = 0;

	(void)kw;
	if (!word)
		return -1;
	memset(s->set.init_addr, 0, sizeof(s->set.init_addr));
	list = arena_strdup(st->cfg->arena, word);
	while ((name = strsep(&list, ",")))
		if (init_addr_method(st, s, i++, name))
			return -1;
	return 0;
}

#define SET(field) offsetof(struct server, set.field)
#define BIT(name_, bit_, help_)                                                       \
	{ name_, SCOPE_SERVER, 0, "", set_bit, .offset = SET(options), .bit = bit_,   \
	  .dflt = "off", .help = help_ }
#define NO_BIT(name_, bit_, help_)                                                    \
	{ name_, SCOPE_SERVER, 0, "", server_clear, .bit = bit_, .help = help_ }
#define DELAY(name_, field_, min_, dflt_, help_)                                      \
	{ name_, SCOPE_SERVER, 0, "<delay>", set_duration, .offset = SET(field_), .min = min_, \
	  .max = INT_MAX, .dflt = dflt_, .help = help_ }
#define COUNT(name_, field_, dflt_, help_)                                            \
	{ name_, SCOPE_SERVER, 0, "<" name_ ">", set_unsigned, .offset = SET(field_), .min = 0, \
	  .max = INT_MAX, .dflt = dflt_, .help = help_ }

static const struct keyword server_keywords[] = {
	{ "addr", SCOPE_SERVER, 0, "<address>", server_addr, .dflt = "that of the server",
	  .help = "address for health checks" },
	{ "agent-addr", SCOPE_SERVER, 0, "<addr>", server_agent_addr,
	  .dflt = "that of the checks, else of the server", .help = "address of the agent" },
	BIT("agent-check", SRV_AGENT_CHECK, "asks an agent for weight and state"),
	NO_BIT("no-agent-check", SRV_AGENT_CHECK, "takes back an 'agent-check' of default-server"),
	{ "agent-inter", SCOPE_SERVER, 0, "<delay>", set_duration, .within = server_agent,
	  .offset = offsetof(struct agent_conf, inter), .min = 1, .max = INT_MAX, .dflt = "2s",
	  .help = "time between two questions to the agent" },
	{ "agent-port", SCOPE_SERVER, 0, "<port>", set_int, .within = server_agent,
	  .offset = offsetof(struct agent_conf, port), .min = 1, .max = 65535,
	  .dflt = "that of 'port'", .help = "port of the agent" },
	{ "agent-send", SCOPE_SERVER, 0, "<string>", set_string, .within = server_agent,
	  .offset = offsetof(struct agent_conf, send),
	  .dflt = "nothing", .help = "sent to the agent first" },
	BIT("backup", SRV_BACKUP, "used when all others are down"),
	NO_BIT("no-backup", SRV_BACKUP, "takes back a 'backup' of default-server"),
	BIT("check", SRV_CHECK, "health checks"),
	NO_BIT("no-check", SRV_CHECK, "takes back a 'check' of default-server"),
	{ "check-proto", SCOPE_SERVER, 0, PROTO_ARGS, server_proto, .within = check_target_within,
	  .offset = offsetof(struct check_target, proto), .names = proto_words + 1,
	  .bit = PROTO_CHECKS,
	  .dflt = "by 'proto', 'check-alpn', else h1", .help = "the protocol of health checks" },
	BIT("check-send-proxy", SRV_CHECK_SEND_PROXY, "PROXY protocol in health checks, too"),
	NO_BIT("no-check-send-proxy", SRV_CHECK_SEND_PROXY,
	       "takes back a 'check-send-proxy' of default-server"),
	BIT("disabled", SRV_DISABLED, "starts in maintenance"),
	NO_BIT("enabled", SRV_DISABLED, "takes back a 'disabled' of default-server"),
	DELAY("downinter", downinter, 1, "inter", "time between checks while it is down"),
	{ "error-limit", SCOPE_SERVER, 0, "<count>", set_int, .within = server_observe,
	  .offset = offsetof(struct observe_conf, limit), .min = 1, .max = INT_MAX, .dflt = "10", .help = "errors seen by 'observe' until 'on-error' acts" },
	{ "fall", SCOPE_SERVER, 0, "<count>", set_int, .offset = SET(fall), .min = 1,
	  .max = INT_MAX, .dflt = "3", .help = "failed checks in a row that mark it down" },
	DELAY("fastinter", fastinter, 1, "inter", "time between checks while it is changing"),
	{ "guid", SCOPE_SERVER, 0, "<id>", server_guid, .offset = offsetof(struct server, guid),
	  .help = "name of the server that no other object has" },
	{ "hash-key", SCOPE_SERVER, 0, "{ id | id32 | guid | addr | addr-port }", set_enum,
	  .offset = SET(hash_key),
	  .names = (const char *const[]){ [HASH_KEY_ID] = "id",
					  [HASH_KEY_ID32] = "id32",
					  [HASH_KEY_GUID] = "guid",
					  [HASH_KEY_ADDR] = "addr",
					  [HASH_KEY_ADDR_PORT] = "addr-port",
					  NULL },
	  .dflt = "id", .help = "what its places of a consistent hash come from" },
	{ "id", SCOPE_SERVER, 0, "<value>", server_id, .offset = offsetof(struct server, puid),
	  .min = 1, .max = INT_MAX, .dflt = "numbered from 1",
	  .help = "numeric identifier of the server" },
	{ "init-addr", SCOPE_SERVER, 0, "{last | libc | none | <ip>}[,...]", server_init_addr,
	  .dflt = "last,libc", .help = "how the address is found at the start" },
	{ "init-state", SCOPE_SERVER, 0, "{ fully-up | up | down | fully-down | none }", set_enum,
	  .offset = SET(init_state),
	  .names = (const char *const[]){ [INIT_STATE_NONE] = "none",
					  [INIT_STATE_FULLY_UP] = "fully-up",
					  [INIT_STATE_UP] = "up",
					  [INIT_STATE_DOWN] = "down",
					  [INIT_STATE_FULLY_DOWN] = "fully-down",
					  NULL },
	  .dflt = "none: as up",
	  .help = "what it is until its checks say more, whenever it enters "
		  "service" },
	DELAY("inter", inter, 1, "2s", "time between two health checks"),
	COUNT("maxconn", maxconn, "0: no limit", "most concurrent sessions of the server"),
	COUNT("maxqueue", maxqueue, "0: no limit", "most sessions waiting for the server"),
	COUNT("minconn", minconn, "0: none", "its limit while the backend is empty"),
	{ "namespace", SCOPE_SERVER, 0, "<name>", set_string, .offset = SET(namespace),
	  .help = "network namespace from which it is connected" },
	BIT("non-stick", SRV_NON_STICK, "stick tables do not learn that it has served"),
	NO_BIT("stick", SRV_NON_STICK, "takes back a 'non-stick' of default-server"),
	{ "observe", SCOPE_SERVER, 0, "{ none | layer4 | layer7 }", set_enum,
	  .within = server_observe, .offset = offsetof(struct observe_conf, layer),
	  .names = (const char *const[]){ [OBSERVE_NONE] = "none",
					  [OBSERVE_LAYER4] = "layer4",
					  [OBSERVE_LAYER7] = "layer7",
					  NULL },
	  .dflt = "none", .help = "connections, or HTTP responses, that fail count as checks do" },
	{ "on-error", SCOPE_SERVER, 0, "<mode>", set_enum,
	  .within = server_observe, .offset = offsetof(struct observe_conf, on_error),
	  .names = (const char *const[]){ [ON_ERROR_FASTINTER] = "fastinter",
					  [ON_ERROR_FAIL_CHECK] = "fail-check",
					  [ON_ERROR_SUDDEN_DEATH] = "sudden-death",
					  [ON_ERROR_MARK_DOWN] = "mark-down",
					  NULL },
	  .dflt = "fail-check", .help = "what 'observe' does at error-limit errors" },
	{ "on-marked-down", SCOPE_SERVER, 0, "shutdown-sessions", server_needs,
	  .bit = SRV_DOWN_SHUTDOWN_SESSIONS,
	  .names = (const char *const[]){ "shutdown-sessions", NULL },
	  .help = "ends its sessions when it goes down" },
	{ "on-marked-up", SCOPE_SERVER, 0, "shutdown-backup-sessions", server_needs,
	  .bit = SRV_UP_SHUTDOWN_BACKUP,
	  .names = (const char *const[]){ "shutdown-backup-sessions", NULL },
	  .help = "ends the sessions of backup servers when it comes up" },
	{ "max-reuse", SCOPE_SERVER, 0, "<count>", set_int, .offset = SET(max_reuse), .min = -1,
	  .max = INT_MAX, .dflt = "-1: no limit",
	  .help = "requests over a connection behind its first one" },
	{ "pool-low-conn", SCOPE_SERVER, 0, "<max>", set_int, .offset = SET(pool_low_conn),
	  .min = 0, .max = INT_MAX, .dflt = "0", .help = "idle connections that are never purged" },
	{ "pool-max-conn", SCOPE_SERVER, 0, "<max>", set_int, .offset = SET(pool_max_conn),
	  .min = -1, .max = INT_MAX, .dflt = "-1: no limit",
	  .help = "most idle connections that are kept" },
	DELAY("pool-purge-delay", pool_purge_delay, 0, "5s",
	      "time after which half of the idle connections that were not needed are closed"),
	{ "port", SCOPE_SERVER, 0, "<port>", server_port, .dflt = "that of the server",
	  .help = "port for health checks" },
	{ "rise", SCOPE_SERVER, 0, "<count>", set_int, .offset = SET(rise), .min = 1,
	  .max = INT_MAX, .dflt = "2", .help = "successful checks in a row that mark it up" },
	BIT("send-proxy", SRV_SEND_PROXY, "PROXY protocol version 1 towards it"),
	NO_BIT("no-send-proxy", SRV_SEND_PROXY, "takes back a 'send-proxy' of default-server"),
	BIT("send-proxy-v2", SRV_SEND_PROXY_V2, "PROXY protocol version 2 towards it"),
	NO_BIT("no-send-proxy-v2", SRV_SEND_PROXY_V2,
	       "takes back a 'send-proxy-v2' of default-server"),
	{ "socks4", SCOPE_SERVER, 0, "<addr>:<port>", server_socks4,
	  .help = "SOCKS4 proxy by which it is reached" },
	BIT("check-via-socks4", SRV_CHECK_SOCKS4, "health checks go by 'socks4', too"),
	DELAY("slowstart", slowstart, 0, "0: none",
	      "time in which it grows to full weight after it came up"),
	{ "source", SCOPE_SERVER, 0,
	  "<addr>[:<pl>[-<ph>]] [usesrc { <addr2>[:<port2>] | client | clientip | "
	  "hdr_ip(<name>[,<n>]) }] [interface <name>]",
	  parse_source, .offset = SET(source), .dflt = "that of the backend",
	  .help = "address from which it is connected" },
	DELAY("tcp-ut", tcp_ut, 0, "the system's", "how long sent data may stay unacknowledged"),
	{ "proto", SCOPE_SERVER, 0, PROTO_ARGS, server_proto, .offset = SET(proto),
	  .names = proto_words + 1, .bit = PROTO_SERVERS, .dflt = "by 'alpn', else h1",
	  .help = "the protocol of connections to it" },
	BIT("strict-maxconn", SRV_STRICT, "'maxconn' bounds connections, those that are kept, too"),
	BIT("tfo", SRV_TFO, "TCP Fast Open"),
	NO_BIT("no-tfo", SRV_TFO, "takes back a 'tfo' of default-server"),
	{ "redir", SCOPE_SERVER, 0, "<prefix>", set_string, .offset = SET(redir),
	  .help = "GET and HEAD are sent there by a redirect, the path behind the prefix" },
	{ "track", SCOPE_SERVER, 0, "[<backend>/]<server>", set_string, .offset = SET(track),
	  .help = "follows the state of another server" },
	{ "ws", SCOPE_SERVER, 0, "{ auto | h1 | h2 }", server_ws, .names = ways_of_websocket,
	  .dflt = "auto", .help = "the protocol in which WebSocket goes to it" },
	{ "weight", SCOPE_SERVER, 0, "<weight>", set_int, .offset = SET(weight), .min = 0,
	  .max = 256, .dflt = "1", .help = "its share of the load" },
	{ 0 }
};

const struct module server_module = {
	.name = "server",
	.keywords = server_keywords,
};
