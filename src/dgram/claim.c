/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The claim to a socket is the name of an abstract Unix socket, made of the inode of the socket
 * that it is about, so that it goes with the process that has it. Who finds it taken tells its
 * owner, by an empty datagram, and tries again soon: after PATIENCE_MS whatever anybody says.
 */
#include "dgram/claim.h"

#include "base/clock.h"
#include "dgram/port.h"
#include "dgram/rows.h"
#include "net/listener.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { AGAIN_MS = 5, PATIENCE_MS = 10000 };

static socklen_t claim_name(const struct dgram_port *port, struct sockaddr_un *name)
{
	struct stat st;
	int len;

	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (fstat(port->listener->src.fd, &st) < 0)
		return 0;
	len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "penstock-udp-%llu",
		       (unsigned long long)st.st_ino);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

/* False: another process has it, and was told. */
static bool claim_take(struct dgram_port *port)
{
	struct sockaddr_un name;
	socklen_t len = claim_name(port, &name);

	if (!len || bind(port->claim, (struct sockaddr *)&name, len) == 0 || errno != EADDRINUSE)
		return true;
	sendto(port->claim, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name, len);
	return false;
}

/* Never the contrary: rows that wait already would come without their size. */
static void gather_rows(const struct dgram_port *port)
{
	if (port->user->gathers(port))
		dgram_rows_gather(port->listener->src.fd);
}

static void claim_tried(struct timer *timer)
{
	struct dgram_port *port = container_of(timer, struct dgram_port, retry);
	struct listener *l = port->listener;

	if (l->src.fd < 0)
		return;
	if (l->elsewhere && clock_now_ms < port->patience_ms && !claim_take(port)) {
		timer_set(timer, clock_now_ms + AGAIN_MS);
		return;
	}
	if (l->elsewhere)
		gather_rows(port);
	l->elsewhere = false;
	if (l->state == LISTENER_READY && listener_start(l)) /* no memory in the kernel */
		timer_set(timer, clock_now_ms + AGAIN_MS);
}

void dgram_claim_start(struct dgram_port *port)
{
	struct listener *l = port->listener;

	timer_init(&port->retry, claim_tried);
	port->claim = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	l->elsewhere = port->claim >= 0 && !claim_take(port);
	port->patience_ms = clock_now_ms + PATIENCE_MS;
	if (l->elsewhere)
		timer_set(&port->retry, clock_now_ms + AGAIN_MS);
	else
		gather_rows(port);
}

bool dgram_claim_is_wanted(const struct dgram_port *port)
{
	char byte;

	return recv(port->claim, &byte, 1, MSG_DONTWAIT) >= 0;
}

void dgram_claim_release(struct dgram_port *port)
{
	timer_cancel(&port->retry);
	if (port->claim >= 0)
		close(port->claim);
	port->claim = -1;
}
