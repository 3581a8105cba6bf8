/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The section `peers': its lines, and what they come to. A section has a hidden proxy, so that its
 * lines are read by the parsers of bind and server lines. Two forms say where we listen: the line
 * `peer' of our own name, or a line `bind' beside `server' of our own name; they do not mix.
 * Nothing is opened here.
 */
#include "peers/peers_conf.h"

#include "base/arena.h"
#include "config/suggest.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/expr.h"
#include "expr/view.h"
#include "log/log.h"
#include "net/addr_conf.h"
#include "net/bind_conf.h"
#include "peers/peers.h"
#include "peers/section.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/stick_conf.h"
#include "tls/conn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PEERS_BACKLOG = 128, MOST_UPDATES = 200 };

void peers_conf_local(struct config *cfg, const char *name, bool forced)
{
	struct peers_conf *conf = config_data(cfg, &peers_module);

	conf->local_name = arena_strdup(cfg->arena, name);
	conf->local_forced = forced;
}

void peers_conf_succeeds(struct config *cfg)
{
	struct peers_conf *conf = config_data(cfg, &peers_module);

	conf->succeeds = true;
}

static struct peer *find_peer(const struct peers_section *s, const char *name)
{
	struct peer *p;

	list_for_each(p, &s->peers, node)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/* The name, just taken, of a section or a member. */
static int check_name(struct statement *st, const char *what, const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.:", *c))
			return stmt_error(st, st->at - 1,
					  "'%.*s' cannot stand in the name of a %s: letters, "
					  "digits and '-', '_', '.', ':' can",
					  str_char(c), c, what);
	if (c - name > NAME_MOST)
		return stmt_error(st, st->at - 1, "a name of more than %d characters", NAME_MOST);
	return 0;
}

/* ---- the section --------------------------------------------------------------------------- */

static struct peers_section *section_new(struct statement *st, const char *name)
{
	struct peers_section *s = arena_alloc(st->cfg->arena, sizeof(*s));
	struct proxies *all = config_data(st->cfg, &proxy_module);

	s->name = arena_strdup(st->cfg->arena, name);
	s->loc = st->loc;
	list_init(&s->peers);
	s->proxy = proxy_new(st->cfg, s->name, PROXY_FRONTEND | PROXY_BACKEND, &st->loc, NULL);
	s->proxy->peers = true;
	s->proxy->set.backlog = PEERS_BACKLOG;
	s->bind = bind_conf_new(st, s->proxy);
	list_append(&s->proxy->binds, &s->bind->node);
	list_append(&all->peers, &s->proxy->node);
	return s;
}

static void *section_begin(struct statement *st)
{
	struct peers_conf *conf = config_data(st->cfg, &peers_module);
	const char *name = stmt_need(st, "the name of the section");
	struct peers_section *s;

	if (!name || check_name(st, "section", name) || stmt_end(st))
		return NULL;
	s = peers_section_find(conf, name);
	if (s) {
		stmt_error(st, 1, "there is a section 'peers %s' already, at %s:%u", name, s->loc.file,
			   s->loc.line);
		return NULL;
	}
	s = section_new(st, name);
	list_append(&conf->sections, &s->node);
	return s;
}

static int parse_disabled(struct statement *st, const struct keyword *kw, void *object)
{
	/* The reference takes no notice of what stands behind. */
	((struct peers_section *)object)->disabled = kw->name[0] == 'd';
	return stmt_end(st);
}

/* ---- where we listen ------------------------------------------------------------------------ */

static int forms_mixed(struct statement *st)
{
	return stmt_error(st, 0, "lines 'peer' and 'bind' do not go together in a section: beside 'bind', "
			  "'server' names the members, our own one without an address");
}

static int parse_bind(struct statement *st, const struct keyword *kw, void *object)
{
	struct peers_section *s = object;

	(void)kw;
	if (s->has_peer_line)
		return forms_mixed(st);
	if (s->has_bind_line)
		return stmt_error(st, 0, "the section has a line 'bind' already, at %s:%u",
				  s->bind->loc.file, s->bind->loc.line);
	s->has_bind_line = true;
	s->bind->loc = st->loc;
	return bind_conf_parse(st, s->bind);
}

static int parse_default_bind(struct statement *st, const struct keyword *kw, void *object)
{
	struct peers_section *s = object;

	(void)kw;
	if (!s->has_bind_line)
		s->bind->loc = st->loc;
	return stmt_words(st, SCOPE_BIND, s->bind);
}

/* ---- members -------------------------------------------------------------------------------- */

static struct peer *peer_new(struct statement *st, struct peers_section *s, const char *name)
{
	const struct peers_conf *conf = config_data(st->cfg, &peers_module);
	struct peer *p = arena_alloc(st->cfg->arena, sizeof(*p));

	p->section = s;
	p->server = server_conf_new(st, s->proxy, name);
	p->name = p->server->id;
	p->loc = st->loc;
	p->local = !strcmp(name, conf->local_name);
	p->who = XXH64(p->name, strlen(p->name), XXH64(s->name, strlen(s->name), 0)) | 1;
	return p;
}

/* Its address, the next word. Names are looked up at once, as those of bind lines. */
static int parse_address(struct statement *st, struct peer *p)
{
	struct server *server = p->server;

	if (addr_conf_parse(st, stmt_next(st), ADDR_PORT_NEEDED | ADDR_NAMES | ADDR_UNIX | ADDR_STAR,
			    &server->spec))
		return -1;
	p->has_address = true;
	if (p->local)
		bind_conf_listen(st->cfg, p->section->bind, &server->spec.addr);
	return 0;
}

static int parse_peer_words(struct statement *st, struct peer *p)
{
	struct peers_conf *conf = config_data(st->cfg, &peers_module);
	int rc;

	conf->reading = p;
	rc = stmt_words(st, SCOPE_SERVER, p->server);
	conf->reading = NULL;
	return rc;
}

/* An address stands behind each name but our own one of a line `server'. */
static int parse_peer_line(struct statement *st, struct peers_section *s, const char *name)
{
	bool is_peer = !strcmp(st->words[0].text, "peer");
	struct peer *p = peer_new(st, s, name);
	int rc = 0;

	s->has_peer_line |= is_peer;
	s->has_member = true;
	if (is_peer && s->has_bind_line)
		return forms_mixed(st);
	if (is_peer || !p->local) {
		if (!stmt_peek(st)) {
			stmt_warning(st, st->at, "'%s' has no address: the line is ignored", name);
			return 0;
		}
		rc = parse_address(st, p);
	}
	if (parse_peer_words(st, p) || rc) {
		if (p->local && !is_peer)
			stmt_hint(st, "'%s' is our own name: its address stands on a line 'bind'", name);
		rc = -1;
	}
	p->server->refused = rc < 0;
	list_append(&s->peers, &p->node);
	server_conf_enter(p->server);
	if (p->local)
		s->local = p;
	return rc;
}

