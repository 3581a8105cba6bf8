/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port in a process: the loop tells of what comes while the listener is ready, and listener->
 * finishing leaves the port. The order of leaving is what keeps datagrams: those who join later are
 * to get nothing that was for a conversation of before, and none is to fall between two sockets.
 */
#include "dgram/serve.h"

#include "base/bug.h"
#include "dgram/claim.h"
#include "dgram/port.h"
#include "dgram/spread.h"
#include "net/listen_socket.h"
#include "net/listener.h"

#include <errno.h>
#include <sys/socket.h>

enum { ROUNDS = 4 };

/* "nice" is how much a port may do in a row. */
static unsigned batches_of(const struct listener *l)
{
	int nice = l->bind->nice;

	return (unsigned)(nice > 0 ? ROUNDS - nice * (ROUNDS - 1) / 1024 :
				     ROUNDS - nice * 3 * ROUNDS / 1024);
}

static void port_ready(struct source *src, uint32_t events)
{
	struct listener *l = container_of(src, struct listener, src);

	(void)events;
	if (l->state == LISTENER_READY)
		l->port->user->receive(l->port, src->fd, batches_of(l));
}

/* How many batches can wait at most: a datagram takes some 700 bytes there. */
static unsigned queue_batches(int fd)
{
	socklen_t len = sizeof(int);
	int bytes = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &len) < 0)
		bytes = 0;
	return (unsigned)bytes / 512 / 64 + 1;
}

static void take_all(struct dgram_port *port)
{
	int fd = port->listener->src.fd;

	port->user->receive(port, fd, queue_batches(fd));
	port->user->flush();
}

/* The successor waits for this very socket. What came for conversations before they had sockets of
 * their own is taken here; so is what else is among that. */
static void leave_shared(struct dgram_port *port)
{
	port->leaves = true;
	port->user->part(port);
	take_all(port);
}

/* The program that steers away would keep all clients at one socket: without memory for the right
 * one the kernel is to choose by itself, which takes none. */
static void spread_again(struct dgram_port *port)
{
	struct listener *l = port->listener;

	if (!spread_attach(l->src.fd, l->shards))
		return;
	port->user->mixed(port, errno);
	listen_socket_steer_away(l, false);
}

/* Nobody else has it: a successor has a socket of its own beside it, to which what comes from now
 * on goes. Its number among those of the port changes with ours, so ours goes first. */
static void leave_alone(struct dgram_port *port)
{
	listen_socket_steer_away(port->listener, true);
	take_all(port);
	spread_again(port);
	listener_close(port->listener);
	port->leaves = true;
	port->user->part(port);
}

static void leave(struct listener *l)
{
	if (!l->port || listeners_held || l->port->claim < 0)
		return;
	if (!l->elsewhere) {
		if (listeners_shared || dgram_claim_is_wanted(l->port))
			leave_shared(l->port);
		else
			leave_alone(l->port);
	}
	dgram_claim_release(l->port);
}

void dgram_serve(struct dgram_port *port, struct listener *l, const struct dgram_user *user)
{
	port->listener = l;
	port->user = user;
	port->any = addr_is_any(&l->addr);
	l->port = port;
	l->src.ready = port_ready;
	l->finishing = leave;
	dgram_claim_start(port);
}
