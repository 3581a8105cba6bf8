/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of a view, asked for when they are needed, and what follows from the numbers for the
 * log. Called by fetches and log formats. */
#include "expr/view.h"

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
	return link_local(view->server_link, memory) ? memory : NULL;
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
	if ((!any && !server->state->port_follows) || memory->family == AF_UNIX)
		return memory;
	dst = view_dst(view, &found);
	if (!dst || dst->family == AF_UNIX)
		return memory;
	if (server->state->port_follows)
		memory->port = (uint16_t)(dst->port + server->state->port_offset);
	if (any) {
		found = *dst;
		found.port = memory->port;
		*memory = found;
	}
	return memory;
}

const struct view_log *view_numbers(const struct view *view, struct view_log *memory)
{
	if (view->log || !view->find_log)
		return view->log;
	view->find_log(view, memory);
	return memory;
}

struct timeval view_request_date(const struct view_log *log)
{
	int64_t us = log->accepted.tv_usec + (log->handshake_ms + log->idle_ms) * 1000;

	return (struct timeval){ log->accepted.tv_sec + us / 1000000, us % 1000000 };
}

static int64_t known(int64_t ms)
{
	return ms < 0 ? 0 : ms;
}

int64_t view_until_head_ms(const struct view_log *log)
{
	return log->request_ms < 0 ? -1 : log->handshake_ms + log->idle_ms + log->request_ms;
}

/* Td = Tt - (Tq + Tw + Tc + Tr) (manual 8.4), as far as these are valid. */
int64_t view_data_ms(const struct view *view, const struct view_log *log)
{
	bool begun = view->http ? log->response_ms >= 0 : log->connect_ms >= 0;
	int64_t before = log->handshake_ms + known(log->wait_ms) + known(log->connect_ms);

	if (view->http)
		before += known(log->idle_ms) + known(log->request_ms) + known(log->response_ms);
	return begun ? log->total_ms - before : -1;
}

/* Without the time that the client took to begin. */
int64_t view_user_ms(const struct view_log *log)
{
	return log->total_ms - known(log->idle_ms);
}

/* Errors, timeouts, retries, redispatches and answers of 500 and more (manual 8.3.3). */
bool view_notable(const struct view *view, const struct view_log *log)
{
	return log->failed || log->retries || log->redispatched ||
	       (view->http && view->http->status >= 500);
}
