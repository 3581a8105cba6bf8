/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLS tells of a link (net/link.h), in plain types: nobody who asks includes OpenSSL, and a
 * row may know TLS from elsewhere. The row of connections is tls/facts.c. A link without TLS may be
 * asked, too: it knows nothing. During a handshake, and behind one that failed, what was known by
 * then is told. A build without OpenSSL has no rows. */
#ifndef TLS_LINK_H
#define TLS_LINK_H

#include "base/result.h"
#include "base/str.h"
#include "net/link.h"
#include "net/proto.h"

#include <stdbool.h>
#include <stdint.h>

struct ssl_st; /* OpenSSL's SSL */
struct text;
struct tls_identity; /* tls/identity.h */

/* Why a handshake has failed, or a connection that broke later. */
enum tls_fault {
	TLS_FAULT_NONE,
	TLS_FAULT_CLOSED,   /* the peer closed in the handshake */
	TLS_FAULT_EMPTY,    /* ... before it said anything */
	TLS_FAULT_RESET,    /* the connection broke */
	TLS_FAULT_PROTOCOL, /* the library, or the peer by an alert, refused */
	TLS_FAULT_VERIFY,   /* the certificate of the peer is not what the line wants */
	TLS_FAULT_CA,       /* or one above it in the chain is not */
	TLS_FAULT_NAME,     /* no certificate for the name that was asked for (strict-sni) */
	TLS_FAULT_LIMIT,    /* too much, too slow, too often: renegotiation, oversized messages */
	TLS_FAULT_MEMORY,
};

/* Text and bytes. */
enum tls_bytes {
	TLS_BYTES_VERSION,       /* "TLSv1.3" */
	TLS_BYTES_CIPHER,        /* its name */
	TLS_BYTES_ALPN,          /* protocol that was agreed on */
	TLS_BYTES_SNI,           /* server name that the client asked for */
	TLS_BYTES_SESSION_ID,
	/* Those below are written to memory. */
	TLS_BYTES_CLIENT_RANDOM,
	TLS_BYTES_SERVER_RANDOM,
	TLS_BYTES_SESSION_KEY,   /* master secret */
	TLS_BYTES_UNIQUE_ID,     /* RFC 5929 3.1: the first Finished of the handshake */
};

enum tls_number {
	TLS_NUMBER_KEY_BITS,      /* of the cipher's key */
	TLS_NUMBER_KEY_BITS_USED,
	TLS_NUMBER_RESUMED,       /* was an earlier session resumed? Then no keys were computed */
	TLS_NUMBER_UNSAID,        /* has its socket ended without the peer's word that it ends
				   * (close_notify)? Then what came may be cut: RFC 8446 6.1 */
	TLS_NUMBER_EARLY,         /* has it early data, and is the handshake not done yet? */
	TLS_NUMBER_CRT_SHOWN,     /* did the peer show a certificate in this handshake? */
	TLS_NUMBER_CRT_USED,      /* or in an earlier one of the session; or one that was refused */
	TLS_NUMBER_VERIFIED,      /* X509_V_*: what the verification of it has ended with, 0: good */
	/* The first error of the verification, be it ignored or not, 0: none. */
	TLS_NUMBER_CRT_ERROR,     /* of the certificate itself */
	TLS_NUMBER_CA_ERROR,      /* of what stands above it */
	TLS_NUMBER_CA_ERROR_DEPTH, /* where that was */
};

/* A ClientHello as it came (RFC 8446 4.1.2): lists of numbers, in network byte order. */
struct tls_capture {
	uint64_t hash;     /* XXH64 of all cipher suites, whatever fits below */
	uint16_t version;  /* legacy_version */
	struct span ciphers, extensions, groups; /* of 16 bits each; extensions: their types */
	struct span formats;                     /* point formats, of 8 bits */
};

/* Secrets of TLS 1.3, by the labels of SSLKEYLOGFILE. */
enum tls_secret {
	TLS_SECRET_CLIENT_EARLY,     /* CLIENT_EARLY_TRAFFIC_SECRET */
	TLS_SECRET_CLIENT_HANDSHAKE, /* CLIENT_HANDSHAKE_TRAFFIC_SECRET */
	TLS_SECRET_SERVER_HANDSHAKE, /* SERVER_HANDSHAKE_TRAFFIC_SECRET */
	TLS_SECRET_CLIENT_TRAFFIC,   /* CLIENT_TRAFFIC_SECRET_0 */
	TLS_SECRET_SERVER_TRAFFIC,   /* SERVER_TRAFFIC_SECRET_0 */
	TLS_SECRET_EXPORTER,         /* EXPORTER_SECRET */
	TLS_SECRET_EARLY_EXPORTER,   /* EARLY_EXPORTER_SECRET */
	TLS_SECRETS
};

/* Rows may be NULL: that is not known. of: that of the link. */
struct tls_link_ops {
	/* Where they lie, or in memory. Empty: there are none; ptr NULL: nor is it an empty text. */
	struct span (*bytes)(const void *of, enum tls_bytes which, char *memory, size_t size);
	/* False: not known. */
	bool (*number)(const void *of, enum tls_number which, int64_t *number);
	enum tls_fault (*fault)(const void *of);
	/* OpenSSL's reason, for ERR_error_string; 0: none. */
	unsigned long (*error)(const void *of);
	/* " (error:0A0000C1:SSL routines::no shared cipher): " and what that means, behind the name
	 * of a fault; nothing when there is nothing to add. */
	void (*explain)(const void *of, struct text *t);
	/* The handshake is over. */
	void (*identity)(const void *of, struct tls_identity *identity);
	/* tune.ssl.capture-buffer-size. NULL: there is none. */
	const struct tls_capture *(*capture)(const void *of);
	/* tune.ssl.keylog, in hexadecimal. ptr NULL: there is none. */
	struct span (*secret)(const void *of, enum tls_secret which);
	/* OpenSSL's object, for those who read certificates and include its headers; NULL: none. */
	struct ssl_st *(*ssl)(const void *of);
};

static inline const struct tls_link_ops *tls_link_ops_of(struct link link)
{
	return link.ops && link.ops->tls ? link.ops->tls(link.of) : NULL;
}

/* Has it TLS? */
static inline bool tls_link_is(struct link link)
{
	return tls_link_ops_of(link) != NULL;
}

struct span tls_link_bytes(struct link link, enum tls_bytes which, char *memory, size_t size);
/* Those that need no memory. */
static inline struct span tls_link_text(struct link link, enum tls_bytes which)
{
	return tls_link_bytes(link, which, NULL, 0);
}
MUST_USE bool tls_link_number(struct link link, enum tls_number which, int64_t *number);
/* False: it is not so, or not known. */
static inline bool tls_link_has(struct link link, enum tls_number which)
{
	int64_t number;

	return tls_link_number(link, which, &number) && number;
}
MUST_USE enum tls_fault tls_link_fault(struct link link);
unsigned long tls_link_error(struct link link);
void tls_link_explain(struct link link, struct text *t);
void tls_link_identity(struct link link, struct tls_identity *identity);
const struct tls_capture *tls_link_capture(struct link link);
struct span tls_link_secret(struct link link, enum tls_secret which);
struct ssl_st *tls_link_ssl(struct link link);
/* Does it speak that protocol, by ALPN? */
MUST_USE bool tls_link_agreed(struct link link, const char *protocol);
/* Which protocol was agreed upon by ALPN; PROTO_UNSET: none, or none of net/proto.h. */
MUST_USE enum proto tls_link_proto(struct link link);

#endif
