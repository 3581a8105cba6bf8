/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by what the program asks of others by itself: the sockets of scripts, ocsp. */
#include "net/dial.h"

#include "net/conn.h"
#include "net/sock.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <unistd.h>

struct conn *net_dial(const struct sockaddr_storage *to, socklen_t len, void *owner,
		      void (*ready)(struct conn *))
{
	bool local = to->ss_family == AF_UNIX;
	int fd = sock_open(to->ss_family, NULL);
	struct conn *conn;

	if (fd < 0)
		return NULL;
	if (!local)
		sock_wish(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	conn = !connect(fd, (const struct sockaddr *)to, len) || errno == EINPROGRESS ? conn_new() : NULL;
	if (!conn) {
		close(fd);
		return NULL;
	}
	conn->owner = owner;
	if (conn_attach(conn, &fd, CONN_CONNECTING | (local ? 0 : CONN_TCP), ready) < 0)
		conn_close(&conn, false);
	return conn;
}
