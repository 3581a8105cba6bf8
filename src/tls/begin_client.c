/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a connection to a server gets its SSL from: the server line (tls/conn.h). */
#include "tls/client.h"
#include "tls/layer.h"

int tls_conn_connect(struct conn *conn, struct tls_client *client, const struct tls_target *target)
{
	struct tls_conn *t;

	if (tls_layer_start(conn, tls_client_ssl(client, target), false) < 0)
		return -1;
	t = container_of(conn->layer, struct tls_conn, layer);
	t->words = target->early;
	t->words.len = t->by_socket ? 0 : tls_client_early(t->ssl, target->early.len);
	return 0;
}
