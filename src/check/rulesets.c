/* SPDX-License-Identifier: BSD-2-Clause */
/* From options and rules to the ruleset that the checks of a proxy walk through: inheritance, what
 * is implied, and what does not fit together. Called at the end of the configuration. */
#include "check/rulesets.h"

#include "base/arena.h"
#include "check/external.h"
#include "proxy/check_target.h"
#include "proxy/proxy.h"

/* -- the end --------------------------------------------------------------------------------- */

static struct ruleset *tcp_rules(struct config *cfg, const struct check_conf *conf)
{
	const struct step *real = step_first_real(conf->tcp.first);
	struct ruleset *rules = arena_alloc(cfg->arena, sizeof(*rules));
	struct step *connect;

	rules->type = CHECK_TCP;
	rules->first = conf->tcp.first;
	if (real && real->kind == STEP_CONNECT)
		return rules;
	connect = arena_alloc(cfg->arena, sizeof(*connect));
	connect->kind = STEP_CONNECT;
	connect->connect.as_server = true;
	connect->next = conf->tcp.first;
	rules->first = connect;
	return rules;
}

static void warn_ignored(struct config *cfg, const struct proxy *px, const struct check_conf *conf)
{
	if (conf->own_tcp && conf->type != CHECK_TCP)
		config_warning(cfg, &conf->tcp_loc, "rules of 'tcp-check' are ignored without "
			       "'option tcp-check' in '%s'", px->name);
	if (conf->own_http && conf->type != CHECK_HTTP)
		config_warning(cfg, &conf->http_loc, "rules of 'http-check' are ignored without "
			       "'option httpchk' in '%s'", px->name);
}

/* The request of the section's own rules, NULL: they have none. */
static const struct request_conf *first_request(const struct check_conf *conf)
{
	const struct step *step = conf->http.first;

	while (step && step->kind != STEP_SEND)
		step = step->next;
	return step ? step->send.request : NULL;
}

/* Own rules beside an option of the defaults: a written request takes nothing from that option, and
 * rules without a request ask as it says, where HAProxy asks nothing. Neither is obvious. */
static void warn_option_apart(struct config *cfg, const struct proxy *px, const struct check_conf *conf)
{
	const struct request_conf *option = &conf->request, *given = first_request(conf);
	const char *file = conf->loc.file;
	unsigned line = conf->loc.line;

	if (!conf->own_http || conf->type != CHECK_HTTP || http_option_joins(conf) || !option->uri.ptr)
		return;
	if (!given)
		config_warning(cfg, &conf->http_loc, "checks of '%s' ask as 'option httpchk' of its "
			       "defaults says (%s:%u); HAProxy 2.6 forgets that option here: repeat it to "
			       "be sure of both", px->name, file, line);
	else if ((!given->uri.ptr && !given->uri_format) || (option->method.ptr && !given->method.ptr))
		config_warning(cfg, &conf->http_loc, "checks of '%s' ask nothing that 'option httpchk' of "
			       "its defaults says (%s:%u): repeat that option beside 'http-check send'",
			       px->name, file, line);
}

/* A command is all the rules there are. */
static struct ruleset *external_rules(struct config *cfg, const struct check_conf *conf)
{
	struct ruleset *rules = arena_alloc(cfg->arena, sizeof(*rules));
	const struct external_conf *global = check_conf_external(cfg);

	rules->type = CHECK_EXTERNAL;
	if (!global->enabled)
		config_error(cfg, &conf->loc, "'option external-check' needs 'external-check' in the "
			     "global section");
	if (!conf->command)
		config_error(cfg, &conf->loc, "'option external-check' needs an 'external-check command'");
	return rules;
}

void check_conf_finish(struct config *cfg, struct proxy *px)
{
	struct check_conf *conf = check_conf_of(px);

	if (!conf)
		return;
	if (conf->owner == px) {
		warn_ignored(cfg, px, conf);
		warn_option_apart(cfg, px, conf);
	}
	if (conf->rules)
		return;
	if (conf->type == CHECK_TCP)
		conf->rules = tcp_rules(cfg, conf);
	else if (conf->type == CHECK_HTTP)
		conf->rules = http_rules(cfg, conf);
	else if (conf->type == CHECK_GRPC)
		conf->rules = grpc_rules(cfg, conf);
	else if (conf->type == CHECK_EXTERNAL)
		conf->rules = external_rules(cfg, conf);
	else if (conf->type != CHECK_PLAIN)
		conf->rules = stock_rules(cfg, conf);
}

