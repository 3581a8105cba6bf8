/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that asks: which names it asks for, and which server gets which of the addresses, or of
 * the hosts of a service. Servers of one backend that want the same of one name are a group, so that
 * no two of them get one address unless they may. Nothing is changed here: what is to be changed goes
 * through the ordered log (names_change.c). While changes are under way no group is looked at, so
 * that what this process knows of servers is what all know, and what is decided follows from it.
 */
#include "names/server_names.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "config/module.h"
#include "dns/files.h"
#include "dns/resolution.h"
#include "dns/resolvers.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "proxy/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, WEIGHT_UNIT = 256, WEIGHT_STAYS = WEIGHT_MOST + 1 };

struct name_group {
	struct list bucket, node;       /* node: in dirty */
	struct dns_requester requester;
	struct proxy *proxy;
	struct resolvers *resolvers;
	enum dns_type type;
	bool for_services;              /* its names come from services: an address may be used twice */
	bool lost;                      /* the failure at hand has taken what its servers had */
	struct list members;            /* struct name_member */
	char name[];
};

/* A server in a group. */
struct name_member {
	struct list node;
	struct name_group *group;       /* NULL: in none */
	struct server *server;
	bool kept;                      /* while a group is looked at */
};

struct server_name {
	struct name_member host, service;
};

static struct list buckets[BUCKETS], dirty = LIST_INIT(dirty);
static bool asking;
static bool *used; /* of what is held, while a group is looked at */
static unsigned used_room;

static void look_at_all(struct task *task);
static struct task looker = { .node = LIST_INIT(looker.node), .run = look_at_all };

/* ---- groups ---------------------------------------------------------------------------------- */

static void group_soil(struct name_group *g)
{
	if (list_empty(&g->node))
		list_append(&dirty, &g->node);
	if (!names_under_way)
		task_wake(&looker);
}

static bool group_has_addresses(const struct name_group *g)
{
	const struct name_member *m;

	list_for_each(m, &g->members, node)
		if (!(m->server->state->admin & ADMIN_RESOLUTION))
			return true;
	return false;
}

static void group_resolved(struct dns_requester *r, struct resolution *res)
{
	struct name_group *g = container_of(r, struct name_group, requester);
	bool valid = res->status == STATUS_VALID;

	g->lost &= !valid;
	if (!list_empty(&g->node))
		group_soil(g);
	else if (valid ? res->changed
		       : !g->lost && !resolution_holds(res) && group_has_addresses(g))
		group_soil(g);
}

static struct list *bucket_of(const char *name)
{
	struct list *bucket = &buckets[hash_wt6(name, strlen(name)) % BUCKETS];

	if (!bucket->next)
		list_init(bucket);
	return bucket;
}

static struct name_group *group_find(const struct server *s, enum dns_type type, const char *name)
{
	struct name_group *g;

	list_for_each(g, bucket_of(name), bucket)
		if (g->proxy == s->proxy && g->resolvers == s->resolvers && g->type == type &&
		    g->for_services == s->is_service && !strcmp(g->name, name))
			return g;
	return NULL;
}

static struct name_group *group_new(struct server *s, enum dns_type type, const char *name)
{
	size_t size = strlen(name) + 1;
	struct name_group *g = calloc(1, sizeof(*g) + size);

	if (!g)
		return NULL;
	g->proxy = s->proxy;
	g->resolvers = s->resolvers;
	g->type = type;
	g->for_services = s->is_service;
	memcpy(g->name, name, size);
	list_init(&g->node);
	list_init(&g->members);
	g->requester.again = true;
	g->requester.resolved = group_resolved;
	resolution_want(s->resolvers, name, type, &g->requester);
	if (!g->requester.resolution) {
		free(g);
		return NULL;
	}
	list_append(bucket_of(name), &g->bucket);
	return g;
}

/* Is there a server without an address, or without a host of the service? */
static bool group_waits(const struct name_group *g)
{
	const struct name_member *m;

	list_for_each(m, &g->members, node)
		if (g->type == DNS_SRV ? !m->server->state->hostname :
					 m->server->state->admin & ADMIN_RESOLUTION)
			return true;
	return false;
}

/* What it had is free now for one that has nothing. */
static void member_leave(struct name_member *m)
{
	struct name_group *g = m->group;

	if (!g)
		return;
	m->group = NULL;
	list_remove(&m->node);
	if (group_waits(g))
		group_soil(g);
	if (!list_empty(&g->members))
		return;
	resolution_leave(&g->requester);
	list_remove(&g->bucket);
	list_remove(&g->node);
	free(g);
}

