/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS of the connections that scripts make: the client is made when the first one asks. Nobody has
 * told authorities for them, so certificates are not verified, as in the reference. */
#include "config.h"

#include "lua/socket.h"

#ifdef HAVE_OPENSSL

#include "base/err.h"
#include "tls/client.h"
#include "tls/conn.h"
#include "tls/settings.h"

static struct tls_client *client;

static struct tls_client *client_get(void)
{
	struct tls_settings set = { .verify = TLS_VERIFY_NONE };
	const struct tls_client_conf conf = { .set = &set };
	struct err err;

	if (client)
		return client;
	tls_settings_inherit(&set, &tls_global.server);
	set.verify = TLS_VERIFY_NONE;
	client = tls_client_new(&conf, &err);
	return client;
}

int socket_tls(struct conn *conn, const struct tls_target *target)
{
	return client_get() ? tls_conn_connect(conn, client, target) : -1;
}

void socket_tls_end(void)
{
	if (client)
		tls_client_free(&client);
}

#else

int socket_tls(struct conn *conn, const struct tls_target *target)
{
	(void)conn;
	(void)target;
	return -1;
}

void socket_tls_end(void)
{
}

#endif
