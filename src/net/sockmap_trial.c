/* SPDX-License-Identifier: BSD-2-Clause */
/* Does this kernel pass bytes on as the relay needs it? What is relied on, and no document
 * promises, is tried on two connections of the loopback. Called by sockmap.c at the start. */
#include "net/sockmap_trial.h"

#include "net/sockmap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two ends of a connection of the loopback. */
static int pair_open(int fds[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener >= 0 && fds[0] >= 0 && !bind(listener, (struct sockaddr *)&a, sizeof(a)) &&
	    !listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&a, &len) &&
	    !connect(fds[0], (struct sockaddr *)&a, sizeof(a)))
		fds[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (listener >= 0)
		close(listener);
	return fds[1] < 0 ? -1 : 0;
}

static void pair_close(const int fds[2])
{
	int i;

	for (i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

enum { TRIAL_LEN = 7, TRIAL_MS = 2000 };

/* Bytes that are sent on one socket come on the other one. */
static bool trial_passes(int from, int to)
{
	struct pollfd fd = { .fd = to, .events = POLLIN };
	char bytes[2 * TRIAL_LEN];

	return send(from, "penstock", TRIAL_LEN, MSG_NOSIGNAL) == TRIAL_LEN &&
	       poll(&fd, 1, TRIAL_MS) == 1 &&
	       recv(to, bytes, sizeof(bytes), MSG_DONTWAIT) == TRIAL_LEN &&
	       !memcmp(bytes, "penstock", TRIAL_LEN);
}

/* What we rely on, and no document promises: who is told; the number of a segment's first byte; the
 * way from one socket to the other. */
static bool trial_holds(int client, const int relay[2], int server, const int number[2])
{
	struct sockmap_route *route = sockmap_route(number[0]);
	uint32_t seq;

	route->passed_most = sockmap_route(number[1])->passed_most = 10 * TRIAL_LEN;
	if (!trial_passes(client, relay[0]) || sockmap_next(sockmap_told()) != number[0] ||
	    route->passed != TRIAL_LEN || route->relayed || !route->synced)
		return false;
	seq = route->next_seq;
	route->told = 0;
	route->forwarded = TRIAL_LEN;
	route->bytes_until = 3 * TRIAL_LEN;
	route->bytes_low = route->segments_until = route->segments_low = 10 * TRIAL_LEN;
	return trial_passes(client, server) && route->relayed == TRIAL_LEN &&
	       route->next_seq == seq + TRIAL_LEN && sockmap_next(sockmap_told()) == -1 &&
	       trial_passes(client, server) && route->relayed == 2 * TRIAL_LEN &&
	       trial_passes(server, relay[1]) && sockmap_next(sockmap_told()) == number[1];
}

/* Behind the way out each is a socket as any: what comes lies where splice finds it. */
static bool trial_leaves(int client, const int relay[2], int server, const int number[2])
{
	struct pollfd fd = { .fd = relay[0], .events = POLLIN };
	int pipes[2];
	bool spliced;

	if (sockmap_hold(relay[0]) || sockmap_hold(relay[1]))
		return false;
	sockmap_leave(number);
	sockmap_let(relay[0]);
	sockmap_let(relay[1]);
	if (send(client, "penstock", TRIAL_LEN, MSG_NOSIGNAL) != TRIAL_LEN ||
	    poll(&fd, 1, TRIAL_MS) != 1 || pipe2(pipes, O_NONBLOCK))
		return false;
	spliced = splice(relay[0], NULL, pipes[1], NULL, TRIAL_LEN, SPLICE_F_NONBLOCK) == TRIAL_LEN;
	close(pipes[0]);
	close(pipes[1]);
	return spliced && trial_passes(server, relay[1]) && trial_passes(relay[1], server);
}

bool sockmap_try(void)
{
	int near[2] = { -1, -1 }, far[2] = { -1, -1 }, number[2], relay[2];
	bool holds = false;

	number[0] = sockmap_route_take();
	number[1] = sockmap_route_take();
	if (!pair_open(near) && !pair_open(far)) {
		relay[0] = near[1];
		relay[1] = far[0];
		holds = sockmap_join(relay, number) == (SOCKMAP_FIRST | SOCKMAP_SECOND) &&
			trial_holds(near[0], relay, far[1], number) &&
			trial_leaves(near[0], relay, far[1], number);
		sockmap_route_give(number[0]);
		sockmap_route_give(number[1]);
	}
	pair_close(near);
	pair_close(far);
	return holds;
}
