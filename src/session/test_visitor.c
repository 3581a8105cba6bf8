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

enum { QUIET = 40, CONNECTIONS = 1000 };

static struct bind_conf *bind_of(const char *frontend)
{
	return container_of(world_frontend(frontend)->binds.next, struct bind_conf, node);
}

void visitors_welcome(const char *frontend)
{
	struct bind_conf *bind = bind_of(frontend);

	global_state->maxconn = CONNECTIONS;
	world_frontend(frontend)->state->maxconn = CONNECTIONS;
	bind->begins = session_kind(bind);
}

void visitor_says(int visitor, const char *more)
{
	assert_int_equal(send(visitor, more, strlen(more), MSG_NOSIGNAL), strlen(more));
	turns(QUIET);
}

int visitor_comes(const char *frontend, const char *request)
{
	struct addr from = { .family = AF_INET, .v4.s_addr = htonl(0x7f000009), .port = 5000 };
	struct listener *listener = container_of(bind_of(frontend)->listeners.next, struct listener, node);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(send(fds[0], request, strlen(request), MSG_NOSIGNAL), strlen(request));
	session_accept(listener, &fds[1], &from);
	turns(QUIET);
	return fds[0];
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
