/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the PEM file of a certificate, as a key, an issuer, authorities, revocation lists,
 * timestamps and an OCSP response; the first byte tells which keys are compared. What is accepted
 * can be taken apart and gives the same certificate again.
 */
#include "tls/pem.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/result.h"
#include "tls/cert.h"
#include "tls/keypair.h"
#include "tls/store.h"
#include "tls/trust.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void try_cert(struct span text)
{
	struct tls_cert *cert, *again;
	struct tls_pieces pieces;
	struct err err = { "" };

	cert = tls_cert_parse(text, &err);
	BUG_ON(!cert && !err.text[0]);
	if (!cert)
		return;
	BUG_ON(tls_cert_pieces(cert, &pieces) < 0);
	again = tls_cert_make(&pieces, &err);
	BUG_ON(again != cert);
	(void)tls_cert_key(cert); /* its secret part may be nonsense */
	BUG_ON(!X509_get0_pubkey(tls_cert_leaf(cert)) && cert->parsed);
	tls_pieces_clear(&pieces);
	tls_cert_free(&again);
	tls_cert_free(&cert);
}

static void try_pieces(struct span text)
{
	struct tls_pieces pieces = { 0 };
	struct err err = { "" };

	DROPPED(tls_pieces_read_issuer(&pieces, text, &err), "any bytes may come");
	DROPPED(tls_pieces_read(&pieces, text, &err), "any bytes may come");
	DROPPED(tls_pieces_read(&pieces, text, &err), "any bytes may come");
	BUG_ON(pieces.chain_count > TLS_CHAIN_MAX);
	DROPPED(tls_ocsp_piece(&pieces, text, &err), "any bytes may come");
	DROPPED(tls_sctl_piece(&pieces, text, &err), "any bytes may come");
	tls_pieces_clear(&pieces);
}

static void try_trust(struct span text, unsigned kind)
{
	struct err err = { "" };
	X509_STORE *store = tls_ca_parse(text, kind, &err);

	BUG_ON(store && !tls_ca_count(store, kind));
	BUG_ON(!store && !err.text[0]);
	X509_STORE_free(store);
}

/* The bytes as a key, and a part of them as what it is compared with. */
static void try_keypair(const uint8_t *data, size_t len)
{
	size_t cut = len > 2 ? data[1] % len : 0;
	struct span key = { (const char *)data, len }, point = { (const char *)data + cut, len - cut };
	struct span curve = { (const char *)data, cut < 12 ? cut : 12 };

	DROPPED(keypair_compare(data[0] & 1 ? KEYPAIR_RSA : KEYPAIR_EC, key, point, curve),
		"any bytes may come");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span text = { (const char *)data, len };

	if (!len)
		return 0;
	try_cert(text);
	try_pieces(text);
	try_trust(text, TLS_CA);
	if (memmem(data, len, "CRL", 3)) /* else what was parsed is parsed once more for nothing */
		try_trust(text, TLS_CRL);
	try_keypair(data, len);
	return 0;
}
