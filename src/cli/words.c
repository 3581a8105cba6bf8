/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments that many commands share. */
#include "cli/words.h"

#include "proxy/proxy.h"

struct server *cli_server(const struct cli_call *call, int i, struct err *err)
{
	struct server *s = server_find_path(cli_arg(call, i), err);

	if (!s || !s->proxy->set.disabled)
		return s;
	err_set(err, "Proxy is disabled.");
	return NULL;
}

struct proxy *cli_frontend(const struct cli_call *call, int i, struct err *err)
{
	struct proxy *px;

	if (!*cli_arg(call, i)) {
		err_set(err, "A frontend name is expected.");
		return NULL;
	}
	px = proxy_find(proxies_running, call->argv[i], PROXY_FRONTEND);
	if (!px)
		err_set(err, "No such frontend.");
	return px;
}
