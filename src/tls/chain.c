/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of certificates. Called when a certificate is parsed (cert.c), never for each handshake.
 * Who signed whom is told by names and key identifiers; nothing is verified here: that is for those
 * whom the chain is sent to.
 */
#include "tls/chain.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

/* The way up from the leaf; it fails for want of an authority that is trusted, and has gone as far
 * as it can by then. */
static STACK_OF(X509) *chain_build(X509_STORE *nobody, X509 *leaf, STACK_OF(X509) *given)
{
	X509_STORE_CTX *way = X509_STORE_CTX_new();
	STACK_OF(X509) *chain = NULL;

	if (way && X509_STORE_CTX_init(way, nobody, leaf, given)) {
		(void)X509_verify_cert(way);
		chain = X509_STORE_CTX_get1_chain(way);
	}
	X509_STORE_CTX_free(way);
	ERR_clear_error();
	return chain;
}

STACK_OF(X509) *tls_chain_without_root(X509 *leaf, STACK_OF(X509) *given)
{
	X509_STORE *nobody = X509_STORE_new();
	STACK_OF(X509) *chain = nobody ? chain_build(nobody, leaf, given) : NULL;
	X509 *last;

	X509_STORE_free(nobody);
	if (!chain)
		return NULL;
	X509_free(sk_X509_shift(chain)); /* the leaf */
	last = sk_X509_value(chain, sk_X509_num(chain) - 1);
	if (last && X509_get_extension_flags(last) & EXFLAG_SS)
		X509_free(sk_X509_pop(chain));
	return chain;
}
