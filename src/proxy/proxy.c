/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Those of the running generation: the list, in which they come and go, and the search by name.
 * They are put into service by proxy_start.c.
 */
#include "proxy/proxy.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct proxies *proxies_running;

void proxy_enter(struct proxies *all, struct arena *arena, struct proxy *px)
{
	list_append(&all->list, &px->node);
	px->order = ++all->last_order;
	catalog_add(&all->names, arena, px->name, px);
}

void proxy_leave(struct proxies *all, struct proxy *px)
{
	list_remove(&px->node);
	catalog_remove(&all->names, px->name, px);
}

bool proxy_is_there(const struct proxy *px)
{
	const struct proxy *there;

	list_for_each(there, &proxies_running->list, node)
		if (there == px)
			return true;
	return false;
}

struct proxy *proxy_behind(unsigned order)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (px->order > order)
			return px;
	return NULL;
}

void proxy_note_named(struct proxy *backend, const struct location *loc)
{
	if (!backend->named)
		backend->named_at = *loc;
	backend->named = true;
}

struct proxy *proxy_find(const struct proxies *all, const char *name, unsigned caps)
{
	int uuid = *name == '#' ? atoi(name + 1) : 0;
	const struct catalog_entry *e;
	struct proxy *px;

	if (uuid) {
		list_for_each(px, &all->list, node)
			if (px->caps & caps && px->uuid == uuid)
				return px;
		return NULL;
	}
	e = catalog_find(&all->names, span_of(name));
	while (e && !(((struct proxy *)e->object)->caps & caps))
		e = catalog_again(e);
	return e ? e->object : NULL;
}

struct server *server_find(const struct proxy *px, const char *name)
{
	int puid = *name == '#' ? atoi(name + 1) : 0;
	struct server *s;

	for (s = px->servers; s; s = s->next)
		if (puid ? s->puid == puid : !strcmp(s->id, name))
			return s;
	return NULL;
}

struct server *server_find_path(const char *path, struct err *err)
{
	const char *slash = strchr(path, '/');
	char backend[256];
	struct proxy *px;
	struct server *s;

	if (!slash || slash == path || !slash[1] || (size_t)(slash - path) >= sizeof(backend)) {
		err_set(err, "Require 'backend/server'.");
		return NULL;
	}
	memcpy(backend, path, (size_t)(slash - path));
	backend[slash - path] = 0;
	px = proxy_find(proxies_running, backend, PROXY_BACKEND);
	if (!px) {
		err_set(err, "No such backend.");
		return NULL;
	}
	s = server_find(px, slash + 1);
	if (!s)
		err_set(err, "No such server.");
	return s;
}

bool proxies_have_listener(const struct proxies *all)
{
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		if (!px->set.disabled && !list_empty(&px->binds))
			return true;
	list_for_each(px, &all->stats_frontends, node)
		if (!list_empty(&px->binds))
			return true;
	list_for_each(px, &all->peers, node)
		if (!list_empty(&px->binds))
			return true;
	return false;
}
