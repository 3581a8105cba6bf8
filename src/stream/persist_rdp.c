/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by RDP cookies (manual 4.2: persist rdp-cookie), of streams of bytes. */
#include "stream/persist_rdp.h"

#include "expr/expr.h"
#include "expr/view.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <endian.h>

struct proxy_part persist_rdp_part = { PROXY_SETTINGS("persist rdp-cookie", struct persist_rdp) };

/* "<address>.<port>.<reserved>": numbers of which the lowest byte comes first on the wire. */
static bool read_rdp(struct span text, struct in_addr *addr, uint16_t *port)
{
	uint64_t n[2] = { 0, 0 };
	size_t i = 0;
	int k;

	for (k = 0; k < 2; k++, i++) {
		size_t start = i;

		for (; i < text.len && i - start < 10 && text.ptr[i] >= '0' &&
		       text.ptr[i] <= '9'; i++)
			n[k] = n[k] * 10 + (uint64_t)(text.ptr[i] - '0');
		if (i == start || i >= text.len || text.ptr[i] != '.')
			return false;
	}
	if (n[0] > UINT32_MAX || n[1] > UINT16_MAX)
		return false;
	addr->s_addr = htole32((uint32_t)n[0]);
	*port = ntohs(htole16((uint16_t)n[1]));
	return true;
}

void persist_rdp(struct stream *s)
{
	const struct proxy *px = s->backend;
	const struct persist_rdp *conf = proxy_part(px, &persist_rdp_part);
	struct stream_extra *extra = extra_get(s);
	struct server *server;
	struct in_addr addr;
	struct sample smp;
	struct view view;
	uint16_t port;

	if (!extra)
		return;
	stream_view(s, &view, NULL);
	if (expr_eval_as(conf->cookie, &view, AT_SERVER | AT_FINAL, SMP_STR, &smp) !=
		    EXPR_FOUND || !read_rdp(smp.str, &addr, &port))
		return;
	for (server = px->servers; server; server = server->next) {
		const struct addr *a = &server->state->addr;

		if (a->family == AF_INET && a->v4.s_addr == addr.s_addr && a->port == port &&
		    (px->set.options.on & OPT_PERSIST || server_reachable(server))) {
			extra->persist = server;
			return;
		}
	}
}
