/* SPDX-License-Identifier: BSD-2-Clause */
/* The notes themselves, for the files that write them. */
#ifndef TLS_NOTES_OWN_H
#define TLS_NOTES_OWN_H

#include "base/kind.h"
#include "tls/notes.h"

struct tls_notes {
	struct tls_verdict verdict;
	X509 *refused; /* counted */
	struct tls_capture *capture;
	char *secrets[TLS_SECRETS]; /* hexadecimal */
	KIND_MEMBER
};

/* NULL: there are none. */
const struct tls_notes *tls_notes(const SSL *ssl);
/* Makes them when there are none yet; NULL: no memory. */
struct tls_notes *tls_notes_make(SSL *ssl);

#endif
