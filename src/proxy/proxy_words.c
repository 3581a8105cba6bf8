/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of proxy sections that are plain settings of the proxy, and the global words that
 * limit connections. Words that run (rules, logs, checks) stand where they run.
 */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "base/str.h"
#include "net/bind_conf.h"

#include "config.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static int parse_bind(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;
	struct bind_conf *bind = bind_conf_new(st, px);

	(void)kw;
	if (bind_conf_parse(st, bind))
		return -1;
	list_append(&px->binds, &bind->node);
	return 0;
}

static int parse_default_backend(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (set_string(st, kw, object))
		return -1;
	if (!*px->set.default_backend)
		return stmt_error(st, st->at - 1, "the name of a backend is empty");
	px->set.default_backend_loc = stmt_location(st);
	return 0;
}

/* The rest of the line, with single blanks. */
static int parse_description(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "a description");
	struct proxy *px = object;

	(void)kw;
	if (!word)
		return -1;
	px->description = arena_strdup(st->cfg->arena, word);
	while ((word = stmt_next(st)))
		px->description = arena_printf(st->cfg->arena, "%s %s", px->description, word);
	return 0;
}

static int parse_disabled(struct statement *st, const struct keyword *kw, void *object)
{
	(void)st;
	((struct proxy *)object)->set.disabled = !strcmp(kw->name, "disabled");
	return 0;
}

static int parse_redispatch(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy_settings *set = &((struct proxy *)object)->set;
	int64_t interval = -1;

	if (stmt_peek(st) && !st->no && !st->dflt &&
	    stmt_int(st, "the interval of 'option redispatch'", INT_MIN, INT_MAX, &interval))
		return -1;
	set->redispatch_interval = (int)interval;
	return set_bit(st, kw, object);
}

static int parse_mode(struct statement *st, const struct keyword *kw, void *object)
{
	((struct proxy *)object)->set.mode_given = true;
	return set_enum(st, kw, object);
}

#define SET(field) offsetof(struct proxy, set.field)
#define INVERT (KW_NO | KW_DEFAULT)
#define OPTION(name_, scope_, bit_, help_)                                              \
	{ "option " name_, scope_, INVERT, "", set_bit, .offset = SET(options), .bit = bit_, \
	  .dflt = "off", .help = help_ }
enum { CONNECT_LONG_MS = 5 * 60 * 1000, LONG_MS = 24 * 60 * 60 * 1000, SHORT_MS = 100 };

/* Right, but hardly meant: hours in the place of seconds, or milliseconds. */
static void doubt_timeout(struct statement *st, const struct keyword *kw, unsigned ms)
{
	const char *word = st->words[st->at - 1].text, *name = kw->name + strlen("timeout ");
	bool connects = !strcmp(name, "connect") || !strcmp(name, "queue") ||
			!strcmp(name, "check") || !strcmp(name, "http-request");

	bool waits = !strcmp(name, "client") || !strcmp(name, "server") || !strcmp(name, "tunnel");
	size_t len = strlen(word);

	if (waits && ms && ms < SHORT_MS && len && !isdigit((unsigned char)word[len - 1]))
		stmt_note(st, st->at - 1,
			  "%s: %s is short: whoever is silent for that long is cut off", kw->name,
			  word);
	if (ms >= (connects ? CONNECT_LONG_MS : LONG_MS) && strcmp(name, "tunnel") != 0)
		stmt_note(st, st->at - 1,
			  "%s: %s is long: whoever is dead or silent is waited for that long",
			  kw->name, word);
}

static int set_timeout(struct statement *st, const struct keyword *kw, void *object)
{
	if (set_duration(st, kw, object))
		return -1;
	doubt_timeout(st, kw, *(const unsigned *)((const char *)object + kw->offset));
	return 0;
}

#define TIMEOUT(name_, scope_, field_, help_)                                           \
	{ "timeout " name_, scope_, KW_ONCE, "<timeout>", set_timeout,                       \
	  .offset = SET(timeout.field_),                                                        \
	  .dflt = "none: for ever", .help = help_ }