static int parse_peer(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of a member");
	struct peers_section *s = object;
	const struct peer *other;

	(void)kw;
	if (!name || check_name(st, "member", name))
		return -1;
	other = find_peer(s, name);
	if (other)
		return stmt_error(st, st->at - 1, "there is a member '%s' already, at %s:%u", name,
				  other->loc.file, other->loc.line);
	return parse_peer_line(st, s, name);
}

static int parse_section_default_server(struct statement *st, const struct keyword *kw, void *object)
{
	return parse_default_server(st, kw, ((struct peers_section *)object)->proxy);
}

static int parse_shard(struct statement *st, const struct keyword *kw, void *object)
{
	const struct peers_conf *conf = config_data(st->cfg, &peers_module);
	struct peer *p = conf->reading;
	int64_t n;

	if (!p || p->server != object)
		return stmt_error(st, st->at - 1, "'%s' is for the members of a section 'peers'", kw->name);
	if (stmt_int(st, "the number of a shard", 0, INT32_MAX, &n))
		return -1;
	p->shard = (unsigned)n;
	return 0;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Elsewhere it is called by the names of section and table, on the wire by "/" and its own. */
static int parse_table(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of the table");
	const struct peers_section *s = object;

	(void)kw;
	if (!name)
		return -1;
	if (!*name || strlen(name) > NAME_MOST)
		return stmt_error(st, st->at - 1, "the name of a table has 1 to %d characters", NAME_MOST);
	name = arena_printf(st->cfg->arena, "%s/%s", s->name, name);
	return stick_line_parse(st, name, s->name) ? 0 : -1;
}

/* ---- the global section --------------------------------------------------------------------- */

static int parse_localpeer(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "a name");
	struct peers_conf *conf = object;

	(void)kw;
	if (!name || check_name(st, "member", name))
		return -1;
	if (conf->local_forced || !list_empty(&conf->sections)) {
		stmt_warning(st, 0, "'localpeer' is ignored: %s", conf->local_forced ?
			     "the name was given by -L" : "it must stand above the sections 'peers'");
		return stmt_end(st);
	}
	conf->local_name = arena_strdup(st->cfg->arena, name);
	setenv("HAPROXY_LOCALPEER", name, 1);
	return stmt_end(st);
}

/* ---- the end of the file ----------------------------------------------------------------------
 */

