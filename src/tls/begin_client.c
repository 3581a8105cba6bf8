/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a connection to a server gets its SSL from: the server line (tls/conn.h). */
#include "tls/client.h"
#include "tls/layer.h"

int tls_conn_connect(struct conn *conn, struct tls_client *client, const struct tls_target *target)
{
	return tls_layer_start(conn, tls_client_ssl(client, target), false);
}