/* An address that was found before this process asked holds as if it had just been found. */
static void member_brings(const struct name_member *m)
{
	struct resolution *res = m->group->requester.resolution;
	const struct server *s = m->server;

	if (s->state->admin & ADMIN_RESOLUTION || s->state->addr.family == AF_UNSPEC)
		return;
	if (!res->valid_ms)
		res->valid_ms = clock_now_ms;
}

/* name NULL: it is to be in no group. Without memory it is in none: the next change, or process, tries
 * again. */
static void member_join(struct name_member *m, enum dns_type type, const char *name)
{
	struct server *s = m->server;
	char asked[DNS_NAME_MOST + 1];
	struct name_group *g;

	if (name && !dns_name(span_of(name), asked))
		name = NULL;
	if (m->group && name && m->group->type == type && !strcmp(m->group->name, asked))
		return;
	member_leave(m);
	g = name ? group_find(s, type, asked) : NULL;
	if (name && !g)
		g = group_new(s, type, asked);
	if (!g)
		return;
	m->group = g;
	list_append(&g->members, &m->node);
	member_brings(m);
	resolution_hurry(g->requester.resolution);
	if (list_empty(&g->node))
		list_append(&dirty, &g->node); /* it is looked at when the answer is there */
}

/* ---- addresses -------------------------------------------------------------------------------- */

static bool room_for(unsigned count)
{
	bool *more;

	if (count > used_room) {
		more = realloc(used, count * sizeof(*used));
		if (!more)
			return false;
		used = more;
		used_room = count;
	}
	if (count)
		memset(used, 0, count * sizeof(*used));
	return true;
}

static const struct addr *address_of(const struct dns_record *record)
{
	return record->v4.family ? &record->v4 : &record->v6;
}

static bool same_host(const struct addr *a, const struct addr *b)
{
	struct addr x = *a, y = *b;

	x.port = y.port = 0;
	return addr_equal(&x, &y);
}

