/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripted servers for tests of whole streams (exchange/test_served.h). */
#include "exchange/test_served.h"

#include "base/clock.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SOCKETS = 8, RATES_MS = 2000, BODY_MOST = 100, PATIENCE = 20000 };

struct socket {
	int fd; /* -1: none */
	char head[1000];
	size_t got;
};

static int listening = -1;
static struct socket sockets[SOCKETS];
struct served served;

static void socket_leave(struct socket *v)
{
	close(v->fd);
	*v = (struct socket){ .fd = -1 };
}

static void socket_answer(struct socket *v)
{
	char answer[BODY_MOST + 200];
	const char *says = served.says ? served.says : answer;
	size_t len, n, i;

	if (served.says) {
		len = strlen(served.says);
	} else {
		n = strtoul(v->head + strlen("GET /"), NULL, 10);
		assert_true(n <= BODY_MOST);
		len = (size_t)sprintf(answer, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
		for (i = 0; i < n; i++)
			answer[len++] = test_byte(n, i);
	}
	served.asked++;
	memcpy(served.request, v->head, v->got + 1);
	v->got = 0;
	if (served.mute && served.mute--) {
		socket_leave(v);
		return;
	}
	if (len && send(v->fd, says, len, MSG_NOSIGNAL) != (ssize_t)len)
		assert_int_equal(errno, EPIPE); /* who has asked has gone */
	served.by = v->fd;
	if (served.breaks_off || (served.leaves && served.leaves--))
		socket_leave(v);
}

static void socket_read(struct socket *v)
{
	/* What is left there resets the connection when it is closed. */
	size_t room = served.breaks_off ? 4 : sizeof(v->head) - 1 - v->got;
	ssize_t got = recv(v->fd, v->head + v->got, room, MSG_DONTWAIT);

	if ((got == 0 && !served.stays) || (got < 0 && errno != EAGAIN))
		socket_leave(v);
	if (got <= 0)
		return;
	v->got += (size_t)got;
	served.bytes += (size_t)got;
	v->head[v->got] = 0;
	if (strncmp(v->head, "GET /", 5) != 0 || strstr(v->head, "\r\n\r\n"))
		socket_answer(v);
}

void turns(unsigned n)
{
	unsigned i;

	while (n--) {
		for (i = 0; i < SOCKETS; i++) {
			if (sockets[i].fd < 0)
				sockets[i].fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
			else
				socket_read(&sockets[i]);
		}
		world_turn(0);
	}
}

void pass(uint64_t ms)
{
	clock_advance(ms);
	turns(QUIET);
}

void lane_await(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->end && i < PATIENCE; i++)
		turns(1);
	assert_null(lane->end);
}

const char *served_begin(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	static char name[50];
	unsigned i;
	int len = sprintf(name, "penstock-served-%d", getpid());

	for (i = 0; i < SOCKETS; i++)
		sockets[i].fd = -1;
	memcpy(un.sun_path + 1, name, (size_t)len);
	listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(listening, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(listening, 100), 0);
	return name;
}

const char *served_world_begin(const char *text)
{
	const char *name = served_begin(), *from = text, *at;
	char *all = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&all, &len);

	assert_non_null(out);
	for (; (at = strstr(from, "%s")); from = at + 2)
		fprintf(out, "%.*s%s", (int)(at - from), from, name);
	fprintf(out, "%s", from);
	fclose(out);
	clock_freeze(1000000);
	world_begin(all);
	free(all);
	return name;
}

int served_world_end(void **state)
{
	(void)state;
	world_end();
	served_end();
	return 0;
}

int served_world_afresh(void **state)
{
	(void)state;
	served_afresh();
	pass(RATES_MS);
	return 0;
}

void served_afresh(void)
{
	served = (struct served){ .says = NULL };
}

void served_end(void)
{
	unsigned i;

	for (i = 0; i < SOCKETS; i++)
		if (sockets[i].fd >= 0)
			close(sockets[i].fd);
	close(listening);
}
