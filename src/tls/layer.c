/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the layer share beside a connection's state: totals and limits of the process,
 * and why a handshake is refused. */
#include "tls/layer.h"
#include "base/kind.h"

#include <openssl/ssl.h>

struct tls_stats tls_stats;
unsigned tls_early_most = 15360;
struct tls_records tls_records = { .idle_ms = 1000 };

void tls_conn_blame(struct ssl_st *ssl, enum tls_fault fault)
{
	struct tls_conn *t = KIND_OR_NULL(struct tls_conn, SSL_get_app_data(ssl));

	if (t)
		t->fault = fault;
}