/* -- ports ----------------------------------------------------------------------------------- */

static bool needs_port(const struct addr *addr)
{
	return addr->family == AF_INET || addr->family == AF_INET6;
}

/* Does each connection of the rules say by itself where it goes? */
static bool rules_give_ports(const struct ruleset *rules)
{
	const struct step *step;
	bool any = false;

	for (step = rules ? rules->first : NULL; step; step = step->next) {
		if (step->kind != STEP_CONNECT)
			continue;
		if (!step->connect.port && !step->connect.port_expr && !step->connect.addr.port)
			return false;
		any = true;
	}
	return any;
}

static bool has_port(const struct server *s)
{
	const struct check_target *target = check_target_of(s);
	const struct addr *addr = s->set.options.on & SRV_CHECK_ADDR ? &target->addr :
								       &s->spec.addr;

	if (!needs_port(addr) || addr->port || target->port)
		return true;
	if (!s->spec.has_offset && s->spec.addr.port)
		return true;
	return rules_give_ports(check_conf_rules(s->proxy));
}

static bool rules_want_tls(const struct ruleset *rules)
{
	const struct step *step;

	for (step = rules ? rules->first : NULL; step; step = step->next)
		if (step->kind == STEP_CONNECT && step->connect.ssl)
			return true;
	return false;
}

/* As in the traffic "h1" and "h2" are for HTTP, and "none" for all else. */
static int check_proto(struct config *cfg, const struct server *s)
{
	enum proto proto = check_target_of(s)->proto;
	const struct ruleset *rules = check_conf_rules(s->proxy);
	bool http = ruleset_is_http(rules);

	if (proto == PROTO_H1 && http && rules->type == CHECK_GRPC)
		return config_error(cfg, &s->loc, "server '%s': 'check-proto h1' does not go with 'option "
				    "grpc-check': gRPC is HTTP/2", s->id);
	if (proto == PROTO_UNSET || (proto == PROTO_NONE) != http)
		return 0;
	return config_error(cfg, &s->loc, "server '%s': 'check-proto %s' is not for these checks: %s", s->id,
			    proto_words[proto], http ? "they are over HTTP" :
			    "they are not over HTTP, for which 'option httpchk' asks");
}

int check_conf_finish_server(struct config *cfg, struct server *s)
{
	uint64_t on = s->set.options.on;

	if (on & SRV_AGENT_CHECK && !server_agent_port(s))
		return config_error(cfg, &s->loc,
				    "server '%s' has 'agent-check', but no 'agent-port', and "
				    "no 'port' either",
				    s->id);
	if (!(on & SRV_CHECK) || s->set.track)
		return 0;
	if (check_proto(cfg, s))
		return -1;
	if (check_conf_rules(s->proxy) && check_conf_rules(s->proxy)->datagrams &&
	    on & SRV_CHECK_SEND_PROXY && !(on & SRV_SEND_PROXY_V2))
		return config_error(cfg, &s->loc, "server '%s': datagrams of 'option udp-check' "
				    "have PROXY headers of version 2: with 'send-proxy-v2'", s->id);
	if (rules_want_tls(check_conf_rules(s->proxy)) && server_need_tls(cfg, s))
		return -1;
	if (has_port(s))
		return 0;
	if (addr_is_any(&s->spec.addr)) { /* "${HOST}:${PORT}" */
		config_warning(cfg, &s->loc, "server '%s' has neither an address nor a port (are variables "
			       "missing?): its checks fail", s->id);
		return 0;
	}
	return config_error(cfg, &s->loc, "server '%s' has 'check', but neither a port of its own nor "
			    "'port' for the checks, nor a 'connect' rule that gives one", s->id);
}
