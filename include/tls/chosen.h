/* SPDX-License-Identifier: BSD-2-Clause */
/* The certificate that was chosen for a connection that was accepted (tls/choose.h). */
#ifndef TLS_CHOSEN_H
#define TLS_CHOSEN_H

#include <openssl/ssl.h>

struct tls_cert;

/* Also when a session was resumed and it was not sent. It lives as long as the SSL. NULL: none yet,
 * or none at all. */
struct tls_cert *tls_chosen(const SSL *ssl);
/* In place of the one before, whose reference is given back. The reference of this one is taken
 * over; without memory it is given back, and the one before stays. */
void tls_chosen_set(SSL *ssl, struct tls_cert *cert);

#endif
