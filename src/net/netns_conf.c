/* SPDX-License-Identifier: BSD-2-Clause */
/* Section namespace_list: the network namespaces that PROXY headers may name, so that who sends
 * headers cannot choose among all of this machine. */
#include "net/netns.h"

#include "base/arena.h"
#include "config/config.h"
#include "config/keyword.h"
#include "config/module.h"

#include <string.h>

struct listed {
	struct listed *next;
	const char *name;
};

struct namespaces {
	struct listed *first;
};

static const struct namespaces *running;

static int parse_namespace(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of a network namespace");
	struct namespaces *all = object;
	struct listed *listed;

	(void)kw;
	if (!name)
		return -1;
	if (strchr(name, '/') || !strcmp(name, "*"))
		return stmt_error(st, st->at - 1, "'%s' cannot be the name of a network namespace", name);
	listed = arena_alloc(st->cfg->arena, sizeof(*listed));
	listed->name = arena_strdup(st->cfg->arena, name);
	listed->next = all->first;
	all->first = listed;
	return 0;
}

static void *namespaces_begin(struct statement *st)
{
	return stmt_end(st) ? NULL : config_data(st->cfg, &namespaces_module);
}

static int namespaces_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)err;
	running = data;
	return 0;
}

const char *netns_listed(struct span name)
{
	const struct listed *l;

	for (l = running ? running->first : NULL; l; l = l->next)
		if (span_equal(span_of(l->name), name))
			return l->name;
	return NULL;
}

void netns_keep_listed(void)
{
	const struct listed *l;

	for (l = running ? running->first : NULL; l; l = l->next)
		netns_keep(l->name);
}

static const struct section sections[] = {
	{ .name = "namespace_list", .scope = SCOPE_NAMESPACES, .begin = namespaces_begin,
	  .help = "network namespaces that PROXY headers may name" },
	{ .name = NULL },
};

static const struct keyword keywords[] = {
	{ .name = "namespace", .scope = SCOPE_NAMESPACES, .args = "<name>", .parse = parse_namespace,
	  .help = "one that PROXY headers may name" },
	{ .name = NULL },
};

const struct module namespaces_module = {
	.name = "namespaces",
	.keywords = keywords,
	.sections = sections,
	.data_size = sizeof(struct namespaces),
	.prepare = namespaces_prepare,
};