/* Tables that name the section. */
static unsigned tables_of(const struct config *cfg, const struct peers_section *s)
{
	const struct stick_conf *tables = config_data(cfg, &stick_module);
	const struct stick_line *line;
	unsigned n = 0;

	list_for_each(line, &tables->lines, node)
		n += line->peers && !strcmp(line->peers, s->name);
	return n;
}

static int finish_without_us(struct config *cfg, const struct peers_section *s)
{
	const struct peers_conf *conf = config_data(cfg, &peers_module);

	if (!s->has_member && tables_of(cfg, s))
		config_warning(cfg, &s->loc, "section 'peers %s' has no members: name this host, "
			       "'%s', and others by lines 'peer <name> <address>:<port>'", s->name,
			       conf->local_name);
	if (config_failed(cfg) || !s->has_member)
		return 0;
	config_warning(cfg, &s->loc, "section 'peers %s' is not used: none of its members is this host, "
		       "'%s' (-L and 'localpeer' name this host)", s->name, conf->local_name);
	return 0;
}

/* The name that our side asks for: there is no client, so it is the same for each connection. */
static void finish_sni(struct config *cfg, struct peer *p)
{
	const struct server *server = p->server;

	p->sni = expr_fixed_text(server->set.sni, p->server, cfg->arena);
	if (p->sni || !server->set.sni)
		return;
	config_warning(cfg, &p->loc, "peer '%s': 'sni' has no effect: a connection to a peer belongs to no "
		       "client, so only what is known beforehand, such as 'str(name)', can be asked for",
		       p->name);
}

/* What a line says that means nothing for a member. */
static int finish_words(struct config *cfg, const struct peer *p)
{
	const struct server_settings *set = &p->server->set;
	const uint64_t on = set->options.on;

	if (set->socks4.family || on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2))
		return config_error(cfg, &p->loc, "peer '%s': '%s' is not supported for peers", p->name,
				    set->socks4.family ? "socks4" : "send-proxy");
	if (on & (SRV_CHECK | SRV_AGENT_CHECK) || set->track)
		config_warning(cfg, &p->loc, "peer '%s': members of a section 'peers' are not checked: "
			       "'check', 'agent-check' and 'track' are ignored", p->name);
	if (on & SRV_BACKUP || set->weight != 1 || set->cookie || set->maxconn || set->maxqueue)
		config_notice(cfg, &p->loc, "peer '%s': 'backup', 'cookie', 'maxconn', 'maxqueue' and "
			      "'weight' have no effect on a peer", p->name);
	return 0;
}

static int finish_tls(struct config *cfg, struct server *s)
{
	if (s->refused || !(s->set.tls.options.on & TLS_SSL))
		return 0;
	if (!server_need_tls || server_need_tls(cfg, s))
		return -1;
	s->tls = s->check_tls;
	return 0;
}

static void finish_shard(struct config *cfg, struct peer *p)
{
	const struct peers_section *s = p->section;

	if (!p->shard)
		return;
	if (p->local)
		config_warning(cfg, &p->loc, "peer '%s': 'shard' of this host itself is ignored", p->name);
	else if (p->shard > s->shards)
		config_warning(cfg, &p->loc, "peer '%s': 'shard %u' is ignored: the section has %u shards",
			       p->name, p->shard, s->shards);
	else
		return;
	p->shard = 0;
}

/* Where a successor listens: the bind line says it. */
static void finish_local(struct peers_section *s)
{
	if (s->local->has_address || list_empty(&s->bind->listeners))
		return;
	s->local->server->spec.addr = list_first(&s->bind->listeners, struct listener, node)->addr;
	s->local->has_address = true;
}

static int finish_bind(struct config *cfg, const struct peers_section *s)
{
	const struct bind_conf *bind = s->bind;

	if (bind->options.on & (BIND_ACCEPT_PROXY | BIND_ACCEPT_CIP))
		return config_error(cfg, &bind->loc, "section 'peers %s': '%s' is not supported for peers",
				    s->name, bind->options.on & BIND_ACCEPT_PROXY ? "accept-proxy" :
										    "accept-netscaler-cip");
	/* Who repeats what a member has said would be believed. */
	if (bind->tls && tls_bind_takes_early(bind->tls))
		return config_error(cfg, &bind->loc, "section 'peers %s': 'allow-0rtt' is not for peers",
				    s->name);
	return 0;
}

static int section_finish(struct config *cfg, struct peers_section *s)
{
	struct peer *p;
	int rc = 0;

	s->proxy->set.log = s->log;
	if (!peers_section_speaks(s))
		list_remove(&s->proxy->node);
	if (s->disabled)
		return 0;
	if (!s->local)
		return finish_without_us(cfg, s);
	servers_finish(cfg, s->proxy);
	finish_local(s);
	rc |= finish_bind(cfg, s);
	list_for_each(p, &s->peers, node) {
		finish_shard(cfg, p);
		finish_sni(cfg, p);
		rc |= finish_words(cfg, p) | finish_tls(cfg, p->server);
	}
	return rc;
}

