/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversations outlive a reload. The process that ends opens, for each, one more socket on its
 * port, connected to the client: the kernel gives it what that client sends, and all else to the
 * sockets of the successor. Until it is connected such a socket gets nothing (dgram/spread.c). What
 * comes there is treated as on the port: should it be of somebody else it is served all the same.
 */
#include "dgram/beside.h"

#include "base/bug.h"
#include "base/pool.h"
#include "dgram/port.h"
#include "dgram/socket.h"
#include "event/loop.h"
#include "net/addr.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

struct dgram_beside {
	struct source src;
	struct dgram_port *port;
	struct reap reap;
};

static struct pool beside_pool = POOL_INIT("udp beside", sizeof(struct dgram_beside));

int dgram_beside_fd(const struct dgram_beside *beside)
{
	return beside->src.fd;
}

static void beside_ready(struct source *src, uint32_t events)
{
	struct dgram_beside *b = container_of(src, struct dgram_beside, src);

	(void)events;
	if (src->fd >= 0)
		b->port->user->receive(b->port, src->fd, 1);
}

static void beside_free(struct reap *reap)
{
	pool_put(&beside_pool, container_of(reap, struct dgram_beside, reap));
}

void dgram_beside_close(struct dgram_beside **beside)
{
	struct dgram_beside *b = dgram_beside_take(beside);

	if (!b)
		return;
	b->port->user->flush(); /* something may be about to leave by it */
	loop_forget(&b->src);
	close(b->src.fd);
	b->src.fd = -1;
	loop_reap(&b->reap, beside_free);
}

struct dgram_beside *dgram_beside_open(struct dgram_port *port, const struct addr *local,
				       const struct addr *client)
{
	struct dgram_beside *b = pool_take(&beside_pool);
	int saved;

	if (!b)
		return NULL;
	b->port = port;
	b->src.fd = dgram_socket_beside(port->listener, local, client);
	b->src.ready = beside_ready;
	if (b->src.fd >= 0 && loop_add(&b->src, EPOLLIN) == 0)
		return b;
	saved = errno;
	if (b->src.fd >= 0)
		close(b->src.fd);
	pool_put(&beside_pool, b);
	errno = saved;
	return NULL;
}
