/* SPDX-License-Identifier: BSD-2-Clause */
/* The word "filter" (manual 4.2): lines of a proxy, in their order. What stands behind the name of
 * a kind is parsed by the kind. */
#include "filter/filter.h"

#include "base/arena.h"
#include "base/feature.h"
#include "config/module.h"
#include "proxy/proxy.h"

#include <string.h>

/* Of the manual, and not there yet. */
static const char *const known[] = { "cache", "fcgi-app", "opentracing", "spoe", NULL };

const struct filter_kind *filter_script_kind;

static const struct filter_kind *kind_of(const char *word)
{
	const struct filter_kind *const *kind;

	if (!strncmp(word, "lua.", 4) && filter_script_kind)
		return filter_script_kind;
	for (kind = filter_kinds; *kind && strcmp((*kind)->name, word); kind++)
		continue;
	return *kind;
}

static int unknown_kind(struct statement *st, const char *word)
{
	const char *names[16] = { NULL };
	unsigned i;

	for (i = 0; known[i]; i++)
		if (!strcmp(known[i], word))
			return stmt_error(st, st->at - 1, "the filter '%s' is not supported yet",
					  word);
	if (!strncmp(word, "lua.", 4))
		return stmt_error(st, st->at - 1, feature_present("LUA") ?
				  "no script has registered the filter '%s' (core.register_filter)" :
				  "the filter '%s': this build has no Lua", word);
	for (i = 0; filter_kinds[i] && i < 15; i++)
		names[i] = filter_kinds[i]->name;
	return stmt_unknown(st, st->at - 1, "filter", names);
}

static struct filter_line **end_of(struct proxy *px)
{
	struct filter_line **at = &px->filters;

	while (*at)
		at = &(*at)->next;
	return at;
}

const struct filter_line *filter_find(const struct proxy *px, const struct filter_kind *kind,
				      const char *name)
{
	const struct filter_line *line = px->filters;

	while (line && (line->kind != kind || (name && (!line->name || strcmp(name, line->name)))))
		line = line->next;
	return line;
}

void filter_add(struct config *cfg, struct proxy *px, const struct filter_kind *kind)
{
	struct filter_line *line = arena_alloc(cfg->arena, sizeof(*line));

	line->kind = kind;
	line->loc = px->loc;
	*end_of(px) = line;
}

static int parse_filter(struct statement *st, const struct keyword *kw, void *object)
{
	const char *word = stmt_need(st, "the name of a filter");
	const struct filter_kind *kind = word ? kind_of(word) : NULL;
	struct proxy *px = object;
	struct filter_line *line;

	(void)kw;
	if (!word)
		return -1;
	if (!kind)
		return unknown_kind(st, word);
	if (kind->once && filter_find(px, kind, NULL))
		return stmt_error(st, st->at - 1, "'%s' has a filter '%s' already", px->name, word);
	line = arena_alloc(st->cfg->arena, sizeof(*line));
	line->kind = kind;
	line->loc = st->loc;
	if (kind->parse && kind->parse(st, px, line))
		return -1;
	*end_of(px) = line;
	return 0;
}

static const struct keyword keywords[] = {
	{ "filter", SCOPE_FRONTEND | SCOPE_BACKEND, 0, "<name> [<parameter> ...]", parse_filter,
	  .help = "a filter of what passes: one more in the order of these lines" },
	{ 0 },
};

enum { MOST_FILTERS = 100 };

/* The place of a filter in a stream is a small number. */
static int filter_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct filter_line *line;
	struct proxy *px;
	unsigned count;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		for (count = 0, line = px->filters; line; line = line->next)
			if (++count == MOST_FILTERS + 1)
				bad = config_error(cfg, &line->loc, "'%s' has more than %d filters",
						   px->name, MOST_FILTERS);
	}
	return bad;
}

const struct module filter_module = {
	.name = "filter",
	.keywords = keywords,
	.finish = filter_finish,
};