static int peers_finish(struct config *cfg, void *data)
{
	const struct stick_conf *tables = config_data(cfg, &stick_module);
	struct peers_conf *conf = data;
	const struct stick_line *line;
	struct peers_section *s;
	struct suggestion near;
	struct location loc;
	int rc = 0;

	list_for_each(line, &tables->lines, node) {
		if (!line->peers || peers_section_find(conf, line->peers))
			continue;
		loc = config_locate(cfg, &line->peers_loc, line->peers);
		rc |= config_error(cfg, &loc,
				   "there is no section 'peers %s' for the stick table '%s'",
				   line->peers, line->name);
		near = suggest_for(cfg, line->peers);
		list_for_each(s, &conf->sections, node)
			suggest_name(&near, s->name);
		suggest_end(&near);
	}
	list_for_each(s, &conf->sections, node)
		rc |= section_finish(cfg, s);
	return rc;
}

static void peers_init(struct config *cfg, void *data)
{
	struct peers_conf *conf = data;

	(void)cfg;
	list_init(&conf->sections);
	conf->local_name = "localhost";
	conf->most_updates = MOST_UPDATES;
}

static int peers_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)err;
	peers_running = data;
	peers_open(cfg);
	return 0;
}

static int peers_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	return peers_begin(err);
}

static const struct section sections[] = {
	{ .name = "peers", .scope = SCOPE_PEERS, .begin = section_begin,
	  .help = "machines that teach each other what their stick tables have" },
	{ .name = NULL },
};

static const struct keyword keywords[] = {
	{ "localpeer", SCOPE_GLOBAL, 0, "<name>", parse_localpeer, .dflt = "the name of the host",
	  .help = "the name of this host among peers" },
	{ "tune.peers.max-updates-at-once", SCOPE_GLOBAL, 0, "<number>", set_unsigned,
	  .offset = offsetof(struct peers_conf, most_updates), .min = 1, .max = INT32_MAX, .dflt = "200",
	  .help = "most entries of stick tables that a peer is told in a turn" },
	{ "shard", SCOPE_SERVER, 0, "<number>", parse_shard, .dflt = "0: all keys",
	  .help = "this peer is told keys of that shard alone" },
	{ "bind", SCOPE_PEERS, 0, "[<address>]:<port_range> [, ...] [param*]", parse_bind,
	  .help = "where this host hears the other members; beside 'server' lines" },
	{ "default-bind", SCOPE_PEERS, 0, "[param*]", parse_default_bind,
	  .help = "words of the bind line, whatever line gives the address" },
	{ "default-server", SCOPE_PEERS, 0, "[param*]", parse_section_default_server,
	  .help = "words of the lines that follow" },
	{ "disabled", SCOPE_PEERS, 0, "", parse_disabled,
	  .help = "nobody listens, and nobody is told anything" },
	{ "enabled", SCOPE_PEERS, 0, "", parse_disabled, .help = "takes 'disabled' back" },
	{ "log", SCOPE_PEERS, KW_NO, "global | <address> [len <length>] [format <format>] "
	  "[sample <ranges>:<size>] <facility> [<level> [<minlevel>]]", log_parse_proxy,
	  .offset = offsetof(struct peers_section, log),
	  .help = "where lines about the section's connections go, instead of the process's targets" },
	{ "peer", SCOPE_PEERS, 0, "<peername> <ip>:<port> [param*]", parse_peer,
	  .help = "a member; of this host's own name: where it listens" },
	{ "server", SCOPE_PEERS, 0, "<peername> [<ip>:<port>] [param*]", parse_peer,
	  .help = "the same; this host's own one has no address, but a 'bind' line" },
	{ "shards", SCOPE_PEERS, 0, "<number>", set_unsigned,
	  .offset = offsetof(struct peers_section, shards), .min = 1, .max = INT32_MAX, .dflt = "none",
	  .help = "keys are parted into so many; a peer with 'shard' is told those of one" },
	{ "table", SCOPE_PEERS, 0, "<tablename> type <type> [len <length>] size <entries> "
	  "[expire <time>] [nopurge] [write-to <table>] [recv-only] [srvkey <kind>] "
	  "[store <data>[,...]]...", parse_table,
	  .help = "a stick table of the section, called <section>/<tablename> elsewhere" },
	{ 0 },
};

const struct module peers_module = {
	.name = "peers",
	.keywords = keywords,
	.sections = sections,
	.data_size = sizeof(struct peers_conf),
	.init = peers_init,
	.finish = peers_finish,
	.prepare = peers_prepare,
	.start = peers_start,
	.stop = peers_end,
};
