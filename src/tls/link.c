/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to the TLS of a link (tls/link.h): what a row does not answer is not known. */
#include "tls/link.h"

#include "tls/identity.h"

/* The operation, where the link has TLS that has it; else NULL. */
#define OP(link, name)                                                                        \
	({                                                                                    \
		const struct tls_link_ops *ops_ = tls_link_ops_of(link);                       \
		ops_ ? ops_->name : NULL;                                                      \
	})

struct span tls_link_bytes(struct link link, enum tls_bytes which, char *memory, size_t size)
{
	struct span (*bytes)(const void *, enum tls_bytes, char *, size_t) = OP(link, bytes);

	return bytes ? bytes(link.of, which, memory, size) : (struct span){ NULL, 0 };
}

bool tls_link_number(struct link link, enum tls_number which, int64_t *number)
{
	bool (*ask)(const void *, enum tls_number, int64_t *) = OP(link, number);

	return ask && ask(link.of, which, number);
}

enum tls_fault tls_link_fault(struct link link)
{
	enum tls_fault (*fault)(const void *) = OP(link, fault);

	return fault ? fault(link.of) : TLS_FAULT_NONE;
}

unsigned long tls_link_error(struct link link)
{
	unsigned long (*error)(const void *) = OP(link, error);

	return error ? error(link.of) : 0;
}

void tls_link_explain(struct link link, struct text *t)
{
	void (*explain)(const void *, struct text *) = OP(link, explain);

	if (explain)
		explain(link.of, t);
}

void tls_link_identity(struct link link, struct tls_identity *identity)
{
	void (*ask)(const void *, struct tls_identity *) = OP(link, identity);

	*identity = (struct tls_identity){ .verified = false };
	if (ask)
		ask(link.of, identity);
}

const struct tls_capture *tls_link_capture(struct link link)
{
	const struct tls_capture *(*capture)(const void *) = OP(link, capture);

	return capture ? capture(link.of) : NULL;
}

struct span tls_link_secret(struct link link, enum tls_secret which)
{
	struct span (*secret)(const void *, enum tls_secret) = OP(link, secret);

	return secret ? secret(link.of, which) : (struct span){ NULL, 0 };
}

struct ssl_st *tls_link_ssl(struct link link)
{
	struct ssl_st *(*ssl)(const void *) = OP(link, ssl);

	return ssl ? ssl(link.of) : NULL;
}

bool tls_link_agreed(struct link link, const char *protocol)
{
	return span_equal(tls_link_text(link, TLS_BYTES_ALPN), span_of(protocol));
}

enum proto tls_link_proto(struct link link)
{
	struct span name = tls_link_text(link, TLS_BYTES_ALPN);

	return name.len ? proto_agreed(name) : PROTO_UNSET;
}
