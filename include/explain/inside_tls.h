/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's TLS, through memory. In a build without OpenSSL there is none. */
#ifndef EXPLAIN_INSIDE_TLS_H
#define EXPLAIN_INSIDE_TLS_H

#include <stdbool.h>

struct bytes;
struct inside;
struct inside_tls;

/* From now on files of TLS that cannot be read are no mistake: a certificate stands in for them. */
void inside_tls_files(void);
/* sni NULL: no name is asked for. h2: it offers that, too. NULL: there is no TLS in this build, or
 * no memory. */
struct inside_tls *inside_tls_new(const char *sni, bool h2);
/* It shows this certificate, of a file that has the key, too. False: it cannot be read. */
bool inside_tls_own(struct inside_tls *t, const char *file);
/* Hears records, says the request when the handshake is done, appends records to to, and what it
 * has deciphered to in->heard. */
void inside_tls_turn(struct inside_tls *t, struct inside *in, const struct bytes *heard,
		     struct bytes *to);
void inside_tls_free(struct inside_tls **t);

#endif
