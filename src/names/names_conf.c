/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of server lines about names that are looked up while serving (manual 5.2), and what they
 * come to when all sections are known. */
#include "names/server_names.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/module.h"
#include "config/suggest.h"
#include "dns/files.h"
#include "dns/resolvers.h"
#include "proxy/proxy.h"

#include <arpa/inet.h>
#include <string.h>

enum { NETS_MOST = 20 };

static int parse_opts(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const names[] = { "allow-dup-ip", "ignore-weight", "prevent-dup-ip", NULL };
	const char *word = stmt_need(st, "a list of options");
	struct server *s = object;
	char *list, *name;

	(void)kw;
	if (!word)
		return -1;
	list = arena_strdup(st->cfg->arena, word);
	while ((name = strsep(&list, ","))) {
		if (!strcmp(name, "allow-dup-ip"))
			s->set.resolve_opts |= RESOLVE_ALLOW_DUP_IP;
		else if (!strcmp(name, "prevent-dup-ip"))
			s->set.resolve_opts &= ~(unsigned)RESOLVE_ALLOW_DUP_IP;
		else if (!strcmp(name, "ignore-weight"))
			s->set.resolve_opts |= RESOLVE_IGNORE_WEIGHT;
		else
			return stmt_unknown_part(st, st->at - 1, name, "option", names);
	}
	return 0;
}

/* Bits of a prefix: a number, or a mask of IPv4. -1: it is none. */
static int64_t prefix(const char *text, const struct addr *addr)
{
	int64_t bits, most = addr->family == AF_INET ? 32 : 128;
	struct in_addr mask;
	uint32_t m;

	if (str_to_int(text, 0, most, &bits))
		return bits;
	if (addr->family != AF_INET || inet_pton(AF_INET, text, &mask) != 1)
		return -1;
	m = ntohl(mask.s_addr);
	if (~m & (~m + 1))
		return -1;
	for (bits = 0; bits < 32 && m & (UINT32_C(1) << (31 - bits)); bits++)
		;
	return bits;
}

static bool read_net(char *text, struct resolve_net *net)
{
	char *slash = strchr(text, '/');
	int64_t bits;

	if (slash)
		*slash = 0;
	if (!dns_literal(span_of(text), &net->addr))
		return false;
	bits = slash ? prefix(slash + 1, &net->addr) : net->addr.family == AF_INET ? 32 : 128;
	net->bits = bits < 0 ? 0 : (unsigned)bits;
	return bits >= 0;
}

static int parse_net(struct statement *st, const struct keyword *kw, void *object)
{
	struct resolve_net *nets = arena_alloc(st->cfg->arena, NETS_MOST * sizeof(*nets));
	const char *word = stmt_need(st, "a list of networks");
	struct server *s = object;
	char *list, *text;
	unsigned n = 0;

	(void)kw;
	if (!word)
		return -1;
	list = arena_strdup(st->cfg->arena, word);
	while ((text = strsep(&list, ","))) {
		if (n == NETS_MOST)
			return stmt_error(st, st->at - 1, "'resolve-net' takes at most %d networks", NETS_MOST);
		if (!read_net(text, &nets[n++]))
			return stmt_error(st, st->at - 1, "'%s' is no network, such as 192.0.2.0/24", text);
	}
	s->set.resolve_nets = nets;
	s->set.resolve_net_count = n;
	return 0;
}

static const struct keyword names_keywords[] = {
	{ "resolvers", SCOPE_SERVER, 0, "<id>", set_string,
	  .offset = offsetof(struct server, set.resolvers), .dflt = "none: names are looked up once",
	  .help = "section of the name servers that are asked for its name while serving" },
	{ "resolve-net", SCOPE_SERVER, 0, "<network>[,<network>]*", parse_net,
	  .help = "networks whose addresses are taken before others" },
	{ "resolve-opts", SCOPE_SERVER, 0, "<option>[,<option>]*", parse_opts,
	  .dflt = "prevent-dup-ip",
	  .help = "whether two servers may have one address; whether weights of services count" },
	{ "resolve-prefer", SCOPE_SERVER, 0, "{ ipv4 | ipv6 }", set_enum,
	  .offset = offsetof(struct server, set.resolve_prefer),
	  .names = (const char *const[]){ [PREFER_IPV6] = "ipv6", [PREFER_IPV4] = "ipv4", NULL },
	  .dflt = "ipv6", .help = "whose addresses are asked for first" },
	{ 0 }
};

/* Hosts of services have ports of their own. */
static void name_service(struct server *s)
{
	s->is_service = true;
	s->spec.has_offset = false;
	s->spec.unresolved = true;
}

/* said: copies of a server-template are told of with the first. */
static void name_one(struct config *cfg, struct server *s, bool said)
{
	char name[DNS_NAME_MOST + 1];
	struct location loc;

	if (!s->set.resolvers || s->refused || s->added)
		return;
	s->resolvers = resolvers_find(cfg, s->set.resolvers);
	if (!s->resolvers && said)
		return;
	if (!s->resolvers) {
		loc = config_locate(cfg, &s->loc, s->set.resolvers);
		config_error(cfg, &loc,
			     "server '%s' names resolvers '%s', but there is no such section",
			     s->id, s->set.resolvers);
		resolvers_suggest(cfg, s->set.resolvers);
		return;
	}
	if (!said && s->spec.hostname && !dns_name(span_of(s->spec.hostname), name))
		config_error(cfg, &s->loc, "server '%s': '%s' is no name that name servers could be asked "
			     "for", s->id, s->spec.hostname);
	if (s->spec.hostname && s->spec.hostname[0] == '_')
		name_service(s);
}

/* Which section "resolvers" is asked for whose names, and which names are those of services. */
static int names_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct server *before;
	struct proxy *px;
	struct server *s;

	(void)data;
	list_for_each(px, &all->list, node)
		for (s = px->servers, before = NULL; s; before = s, s = s->next)
			name_one(cfg, s, before && before->loc.line == s->loc.line &&
						 !strcmp(before->loc.file, s->loc.file));
	return 0;
}

const struct module names_words_module = {
	.name = "names of servers", .keywords = names_keywords, .finish = names_finish,
};
