/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that no two objects have. Called when all files were read, for each server that a command
 * adds, and by who shows them. */
#include "proxy/guid.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/keyword.h"
#include "config/module.h"
#include "net/bind_part.h"
#include "net/listener.h"
#include "proxy/proxy_conf.h"

#include <string.h>

/* Of a bind line: "guid-prefix". */
struct guid_words {
	const char *prefix;
};

struct bind_part guid_part = { BIND_PART("guid", struct guid_words) };

static void *guid_words(struct statement *st, void *object)
{
	return bind_part_make(object, &guid_part, st->cfg->arena);
}

static const struct keyword guid_keywords[] = {
	{ "guid-prefix", SCOPE_BIND | SCOPE_DGRAM, 0, "<id>", set_guid, .within = guid_words,
	  .offset = offsetof(struct guid_words, prefix),
	  .help = "gives each of its sockets the guid <id>-<position on the line>" },
	{ 0 }
};

const struct module guid_module = { .name = "guid", .keywords = guid_keywords };

const char *guid_of(const struct guid_owner *owner)
{
	if (owner->server)
		return owner->server->guid;
	return owner->listener ? owner->listener->guid : owner->proxy->guid;
}

static const struct location *place_of(const struct guid_owner *owner)
{
	if (owner->server)
		return &owner->server->loc;
	return owner->listener ? &owner->listener->bind->loc : &owner->proxy->loc;
}

void guid_owner_print(const struct guid_owner *owner, struct text *t)
{
	if (owner->server) {
		text_printf(t, "server %s/%s", owner->proxy->name, owner->server->id);
		return;
	}
	if (owner->listener) {
		text_str(t, "socket ");
		if (owner->listener->addr.family == AF_UNIX)
			text_printf(t, "unix@%s",
				    owner->listener->addr.path ? owner->listener->addr.path : "");
		else
			addr_print_port(&owner->listener->addr, t);
		text_str(t, " of ");
	}
	text_printf(t, "%s %s", proxy_kind_name(owner->proxy), owner->proxy->name);
}

bool guid_object(const struct proxy *px, unsigned n, struct guid_owner *owner)
{
	const struct bind_conf *bind;
	const struct listener *l;

	*owner = (struct guid_owner){ .proxy = px };
	if (!n--)
		return true;
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (!n--) {
				owner->listener = l;
				return true;
			}
	return false;
}

/* -- all of them ------------------------------------------------------------------------------- */

/* Of each object that has one, in the order of the files; see returns whether to go on. */
typedef bool guid_see(const struct guid_owner *owner, void *data);

static bool walk_proxy(const struct proxy *px, guid_see *see, void *data)
{
	struct guid_owner owner = { .proxy = px };
	const struct bind_conf *bind;

	if (px->guid && !see(&owner, data))
		return false;
	list_for_each(bind, &px->binds, node)
		list_for_each(owner.listener, &bind->listeners, node)
			if (owner.listener->guid && !see(&owner, data))
				return false;
	owner.listener = NULL;
	for (owner.server = px->servers; owner.server; owner.server = owner.server->next)
		if (owner.server->guid && !see(&owner, data))
			return false;
	return true;
}

/* Hidden proxies have bind lines, too. */
static void walk(const struct proxies *all, guid_see *see, void *data)
{
	const struct list *const lists[] = { &all->list, &all->stats_frontends, &all->peers };
	const struct proxy *px;
	size_t i;

	for (i = 0; i < ARRAY_LEN(lists); i++)
		list_for_each(px, lists[i], node)
			if (!walk_proxy(px, see, data))
				return;
}

struct search {
	const char *guid;
	struct guid_owner *owner;
	bool found;
};

static bool is_it(const struct guid_owner *owner, void *data)
{
	struct search *search = data;

	if (strcmp(guid_of(owner), search->guid) != 0)
		return true;
	*search->owner = *owner;
	search->found = true;
	return false;
}

bool guid_find(const struct proxies *all, const char *guid, struct guid_owner *owner)
{
	struct search search = { guid, owner, false };

	walk(all, is_it, &search);
	return search.found;
}

/* -- twice ------------------------------------------------------------------------------------- */

struct owners {
	struct config *cfg;
	struct catalog catalog;
};

static void report(struct config *cfg, const struct guid_owner *owner,
		   const struct guid_owner *first)
{
	const struct location *loc = place_of(first);
	char whose[300], firsts[300];
	struct text t;

	text_init(&t, whose, sizeof(whose));
	guid_owner_print(owner, &t);
	text_init(&t, firsts, sizeof(firsts));
	guid_owner_print(first, &t);
	config_error(cfg, place_of(owner), "%s has the guid '%s', which %s at %s:%u has already",
		     whose, guid_of(owner), firsts, loc->file, loc->line);
}

static bool enter(const struct guid_owner *owner, void *data)
{
	struct owners *owners = data;
	const char *guid = guid_of(owner);
	const struct catalog_entry *first = catalog_find(&owners->catalog, span_of(guid));
	struct guid_owner *kept;

	if (first) {
		report(owners->cfg, owner, first->object);
		return true;
	}
	kept = arena_alloc(owners->cfg->arena, sizeof(*kept));
	*kept = *owner;
	catalog_add(&owners->catalog, owners->cfg->arena, guid, kept);
	return true;
}

static void name_sockets(struct config *cfg, struct list *proxies)
{
	const struct guid_words *words;
	struct bind_conf *bind;
	struct proxy *px;
	struct listener *l;
	unsigned n;

	list_for_each(px, proxies, node)
		list_for_each(bind, &px->binds, node) {
			n = 0;
			words = bind_part(bind, &guid_part);
			if (!words)
				continue;
			list_for_each(l, &bind->listeners, node)
				l->guid = arena_printf(cfg->arena, "%s-%u", words->prefix, ++n);
		}
}

void guids_finish(struct config *cfg, struct proxies *all)
{
	struct owners owners = { .cfg = cfg };

	name_sockets(cfg, &all->list);
	name_sockets(cfg, &all->stats_frontends);
	name_sockets(cfg, &all->peers);
	walk(all, enter, &owners);
}

int guid_check(struct config *cfg, const struct proxies *all, const struct guid_owner *owner)
{
	const char *guid = guid_of(owner);
	struct guid_owner first;

	if (!guid || !guid_find(all, guid, &first))
		return 0;
	report(cfg, owner, &first);
	return -1;
}
