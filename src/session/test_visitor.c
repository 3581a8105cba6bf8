/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients of whole sessions for tests (session/test_visitor.h). */
#include "session/test_visitor.h"

#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 1000 };

const char *visitors_begin(const char *text)
{
	const char *name = served_world_begin(text);
	struct proxy *px;
	struct bind_conf *bind;

	global_state->maxconn = CONNECTIONS;
	list_for_each(px, &proxies_running->list, node) {
		px->state->maxconn = CONNECTIONS;
		list_for_each(bind, &px->binds, node)
			bind->begins = session_kind(bind);
	}
	return name;
}

struct listener *visitor_listener(const char *frontend)
{
	struct bind_conf *bind =
		container_of(world_frontend(frontend)->binds.next, struct bind_conf, node);

	return container_of(bind->listeners.next, struct listener, node);
}

void visitor_says(int visitor, const char *more)
{
	assert_int_equal(send(visitor, more, strlen(more), MSG_NOSIGNAL), strlen(more));
	turns(QUIET);
}

int visitor_comes_from(uint16_t port, const char *frontend, const char *request)
{
	struct addr from = { .family = AF_INET, .v4.s_addr = htonl(0x7f000009), .port = port };
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(send(fds[0], request, strlen(request), MSG_NOSIGNAL), strlen(request));
	session_accept(visitor_listener(frontend), &fds[1], &from);
	assert_int_equal(fds[1], -1);
	turns(QUIET);
	return fds[0];
}

int visitor_comes(const char *frontend, const char *request)
{
	return visitor_comes_from(5000, frontend, request);
}

const char *visitor_hears(int visitor)
{
	static char got[4000];
	ssize_t n = recv(visitor, got, sizeof(got) - 1, 0);

	got[n < 0 ? 0 : n] = 0;
	return got;
}

void visitor_leaves(int visitor)
{
	close(visitor);
	turns(QUIET);
}
