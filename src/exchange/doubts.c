/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is suspicious about a configuration that is right: said when all of it is known, as notes
 * (-dD), and what is hardly meant as notices. Nothing is said behind errors. Called once, as a
 * module behind those whose lines it looks at.
 */
#include "exchange/doubts.h"

#include "base/arena.h"
#include "check/check_conf.h"
#include "config/diag.h"
#include "config/module.h"
#include "exchange/errors.h"
#include "exchange/http_rules.h"
#include "exchange/monitor.h"
#include "exchange/persist.h"
#include "expr/acl_conf.h"
#include "expr/rule_conf.h"
#include "expr/userlist.h"
#include "net/listener.h"
#include "proxy/proxy_conf.h"

#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

static const char *printed(struct config *cfg, const struct bind_conf *bind,
			   const struct addr *addr)
{
	char memory[160];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (addr->family == AF_UNIX)
		return addr->path;
	addr_print_clear(addr, &t);
	return arena_printf(cfg->arena, "%s%s%s", memory, bind->interface ? "%" : "",
			    bind->interface ? bind->interface : "");
}

static bool can_be_told_apart(const struct addr *addr)
{
	return addr->family == AF_UNIX ||
	       ((addr->family == AF_INET || addr->family == AF_INET6) && addr->port);
}

static void doubt_listener(struct config *cfg, struct catalog *known, struct listener *l)
{
	const struct bind_conf *bind = l->bind, *other;
	const struct catalog_entry *e;
	const char *text;

	if (!can_be_told_apart(&l->addr) || bind->namespace || l->inherited || bind->workers)
		return;
	text = printed(cfg, bind, &l->addr);
	e = catalog_find(known, span_of(text));
	if (!e) {
		catalog_add(known, cfg->arena, text, l);
		return;
	}
	other = ((const struct listener *)e->object)->bind;
	config_notice(cfg, &bind->loc, "%s is listened on twice, also at %s:%u in %s: %s",
		      text, other->loc.file, other->loc.line, other->section,
		      bind->dgram ? "only one of them gets what comes" :
		      l->addr.family == AF_UNIX ? "only the last one gets connections" :
						  "connections go to either");
}

static void doubt_addresses(struct config *cfg, const struct proxies *all)
{
	struct catalog streams = { 0 }, datagrams = { 0 };
	const struct proxy *px;
	struct bind_conf *bind;
	struct listener *l;

	list_for_each(px, &all->list, node) {
		if (px->set.disabled)
			continue;
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node)
				if (!l->shard)
					doubt_listener(cfg, bind->dgram ? &datagrams : &streams, l);
	}
}

/* ---- backends and servers -------------------------------------------------------------------- */

/* Does something else than a server answer, or is it there for its table alone? */
static bool answers_itself(const struct proxy *px)
{
	return px->dispatch || px->http_request_rules || px->redirect_rules || http_has_page(px) ||
	       px->request_rules || errors_lines(px) || px->stick || px->applet ||
	       px->set.options.on & OPT_TRANSPARENT;
}

/* To another section. */
static bool leads_on(const struct proxy *px)
{
	return px->caps & PROXY_FRONTEND && (px->default_backend || !list_empty(&px->switch_rules));
}

static bool names_come_later(const struct proxies *all)
{
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		if (px->switch_anywhere)
			return true;
	return false;
}

static void doubt_checks(struct config *cfg, const struct proxy *px)
{
	const struct check_conf *conf = check_conf_of(px);
	const struct server *s = px->servers;

	if (!conf || conf->owner != px || !conf->own_option || conf->type == CHECK_PLAIN)
		return;
	while (s && !(s->set.options.on & SRV_CHECK) && list_empty(&s->trackers))
		s = s->next;
	if (px->servers && !s)
		config_notice(cfg, &conf->loc,
			      "nothing is checked in '%s': no server has the word 'check'",
			      px->name);
}

static void doubt_cookie(struct config *cfg, const struct proxy *px, const struct server *s)
{
	if (s->set.cookie && !persist_cookie(px) && px->set.mode == MODE_HTTP)
		config_note(cfg, &s->loc,
			    "'cookie' of server '%s' has no effect: '%s' has no line 'cookie'",
			    s->id, px->name);
	if (persist_cookie(px) && !persist_key(px) && !s->set.cookie)
		config_note(cfg, &s->loc,
			    "server '%s' has no 'cookie': the one of '%s' never leads to it", s->id,
			    px->name);
}

/* Words that come to nothing beside others. */
static void doubt_retries(struct config *cfg, const struct proxy *px)
{
	const struct timeouts *t = &px->set.timeout;

	if (px->set.budget.given && !px->set.retries)
		config_notice(cfg, &px->loc,
			      "'retry-budget' has no effect in '%s': with 'retries 0' nothing "
			      "is tried again",
			      px->name);
	if (!t->attempt || px->set.mode != MODE_HTTP)
		return;
	if (t->server && t->attempt >= t->server)
		config_notice(cfg, &px->loc,
			      "'timeout try' has no effect in '%s': 'timeout server' is not "
			      "longer",
			      px->name);
	else if (!(px->set.retry_on & RETRY_TIMEOUT))
		config_notice(cfg, &px->loc,
			      "'timeout try' ends requests in '%s', and none of them is tried "
			      "again: 'retry-on' lacks 'response-timeout'",
			      px->name);
}

