/* SPDX-License-Identifier: BSD-2-Clause */
/* enable and disable dynamic-cookie, set dynamic-cookie-key. Sentences are HAProxy's, which
 * tools look for. */
#include "cli/tables.h"
#include "exchange/persist.h"
#include "proxy/proxy.h"

static struct proxy *cookie_backend(const struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);
	struct proxy *px = *name ? proxy_find(proxies_running, name, PROXY_BACKEND) : NULL;

	if (!px)
		err_set(err, *name ? "No such backend." : "A backend name is expected.");
	return px;
}

static int cookie_switch(struct cli_call *call, bool on, struct err *err)
{
	struct proxy *px = cookie_backend(call, err);

	if (!px)
		return -1;
	return persist_dynamic_set(px, on) < 0 ? err_set(err, "Out of memory.") : 0;
}

static int cookie_enable(struct cli_call *call, struct err *err)
{
	return cookie_switch(call, true, err);
}

static int cookie_disable(struct cli_call *call, struct err *err)
{
	return cookie_switch(call, false, err);
}

static int cookie_key(struct cli_call *call, struct err *err)
{
	struct proxy *px = cookie_backend(call, err);

	if (!px)
		return -1;
	if (!*cli_arg(call, 1))
		return err_set(err, "String value expected.");
	return persist_dynamic_key(px, cli_arg(call, 1)) < 0 ? err_set(err, "Out of memory.") : 0;
}

const struct cli_command cli_dynamic_cookie_commands[] = {
	{ .words = "disable dynamic-cookie backend", .args = "<bk>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = cookie_disable,
	  .help = "disable dynamic cookies on a specific backend" },
	{ .words = "enable dynamic-cookie backend", .args = "<bk>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = cookie_enable,
	  .help = "enable dynamic cookies on a specific backend" },
	{ .words = "set dynamic-cookie-key backend", .args = "<bk> <k>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = cookie_key,
	  .help = "change a backend secret key for dynamic cookies" },
	{ .words = NULL },
};
