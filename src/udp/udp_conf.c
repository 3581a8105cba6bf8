/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The section "udp-lb" (a form of HAProxy's enterprise edition) and its words. It is a proxy of mode
 * udp, frontend and backend at once, which inherits nothing: servers, balancing, checks, log lines
 * and statistics are those of all proxies. A dgram-bind line is a bind line whose sockets take
 * datagrams. What makes no sense for datagrams is a mistake here, not a word without effect.
 */
#include "udp/udp_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config.h"
#include "dgram/rows.h"
#include "dgram/socket.h"
#include "lb/balance.h"
#include "net/addr_conf.h"
#include "net/bind_conf.h"
#include "net/bind_part.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "share/segment.h"
#include "udp/lb.h"

#include <limits.h>
#include <string.h>
#include <sys/resource.h>

enum { MAXCONN = 10000, TIMEOUT_MS = 60000, SHARDS_MOST = 64 };

/* Of a dgram-bind line: "shards". */
struct shards_words {
	unsigned shards; /* for each address; 0: one a worker */
};

struct bind_part shards_part = { BIND_PART("shards", struct shards_words) };
struct proxy_part udp_part = { PROXY_PART("udp-lb", sizeof(struct udp_lb)) };

/* ---- the section ------------------------------------------------------------------------- */

static void *udp_begin(struct statement *st)
{
	struct proxies *all = config_data(st->cfg, &proxy_module);
	const char *name = stmt_need(st, "a name");
	struct udp_lb *lb;
	struct proxy *px;

	if (!name)
		return NULL;
	if (proxy_check_name(st, name, "a name", NAME_MOST) || stmt_end(st))
		st->at = st->count;
	px = proxy_new(st->cfg, name, PROXY_FRONTEND | PROXY_BACKEND, &st->loc, NULL);
	px->set.mode = MODE_UDP;
	lb = proxy_part_make(px, &udp_part, st->cfg->arena);
	*lb = (struct udp_lb){ .proxy = px, .responses = -1, .payload = UDP_PAYLOAD };
	list_init(&lb->ports);
	proxy_enter(all, st->cfg->arena, px);
	return px;
}

/* ---- dgram-bind -------------------------------------------------------------------------- */

static int add_address(struct statement *st, struct bind_conf *bind, const char *text)
{
	const unsigned allow = ADDR_PORT_NEEDED | ADDR_PORT_RANGE | ADDR_NAMES | ADDR_STAR |
			       ADDR_DGRAM;
	struct addr_spec spec;
	unsigned port;

	if (addr_conf_parse(st, text, allow, &spec))
		return -1;
	for (port = spec.addr.port; port <= spec.last_port; port++) {
		spec.addr.port = (uint16_t)port;
		bind_conf_listen(st->cfg, bind, &spec.addr);
	}
	return 0;
}

static int add_addresses(struct statement *st, struct bind_conf *bind, const char *word)
{
	char *text = arena_strdup(st->cfg->arena, word), *next;
	int rc = 0;

	while (!rc && (next = strsep(&text, ",")))
		rc = add_address(st, bind, next);
	return rc;
}

static int parse_dgram_bind(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;
	struct bind_conf *bind = bind_conf_new(st, px);
	const char *word = stmt_need(st, "an address");
	int rc;

	(void)kw;
	if (!word)
		return -1;
	bind->dgram = true;
	bind->bound = dgram_socket_bound;
	rc = add_addresses(st, bind, word);
	if (stmt_words(st, SCOPE_DGRAM, bind))
		rc = -1;
	if (bind->id && bind->listeners.next != bind->listeners.prev)
		rc = stmt_error(st, st->count, "'id' needs a line with a single address and port");
	if (!rc)
		list_append(&px->binds, &bind->node);
	return rc;
}

static int parse_shards(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the number of sockets, or 'by-thread'");
	struct shards_words *words;
	int64_t n = 0;

	(void)kw;
	if (!word)
		return -1;
	if (strcmp(word, "by-thread") && !str_to_int(word, 1, SHARDS_MOST, &n))
		return stmt_error(st, st->at - 1,
				  "'by-thread' or a number from 1 to %d is expected, not '%s'",
				  SHARDS_MOST, word);
	words = bind_part_make(object, &shards_part, st->cfg->arena);
	words->shards = (unsigned)n;
	return 0;
}

/* ---- words ------------------------------------------------------------------------------- */

static int parse_number(struct statement *st, const char *name, int64_t min, int64_t max,
			int64_t *value)
{
	return stmt_int(st, name, min, max, value);
}

static int parse_requests(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	if (parse_number(st, kw->name, 0, INT_MAX, &n))
		return -1;
	udp_lb_of(object)->requests = (unsigned)n;
	return 0;
}

static int parse_responses(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	if (parse_number(st, kw->name, 0, INT_MAX, &n))
		return -1;
	udp_lb_of(object)->responses = (int)n;
	return 0;
}

static int parse_payload(struct statement *st, const struct keyword *kw, void *object)
{
	int64_t n;

	if (parse_number(st, kw->name, 1, DGRAM_PAYLOAD_MOST, &n))
		return -1;
	udp_lb_of(object)->payload = (unsigned)n;
	return 0;
}

/* Files of the enterprise edition load the section from a file: here it is part of the program. */
static int parse_module_load(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of a module");

	(void)kw;
	(void)object;
	if (!name || stmt_end(st))
		return -1;
	if (strcmp(name, "hapee-lb-udp.so") != 0) {
		stmt_error(st, st->at - 1, "the module '%s' is not there", name);
		stmt_hint(st, "penstock loads none: 'hapee-lb-udp.so', whose sections are udp-lb, is "
			  "part of it");
		return -1;
	}
	stmt_note(st, st->at - 1, "it is part of penstock: this line is not needed");
	return 0;
}

static int parse_module_path(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	if (!stmt_need(st, "a folder") || stmt_end(st))
		return -1;
	stmt_note(st, 0, "this line is not needed: no module is loaded from a file");
	return 0;
}

static const struct keyword keywords[] = {
	{ "module-load", SCOPE_GLOBAL, 0, "<module>", parse_module_load,
	  .help = "for files of the enterprise edition: udp-lb (hapee-lb-udp.so) is there anyway" },
	{ "module-path", SCOPE_GLOBAL, 0, "<folder>", parse_module_path,
	  .help = "the same: no module is loaded from a file" },
	{ "dgram-bind", SCOPE_UDP, 0, "[<address>]:<port_range>[,...] [<param>...]",
	  parse_dgram_bind, .help = "addresses and ports on which datagrams are taken" },
	{ "proxy-requests", SCOPE_UDP, 0, "<number>", parse_requests, .dflt = "0: no limit",
	  .help = "datagrams of a client behind which its next one begins another session" },
	{ "proxy-responses", SCOPE_UDP, 0, "<number>", parse_responses, .dflt = "no limit",
	  .help = "answers to each datagram, with which a session is complete; 0: none is waited for" },
	{ "accepted-payload-size", SCOPE_UDP, 0, "<bytes>", parse_payload, .dflt = "1472",
	  .help = "the largest datagram that passes, at most 65507" },
	{ "shards", SCOPE_DGRAM, 0, "{ <number> | by-thread }", parse_shards,
	  .dflt = "by-thread", .help = "how many sockets each address has: by-thread: one a worker" },
	{ 0 }
};

static const struct section sections[] = {
	{ "udp-lb", SCOPE_UDP, udp_begin, NULL, "datagrams of clients, and servers for them" },
	{ 0 }
};

/* ---- the end of the configuration -------------------------------------------------------- */

/* Sessions cost descriptors, two at most: all of those that have no limit of their own may have a
 * quarter of those that the system allows. */
static unsigned default_maxconn(const struct proxies *all)
{
	const struct proxy *px;
	struct rlimit rl;
	rlim_t count = 0, most;

	list_for_each(px, &all->list, node)
		count += udp_lb_of(px) && !px->set.maxconn;
	if (!count || getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return MAXCONN;
	most = rl.rlim_max / 8 / count;
	return most > MAXCONN ? MAXCONN : most ? (unsigned)most : 1;
}

/* How many sockets each address has: as many as there are workers, or as the line says. */
static unsigned shards_of(const struct bind_conf *bind)
{
	const struct shards_words *words = bind_part(bind, &shards_part);

	return words && words->shards ? words->shards : segment_workers;
}

static void make_shards(struct config *cfg, struct bind_conf *bind)
{
	unsigned shards = shards_of(bind), n, i;
	struct listener *l, *last;
	struct list *at;

	last = list_entry(bind->listeners.prev, struct listener, node);
	for (at = bind->listeners.next; at != &bind->listeners; at = at->next) {
		l = list_entry(at, struct listener, node);
		l->shards = shards;
		for (i = 1; i < shards; i++) {
			bind_conf_listen(cfg, bind, &l->addr);
			list_entry(bind->listeners.prev, struct listener, node)->shard = i;
			list_entry(bind->listeners.prev, struct listener, node)->shards = shards;
		}
		if (l == last)
			break;
	}
	n = 0;
	list_for_each(l, &bind->listeners, node) {
		l->maxconn = bind->maxconn;
		l->id = n++ ? 0 : bind->id;
	}
}

/* Who shares a limit has one of it at least. */
static unsigned limit_for(struct config *cfg, const struct location *loc, unsigned limit,
			  unsigned parts, const char *what)
{
	if (!limit || limit >= parts)
		return limit;
	config_warning(cfg, loc, "'maxconn %u' becomes %u: each of %u %s may have one session",
		       limit, parts, parts, what);
	return parts;
}

static void set_limits(struct config *cfg, struct proxy *px, unsigned maxconn)
{
	struct bind_conf *bind;

	if (!px->set.maxconn)
		px->set.maxconn = maxconn > segment_workers ? maxconn : segment_workers;
	px->set.maxconn = limit_for(cfg, &px->loc, px->set.maxconn, segment_workers, "workers");
	list_for_each(bind, &px->binds, node)
		bind->maxconn = limit_for(cfg, &bind->loc, bind->maxconn,
					  shards_of(bind),
					  "sockets of each address");
}

/* Said before anybody looks for its certificates. */
static int refuse_tls(struct config *cfg, const struct proxy *px)
{
	struct server *s;
	int rc = 0;

	for (s = px->servers; s; s = s->next) {
		if (s->refused || !(s->set.tls.options.on & TLS_SSL))
			continue;
		s->refused = true;
		rc = config_error(cfg, &s->loc,
				  "server '%s': 'ssl' is not for datagrams: '%s' is an udp-lb section",
				  s->id, px->name);
	}
	return rc;
}

static int udp_words_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	unsigned maxconn = default_maxconn(all);
	struct bind_conf *bind;
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		if (!udp_lb_of(px))
			continue;
		bad |= refuse_tls(cfg, px);
		set_limits(cfg, px, maxconn);
		if (!px->set.timeout.client)
			px->set.timeout.client = TIMEOUT_MS;
		if (!px->set.timeout.server)
			px->set.timeout.server = TIMEOUT_MS;
		list_for_each(bind, &px->binds, node)
			make_shards(cfg, bind);
	}
	return bad;
}

const struct module udp_words_module = {
	.name = "udp words",
	.keywords = keywords,
	.sections = sections,
	.finish = udp_words_finish,
};
