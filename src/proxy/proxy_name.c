/* SPDX-License-Identifier: BSD-2-Clause */
/* What a proxy or server may be called, and what the section of a proxy is called. */
#include "proxy/proxy_conf.h"

#include <ctype.h>
#include <string.h>

int proxy_check_name(struct statement *st, const char *name, const char *what, ptrdiff_t most)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.:", *c))
			return stmt_error(st, st->at - 1, "'%.*s' cannot stand in %s: letters, "
					  "digits and '-', '_', '.', ':' can", str_char(c), c,
					  what);
	if (c - name > most)
		return stmt_error(st, st->at - 1, "a name of more than %td characters", most);
	return 0;
}

const char *proxy_kind_name(const struct proxy *px)
{
	if (proxy_is_udp(px))
		return "udp-lb";
	switch (px->caps) {
	case PROXY_FRONTEND:
		return "frontend";
	case PROXY_BACKEND:
		return "backend";
	default:
		return "listen";
	}
}
