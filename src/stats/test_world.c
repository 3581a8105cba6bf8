/* SPDX-License-Identifier: BSD-2-Clause */
/* Proxies made by hand for the tests of stats/ and cli/; see the header. */
#include "stats/test_world.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/kind.h"
#include "check/check.h"
#include "proxy/limits.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything is taken from here, so that one call frees the world. */
static void *memory[65536];
static int taken;
static struct arena *arena;

static void *take(size_t size)
{
	BUG_ON(taken == ARRAY_LEN(memory));
	memory[taken] = calloc(1, size);
	BUG_ON(!memory[taken]);
	return memory[taken++];
}

static struct addr ip(const char *text, uint16_t port)
{
	struct addr addr = { .family = AF_INET, .port = port };

	if (inet_pton(AF_INET, text, &addr.v4) != 1) {
		addr.family = AF_INET6;
		BUG_ON(inet_pton(AF_INET6, text, &addr.v6) != 1);
	}
	return addr;
}

static struct proxy *add_proxy(struct world *w, const char *name, unsigned caps)
{
	static int next_id;
	struct proxy *px = take(sizeof(*px));

	if (list_empty(&w->all.list))
		next_id = 2;
	px->name = name;
	px->caps = caps;
	px->uuid = next_id++;
	px->run_state = PROXY_READY;
	px->servers_tail = &px->servers;
	list_init(&px->binds);
	list_init(&px->streams);
	list_init(&px->queue);
	list_init(&px->uppers);
	list_init(&px->switch_rules);
	if (caps & PROXY_FRONTEND)
		px->fe = take(sizeof(*px->fe));
	if (caps & PROXY_BACKEND)
		px->be = take(sizeof(*px->be));
	px->state = take(sizeof(*px->state));
	px->state->changed_ms = 990000;
	proxy_enter(&w->all, arena, px);
	return px;
}

static struct server *add_server(struct proxy *px, const char *name, struct addr addr)
{
	struct server *s = take(sizeof(*s));

	s->id = name;
	s->proxy = px;
	s->puid = ++px->server_count;
	s->set.weight = 1;
	s->set.pool_max_conn = -1;
	s->set.rise = 2;
	s->set.fall = 3;
	s->state = take(sizeof(*s->state));
	s->tally = take(sizeof(*s->tally));
	s->state->user_weight = s->state->effective_weight = 1;
	s->state->op = SERVER_UP;
	s->state->health = 4;
	s->state->addr = addr;
	s->state->changed_ms = 990000;
	s->state->check.status = CHECK_INIT;
	list_init(&s->streams);
	list_init(&s->queue);
	list_init(&s->trackers);
	list_init(&s->tracker_node);
	*px->servers_tail = s;
	px->servers_tail = &s->next;
	s->order = ++px->last_order;
	return s;
}

static void weigh(struct server *s, int weight)
{
	s->set.weight = weight;
	s->state->user_weight = s->state->effective_weight = (unsigned)weight;
}

static void never_fires(struct timer *timer)
{
	(void)timer;
}

/* Checked with this result. */
static void check(struct server *s, int status)
{
	struct check *check = take(sizeof(*check)); /* it is never run here */

	check->server = s;
	timer_init(&check->timer, never_fires);
	server_part_set(s, &check_part, check);
	s->set.options.on |= SRV_CHECK;
	s->state->check.status = (uint8_t)status;
}

static void add_listener(struct proxy *px, const char *name, struct addr addr)
{
	struct bind_conf *bind = take(sizeof(*bind));
	struct listener *l = take(sizeof(*l));

	KIND_IS(struct proxy, px);
	bind->owner = px;
	bind->name = name;
	list_init(&bind->listeners);
	list_append(&px->binds, &bind->node);
	listener_init(l, bind);
	l->addr = addr;
	l->state = LISTENER_READY;
	l->src.fd = -1;
	l->tally = take(sizeof(*l->tally));
	l->id = px->binds.next == px->binds.prev ? 1 : 2;
}

