/* SPDX-License-Identifier: BSD-2-Clause */
/* The certificate that was chosen for a connection, kept with its SSL. Written by choose.c. */
#include "tls/chosen.h"

#include "base/kind.h"
#include "tls/cert.h"

static void chosen_release(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl,
			   void *argp)
{
	struct tls_cert *cert = KIND_OR_NULL(struct tls_cert, ptr);

	(void)parent, (void)data, (void)index, (void)argl, (void)argp;
	if (cert)
		tls_cert_free(&cert);
}

static int chosen_index(void)
{
	static int index = -1;

	if (index < 0)
		index = SSL_get_ex_new_index(0, NULL, NULL, NULL, chosen_release);
	return index;
}

void tls_chosen_set(SSL *ssl, struct tls_cert *cert)
{
	void *old = SSL_get_ex_data(ssl, chosen_index());

	if (SSL_set_ex_data(ssl, chosen_index(), cert))
		chosen_release(ssl, old, NULL, 0, 0, NULL);
	else
		chosen_release(ssl, cert, NULL, 0, 0, NULL);
}

struct tls_cert *tls_chosen(const SSL *ssl)
{
	return KIND_OR_NULL(struct tls_cert, SSL_get_ex_data(ssl, chosen_index()));
}
