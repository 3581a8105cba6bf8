/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the public part that a private key carries with that of a certificate, as
 * X509_check_private_key does. RSA (RFC 8017 A.1.2), EC (RFC 5915), either in PKCS #8 (RFC 5208).
 * Anything that does not look exactly as expected is for OpenSSL to judge. Called by cert.c at
 * start for each certificate; the bytes are not trusted.
 */
#include "tls/keypair.h"

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

enum { DER_INTEGER = 0x02, DER_BITS = 0x03, DER_OCTETS = 0x04, DER_OID = 0x06,
       DER_SEQUENCE = 0x30, DER_TAGGED_0 = 0xa0, DER_TAGGED_1 = 0xa1 };

/* Takes one value with that tag off the front of in. whole: with its head; may be NULL. */
static bool der_take(struct span *in, unsigned char tag, struct span *value, struct span *whole)
{
	const unsigned char *p = (const unsigned char *)in->ptr;
	size_t len, head = 2, i;

	if (in->len < 2 || p[0] != tag)
		return false;
	len = p[1];
	if (len & 0x80) {
		head += len & 0x7f;
		if (head < 3 || head > 5 || in->len < head || !p[2])
			return false;
		for (len = 0, i = 2; i < head; i++)
			len = len << 8 | p[i];
	}
	if (len > in->len - head)
		return false;
	*value = (struct span){ in->ptr + head, len };
	if (whole)
		*whole = (struct span){ in->ptr, head + len };
	in->ptr += head + len;
	in->len -= head + len;
	return true;
}

static bool der_take_version(struct span *in, unsigned char version)
{
	struct span value;

	return der_take(in, DER_INTEGER, &value, NULL) && value.len == 1 &&
	       (unsigned char)value.ptr[0] == version;
}

static enum keypair keypair_rsa(struct span key, struct span point)
{
	struct span ours, theirs, value, n[2], e[2];
	int i;

	if (!der_take(&key, DER_SEQUENCE, &ours, NULL) || key.len || !der_take_version(&ours, 0) ||
	    !der_take(&ours, DER_INTEGER, &value, &n[0]) || !der_take(&ours, DER_INTEGER, &value, &e[0]))
		return KEYPAIR_UNSURE;
	for (i = 0; i < 6; i++) {
		if (!der_take(&ours, DER_INTEGER, &value, NULL) || !value.len)
			return KEYPAIR_UNSURE;
	}
	if (ours.len || !der_take(&point, DER_SEQUENCE, &theirs, NULL) || point.len ||
	    !der_take(&theirs, DER_INTEGER, &value, &n[1]) ||
	    !der_take(&theirs, DER_INTEGER, &value, &e[1]) || theirs.len)
		return KEYPAIR_UNSURE;
	return span_equal(n[0], n[1]) && span_equal(e[0], e[1]) ? KEYPAIR_MATCHES : KEYPAIR_DIFFERS;
}

/* known: the curve, from around the key; empty: it must say so itself. */
static enum keypair keypair_ec(struct span key, struct span point, struct span curve,
			       struct span known)
{
	struct span in, value, oid, bits;

	if (!der_take(&key, DER_SEQUENCE, &in, NULL) || key.len || !der_take_version(&in, 1) ||
	    !der_take(&in, DER_OCTETS, &value, NULL) || !value.len)
		return KEYPAIR_UNSURE;
	if (der_take(&in, DER_TAGGED_0, &value, NULL)) {
		if (!der_take(&value, DER_OID, &oid, &known) || value.len)
			return KEYPAIR_UNSURE;
	}
	if (!der_take(&in, DER_TAGGED_1, &value, NULL) || in.len ||
	    !der_take(&value, DER_BITS, &bits, NULL) || value.len || bits.len < 2 || bits.ptr[0])
		return KEYPAIR_UNSURE;
	bits.ptr++;
	bits.len--;
	if (!known.len || bits.ptr[0] != point.ptr[0]) /* compressed or not */
		return KEYPAIR_UNSURE;
	return span_equal(known, curve) && span_equal(bits, point) ? KEYPAIR_MATCHES : KEYPAIR_DIFFERS;
}

/* What PKCS #8 holds, and its parameters. false: it is none. */
static bool pkcs8_open(struct span *key, struct span *parameters)
{
	struct span outer = *key, in, algorithm, oid, value;

	if (!der_take(&outer, DER_SEQUENCE, &in, NULL) || outer.len || !der_take_version(&in, 0) ||
	    !der_take(&in, DER_SEQUENCE, &algorithm, NULL) ||
	    !der_take(&algorithm, DER_OID, &oid, NULL) || !der_take(&in, DER_OCTETS, &value, NULL))
		return false;
	*parameters = algorithm;
	*key = value;
	return true;
}

enum keypair keypair_compare(enum keypair_kind kind, struct span key, struct span point,
			     struct span curve)
{
	struct span parameters = { "", 0 };

	if (!point.len)
		return KEYPAIR_UNSURE;
	DROPPED(pkcs8_open(&key, &parameters), "what is not in PKCS #8 stays as it is");
	return kind == KEYPAIR_RSA ? keypair_rsa(key, point) :
				     keypair_ec(key, point, curve, parameters);
}
