/* SPDX-License-Identifier: BSD-2-Clause */
/* A backend in service without streams. Linked into the tests only. */
#include "lb/test_world.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "config/environment.h"
#include "config/load.h"
#include "lb/algo.h"
#include "lb/balance.h"
#include "net/bind_conf.h"
#include "proxy/test_config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct module *const world_modules[] = { &environment_module, &bind_module,
						      &proxy_module, &server_module, &lb_module,
						      NULL };
static struct config *cfg;
static struct server **servers;

static void list_servers(void)
{
	struct server *s;
	unsigned i = 0;

	servers = calloc(world_backend()->server_count + 1u, sizeof(*servers));
	for (s = world_backend()->servers; s; s = s->next)
		servers[i++] = s;
}

void world_begin(const char *lines)
{
	struct err err = { "" };
	struct text t;
	size_t size = strlen(lines) + 200;
	char *text = malloc(size);

	text_init(&t, text, size);
	text_printf(&t, "defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
		    "backend b\n%s", lines);
	clock_freeze(100000);
	cfg = test_config_serve(world_modules, t.ptr);
	free(text);
	if (lb_module.prepare(cfg, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	list_servers();
}

void world_begin_many(const char *lines, unsigned n, const char *settings)
{
	size_t size = strlen(lines) + n * (40 + strlen(settings)) + 1;
	char *text = malloc(size);
	struct text t;
	unsigned i;

	text_init(&t, text, size);
	text_str(&t, lines);
	for (i = 0; i < n; i++)
		text_printf(&t, " server s%u 127.0.0.1:1 %s\n", i, settings);
	world_begin(text);
	free(text);
}

void world_end(void)
{
	config_free(&cfg);
	free(servers);
	memset(&server_hooks, 0, sizeof(server_hooks));
}

struct proxy *world_backend(void)
{
	return proxy_find(proxies_running, "b", PROXY_BACKEND);
}

struct server *world_server(unsigned i)
{
	return servers[i];
}

static int pick(const struct balance_key *key)
{
	bool full;
	struct server *s = balance_pick(world_backend(), key, &full);
	unsigned i;

	if (!s)
		return full ? -2 : -1;
	/* The index among those of its kind, at most that in the file. */
	for (i = s->lb->index; servers[i] != s; i++)
		;
	return (int)i;
}

int world_pick(const char *client)
{
	struct addr src = { .family = AF_UNIX };

	if (client && inet_pton(AF_INET, client, &src.v4) == 1)
		src.family = AF_INET;
	else if (client && inet_pton(AF_INET6, client, &src.v6) == 1)
		src.family = AF_INET6;
	return pick(&(struct balance_key){ .src = &src });
}

int world_pick_avoiding(unsigned avoid)
{
	struct addr src = { .family = AF_UNIX };

	return pick(&(struct balance_key){ .src = &src, .avoid = servers[avoid] });
}

void world_take(unsigned i)
{
	servers[i]->tally->current++;
	world_backend()->be->served++;
	balance_taken(servers[i]);
}

void world_release(unsigned i)
{
	servers[i]->tally->current--;
	world_backend()->be->served--;
	balance_released(servers[i]);
}