static void doubt_kept(struct config *cfg, const struct proxy *px)
{
	if (px->set.keep_added && px->set.balance == BALANCE_STATIC_RR)
		config_notice(cfg, &px->loc,
			      "'added-servers keep' has no effect in '%s': 'balance static-rr' "
			      "takes no servers at run time",
			      px->name);
}

static void doubt_servers(struct config *cfg, const struct proxies *all, const struct proxy *px)
{
	unsigned most = all->global.maxconn;
	const struct server *s;

	for (s = px->servers; s; s = s->next) {
		doubt_cookie(cfg, px, s);
		if (most && s->set.maxconn > most)
			config_note(
				cfg, &s->loc,
				"server '%s': maxconn %u is above that of the whole process, %u",
				s->id, s->set.maxconn, most);
		if (s->spec.has_offset && !s->spec.port_offset && !s->is_service &&
		    s->spec.addr.family != AF_UNIX && px->set.mode != MODE_UDP)
			config_note(
				cfg, &s->loc,
				"server '%s' has no port: each connection goes to the port of the "
				"client's own",
				s->id);
	}
}

static void doubt_backend(struct config *cfg, const struct proxies *all, const struct proxy *px,
			  bool later)
{
	if (!px->servers && !answers_itself(px) && !leads_on(px))
		config_note(cfg, &px->loc, "%s '%s' has no server: whoever %s gets an error",
			    proxy_kind_name(px), px->name,
			    px->caps & PROXY_FRONTEND ? "comes" : "is led there");
	if (!later && list_empty(&px->uppers) && px->servers)
		config_note(cfg, &px->loc, "nothing leads to backend '%s'", px->name);
	doubt_checks(cfg, px);
	doubt_retries(cfg, px);
	doubt_kept(cfg, px);
	doubt_servers(cfg, all, px);
}

/* ---- frontends ------------------------------------------------------------------------------- */

/* Where it runs, does it answer, or refuse? */
static bool answers(const struct rule *rule)
{
	return rule->action->refuses || !strcmp(rule->action->name, "use-service");
}

/* May the rules end here without an answer, so that those behind it are not run? */
static bool may_let_pass(const struct rule *rule)
{
	bool scripted = !strncmp(rule->action->name, "lua.", 4);

	return (scripted || (rule->action->final && !answers(rule))) && !cond_never(rule->cond);
}

/* The rule that answers each request; NULL: some get past the rules. */
static const struct rule *answers_all(const struct proxy *px)
{
	const struct rule *rule = px->http_request_rules ? px->http_request_rules->first : NULL;

	if (px->set.mode != MODE_HTTP)
		return NULL;
	for (; rule && !may_let_pass(rule); rule = rule->next)
		if (answers(rule) && !rule->passes && cond_always(rule->cond))
			return rule;
	return NULL;
}

static void doubt_frontend(struct config *cfg, const struct proxy *px)
{
	const struct rule *last = answers_all(px);

	if (!px->stats_socket && !px->peers && !leads_on(px) && !answers_itself(px) &&
	    !px->session_rules && !px->connection_rules && !monitor_uri(px))
		config_note(cfg, &px->loc,
			    "frontend '%s' leads to no backend: whoever comes gets an "
			    "error",
			    px->name);
	if (last && leads_on(px))
		config_notice(cfg, &last->loc, "'%s' answers all requests of '%s': none comes to a "
			      "backend", last->action->name, px->name);
}

/* ---- names -------------------------------------------------------------------------------------
 */

static void doubt_acls(struct config *cfg, const struct proxy *px)
{
	const struct acl *acl;

	for (acl = px->acls ? px->acls->first : NULL; acl; acl = acl->next)
		if (!acl->used && acl->tests)
			config_note(cfg, &acl->tests->loc, "ACL '%s' is never used", acl->name);
}

static int doubts_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;
	bool later;

	(void)data;
	if (config_failed(cfg))
		return 0;
	doubt_addresses(cfg, all);
	later = names_come_later(all);
	list_for_each(px, &all->list, node) {
		if (px->set.disabled)
			continue;
		doubt_acls(cfg, px);
		doubt_mode(cfg, px);
		doubt_hidden_servers(cfg, px);
		doubt_limits(cfg, px);
		if (!(px->caps & PROXY_BACKEND))
			doubt_frontend(cfg, px);
		if (px->caps & PROXY_BACKEND && !proxy_is_udp(px))
			doubt_backend(cfg, all, px, later);
	}
	userlists_doubt(cfg);
	return 0;
}

const struct module doubts_module = { .name = "doubts", .finish = doubts_finish };