#define GLOBAL(field) offsetof(struct proxies, global.field)

const struct keyword proxy_keywords[] = {
	{ "bind", SCOPE_FRONTEND, 0, "[<address>]:<port_range>[,...] [<param>...]", parse_bind,
	  .help = "addresses and ports to listen on" },
	{ "mode", SCOPE_PROXY, 0, "{ tcp | http }", parse_mode, .offset = SET(mode),
	  .names = (const char *const[]){ [MODE_TCP] = "tcp", [MODE_HTTP] = "http", NULL },
	  .dflt = "tcp", .help = "what is spoken: bytes, or HTTP" },
	{ "id", SCOPE_FRONTEND | SCOPE_BACKEND | SCOPE_UDP, 0, "<value>", set_int,
	  .offset = offsetof(struct proxy, uuid), .min = 1, .max = INT_MAX,
	  .dflt = "numbered in the order of the file", .help = "numeric identifier of the proxy" },
	{ "guid", SCOPE_FRONTEND | SCOPE_BACKEND | SCOPE_UDP, 0, "<id>", set_guid,
	  .offset = offsetof(struct proxy, guid),
	  .help = "name of the proxy that no other object has" },
	{ "description", SCOPE_FRONTEND | SCOPE_BACKEND | SCOPE_UDP, 0, "<string>",
	  parse_description, .help = "a sentence about the proxy, for statistics" },
	{ "disabled", SCOPE_PROXY | SCOPE_UDP, 0, "", parse_disabled,
	  .help = "the proxy is read and checked but not started" },
	{ "enabled", SCOPE_PROXY | SCOPE_UDP, 0, "", parse_disabled,
	  .help = "takes back a 'disabled' of the defaults" },
	{ "be-unpublished", SCOPE_BACKEND, 0, "", set_flag,
	  .offset = offsetof(struct proxy, starts_unpublished),
	  .help = "rules pass over the backend until 'publish backend'" },
	{ "maxconn", SCOPE_FRONT | SCOPE_UDP, 0, "<conns>", set_unsigned, .offset = SET(maxconn),
	  .min = 0, .max = INT_MAX, .dflt = "0: the global maxconn",
	  .help = "most concurrent connections of the frontend" },
	{ "backlog", SCOPE_FRONT, 0, "<conns>", set_int, .offset = SET(backlog), .min = 0,
	  .max = INT_MAX, .dflt = "that of maxconn",
	  .help = "connections that the kernel may hold until they are accepted" },
	{ "rate-limit sessions", SCOPE_FRONT, KW_ONCE, "<rate>", set_unsigned,
	  .offset = SET(rate_limit), .min = 0, .max = INT_MAX, .dflt = "0: none",
	  .help = "most new sessions a second; others wait in the kernel" },
	{ "default_backend", SCOPE_FRONT, 0, "<backend>", parse_default_backend,
	  .offset = SET(default_backend),
	  .help = "backend of sessions that no use_backend rule takes" },
	{ "fullconn", SCOPE_BACK, 0, "<conns>", set_unsigned, .offset = SET(fullconn), .min = 0,
	  .max = INT_MAX, .dflt = "10 % of the maxconn of the frontends above",
	  .help = "sessions at which servers with minconn reach their maxconn" },
	{ "added-servers", SCOPE_BACK, 0, "{ forget | keep }", set_enum, .offset = SET(keep_added),
	  .names = (const char *const[]){ "forget", "keep", NULL }, .dflt = "forget",
	  .help = "whether servers of 'add server' live over a reload" },
	{ "retries", SCOPE_BACK, 0, "<value>", set_int, .offset = SET(retries), .min = 0,
	  .max = INT_MAX, .dflt = "3", .help = "connections tried again after one failed" },
	{ "retry-on", SCOPE_BACK, 0, "[<condition>...]", parse_retry_on, .dflt = "conn-failure",
	  .help = "failures after which a request is sent once more" },
	{ "retry-budget", SCOPE_BACK, KW_NO, "<percent> [min <number>]", parse_retry_budget,
	  .dflt = "none", .help = "share of the requests that may be retries at once" },
	{ "http-reuse", SCOPE_BACK, 0, "{ never | safe | aggressive | always }", set_enum,
	  .offset = SET(http_reuse),
	  .names = (const char *const[]){ [REUSE_SAFE] = "safe",
					  [REUSE_NEVER] = "never",
					  [REUSE_AGGRESSIVE] = "aggressive",
					  [REUSE_ALWAYS] = "always",
					  NULL },
	  .dflt = "safe", .help = "which requests may use idle connections to servers" },
	{ "max-keep-alive-queue", SCOPE_BACK, 0, "<value>", set_int,
	  .offset = SET(max_keep_alive_queue), .min = -1, .max = INT_MAX, .dflt = "-1: no limit",
	  .help = "queue of a server above which its connection is not clung to" },
	{ "max-session-srv-conns", SCOPE_FRONT, 0, "<number>", set_int,
	  .offset = SET(max_session_conns), .min = 0, .max = INT_MAX, .dflt = "5",
	  .help = "idle connections to servers that are kept for one client alone" },
	{ "source", SCOPE_BACK | SCOPE_UDP, 0,
	  "<addr>[:<port>] [usesrc { <addr2>[:<port2>] | client | clientip | "
	  "hdr_ip(<name>[,<n>]) }] [interface <name>]",
	  parse_source, .offset = SET(source), .help = "address from which servers are connected" },
	{ "server", SCOPE_PROXY | SCOPE_UDP, 0, "<name> <address>[:[port]] [<param>...]",
	  parse_server_line, .help = "a server of the backend" },
	{ "server-template", SCOPE_BACKEND | SCOPE_UDP, 0,
	  "<prefix> <num | range> <address>[:[port]] [<param>...]", parse_server_template,
	  .help = "servers that differ in the number behind their name" },
	{ "dispatch", SCOPE_BACKEND, 0, "<address>:<port>", parse_dispatch,
	  .help = "where sessions go that belong to none of the servers" },
	{ "default-server", SCOPE_PROXY | SCOPE_UDP, 0, "[<param>...]", parse_default_server,
	  .help = "params of the servers that follow" },

	TIMEOUT("client", SCOPE_FRONT | SCOPE_UDP, client, "inactivity of the client"),
	TIMEOUT("server", SCOPE_BACK | SCOPE_UDP, server, "inactivity of the server"),
	TIMEOUT("connect", SCOPE_BACK | SCOPE_UDP, connect, "connecting to a server"),
	TIMEOUT("queue", SCOPE_BACK, queue, "waiting for a free server; default: timeout connect"),
	TIMEOUT("check", SCOPE_BACK | SCOPE_UDP, check, "a health check, once connected"),
	TIMEOUT("tunnel", SCOPE_BACK, tunnel, "inactivity of both sides once data flow"),
	TIMEOUT("client-fin", SCOPE_FRONT, client_fin, "inactivity of the client, half closed"),
	TIMEOUT("server-fin", SCOPE_BACK, server_fin, "inactivity of the server, half closed"),
	{ "timeout try", SCOPE_BACK, KW_ONCE, "<timeout>", set_duration,
	  .offset = SET(timeout.attempt), .dflt = "none: timeout server",
	  .help = "one try of a request, until its response begins" },
	TIMEOUT("http-request", SCOPE_PROXY, http_request,
		"until the head of a request is complete"),
	TIMEOUT("http-keep-alive", SCOPE_PROXY, http_keep_alive, "between two requests"),
	{ "timeout tarpit", SCOPE_PROXY, KW_ONCE, "<timeout>", set_duration,
	  .offset = SET(timeout.tarpit), .dflt = "timeout connect",
	  .help = "how long tarpitted requests are held" },

	OPTION("abortonclose", SCOPE_BACK, OPT_ABORTONCLOSE,
	       "drop queued sessions whose client has closed"),
	OPTION("accept-invalid-http-request", SCOPE_FRONT, OPT_ACCEPT_BAD_REQUEST,
	       "let requests pass that are not as they must be, and repair them"),
	OPTION("accept-unsafe-violations-in-http-request", SCOPE_FRONT, OPT_ACCEPT_BAD_REQUEST,
	       "the later name of 'option accept-invalid-http-request'"),
	OPTION("accept-invalid-http-response", SCOPE_BACK, OPT_ACCEPT_BAD_RESPONSE,
	       "let responses pass that are not as they must be, and repair them"),
	OPTION("accept-unsafe-violations-in-http-response", SCOPE_BACK, OPT_ACCEPT_BAD_RESPONSE,
	       "the later name of 'option accept-invalid-http-response'"),
	OPTION("allbackups", SCOPE_BACK | SCOPE_UDP, OPT_ALLBACKUPS,
	       "balance over all backup servers, not only the first"),
	OPTION("checkcache", SCOPE_BACK, OPT_CHECKCACHE,
	       "refuse responses whose cookies caches could hand out to others"),
	OPTION("clitcpka", SCOPE_FRONT, OPT_CLITCPKA, "TCP keep-alive towards clients"),
	OPTION("contstats", SCOPE_FRONT, OPT_CONTSTATS,
	       "count bytes while they flow, not at the end"),
	OPTION("disable-h2-upgrade", SCOPE_FRONT, OPT_NO_H2_UPGRADE,
	       "take the preface of HTTP/2 for the mistake that it is in HTTP/1"),
	OPTION("dontlog-normal", SCOPE_FRONT | SCOPE_UDP, OPT_DONTLOG_NORMAL,
	       "log only what went wrong"),
	OPTION("dontlognull", SCOPE_FRONT, OPT_DONTLOGNULL, "no log of connections without data"),
	{ "option http-keep-alive", SCOPE_PROXY, INVERT, "", parse_http_mode,
	  .offset = SET(options), .bit = OPT_KEEP_ALIVE,
	  .dflt = "on, unless one of the others is given",
	  .help = "keep connections on both sides" },
	{ "option http-server-close", SCOPE_PROXY, INVERT, "", parse_http_mode,
	  .offset = SET(options), .bit = OPT_SERVER_CLOSE, .dflt = "off",
	  .help = "close the server's connection behind each response" },
	{ "option httpclose", SCOPE_PROXY, INVERT, "", parse_http_mode, .offset = SET(options),
	  .bit = OPT_HTTP_CLOSE, .dflt = "off", .help = "close connections behind each response" },
	OPTION("h1-case-adjust-bogus-client", SCOPE_FRONT, OPT_ADJUST_CLIENT,
	       "responses have the letters of h1-case-adjust"),
	OPTION("h1-case-adjust-bogus-server", SCOPE_BACK, OPT_ADJUST_SERVER,
	       "requests have the letters of h1-case-adjust"),
	OPTION("http-drop-request-trailers", SCOPE_BACK, OPT_NO_REQUEST_TRAILERS,
	       "servers get no trailers behind the bodies of requests"),
	OPTION("http-drop-response-trailers", SCOPE_FRONT, OPT_NO_RESPONSE_TRAILERS,
	       "clients get no trailers behind the bodies of responses"),
	{ "option http-restrict-req-hdr-names", SCOPE_PROXY, 0, "{ preserve | delete | reject }",
	  set_enum, .offset = SET(restrict_names),
	  .names = (const char *const[]){ [NAMES_PRESERVE] = "preserve",
					  [NAMES_DELETE] = "delete",
					  [NAMES_REJECT] = "reject",
					  NULL },
	  .dflt = "preserve",
	  .help = "requests with names of fields beyond letters, digits and \"-\"" },
	OPTION("http-buffer-request", SCOPE_PROXY, OPT_BUFFER_REQUEST,
	       "wait for the body before anything is done with the request"),
	OPTION("http-ignore-probes", SCOPE_FRONT, OPT_IGNORE_PROBES,
	       "no answer, log or count of connections without a request"),
	OPTION("http-no-delay", SCOPE_PROXY, OPT_NO_DELAY,
	       "never hold bytes back to fill packets: always so here"),
	OPTION("http-pretend-keepalive", SCOPE_BACK, OPT_PRETEND_KEEPALIVE,
	       "do not tell the server that its connection will be closed"),
	OPTION("http-use-proxy-header", SCOPE_FRONT, OPT_PROXY_HEADER,
	       "requests to a proxy authenticate as such, and may say Proxy-Connection"),
	OPTION("idle-close-on-response", SCOPE_FRONT, OPT_IDLE_CLOSE,
	       "idle connections outlive a soft stop until their next response"),
	OPTION("prefer-last-server", SCOPE_BACK, OPT_PREFER_LAST,
	       "the same server for the next request of the connection, if it can be"),
	OPTION("independent-streams", SCOPE_PROXY, OPT_INDEPENDENT,
	       "writing to a side does not renew its read timeout"),
	{ "option kernel-relay", SCOPE_PROXY, INVERT, "[auto]", parse_kernel_relay,
	  .offset = SET(options), .bit = OPT_KERNEL_RELAY, .dflt = "off",
	  .help = "the kernel passes bytes on by itself where it can; auto: where it pays" },
	OPTION("log-health-checks", SCOPE_BACK | SCOPE_UDP, OPT_LOG_HEALTH_CHECKS,
	       "log each change of the result of a health check"),
	OPTION("log-separate-errors", SCOPE_FRONT, OPT_LOG_SEPARATE_ERRORS,
	       "log errors one level higher"),
	OPTION("logasap", SCOPE_FRONT, OPT_LOGASAP, "log when the server is connected"),
	OPTION("nolinger", SCOPE_PROXY, OPT_NOLINGER, "close with a reset"),
	{ "option redispatch", SCOPE_BACK, INVERT, "[<interval>]", parse_redispatch,
	  .offset = SET(options), .bit = OPT_REDISPATCH, .dflt = "off",
	  .help = "try another server when connecting has failed" },
	OPTION("socket-stats", SCOPE_FRONT, OPT_SOCKET_STATS, "statistics for each bind line"),
	OPTION("splice-auto", SCOPE_PROXY, OPT_SPLICE_AUTO, "splice both ways from the first byte"),
	OPTION("splice-request", SCOPE_PROXY, OPT_SPLICE_REQUEST,
	       "splice from client to server from the first byte"),
	OPTION("splice-response", SCOPE_PROXY, OPT_SPLICE_RESPONSE,
	       "splice from server to client from the first byte"),
	OPTION("srvtcpka", SCOPE_BACK, OPT_SRVTCPKA, "TCP keep-alive towards servers"),
	OPTION("tcp-smart-accept", SCOPE_FRONT, OPT_SMART_ACCEPT,
	       "spare the first acknowledgement when accepting"),
	OPTION("tcp-smart-connect", SCOPE_BACK, OPT_SMART_CONNECT,
	       "spare the first acknowledgement when connecting"),
	{ "option tcpka", SCOPE_PROXY, 0, "", set_bit, .offset = SET(options),
	  .bit = OPT_CLITCPKA | OPT_SRVTCPKA, .dflt = "off",
	  .help = "TCP keep-alive on both sides" },

	OPTION("transparent", SCOPE_BACK, OPT_TRANSPARENT,
	       "sessions that belong to none of the servers go where the client wanted to"),
	{ "transparent", SCOPE_BACK, 0, "", set_bit, .offset = SET(options), .bit = OPT_TRANSPARENT,
	  .dflt = "off", .help = "the older name of 'option transparent'" },

	{ "clitcpka-cnt", SCOPE_FRONT, 0, "<count>", set_int, .offset = SET(clitcpka_cnt), .min = 0,
	  .max = 127, .dflt = "the system's", .help = "keep-alive probes: how many" },
	{ "clitcpka-idle", SCOPE_FRONT, 0, "<timeout>", set_seconds, .offset = SET(clitcpka_idle),
	  .dflt = "the system's", .help = "idle time before the first keep-alive probe" },
	{ "clitcpka-intvl", SCOPE_FRONT, 0, "<timeout>", set_seconds, .offset = SET(clitcpka_intvl),
	  .dflt = "the system's", .help = "time between keep-alive probes" },
	{ "srvtcpka-cnt", SCOPE_BACK, 0, "<count>", set_int, .offset = SET(srvtcpka_cnt), .min = 0,
	  .max = 127, .dflt = "the system's", .help = "keep-alive probes: how many" },
	{ "srvtcpka-idle", SCOPE_BACK, 0, "<timeout>", set_seconds, .offset = SET(srvtcpka_idle),
	  .dflt = "the system's", .help = "idle time before the first keep-alive probe" },
	{ "srvtcpka-intvl", SCOPE_BACK, 0, "<timeout>", set_seconds, .offset = SET(srvtcpka_intvl),
	  .dflt = "the system's", .help = "time between keep-alive probes" },

	{ "maxcompcpuusage", SCOPE_GLOBAL, 0, "<percent>", set_unsigned,
	  .offset = GLOBAL(max_comp_cpu), .min = 0, .max = 100, .dflt = "100: no limit",
	  .help = "CPU of a worker above which it compresses less, or not" },
	{ "maxcomprate", SCOPE_GLOBAL, 0, "<number>", set_unsigned, .offset = GLOBAL(max_comp_rate),
	  .min = 0, .max = INT_MAX, .dflt = "0: no limit",
	  .help = "kilobytes a second into compression above which it is less, or none" },
	{ "maxconn", SCOPE_GLOBAL, KW_FIRST, "<number>", set_unsigned, .offset = GLOBAL(maxconn),
	  .min = 0, .max = INT_MAX, .dflt = "as many as the descriptors allow",
	  .help = "most concurrent connections of the process" },
	{ "maxconnrate", SCOPE_GLOBAL, KW_FIRST, "<number>", set_unsigned,
	  .offset = GLOBAL(maxconn_rate), .min = 0, .max = INT_MAX, .dflt = "0: no limit",
	  .help = "most new connections of the process a second" },
	{ "maxsessrate", SCOPE_GLOBAL, KW_FIRST, "<number>", set_unsigned,
	  .offset = GLOBAL(maxsess_rate), .min = 0, .max = INT_MAX, .dflt = "0: no limit",
	  .help = "most new sessions of the process a second" },
#ifdef HAVE_OPENSSL
	{ "maxsslconn", SCOPE_GLOBAL, 0, "<number>", set_unsigned, .offset = GLOBAL(max_tls),
	  .min = 0, .max = INT_MAX, .dflt = "0: no limit",
	  .help = "most connections with TLS at a time, to clients and to servers" },
	{ "maxsslrate", SCOPE_GLOBAL, KW_FIRST, "<number>", set_unsigned,
	  .offset = GLOBAL(max_tls_rate), .min = 0, .max = INT_MAX, .dflt = "0: no limit",
	  .help = "most new connections with TLS a second" },
#endif
	{ "ulimit-n", SCOPE_GLOBAL, KW_FIRST, "<number>", set_unsigned, .offset = GLOBAL(ulimit_n),
	  .min = 0, .max = INT_MAX, .dflt = "computed from maxconn",
	  .help = "most file descriptors of the process" },
	{ "fd-hard-limit", SCOPE_GLOBAL, 0, "<number>", set_unsigned,
	  .offset = GLOBAL(fd_hard_limit), .min = 0, .max = INT_MAX, .dflt = "0: none",
	  .help = "most file descriptors that maxconn is computed from" },
	{ "strict-limits", SCOPE_GLOBAL, KW_NO, "", set_flag, .offset = GLOBAL(strict_limits),
	  .dflt = "on", .help = "too few descriptors for maxconn: do not start" },
	{ 0 }
};
