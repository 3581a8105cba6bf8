/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a connection gets its SSL from: the bind line's, or the server line's (tls/conn.h). */
#include "tls/bind.h"
#include "tls/client.h"
#include "tls/layer.h"

int tls_conn_accept(struct conn *conn, struct tls_bind *bind)
{
	if (tls_layer_start(conn, tls_bind_ssl(bind), true) < 0)
		return -1;
	container_of(conn->layer, struct tls_conn, layer)->bind = bind;
	return 0;
}

int tls_conn_connect(struct conn *conn, struct tls_client *client, const struct tls_target *target)
{
	return tls_layer_start(conn, tls_client_ssl(client, target), false);
}
