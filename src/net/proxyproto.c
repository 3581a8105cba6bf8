/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol, version 1: one line of text in front of everything else. */
#include "net/proxyproto.h"

#include "base/str.h"
#include "net/addr.h"

size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst)
{
	struct text t;

	text_init(&t, line, PROXYPROTO_V1_MAX);
	if (src->family != dst->family || (src->family != AF_INET && src->family != AF_INET6)) {
		text_str(&t, "PROXY UNKNOWN\r\n");
		return t.len;
	}
	text_printf(&t, "PROXY TCP%c ", src->family == AF_INET ? '4' : '6');
	addr_print(src, &t);
	text_char(&t, ' ');
	addr_print(dst, &t);
	text_printf(&t, " %u %u\r\n", src->port, dst->port);
	return t.len;
}
