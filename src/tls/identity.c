/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PROXY header tells of a client's TLS (tls/identity.h): the name asked for, both
 * certificates. */
#include "tls/identity.h"

#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>

/* The last common name of the subject, the most specific one; a NUL in it would end it early for
 * others. */
static void identity_cn(X509 *cert, struct tls_identity *identity)
{
	X509_NAME *subject = X509_get_subject_name(cert);
	unsigned char *utf8 = NULL;
	int at = -1, last = -1, len;

	while ((at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0)
		last = at;
	if (last < 0)
		return;
	len = ASN1_STRING_to_UTF8(&utf8,
				  X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, last)));
	if (len > 0 && (size_t)len <= sizeof(identity->cn_memory) && !memchr(utf8, 0, (size_t)len)) {
		memcpy(identity->cn_memory, utf8, (size_t)len);
		identity->cn = (struct span){ identity->cn_memory, (size_t)len };
	}
	OPENSSL_free(utf8);
}

static void identity_client(SSL *ssl, struct tls_identity *identity)
{
	X509 *cert = SSL_get0_peer_certificate(ssl);

	if (!cert)
		return;
	identity->cert_conn = !SSL_session_reused(ssl);
	identity->cert_sess = true;
	identity->verified = SSL_get_verify_result(ssl) == X509_V_OK;
	identity_cn(cert, identity);
}

/* "RSA2048", "EC256". */
static void identity_key(X509 *cert, struct tls_identity *identity)
{
	EVP_PKEY *key = X509_get0_pubkey(cert);
	const char *kind;

	if (!key)
		return;
	switch (EVP_PKEY_get_base_id(key)) {
	case EVP_PKEY_RSA:
		kind = "RSA";
		break;
	case EVP_PKEY_EC:
		kind = "EC";
		break;
	case EVP_PKEY_DSA:
		kind = "DSA";
		break;
	default:
		return;
	}
	snprintf(identity->key_memory, sizeof(identity->key_memory), "%s%d", kind, EVP_PKEY_get_bits(key));
	identity->key_alg = span_of(identity->key_memory);
}

static void identity_own(SSL *ssl, struct tls_identity *identity)
{
	X509 *cert = SSL_get_certificate(ssl);
	const char *name;

	if (!cert)
		return;
	name = OBJ_nid2sn(X509_get_signature_nid(cert));
	snprintf(identity->sig_memory, sizeof(identity->sig_memory), "%s", name ? name : "");
	identity->sig_alg = span_of(identity->sig_memory);
	identity_key(cert, identity);
}

void tls_identity_of(SSL *ssl, struct tls_identity *identity)
{
	const char *sni = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

	if (sni)
		identity->sni = span_of(sni);
	identity_client(ssl, identity);
	identity_own(ssl, identity);
}
