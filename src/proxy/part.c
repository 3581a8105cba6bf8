/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of parts that proxies and servers have, and the lists of what hangs there. */
#include "proxy/part.h"

#include "base/bug.h"

#define TABLE(what_, type_, parts_, own_)                                                  \
	{ .what = (what_), .at = offsetof(type_, parts_), .own = offsetof(type_, own_),    \
	  .places = ARRAY_LEN(((type_ *)NULL)->parts_) }

struct part_table
	proxy_settings_table = TABLE("settings of a proxy", struct proxy, set.parts, own_settings),
	proxy_table = TABLE("a proxy", struct proxy, parts, own_parts),
	server_settings_table = TABLE("settings of a server", struct server, set.parts,
				      own_settings),
	server_table = TABLE("a server", struct server, parts, own_parts);

struct proxy_part *const *proxy_parts;
struct server_part *const *server_parts;

void parts_install(struct proxy_part *const *of_proxies, struct server_part *const *of_servers)
{
	proxy_parts = of_proxies;
	server_parts = of_servers;
	for (; *of_proxies; of_proxies++)
		if ((*of_proxies)->kind.name)
			part_place(&(*of_proxies)->kind);
	for (; *of_servers; of_servers++)
		if ((*of_servers)->kind.name)
			part_place(&(*of_servers)->kind);
}

uint32_t proxy_parts_steps(const struct proxy *px, bool back)
{
	struct proxy_part *const *part;
	uint32_t steps = 0;

	for (part = proxy_parts; part && *part; part++)
		if ((*part)->kind.name && proxy_part(px, *part))
			steps |= back ? (*part)->back_steps : (*part)->front_steps;
	return steps;
}
