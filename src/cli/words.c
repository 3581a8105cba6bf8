/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments that many commands share. */
#include "cli/words.h"

#include "base/clock.h"
#include "proxy/proxy.h"

struct server *cli_server(const struct cli_call *call, int i, struct err *err)
{
	return server_find_path(cli_arg(call, i), err);
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

/* The two largest units are enough. */
void cli_say_duration(struct text *out, uint64_t ms)
{
	static const struct {
		unsigned seconds;
		char unit;
	} units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	uint64_t left = ms / 1000;
	int said = 0;

	for (int i = 0; i < 4 && said < 2; i++) {
		if (left >= units[i].seconds || said || i == 3) {
			if (!said || left >= units[i].seconds)
				text_printf(out, "%llu%c",
					    (unsigned long long)(left / units[i].seconds),
					    units[i].unit);
			left %= units[i].seconds;
			said++;
		}
	}
}
