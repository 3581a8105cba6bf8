/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "_getsocks": hands the listening sockets of this process to a new one (-x). They go over the
 * connection's own socket, beside what the conversation says. See net/inherit.h.
 */
#include "cli/command.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "net/inherit.h"
#include "proxy/proxy.h"

#include <errno.h>

/* The listeners from number first on, as many as a batch takes; *total: of all. */
struct getsocks {
	struct listener *list[INHERIT_BATCH];
	size_t first, count, total;
};

static void getsocks_proxy(struct getsocks *g, const struct proxy *px)
{
	const struct bind_conf *bind;
	struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node) {
			if (l->src.fd < 0 || l->addr.family == AF_SOCKPAIR)
				continue;
			if (g->total++ >= g->first && g->count < INHERIT_BATCH)
				g->list[g->count++] = l;
		}
}

static int getsocks_start(struct cli_call *call, struct err *err)
{
	struct getsocks g = { .count = 0 };
	int fd = cli_socket(call->cli);
	const struct proxy *px;
	int64_t first = 0;

	if (fd < 0)
		return err_set(err, "This socket does not hand over listeners: it needs "
			       "'expose-fd listeners' and must be a Unix socket.");
	if (*cli_arg(call, 0) && !str_to_int(cli_arg(call, 0), 0, INT32_MAX, &first))
		return err_set(err, "'_getsocks' expects the number of the first socket.");
	g.first = (size_t)first;
	list_for_each(px, &proxies_running->list, node)
		getsocks_proxy(&g, px);
	list_for_each(px, &proxies_running->stats_frontends, node)
		getsocks_proxy(&g, px);
	list_for_each(px, &proxies_running->peers, node)
		getsocks_proxy(&g, px);
	if (inherit_send(fd, g.list, g.count, g.first, g.total))
		return err_set(err, "Cannot hand over the listeners: %s.", strerror(errno));
	return 0;
}

const struct cli_command cli_getsocks_commands[] = {
	{ .words = "_getsocks", .args = "[<first>]", .level = LEVEL_USER, .flags = CLI_HIDDEN,
	  .start = getsocks_start,
	  .help = "hands the listening sockets to another process (-x)" },
	{ .words = NULL },
};