static void make_one(struct world *w)
{
	struct proxy *px = w->one = add_proxy(w, "one", PROXY_FRONTEND | PROXY_BACKEND);

	px->set.options.on |= OPT_SOCKET_STATS;
	px->state->maxconn = 100;
	px->fullconn = 10;
	add_listener(px, "sockone", ip("127.0.0.1", 29080));
	add_listener(px, NULL, ip("127.0.0.1", 29081));
	w->s1 = add_server(px, "s1", ip("127.0.0.1", 29001));
	w->s2 = add_server(px, "s2", ip("127.0.0.1", 29002));
	w->s3 = add_server(px, "s3", ip("127.0.0.1", 29003));
	w->s4 = add_server(px, "s4", ip("127.0.0.1", 29003));
	weigh(w->s1, 10);
	w->s1->state->maxconn = 50;
	check(w->s1, CHECK_L4OK);
	w->s2->set.options.on |= SRV_BACKUP;
	check(w->s2, CHECK_L4OK);
	check(w->s3, CHECK_L4CON);
	w->s3->state->op = SERVER_DOWN;
	w->s3->state->health = 0;
	w->s3->state->check.error = 111;
	w->s4->set.options.on |= SRV_DISABLED;
	w->s4->state->admin = ADMIN_FORCED_MAINT;
}

static void make_be(struct world *w)
{
	w->fe = add_proxy(w, "fe", PROXY_FRONTEND);
	w->fe->state->maxconn = 500;
	w->fe->state->rate_limit = 200;
	w->be = add_proxy(w, "be", PROXY_BACKEND);
	w->be->set.balance = BALANCE_LEASTCONN;
	w->be->fullconn = 50;
	w->t1 = add_server(w->be, "t1", ip("127.0.0.1", 29001));
	w->t1->tracked = w->s1;
	list_append(&w->s1->trackers, &w->t1->tracker_node);
	w->t2 = add_server(w->be, "t2", ip("127.0.0.1", 29002));
	weigh(w->t2, 30);
	w->t2->set.maxqueue = 7;
	w->t3 = add_server(w->be, "t3", ip("::1", 29002));
	w->empty = add_proxy(w, "empty", PROXY_BACKEND);
	w->empty->fullconn = 1;
}

static void make_stats(struct world *w)
{
	struct addr unix_addr = { .family = AF_UNIX, .path = "/run/penstock.sock" };

	w->stats = add_proxy(w, "GLOBAL", PROXY_FRONTEND);
	list_remove(&w->stats->node);
	list_append(&w->all.stats_frontends, &w->stats->node);
	w->stats->stats_socket = true;
	add_listener(w->stats, NULL, unix_addr);
	add_listener(w->stats, NULL, ip("::1", 29099));
}

struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

	BUG_ON(!w);
	arena = arena_new(4096);
	clock_freeze(1000000);
	list_init(&w->all.list);
	list_init(&w->all.defaults);
	list_init(&w->all.stats_frontends);
	list_init(&w->all.peers);
	proxies_running = &w->all;
	global_state = &w->global;
	global_tally = &w->global_tally;
	w->global.maxconn = limits.hard_maxconn = 500;
	w->global.start_ms = 1000000 - 93784000; /* a day, two hours, three minutes, four s */
	w->global.start_wall_us = 1700000000250000;
	make_one(w);
	make_be(w);
	make_stats(w);
	return w;
}

struct proxy *world_add_many(struct world *w, int n)
{
	struct proxy *px = add_proxy(w, "many", PROXY_BACKEND);
	char *name;

	for (int i = 0; i < n; i++) {
		name = take(16);
		snprintf(name, 16, "m%d", i);
		add_server(px, name, ip("127.0.0.1", 80));
	}
	return px;
}

void world_free(struct world **w)
{
	timer_cancel(&check_of((*w)->s1)->timer);
	while (taken)
		free(memory[--taken]);
	arena_free(&arena);
	free(*w);
	*w = NULL;
	proxies_running = NULL;
	global_state = NULL;
	global_tally = NULL;
}
