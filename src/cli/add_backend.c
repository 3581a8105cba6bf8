/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "add backend", "del backend", "publish backend" and "unpublish backend": through the ordered log,
 * in all processes or in none. Whether a backend may go is looked at where the change is made
 * first; the others follow.
 */
#include "cli/tables.h"
#include "event/change.h"
#include "proxy/backend_add.h"

static struct proxy *backend_named(struct cli_call *call, struct err *err)
{
	struct proxy *px = proxy_find(proxies_running, cli_arg(call, 0), PROXY_BACKEND);

	if (!px)
		err_set(err, "No such backend.");
	return px;
}

static int add_backend(struct cli_call *call, struct err *err)
{
	if (!backend_add(cli_arg(call, 0), call->argc ? call->argv + 1 : call->argv, err))
		return -1;
	cli_say(call, LOG_L_INFO, "New backend registered.");
	return 0;
}

static int del_backend(struct cli_call *call, struct err *err)
{
	struct proxy *px = backend_named(call, err);

	if (!px || (change_first && backend_removable(px, NULL, err) < 0))
		return -1;
	backend_remove(px);
	cli_say(call, LOG_L_INFO, "Backend deleted.");
	return 0;
}

static int publish_or_not(struct cli_call *call, bool publish, struct err *err)
{
	struct proxy *px = backend_named(call, err);

	if (!px)
		return -1;
	if (proxy_is_udp(px))
		return err_set(err, "'%s' is a section udp-lb: no rule chooses it.", px->name);
	backend_publish(px, publish);
	cli_say(call, LOG_L_INFO, "Backend %s.", publish ? "published" : "unpublished");
	return 0;
}

static int publish_backend(struct cli_call *call, struct err *err)
{
	return publish_or_not(call, true, err);
}

static int unpublish_backend(struct cli_call *call, struct err *err)
{
	return publish_or_not(call, false, err);
}

const struct cli_command cli_add_backend_commands[] = {
	{ .words = "add backend", .args = "<bk> from <defaults> [mode tcp|http] [guid <id>]",
	  .level = LEVEL_ADMIN, .flags = CLI_SHARED, .start = add_backend,
	  .help = "create a backend, unpublished and without servers" },
	{ .words = "del backend", .args = "<bk>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = del_backend, .help = "delete a backend that is unpublished, empty and unused" },
	{ .words = "publish backend", .args = "<bk>", .level = LEVEL_OPERATOR, .flags = CLI_SHARED,
	  .start = publish_backend, .help = "let rules choose a backend" },
	{ .words = "unpublish backend", .args = "<bk>", .level = LEVEL_OPERATOR,
	  .flags = CLI_SHARED, .start = unpublish_backend,
	  .help = "let rules pass over a backend" },
	{ .words = NULL },
};
