/* SPDX-License-Identifier: BSD-2-Clause */
/* The word for the parent's socket (-S). */
#include "process/parent_cli_conf.h"

#include "cli/cli.h"
#include "cli/stats_conf.h"
#include "config/config.h"
#include "config/keyword.h"
#include "net/bind_conf.h"
#include "net/listener.h"

#include <stdlib.h>

static int parse_socket(struct statement *st, const struct keyword *kw, void *object)
{
	struct parent_cli *conf = object;

	(void)kw;
	conf->bind = bind_conf_new(st, NULL);
	cli_socket_allow(conf->bind, st->cfg->arena, LEVEL_ADMIN);
	if (bind_conf_parse(st, conf->bind) < 0)
		return -1;
	unsetenv("HAPROXY_MASTER_CLI"); /* of before a reload */
	bind_conf_export(conf->bind, "HAPROXY_MASTER_CLI");
	return 0;
}

void parent_cli_each(struct config *cfg, void (*fn)(struct listener *l, void *arg), void *arg)
{
	struct parent_cli *conf = config_data(cfg, &parent_cli_module);
	struct listener *l;

	if (conf->bind)
		list_for_each(l, &conf->bind->listeners, node)
			fn(l, arg);
}

static const struct keyword parent_keywords[] = {
	{ .name = "-S", .scope = SCOPE_GLOBAL, .args = "<address> [<bind words>]",
	  .parse = parse_socket, .help = "the parent's socket: option -S of the command line" },
	{ .name = NULL },
};

const struct module parent_cli_module = {
	.name = "parent socket",
	.keywords = parent_keywords,
	.data_size = sizeof(struct parent_cli),
};
