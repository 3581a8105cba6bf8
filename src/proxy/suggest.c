/* SPDX-License-Identifier: BSD-2-Clause */
/* Which proxy, server or table may be meant. Called behind a reported problem. */
#include "proxy/suggest.h"

#include "config/module.h"
#include "proxy/added_names.h"
#include "proxy/stick_conf.h"

void proxy_suggest(struct config *cfg, const struct proxies *all, const char *name, unsigned caps)
{
	struct suggestion s = suggest_for(cfg, name);
	const struct proxy *px;

	if (caps & PROXY_BACKEND && added_names_hint(cfg, name, NULL))
		return;
	list_for_each(px, &all->list, node)
		if (px->caps & caps)
			suggest_name(&s, px->name);
	suggest_end(&s);
}

void server_suggest(struct config *cfg, const struct proxy *px, const char *name)
{
	struct suggestion s = suggest_for(cfg, name);
	const struct server *server;

	if (added_names_hint(cfg, px->name, name))
		return;
	for (server = px->servers; server; server = server->next)
		suggest_name(&s, server->id);
	suggest_end(&s);
}

void table_suggest(struct config *cfg, const char *name)
{
	const struct stick_conf *tables = config_data(cfg, &stick_module);
	struct suggestion s = suggest_for(cfg, name);
	const struct stick_line *line;

	list_for_each(line, &tables->lines, node)
		suggest_name(&s, line->name);
	suggest_end(&s);
}
