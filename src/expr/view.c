/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of a view, asked for when they are needed. Called by fetches and log formats. */
#include "expr/view.h"

#include "net/conn.h"
#include "proxy/server.h"

const struct addr *view_dst(const struct view *view, struct addr *memory)
{
	if (view->dst)
		return view->dst;
	return view->find_dst && view->find_dst(view, memory) ? memory : NULL;
}

const struct addr *view_server_src(const struct view *view, struct addr *memory)
{
	if (view->server_src)
		return view->server_src;
	return view->server_conn && conn_local_addr(view->server_conn, memory) ? memory : NULL;
}

const struct addr *view_server_dst(const struct view *view, struct addr *memory)
{
	const struct server *server = view->server ? view->server : view->dispatch;
	const struct addr *dst;
	struct addr found;
	bool any;

	if (view->server_dst || !server)
		return view->server_dst;
	*memory = server->state->addr;
	any = addr_is_any(memory);
	if ((!any && !server->spec.has_offset) || memory->family == AF_UNIX)
		return memory;
	dst = view_dst(view, &found);
	if (!dst || dst->family == AF_UNIX)
		return memory;
	if (server->spec.has_offset)
		memory->port = (uint16_t)(dst->port + server->spec.port_offset);
	if (any) {
		found = *dst;
		found.port = memory->port;
		*memory = found;
	}
	return memory;
}
