/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a generation: what commands have added to it goes. */
#include "proxy/backend_add.h"
#include "proxy/server_add.h"

static int added_finish(struct config *cfg, void *data)
{
	*(struct proxies **)data = config_data(cfg, &proxy_module);
	return 0;
}

static void added_release(void *data)
{
	struct proxies *all = *(struct proxies **)data;

	if (!all)
		return;
	servers_release(all);
	backends_release(all);
}

const struct module added_module = {
	.name = "added servers",
	.data_size = sizeof(struct proxies *),
	.finish = added_finish,
	.release = added_release,
};
