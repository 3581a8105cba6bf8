/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through proxies, listeners and servers in the order of the file, for "show stat". Its
 * place is kept as numbers that grow along the lists, so that objects may come and go in
 * between. Pointers are used as long as nothing
 * else has run, so that a walk past many servers is not quadratic.
 */
#include "net/listener.h"
#include "proxy/proxy.h"
#include "stats/stat.h"

void stat_scan_init(struct stat_scan *scan)
{
	*scan = (struct stat_scan){ .iid = -1, .types = -1, .sid = -1 };
}

void stat_scan_resume(struct stat_scan *scan)
{
	scan->here = NULL;
	scan->server = NULL;
}

static const struct proxy *stat_proxy_here(struct stat_scan *c)
{
	const struct proxy *px;

	if (c->here)
		return c->here;
	px = proxy_behind(c->left);
	if (px && c->proxy != px->order) {
		c->proxy = px->order; /* the one that the walk was in has gone */
		c->at = STAT_AT_FRONTEND;
		c->object = 0;
	}
	return c->here = px;
}

static void stat_leave_proxy(struct stat_scan *c)
{
	const struct list *next = c->here->node.next;

	c->left = c->here->order;
	c->at = STAT_AT_FRONTEND;
	c->server = NULL;
	c->here = next == &proxies_running->list ? NULL : list_entry(next, struct proxy, node);
	c->proxy = c->here ? c->here->order : 0;
}

static struct listener *stat_listener_at(const struct proxy *px, unsigned n)
{
	struct bind_conf *bind;
	struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (!n--)
				return l;
	return NULL;
}

/* The next server of the proxy; NULL: there is none. */
static const struct server *stat_next_server(struct stat_scan *c, const struct proxy *px)
{
	const struct server *s = c->server;

	if (!s)
		for (s = px->servers; s && s->order <= c->object; s = s->next)
			;
	if (s) {
		c->object = s->order;
		c->server = s->next;
	}
	return s;
}

static bool stat_wants(const struct stat_scan *c, enum stat_type kind)
{
	return c->types & 1 << kind;
}

/* Up, for the option "up": usable as far as checks and administrators are concerned. */
static bool stat_hidden(const struct stat_scan *c, const struct server *s)
{
	if (c->options & (STAT_UP | STAT_NO_MAINT) && s->state->admin & ADMIN_MAINT)
		return true;
	return c->options & STAT_UP && s->state->op == SERVER_DOWN;
}

/* Goes through listeners or servers; false: no more of them. */
static bool stat_next_object(struct stat_scan *c, struct stat_row *row, const struct proxy *px)
{
	const struct server *s;
	struct listener *l;

	if (c->at == STAT_AT_LISTENERS && px->fe && stat_wants(c, STAT_LISTENER) &&
	    px->set.options.on & OPT_SOCKET_STATS) {
		while ((l = stat_listener_at(px, c->object++))) {
			if (c->sid != -1 && l->id != c->sid)
				continue;
			stat_fill_listener(row, l, c->options);
			return true;
		}
	} else if (c->at == STAT_AT_SERVERS && px->be && stat_wants(c, STAT_SERVER)) {
		while ((s = stat_next_server(c, px))) {
			if ((c->sid != -1 && s->puid != c->sid) || stat_hidden(c, s))
				continue;
			stat_fill_server(row, s, c->options);
			return true;
		}
	}
	return false;
}

/* One step of the walk over a proxy; true: the row was filled. */
static bool stat_step(struct stat_scan *c, struct stat_row *row, const struct proxy *px)
{
	switch (c->at) {
	case STAT_AT_FRONTEND:
		c->at = STAT_AT_LISTENERS;
		c->object = 0;
		if (!px->fe || !stat_wants(c, STAT_FRONTEND))
			return false;
		stat_fill_frontend(row, px, c->options);
		return true;
	case STAT_AT_LISTENERS:
	case STAT_AT_SERVERS:
		if (stat_next_object(c, row, px))
			return true;
		c->at = c->at == STAT_AT_LISTENERS ? STAT_AT_SERVERS : STAT_AT_BACKEND;
		c->object = 0;
		return false;
	case STAT_AT_BACKEND:
		stat_leave_proxy(c);
		if (!px->be || !stat_wants(c, STAT_BACKEND))
			return false;
		stat_fill_backend(row, px, c->options);
		return true;
	}
	return false;
}

static bool stat_proxy_wanted(const struct stat_scan *c, const struct proxy *px)
{
	return !px->set.disabled && px->run_state != PROXY_STOPPED &&
	       (c->iid == -1 || px->uuid == c->iid) && (!c->wants || c->wants(c->arg, px));
}

bool stat_next(struct stat_scan *c, struct stat_row *row)
{
	const struct proxy *px;

	while ((px = stat_proxy_here(c))) {
		if (c->at == STAT_AT_FRONTEND && !stat_proxy_wanted(c, px))
			stat_leave_proxy(c);
		else if (stat_step(c, row, px))
			return true;
	}
	return false;
}