static bool in_net(const struct addr *addr, const struct resolve_net *net)
{
	const uint8_t *a = (const uint8_t *)&addr->v6, *b = (const uint8_t *)&net->addr.v6;
	unsigned whole = net->bits / 8, rest = net->bits % 8;

	return addr->family == net->addr.family && !memcmp(a, b, whole) &&
	       (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

/* How much the server would rather have it: the family, then the network. */
static int liking(const struct server *s, const struct addr *addr)
{
	int family = s->set.resolve_prefer == PREFER_IPV4 ? AF_INET : AF_INET6;
	unsigned i;

	for (i = 0; i < s->set.resolve_net_count; i++)
		if (in_net(addr, &s->set.resolve_nets[i]))
			return addr->family == family ? 3 : 1;
	return addr->family == family ? 2 : 0;
}

static bool may_share(const struct name_group *g, const struct server *s)
{
	return g->for_services || s->set.resolve_opts & RESOLVE_ALLOW_DUP_IP;
}

/* The one that it has. -1: it is not held, or another server has it. */
static int held_now(const struct name_group *g, const struct server *s, const struct resolution *res)
{
	unsigned i;

	for (i = 0; i < res->count; i++)
		if (same_host(address_of(&res->held[i].record), &s->state->addr))
			return used[i] && !may_share(g, s) ? -1 : (int)i;
	return -1;
}

/* The best that it may have; unused ones come first. -1: there is none. */
static int held_best(const struct name_group *g, const struct server *s, const struct resolution *res)
{
	int best = -1, most = -1, n;
	unsigned i;

	for (i = 0; i < res->count; i++) {
		if (used[i] && !may_share(g, s))
			continue;
		n = 2 * liking(s, address_of(&res->held[i].record)) + !used[i];
		if (n > most) {
			most = n;
			best = (int)i;
		}
	}
	return best;
}

static void lose(struct server *s, const char *reason)
{
	if (!(s->state->admin & ADMIN_RESOLUTION))
		names_add(s, &(struct names_step){ .op = NAMES_UNRESOLVED, .text = reason });
}

static void keep_addresses(struct name_group *g, const struct resolution *res)
{
	struct name_member *m;
	int now;

	list_for_each(m, &g->members, node) {
		now = m->server->state->admin & ADMIN_RESOLUTION ? -1 : held_now(g, m->server, res);
		m->kept = now >= 0;
		if (m->kept)
			used[now] = true;
	}
}

/* Does it change to what it likes better? */
static bool likes_better(const struct server *s, const struct addr *found)
{
	return liking(s, found) > liking(s, &s->state->addr);
}

static void give_addresses(struct name_group *g, const struct resolution *res)
{
	char by[128];
	const struct addr *found;
	struct name_member *m;
	bool first = true;
	int best, now;

	snprintf(by, sizeof(by), "%s/%s", g->resolvers->name, res->by->name);
	list_for_each(m, &g->members, node) {
		best = held_best(g, m->server, res);
		found = best < 0 ? NULL : address_of(&res->held[best].record);
		if (m->kept && (!found || !likes_better(m->server, found)))
			continue;
		if (!found) {
			lose(m->server, "No IP for server ");
			continue;
		}
		now = m->kept ? held_now(g, m->server, res) : -1;
		if (now >= 0)
			used[now] = false;
		used[best] = true;
		names_add(m->server, &(struct names_step){ .op = NAMES_ADDR, .addr = *found,
							   .by = first ? by : "DNS cache" });
		first = false;
	}
}

/* ---- services ---------------------------------------------------------------------------------- */

/* Weights of 0 to 65535 are 0 to 256. */
static unsigned weight_of(const struct server *s, const struct dns_record *record)
{
	if (s->set.resolve_opts & RESOLVE_IGNORE_WEIGHT)
		return WEIGHT_STAYS;
	return (record->weight + WEIGHT_UNIT - 1u) / WEIGHT_UNIT;
}

/* What the answer has beside the host. AF_UNSPEC: nothing. */
static struct addr additional(const struct server *s, const struct dns_record *record)
{
	bool v4 = s->set.resolve_prefer == PREFER_IPV4 ? record->v4.family : !record->v6.family;
	struct addr addr = v4 ? record->v4 : record->v6;

	addr.port = record->port;
	return addr;
}

static const struct dns_record *service_now(const struct server *s, const struct resolution *res, int *at)
{
	unsigned i;

	for (i = 0; s->state->hostname && i < res->count; i++) {
		const struct dns_record *record = &res->held[i].record;

		if (used[i] || record->port != s->state->addr.port ||
		    strcmp(record->target, s->state->hostname) != 0)
			continue;
		*at = (int)i;
		return record;
	}
	return NULL;
}

/* Hosts without an address in the answer are asked for by themselves. */
static void ask_for_host(struct server *s, const struct dns_record *record)
{
	bool known = record && additional(s, record).family != AF_UNSPEC;

	member_join(&s->name->host, s->set.resolve_prefer == PREFER_IPV4 ? DNS_A : DNS_AAAA,
		    record && !known ? s->state->hostname : NULL);
}

static void keep_service(struct server *s, const struct dns_record *record)
{
	struct addr addr = additional(s, record);
	unsigned weight = weight_of(s, record);

	ask_for_host(s, record);
	if (weight != WEIGHT_STAYS && weight != s->state->user_weight)
		names_add(s, &(struct names_step){ .op = NAMES_WEIGHT, .weight = weight });
	if (addr.family != AF_UNSPEC &&
	    (s->state->admin & ADMIN_RESOLUTION || !same_host(&addr, &s->state->addr)))
		names_add(s, &(struct names_step){ .op = NAMES_ADDR, .addr = addr,
						   .by = "DNS additional record" });
}

static void keep_services(struct name_group *g, const struct resolution *res)
{
	const struct dns_record *record;
	struct name_member *m;
	int at = 0;

	list_for_each(m, &g->members, node) {
		record = service_now(m->server, res, &at);
		m->kept = record;
		if (record) {
			used[at] = true;
			keep_service(m->server, record);
		}
	}
}

/* The unused one of the lowest priority number, of these the first; -1: there is none. */
static int service_next(const struct resolution *res)
{
	int best = -1;
	unsigned i;

	for (i = 0; i < res->count; i++)
		if (!used[i] && (best < 0 || res->held[i].record.priority < res->held[best].record.priority))
			best = (int)i;
	return best;
}

static void give_services(struct name_group *g, const struct resolution *res)
{
	struct name_member *m;
	int at;

	list_for_each(m, &g->members, node) {
		struct server *s = m->server;

		if (m->kept)
			continue;
		at = service_next(res);
		if (s->state->hostname) {
			ask_for_host(s, NULL);
			names_add(s, &(struct names_step){ .op = NAMES_GONE });
		}
		if (at < 0)
			continue;
		used[at] = true;
		names_add(s, &(struct names_step){ .op = NAMES_SERVICE,
						   .addr = additional(s, &res->held[at].record),
						   .weight = weight_of(s, &res->held[at].record),
						   .text = res->held[at].record.target,
						   .by = "DNS additional record" });
	}
}

/* ---- looking at groups ------------------------------------------------------------------------- */

static void lose_all(struct name_group *g, struct resolution *res)
{
	static const char *const reasons[] = {
		[STATUS_NX] = "DNS NX status", [STATUS_REFUSED] = "DNS refused status",
		[STATUS_TIMEOUT] = "DNS timeout status", [STATUS_OTHER] = "unspecified DNS error",
	};
	struct name_member *m;

	list_for_each(m, &g->members, node) {
		if (g->type != DNS_SRV)
			lose(m->server, reasons[res->status]);
		else if (m->server->state->hostname)
			names_add(m->server, &(struct names_step){ .op = NAMES_GONE });
	}
	g->lost = true;
	resolution_drop(res);
}

static void look_at(struct name_group *g)
{
	struct resolution *res = g->requester.resolution;

	if (res->status == STATUS_NONE)
		return;
	if (res->status != STATUS_VALID) {
		if (!resolution_holds(res))
			lose_all(g, res);
		return;
	}
	if (!room_for(res->count)) /* no memory: the next change may find some */
		return;
	if (g->type == DNS_SRV) {
		keep_services(g, res);
		give_services(g, res);
	} else {
		keep_addresses(g, res);
		give_addresses(g, res);
	}
}

static void changes_made(void *arg, const char *error, const char *said, size_t len)
{
	(void)arg, (void)error, (void)said, (void)len;
	if (!names_under_way && !list_empty(&dirty))
		task_wake(&looker);
}

/* Groups whose first answer is still to come stay where they are. */
static void look_at_all(struct task *task)
{
	struct list waiting = LIST_INIT(waiting);
	struct name_group *g;

	(void)task;
	if (names_under_way || !asking)
		return;
	while (!list_empty(&dirty)) {
		g = list_first(&dirty, struct name_group, node);
		list_remove(&g->node);
		if (g->requester.resolution->status == STATUS_NONE)
			list_append(&waiting, &g->node);
		else
			look_at(g);
	}
	while (!list_empty(&waiting)) {
		g = list_first(&waiting, struct name_group, node);
		list_remove(&g->node);
		list_append(&dirty, &g->node);
	}
	names_submit(changes_made);
}

/* ---- who asks ---------------------------------------------------------------------------------- */

/* The names that it needs now. */
static void server_ask(struct server *s)
{
	struct server_name *n = s->name;

	if (s->is_service)
		member_join(&n->service, DNS_SRV, s->spec.hostname);
	else
		member_join(&n->host, s->set.resolve_prefer == PREFER_IPV4 ? DNS_A : DNS_AAAA,
			    server_hostname(s));
}

void names_changed(struct server *s)
{
	if (!s->name)
		return;
	if (!s->is_service) {
		server_ask(s);
		return;
	}
	if (!s->state->hostname)
		member_leave(&s->name->host);
	if (s->name->service.group)
		group_soil(s->name->service.group);
}

void server_name_hurry(struct server *s)
{
	struct server_name *n = s->name;

	if (n && n->host.group)
		resolution_hurry(n->host.group->requester.resolution);
	if (n && n->service.group)
		resolution_hurry(n->service.group->requester.resolution);
}

static void server_begin(struct server *s)
{
	if (!s->resolvers || !s->resolvers->count || s->name)
		return;
	s->name = calloc(1, sizeof(*s->name));
	if (!s->name)
		return;
	s->name->host.server = s->name->service.server = s;
	server_ask(s);
}

static void server_end(struct server *s)
{
	if (!s->name)
		return;
	member_leave(&s->name->host);
	member_leave(&s->name->service);
	free(s->name);
	s->name = NULL;
}

/* It is deleted. */
struct server_part names_server_part = { .leave = server_end };

static void ask(bool active)
{
	struct proxy *px;
	struct server *s;

	if (active == asking || !proxies_running)
		return;
	asking = active;
	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s && !px->set.disabled; s = s->next)
			(active ? server_begin : server_end)(s);
}

static int names_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg, (void)data, (void)err;
	facts_on_checker(ask);
	return 0;
}

static void forget_hostnames(void)
{
	struct proxy *px;
	struct server *s;

	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s; s = s->next) {
			free(s->state->hostname);
			s->state->hostname = NULL;
		}
}

static void names_stop(void)
{
	const struct list *all = resolvers_running();
	struct resolvers *r;

	facts_off_checker(ask);
	ask(false);
	task_cancel(&looker);
	free(used);
	used = NULL;
	used_room = 0;
	list_for_each(r, all, node)
		resolutions_end(r);
	if (proxies_running)
		forget_hostnames();
}

const struct module names_module = {
	.name = "names", .start = names_start, .stop = names_stop,
};
