/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions outlive a reload. The process that ends opens, for each session, one more socket on its
 * port, connected to the client: the kernel gives it what that client sends, and all else to the
 * sockets of the successor. Until it is connected such a socket gets nothing (dgram/spread.c). What
 * comes there is treated as on the port: should it be of somebody else it is served all the same.
 */
#include "udp/beside.h"

#include "base/pool.h"
#include "dgram/socket.h"
#include "dgram/spread.h"
#include "log/log.h"
#include "net/listen_socket.h"
#include "net/listener.h"
#include "udp/address.h"
#include "udp/answers.h"
#include "udp/claim.h"
#include "udp/lb.h"
#include "udp/session.h"

#include "proxy/proxy.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct udp_beside {
	struct source src;
	struct udp_session *session;
	struct reap reap;
};

static struct pool beside_pool = POOL_INIT("udp beside", sizeof(struct udp_beside));

int udp_beside_fd(const struct udp_beside *beside)
{
	return beside->src.fd;
}

static void beside_ready(struct source *src, uint32_t events)
{
	struct udp_beside *b = container_of(src, struct udp_beside, src);

	(void)events;
	if (src->fd >= 0)
		udp_receive(b->session->port, src->fd, 1);
}

static void beside_free(struct reap *reap)
{
	pool_put(&beside_pool, container_of(reap, struct udp_beside, reap));
}

void beside_close(struct udp_beside **beside)
{
	struct udp_beside *b = *beside;

	*beside = NULL;
	if (!b)
		return;
	udp_answers_flush(); /* answers may be about to leave by it */
	loop_forget(&b->src);
	close(b->src.fd);
	b->src.fd = -1;
	loop_reap(&b->reap, beside_free);
}

struct udp_beside *beside_take(struct udp_session *s)
{
	struct udp_beside *b = s->beside;

	s->beside = NULL;
	return b;
}

void beside_give(struct udp_session *s, struct udp_beside **beside)
{
	s->beside = *beside;
	s->beside->session = s;
	*beside = NULL;
}

bool beside_open(struct udp_session *s)
{
	struct udp_beside *b = pool_take(&beside_pool);
	struct addr client, local;

	if (!b)
		return false;
	udp_session_addrs(s, &client, &local);
	b->src.fd = dgram_socket_beside(s->port->listener, &local, &client);
	b->src.ready = beside_ready;
	if (b->src.fd >= 0 && loop_add(&b->src, EPOLLIN) == 0) {
		beside_give(s, &b);
		return true;
	}
	if (b->src.fd >= 0)
		close(b->src.fd);
	pool_put(&beside_pool, b);
	return false;
}

struct finishing {
	struct listener *listener;
	unsigned lost;
	int error;
};

static void one(struct udp_session *s, void *arg)
{
	struct finishing *f = arg;

	if (s->port->listener != f->listener || s->beside || beside_open(s))
		return;
	f->lost++;
	f->error = errno;
	udp_session_end(s, END_RESOURCE);
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

static void open_all(struct listener *l)
{
	struct finishing f = { .listener = l };

	udp_sessions_each(l->port->lb, one, &f);
	if (f.lost)
		log_process(LOG_L_WARNING, "udp-lb %s: %u sessions end, for which there was no "
			    "socket: %s.", l->port->lb->proxy->name, f.lost, strerror(f.error));
}

/* The successor waits for this very socket. What came for sessions before they had sockets of their
 * own is taken here; so is what else is among that. */
static void leave_shared(struct listener *l)
{
	l->port->leaves = true;
	open_all(l);
	udp_receive(l->port, l->src.fd, queue_batches(l->src.fd));
	udp_answers_flush();
}

/* The program that steers away would keep all clients at one socket: without memory for the right
 * one the kernel is to choose by itself, which takes none. */
static void spread_again(struct listener *l)
{
	if (!spread_attach(l->src.fd, l->shards))
		return;
	log_process(LOG_L_WARNING, "udp-lb %s: clients may change to other workers, for the sockets "
		    "of the port cannot be told apart by client: %s.", l->port->lb->proxy->name,
		    strerror(errno));
	listen_socket_steer_away(l, false);
}

/* Nobody else has it: a successor has a socket of its own beside it, to which what comes from now
 * on goes. Its number among those of the port changes with ours, so ours goes first. */
static void leave_alone(struct listener *l)
{
	listen_socket_steer_away(l, true);
	udp_receive(l->port, l->src.fd, queue_batches(l->src.fd));
	udp_answers_flush();
	spread_again(l);
	listener_close(l);
	l->port->leaves = true;
	open_all(l);
}

void beside_all(struct listener *l)
{
	if (!l->port || listeners_held || l->port->claim < 0)
		return;
	if (!l->elsewhere) {
		if (listeners_shared || claim_is_wanted(l->port))
			leave_shared(l);
		else
			leave_alone(l);
	}
	claim_release(l->port);
}
