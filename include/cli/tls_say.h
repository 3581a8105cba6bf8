/* SPDX-License-Identifier: BSD-2-Clause */
/* Long answers about certificates: written at once, as things are now, into memory, and said in
 * pieces. */
#ifndef CLI_TLS_SAY_H
#define CLI_TLS_SAY_H

#include "cli/command.h"

#include <openssl/ocsp.h>
#include <openssl/x509.h>

/* Names that are given at run time have at most so many characters: what is said of one must fit a
 * piece. */
enum { TLS_SAY_NAME = 1024 };

/* State of such a command, with next and end. */
struct tls_say {
	BIO *bio;
	size_t at;
};
/* Where start writes, or NULL and err. */
BIO *tls_say_begin(struct cli_call *call, struct err *err);
enum cli_step tls_say_next(struct cli_call *call);
void tls_say_end(struct cli_call *call);

/* Serial to issuer, as "show ssl cert" has it. */
void tls_say_cert(BIO *out, X509 *x);
/* A response as OpenSSL prints it, but that a space stands in each line that is empty there: an
 * empty line is the end of an answer. */
void tls_say_response(BIO *out, OCSP_RESPONSE *response);
/* "name:3": cuts the number off. 0: there is none. */
unsigned tls_say_index(char *name);

#endif
