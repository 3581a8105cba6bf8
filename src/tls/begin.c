/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an accepted connection gets its SSL from: the bind line (tls/conn.h). */
#include "tls/bind.h"
#include "tls/early.h"
#include "tls/layer.h"

int tls_conn_accept(struct conn *conn, struct tls_bind *bind)
{
	struct tls_conn *t;

	if (tls_layer_start(conn, tls_bind_ssl(bind), true) < 0)
		return -1;
	t = container_of(conn->layer, struct tls_conn, layer);
	t->bind = bind;
	t->hears_early = bind->early;
	if (bind->early)
		tls_early_limit(t->ssl, SSL_get_SSL_CTX(t->ssl));
	return 0;
}
